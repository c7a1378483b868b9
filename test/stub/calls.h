/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What each call of the stub driver does, under its lock, when nothing tells it to fail. */
#ifndef STUB_CALLS_H
#define STUB_CALLS_H

#include "stub.h"

#define CUDA_API(name, symbol, need, params, args) CUresult stub_##name params;
#include "cuda_api.def"

/* The calling thread's current context, or NULL. */
struct thing *stub_current(void);

#endif
