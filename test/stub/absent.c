/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls that no calls_*.c defines are those of a driver too old for them. */
#include "calls.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"
#define CUDA_API(name, symbol, need, params, args)             \
	__attribute__((weak)) CUresult stub_##name params      \
	{                                                      \
		return CUDA_ERROR_NOT_SUPPORTED;               \
	}
#include "cuda_api.def"
