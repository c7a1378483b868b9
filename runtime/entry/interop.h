/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The driver's objects of handles, and those of the program itself. */
#ifndef RUNTIME_INTEROP_H
#define RUNTIME_INTEROP_H

#include "object.h"

/* Destroys @native, an object of @kind that the program made; one of a handle is refused. */
int interop_destroy(enum gpurun_native_kind kind, void *native, struct err *e);

/* The driver's pointer of a handle; a device's context is retained for that. */
int interop_stream(struct gpurun_stream handle, void **native, struct err *e);
int interop_event(struct gpurun_event handle, void **native, struct err *e);
int interop_module(struct gpurun_module handle, void **native, struct err *e);
int interop_kernel(struct gpurun_kernel handle, void **native, struct err *e);
int interop_context(struct gpurun_device handle, void **native, struct err *e);

#endif
