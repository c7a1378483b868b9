/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The driver's calls, as they are defined here. Their names in the library are
 * in exports.c, which forwards each call to one of these; the compiler checks
 * each definition against its row of cuda_api.def.
 */
#ifndef CPU_EXPORTS_H
#define CPU_EXPORTS_H

#include "cuda_abi.h"

#define CUDA_API(name, symbol, need, params, args) CUresult name params __asm__("call_" #name);
#include "cuda_api.def"

/* The version that the driver reports. */
#define DRIVER_VERSION 13000

#endif
