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

#endif
