/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The functions the CPU device exports. The compiler checks each definition
 * against its row of cuda_api.def and gives it the row's ELF name.
 */
#ifndef DRIVER_EXPORTS_H
#define DRIVER_EXPORTS_H

#include "cuda_abi.h"

#define CUDA_API(name, symbol, need, params, args) \
	__attribute__((visibility("default"))) CUresult name params __asm__(symbol);
#include "cuda_api.def"

#endif
