/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The functions of LLVM Offload (offload/OffloadAPI.h), the binary interface of
 * libLLVMOffload.so. LLVM gave several of these names other parameters: each of its
 * releases has a SONAME of its own. OL_ABI chooses: 22 is 22.1, 23 is 23.1.
 *
 * Results: NULL is success; anything else lives as long as the process and is
 * never freed. A call while the library is not initialised, before olInit() and
 * after the last olShutDown(), returns OL_ERRC_UNINITIALIZED. All
 * functions may be called from any thread, static constructors and destructors
 * included. Handles are opaque: they are never dereferenced, and a stale,
 * made-up or wrong-kind one is refused.
 *
 * The parameters keep upstream's spelling, which messages and traces show.
 */
#ifndef OL_ABI_H
#define OL_ABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ol_rows.h"

#define OL_SUCCESS NULL

typedef struct ol_device_impl_t *ol_device_handle_t;
typedef struct ol_event_impl_t *ol_event_handle_t;
typedef struct ol_platform_impl_t *ol_platform_handle_t;
typedef struct ol_program_impl_t *ol_program_handle_t;
typedef struct ol_queue_impl_t *ol_queue_handle_t;
typedef struct ol_symbol_impl_t *ol_symbol_handle_t;

/* The enumerators, and how many there are: OL_ERRC_LAST and so on. */
#define OL_ERRC(name, value) OL_ERRC_##name = (value),
typedef enum ol_errc_t {
#include "ol_enum.def"
	OL_ERRC_LAST,
	OL_ERRC_FORCE_UINT32 = 0x7fffffff
} ol_errc_t;

#define OL_ALLOC_TYPE(name, value) OL_ALLOC_TYPE_##name = (value),
typedef enum ol_alloc_type_t {
#include "ol_enum.def"
	OL_ALLOC_TYPE_LAST,
	OL_ALLOC_TYPE_FORCE_UINT32 = 0x7fffffff
} ol_alloc_type_t;

#define OL_DEVICE_TYPE(name, value) OL_DEVICE_TYPE_##name = (value),
typedef enum ol_device_type_t {
#include "ol_enum.def"
	OL_DEVICE_TYPE_LAST,
	OL_DEVICE_TYPE_FORCE_UINT32 = 0x7fffffff
} ol_device_type_t;

#define OL_PLATFORM_BACKEND(name, value) OL_PLATFORM_BACKEND_##name = (value),
typedef enum ol_platform_backend_t {
#include "ol_enum.def"
	OL_PLATFORM_BACKEND_LAST,
	OL_PLATFORM_BACKEND_FORCE_UINT32 = 0x7fffffff
} ol_platform_backend_t;

#define OL_SYMBOL_KIND(name, value) OL_SYMBOL_KIND_##name = (value),
typedef enum ol_symbol_kind_t {
#include "ol_enum.def"
	OL_SYMBOL_KIND_LAST,
	OL_SYMBOL_KIND_FORCE_UINT32 = 0x7fffffff
} ol_symbol_kind_t;

#define OL_PLATFORM_INFO(name, value, type) OL_PLATFORM_INFO_##name = (value),
typedef enum ol_platform_info_t {
#include "ol_enum.def"
	OL_PLATFORM_INFO_LAST,
	OL_PLATFORM_INFO_FORCE_UINT32 = 0x7fffffff
} ol_platform_info_t;

#define OL_DEVICE_INFO(name, value, type) OL_DEVICE_INFO_##name = (value),
typedef enum ol_device_info_t {
#include "ol_enum.def"
	OL_DEVICE_INFO_LAST,
	OL_DEVICE_INFO_FORCE_UINT32 = 0x7fffffff
} ol_device_info_t;

#define OL_MEM_INFO(name, value, type) OL_MEM_INFO_##name = (value),
typedef enum ol_mem_info_t {
#include "ol_enum.def"
	OL_MEM_INFO_LAST,
	OL_MEM_INFO_FORCE_UINT32 = 0x7fffffff
} ol_mem_info_t;

#define OL_QUEUE_INFO(name, value, type) OL_QUEUE_INFO_##name = (value),
typedef enum ol_queue_info_t {
#include "ol_enum.def"
	OL_QUEUE_INFO_LAST,
	OL_QUEUE_INFO_FORCE_UINT32 = 0x7fffffff
} ol_queue_info_t;

#define OL_EVENT_INFO(name, value, type) OL_EVENT_INFO_##name = (value),
typedef enum ol_event_info_t {
#include "ol_enum.def"
	OL_EVENT_INFO_LAST,
	OL_EVENT_INFO_FORCE_UINT32 = 0x7fffffff
} ol_event_info_t;

#define OL_SYMBOL_INFO(name, value, type) OL_SYMBOL_INFO_##name = (value),
typedef enum ol_symbol_info_t {
#include "ol_enum.def"
	OL_SYMBOL_INFO_LAST,
	OL_SYMBOL_INFO_FORCE_UINT32 = 0x7fffffff
} ol_symbol_info_t;

/* Bits of the *_FP_CONFIG properties. */
typedef enum ol_device_fp_capability_flag_t {
	OL_DEVICE_FP_CAPABILITY_FLAG_CORRECTLY_ROUNDED_DIVIDE_SQRT = 1,
	OL_DEVICE_FP_CAPABILITY_FLAG_ROUND_TO_NEAREST = 2,
	OL_DEVICE_FP_CAPABILITY_FLAG_ROUND_TO_ZERO = 4,
	OL_DEVICE_FP_CAPABILITY_FLAG_ROUND_TO_INF = 8,
	OL_DEVICE_FP_CAPABILITY_FLAG_INF_NAN = 16,
	OL_DEVICE_FP_CAPABILITY_FLAG_DENORM = 32,
	OL_DEVICE_FP_CAPABILITY_FLAG_FMA = 64,
	OL_DEVICE_FP_CAPABILITY_FLAG_SOFT_FLOAT = 128,
	OL_DEVICE_FP_CAPABILITY_FLAG_LAST = 256,
	OL_DEVICE_FP_CAPABILITY_FLAG_FORCE_UINT32 = 0x7fffffff
} ol_device_fp_capability_flag_t;

typedef uint32_t ol_device_fp_capability_flags_t;

/* Of olMemRegister() and olMemUnregister(); in 22.1 none has a meaning. */
typedef enum ol_memory_register_flag_t {
	OL_MEMORY_REGISTER_FLAG_LOCK_MEMORY = 1,
	OL_MEMORY_REGISTER_FLAG_UNLOCK_MEMORY = 2,
	OL_MEMORY_REGISTER_FLAG_FORCE_UINT32 = 0x7fffffff
} ol_memory_register_flag_t;

typedef uint32_t ol_memory_register_flags_t;

/* From here on to the structures, since 23.1. Of olCreateEvent(). */
typedef enum ol_event_flag_t {
	OL_EVENT_FLAG_NONE = 0,
	OL_EVENT_FLAG_ENABLE_PROFILING = 1, /* for olGetEventElapsedTime() */
	OL_EVENT_FLAG_FORCE_UINT32 = 0x7fffffff
} ol_event_flag_t;

typedef uint32_t ol_event_flags_t;

/* Where olMemPrefetch() moves memory: to the host when the bit is set. */
typedef enum ol_mem_migration_flag_t {
	OL_MEM_MIGRATION_FLAG_HOST_TO_DEVICE = 1,
	OL_MEM_MIGRATION_FLAG_DEVICE_TO_HOST = 2,
	OL_MEM_MIGRATION_FLAG_FORCE_UINT32 = 0x7fffffff
} ol_mem_migration_flag_t;

typedef uint32_t ol_mem_migration_flags_t;

typedef enum ol_kernel_launch_prop_type_t {
	OL_KERNEL_LAUNCH_PROP_TYPE_NONE = 0,           /* ends the list */
	OL_KERNEL_LAUNCH_PROP_TYPE_IS_COOPERATIVE = 1, /* data is a bool * */
	OL_KERNEL_LAUNCH_PROP_TYPE_FORCE_UINT32 = 0x7fffffff
} ol_kernel_launch_prop_type_t;

/* How a kernel is to be launched: an element of a list. */
typedef struct ol_kernel_launch_prop_t {
	ol_kernel_launch_prop_type_t type;
	void *data;
} ol_kernel_launch_prop_t;

/* What olInit() is to bring up. */
typedef struct ol_init_args_t {
	size_t Size;           /* of this structure */
	uint32_t NumPlatforms; /* 0: all */
	const ol_platform_backend_t *Platforms;
} ol_init_args_t;

#define OL_INIT_ARGS_INIT { sizeof(ol_init_args_t), 0, NULL }

/* Executes a call of device code to the host; not called by this library. */
typedef unsigned (*ol_platform_rpc_cb_t)(void *Port, unsigned NumLanes);

/* Where in the caller's source a call is; not read. */
typedef struct ol_code_location_t {
	const char *FunctionName;
	const char *SourceFile;
	uint32_t LineNumber;
	uint32_t ColumnNumber;
} ol_code_location_t;

typedef struct ol_dimensions_t {
	uint32_t x, y, z;
} ol_dimensions_t;

typedef struct ol_error_struct_t {
	ol_errc_t Code;
	const char *Details; /* one or more sentences */
} ol_error_struct_t;

typedef const struct ol_error_struct_t *ol_result_t;

/* The geometry of a launch. */
typedef struct ol_kernel_launch_size_args_t {
	size_t Dimensions;                /* not read */
	struct ol_dimensions_t NumGroups; /* blocks */
	struct ol_dimensions_t GroupSize; /* threads of a block */
	size_t DynSharedMemory;           /* bytes per block */
} ol_kernel_launch_size_args_t;

/* Returns false to stop. */
typedef bool (*ol_device_iterate_cb_t)(ol_device_handle_t Device, void *UserData);

/* Must not call the library or the driver. */
typedef void (*ol_host_function_cb_t)(void *UserData);

/* Each function, and its twin with the caller's place in its source as last parameter. */
#define OL_TWIN(...) (__VA_ARGS__, ol_code_location_t *CodeLocation)
#define OL_PROTOTYPES(name, params)                                                      \
	ol_result_t name params;                                                           \
	ol_result_t name##WithCodeLoc OL_TWIN params;
#define OL_PROTOTYPES_VOID(name)                                                         \
	ol_result_t name(void);                                                            \
	ol_result_t name##WithCodeLoc(ol_code_location_t *CodeLocation);
#define OL_API(first, last, name, params, args, checks, trace)                           \
	OL_ROW_##first##_##last(OL_PROTOTYPES(name, params))
#define OL_API_BARE(first, last, name, params, args, trace)                              \
	OL_ROW_##first##_##last(OL_PROTOTYPES(name, params))
#define OL_API_VOID(first, last, name) OL_ROW_##first##_##last(OL_PROTOTYPES_VOID(name))
#pragma GCC visibility push(default)
#include "ol_api.def"
#pragma GCC visibility pop

#endif
