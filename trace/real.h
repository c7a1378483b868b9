/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The driver that calls are passed on to (pass_on.c): its functions. One that it does not have
 * answers CUDA_ERROR_NOT_SUPPORTED. */
#ifndef TRACE_REAL_H
#define TRACE_REAL_H

#include "cuda_abi.h"

struct real {
#define CUDA_API(name, symbol, need, params, args) CUresult(*name) params;
#include "cuda_api.def"
};
extern struct real real;

#endif
