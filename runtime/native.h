/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * From the driver's pointers back to the handles they belong to. Adopted
 * objects are not entered: they did not come from this library.
 */
#ifndef RUNTIME_NATIVE_H
#define RUNTIME_NATIVE_H

#include "object.h"

/*
 * Enters @native for @object, whose only reference the caller holds. When memory is
 * exhausted the object is closed and released. GPURUN_NO_MEMORY.
 */
int native_enter(struct object *object, const void *native, struct err *e);

/* Takes @native out, if it is entered for @handle. */
void native_forget(const void *native, uint64_t handle);

/* What @handle claims to be of. */
enum gpurun_native_kind native_handle_kind(uint64_t handle);

enum gpurun_native_kind native_kind(const void *native, uint64_t *id);

int native_destroy(enum gpurun_native_kind kind, void *native, struct err *e);

/* The driver's pointer of a handle; a device's context is retained for that. */
int native_stream(struct gpurun_stream handle, void **native, struct err *e);
int native_event(struct gpurun_event handle, void **native, struct err *e);
int native_module(struct gpurun_module handle, void **native, struct err *e);
int native_kernel(struct gpurun_kernel handle, void **native, struct err *e);
int native_context(struct gpurun_device handle, void **native, struct err *e);

#endif
