/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What each call of the stub driver does, under its lock, when nothing tells it to fail. */
#ifndef STUB_CALLS_H
#define STUB_CALLS_H

#include "stub.h"

#define CUDA_API(name, symbol, need, params, args) CUresult stub_##name params;
#include "cuda_api.def"

/* The calling thread's current context, or NULL. */
struct thing *stub_current(void);

/* The primary context of @device, or NULL before it was ever retained. */
struct thing *stub_primary(CUdevice device);

/* Whose sticky error a call meets: the current context, else the first device's. */
struct thing *stub_context(void);

/*
 * Checks a stream and tells its context and its id: one of ours, or the default
 * stream of the current context, under any name, whose id is 0.
 */
CUresult stub_find_stream(CUstream stream, struct thing **context, unsigned *id);

/* Whether @stream, which may be none of ours, is captured. */
enum capture stub_capture(CUstream stream);

/* Fails, and has the captures fail, where a stream is captured in such a mode that the thread may
 * not make a call that is unsafe then. */
CUresult stub_check_unsafe(void);

/*
 * Images, of modules and of libraries. stub_image_size() checks one, and tells how long it
 * is; stub_image_keep() copies it into a fresh thing, stub_image_end() ends that with its
 * functions; the others find the function or the variable of a name.
 */
CUresult stub_image_size(const void *image, unsigned count, const CUjit_option *options,
			 void *const *values, size_t *size);
void stub_image_keep(struct thing *thing, const void *image, size_t size);
void stub_image_end(struct thing *thing);
CUresult stub_image_function(struct thing *thing, const char *name, CUfunction *function);
CUresult stub_image_variable(const struct thing *thing, const char *name, CUdeviceptr *address,
			     size_t *size);

#endif
