/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * For each row of cuda_api.def a function absent_NAME, which a loader puts in the place of one that
 * the driver misses: it returns CUDA_ERROR_NOT_SUPPORTED.
 */
#ifndef CUDA_ABSENT_H
#define CUDA_ABSENT_H

#include "cuda_abi.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define CUDA_API(name, symbol, need, params, args)                                         \
	__attribute__((unused)) static CUresult absent_##name params                       \
	{                                                                                  \
		return CUDA_ERROR_NOT_SUPPORTED;                                           \
	}
#include "cuda_api.def"
#pragma GCC diagnostic pop

#endif
