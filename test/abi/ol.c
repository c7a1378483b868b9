/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Compiled against our header and against LLVM's (HEADER): prints what a binary
 * interface is made of, for test/abi/ol to compare. It does not compile where a
 * function's type is not what ol_api.def says.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include HEADER
#include "ol_rows.h"

#define SAME(function, result, ...)                                                      \
	_Static_assert(__builtin_types_compatible_p(__typeof__(function),                  \
						    __typeof__(result(__VA_ARGS__))),      \
		       #function);
#define SPREAD(...) __VA_ARGS__
#define FUNCTION(name, params)                                                           \
	SAME(name, ol_result_t, SPREAD params)                                             \
	SAME(name##WithCodeLoc, ol_result_t, SPREAD params, ol_code_location_t *)
#define FUNCTION_VOID(name)                                                              \
	SAME(name, ol_result_t, void)                                                      \
	SAME(name##WithCodeLoc, ol_result_t, ol_code_location_t *)
#define OL_API(first, last, name, params, args, checks, trace)                           \
	OL_ROW_##first##_##last(FUNCTION(name, params))
#define OL_API_BARE(first, last, name, params, args, trace)                              \
	OL_ROW_##first##_##last(FUNCTION(name, params))
#define OL_API_VOID(first, last, name) OL_ROW_##first##_##last(FUNCTION_VOID(name))
#include "ol_api.def"

SAME(*(ol_device_iterate_cb_t)0, bool, ol_device_handle_t, void *)
SAME(*(ol_host_function_cb_t)0, void, void *)

#define NUMBER(value) printf("%s %lld\n", #value, (long long)(value));
#define SIZE(type) NUMBER(sizeof(type)) NUMBER(_Alignof(type))
#define MEMBER(type, member) NUMBER(offsetof(type, member)) NUMBER(sizeof(((type *)0)->member))

static void structures(void)
{
	SIZE(ol_code_location_t)
	MEMBER(ol_code_location_t, FunctionName)
	MEMBER(ol_code_location_t, SourceFile)
	MEMBER(ol_code_location_t, LineNumber)
	MEMBER(ol_code_location_t, ColumnNumber)
	SIZE(ol_dimensions_t)
	MEMBER(ol_dimensions_t, x)
	MEMBER(ol_dimensions_t, y)
	MEMBER(ol_dimensions_t, z)
	SIZE(ol_error_struct_t)
	MEMBER(ol_error_struct_t, Code)
	MEMBER(ol_error_struct_t, Details)
	SIZE(ol_kernel_launch_size_args_t)
	MEMBER(ol_kernel_launch_size_args_t, Dimensions)
	MEMBER(ol_kernel_launch_size_args_t, NumGroups)
	MEMBER(ol_kernel_launch_size_args_t, GroupSize)
	MEMBER(ol_kernel_launch_size_args_t, DynSharedMemory)
	SIZE(ol_result_t)
	SIZE(ol_device_handle_t)
	SIZE(ol_device_fp_capability_flags_t)
	SIZE(ol_memory_register_flags_t)
}

#define LIST(type, prefix) SIZE(type) NUMBER(prefix##_LAST) NUMBER(prefix##_FORCE_UINT32)

static void enumerations(void)
{
	LIST(ol_errc_t, OL_ERRC)
	LIST(ol_alloc_type_t, OL_ALLOC_TYPE)
	LIST(ol_device_type_t, OL_DEVICE_TYPE)
	LIST(ol_platform_backend_t, OL_PLATFORM_BACKEND)
	LIST(ol_symbol_kind_t, OL_SYMBOL_KIND)
	LIST(ol_platform_info_t, OL_PLATFORM_INFO)
	LIST(ol_device_info_t, OL_DEVICE_INFO)
	LIST(ol_mem_info_t, OL_MEM_INFO)
	LIST(ol_queue_info_t, OL_QUEUE_INFO)
	LIST(ol_event_info_t, OL_EVENT_INFO)
	LIST(ol_symbol_info_t, OL_SYMBOL_INFO)
	LIST(ol_device_fp_capability_flag_t, OL_DEVICE_FP_CAPABILITY_FLAG)
}

static void enumerators(void)
{
#define OL_ERRC(name, value) NUMBER(OL_ERRC_##name)
#define OL_ALLOC_TYPE(name, value) NUMBER(OL_ALLOC_TYPE_##name)
#define OL_DEVICE_TYPE(name, value) NUMBER(OL_DEVICE_TYPE_##name)
#define OL_PLATFORM_BACKEND(name, value) NUMBER(OL_PLATFORM_BACKEND_##name)
#define OL_SYMBOL_KIND(name, value) NUMBER(OL_SYMBOL_KIND_##name)
#define OL_PLATFORM_INFO(name, value, type) NUMBER(OL_PLATFORM_INFO_##name)
#define OL_DEVICE_INFO(name, value, type) NUMBER(OL_DEVICE_INFO_##name)
#define OL_MEM_INFO(name, value, type) NUMBER(OL_MEM_INFO_##name)
#define OL_QUEUE_INFO(name, value, type) NUMBER(OL_QUEUE_INFO_##name)
#define OL_EVENT_INFO(name, value, type) NUMBER(OL_EVENT_INFO_##name)
#define OL_SYMBOL_INFO(name, value, type) NUMBER(OL_SYMBOL_INFO_##name)
#include "ol_enum.def"
	NUMBER(OL_DEVICE_FP_CAPABILITY_FLAG_CORRECTLY_ROUNDED_DIVIDE_SQRT)
	NUMBER(OL_DEVICE_FP_CAPABILITY_FLAG_ROUND_TO_NEAREST)
	NUMBER(OL_DEVICE_FP_CAPABILITY_FLAG_ROUND_TO_ZERO)
	NUMBER(OL_DEVICE_FP_CAPABILITY_FLAG_ROUND_TO_INF)
	NUMBER(OL_DEVICE_FP_CAPABILITY_FLAG_INF_NAN)
	NUMBER(OL_DEVICE_FP_CAPABILITY_FLAG_DENORM)
	NUMBER(OL_DEVICE_FP_CAPABILITY_FLAG_FMA)
	NUMBER(OL_DEVICE_FP_CAPABILITY_FLAG_SOFT_FLOAT)
}

/* What came with 23.1; nothing of an older ABI is called so. */
#if OL_ABI >= 23
SAME(olInit, ol_result_t, const ol_init_args_t *)
SAME(olCreateEvent, ol_result_t, ol_queue_handle_t, uint32_t, ol_event_handle_t *)
SAME(olLaunchKernel, ol_result_t, ol_queue_handle_t, ol_device_handle_t, ol_symbol_handle_t,
     const ol_kernel_launch_size_args_t *, const ol_kernel_launch_prop_t *, size_t, void **,
     const size_t *)
SAME(olMemUnregister, ol_result_t, ol_device_handle_t, void *, uint32_t)
SAME(olGetEventElapsedTime, ol_result_t, ol_event_handle_t, ol_event_handle_t, float *)
SAME(olGetKernelMaxCooperativeGroupCount, ol_result_t, ol_device_handle_t, ol_symbol_handle_t,
     const ol_kernel_launch_size_args_t *, uint32_t *)
SAME(olMemAllocAligned, ol_result_t, ol_device_handle_t, ol_alloc_type_t, size_t, size_t, void **)
SAME(olMemPrefetch, ol_result_t, ol_queue_handle_t, size_t, const void **, const size_t *,
     uint32_t)
SAME(olPlatformRegisterRPCCallback, ol_result_t, ol_platform_handle_t,
     unsigned (*)(void *, unsigned))
SAME(olQueryQueue, ol_result_t, ol_queue_handle_t, bool *)

static void since_23(void)
{
	SIZE(ol_init_args_t)
	MEMBER(ol_init_args_t, Size)
	MEMBER(ol_init_args_t, NumPlatforms)
	MEMBER(ol_init_args_t, Platforms)
	SIZE(ol_kernel_launch_prop_t)
	MEMBER(ol_kernel_launch_prop_t, type)
	MEMBER(ol_kernel_launch_prop_t, data)
	SIZE(ol_event_flags_t)
	SIZE(ol_mem_migration_flags_t)
	NUMBER(OL_KERNEL_LAUNCH_PROP_TYPE_NONE)
	NUMBER(OL_KERNEL_LAUNCH_PROP_TYPE_IS_COOPERATIVE)
	NUMBER(OL_EVENT_FLAG_NONE)
	NUMBER(OL_EVENT_FLAG_ENABLE_PROFILING)
	NUMBER(OL_MEM_MIGRATION_FLAG_HOST_TO_DEVICE)
	NUMBER(OL_MEM_MIGRATION_FLAG_DEVICE_TO_HOST)
	NUMBER(OL_MEMORY_REGISTER_FLAG_LOCK_MEMORY)
	NUMBER(OL_MEMORY_REGISTER_FLAG_UNLOCK_MEMORY)
}
#else
static void since_23(void)
{
}
#endif

int main(void)
{
	structures();
	enumerations();
	enumerators();
	since_23();
	return 0;
}
