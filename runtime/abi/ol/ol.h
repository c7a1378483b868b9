/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Shared by the parts of libLLVMOffload, which uses gpurun.h alone. There is a library
 * for each ABI, of the same objects except the entry points, the trace and ol_abiNN.c:
 * implementations have the newest form of a function, and ol_abiNN.c translates the
 * forms that only an older ABI has.
 *
 * A handle is a gpurun handle cast to a pointer: a device, a queue (a
 * stream), an event, a program (a module), a symbol (a kernel or a variable). The
 * runtime refuses those that are stale, made up or of another kind. The host
 * device and the platforms are numbers that no gpurun handle has.
 *
 * ol_entry.c has the exported functions; the implementations, olX_impl(), are
 * called with what has passed the checks of ol_api.def, unless the program
 * switched them off: then they rely only on pointers being valid.
 */
#ifndef OL_H
#define OL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpurun.h"
#include "ol_abi.h"

#define CLEANUP(fn) __attribute__((cleanup(fn)))

/* Returns the result of an expression from the calling function, if it is a failure. */
#define OL_TRY(expr)                                                                     \
	do {                                                                               \
		ol_result_t try_ = (expr);                                                 \
		if (try_)                                                                  \
			return try_;                                                       \
	} while (0)

/* ---- The state of the library (ol_init.c) -------------------------------------- */

/* Written by olInit() and olShutDown() under their lock; read by any thread. */
struct ol_state {
	_Atomic bool up;         /* between the first olInit() and the last olShutDown() */
	_Atomic bool driverless; /* up without a driver: the host device is the only one */
	_Atomic bool host_alone; /* olInit() asked for no other platform */
	_Atomic bool validates;  /* OFFLOAD_DISABLE_VALIDATION is not set */
	_Atomic bool traces;     /* OFFLOAD_TRACE is set */
	_Atomic unsigned shared; /* bytes: LIBOMPTARGET_SHARED_MEMORY_SIZE, or 0 */
};

extern struct ol_state ol;

/* What differs between the ABIs (ol_abiNN.c). */
struct ol_variant {
	unsigned device_infos;  /* how many properties of devices there are */
	bool has_least_shared;  /* LIBOMPTARGET_SHARED_MEMORY_SIZE is read */
	const char *host_platform;
	const char *host_name, *host_product, *host_uid, *host_vendor, *host_version;
	uint32_t host_vendor_id;
	uint64_t host_memory; /* every size of memory that the host has, or says to have */
};

extern const struct ol_variant ol_variant;

/* ---- Results (ol_error.c) --------------------------------------------------------- */

/* Makes a failure. Each text is kept one time, until the process ends. */
ol_result_t ol_error(ol_errc_t code, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * The result of this thread's last gpurun call, which returned @status, with all that
 * gpurun reports of it. @handle is the code of a handle that it refused; the same for
 * any handle while there is no driver.
 */
ol_result_t ol_result(int status, ol_errc_t handle);

/* Joins a failure with one of undoing the call: the code is the first one's. */
ol_result_t ol_joined(ol_result_t first, ol_result_t second);

/* OL_ERRC_UNINITIALIZED. */
ol_result_t ol_uninitialized(void);

/* ---- Handles --------------------------------------------------------------------- */

enum {
	OL_HOST_DEVICE = 1,
	OL_HOST_PLATFORM = 2,
	OL_CUDA_PLATFORM = 3,
};

static inline uint64_t ol_id(const void *handle)
{
	return (uintptr_t)handle;
}

static inline void *ol_handle(uint64_t id)
{
	return (void *)(uintptr_t)id;
}

static inline struct gpurun_device ol_device(ol_device_handle_t handle)
{
	return (struct gpurun_device){ ol_id(handle) };
}

static inline struct gpurun_stream ol_queue(ol_queue_handle_t handle)
{
	return (struct gpurun_stream){ ol_id(handle) };
}

static inline struct gpurun_event ol_event(ol_event_handle_t handle)
{
	return (struct gpurun_event){ ol_id(handle) };
}

static inline struct gpurun_module ol_program(ol_program_handle_t handle)
{
	return (struct gpurun_module){ ol_id(handle) };
}

static inline bool ol_is_host(ol_device_handle_t handle)
{
	return ol_id(handle) == OL_HOST_DEVICE;
}

/* Refuses what is no device, and the host device, which has no @what.
 * OL_ERRC_INVALID_DEVICE. */
ol_result_t ol_check_gpu(ol_device_handle_t device, const char *what);

/* The same where the host device is accepted. */
ol_result_t ol_check_device(ol_device_handle_t device);

/* ---- Calls that wait (ol_queue.c) --------------------------------------------------- */

/* Creates a queue for one call without a queue: the driver's default stream may wait for
 * others' work. ol_end_call() in any case. */
ol_result_t ol_begin_call(struct gpurun_device device, struct gpurun_stream *stream);

/* Waits for what is on @stream, unless the call failed with @result, and destroys it.
 * Returns all failures. */
ol_result_t ol_end_call(struct gpurun_stream stream, ol_result_t result);

/* ---- Properties (ol_info.c) --------------------------------------------------------- */

/* The value of a property, before it is copied to the caller. */
struct ol_info {
	const void *value;
	size_t size; /* bytes */
};

#define OL_INFO(variable) ((struct ol_info){ &(variable), sizeof(variable) })

/* A string and its NUL. */
struct ol_info ol_info_string(const char *text);

/* Copies @info to @value, of @size bytes. OL_ERRC_INVALID_SIZE when they are too few. */
ol_result_t ol_info_copy(struct ol_info info, size_t size, void *value);

/* OL_ERRC_INVALID_ENUMERATION for property @name in a query by @function. */
ol_result_t ol_info_unknown(const char *function, int name);

/* ---- Implementations ---------------------------------------------------------------- */

/* The name of an implementation, by the last ABI of its row. */
#define OL_IMPL_NOW(name) name##_impl
#define OL_IMPL_22(name) name##_impl22

/* Of all rows: an older form calls the newest. */
#define OL_API(first, last, name, params, args, checks, trace)                             \
	ol_result_t OL_IMPL_##last(name) params;
#define OL_API_BARE(first, last, name, params, args, trace)                                \
	ol_result_t OL_IMPL_##last(name) params;
#define OL_API_VOID(first, last, name) ol_result_t OL_IMPL_##last(name)(void);
#include "ol_api.def"

/* The arguments of a launch: in the layout of a C struct, or one by one. */
struct ol_arguments {
	const void *packed; /* NULL: one by one */
	size_t packed_size;
	void **each;
};

/* Launches on @queue, or without one and waits; @flags are gpurun's (ol_kernel.c). */
ol_result_t ol_launch(ol_queue_handle_t queue, ol_device_handle_t device,
		      ol_symbol_handle_t kernel, const struct ol_arguments *arguments,
		      unsigned flags, const ol_kernel_launch_size_args_t *size);

/* Frees the registered intervals, which ended with the runtime (ol_register.c). */
void ol_register_forget(void);

/* The same in a child of fork(), where nothing can be undone. */
void ol_register_after_fork(void);

#endif
