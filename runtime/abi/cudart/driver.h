/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The CUDA driver, as loaded: each function of cuda_api.def. A function that the
 * driver lacks answers CUDA_ERROR_NOT_SUPPORTED, and so do all before it is loaded.
 *
 * libgpurun has a loader of its own, which says what the two share: runtime/driver/cuda_api.h.
 */
#ifndef CUDART_DRIVER_H
#define CUDART_DRIVER_H

#include "cuda_abi.h"

extern struct driver {
#define CUDA_API(name, symbol, need, params, args) CUresult(*name) params;
#include "cuda_api.def"
} cuda;

/*
 * Loads the driver that GPURUN_DEVICE and GPURUN_DRIVER ask for, without calling
 * anything in it but, for GPURUN_DEVICE=cpu:key=value, the CPU device's options.
 * CUDA_ERROR_STUB_LIBRARY when there is none. What is wrong is said on stderr where
 * the environment asked for something that is not there.
 */
CUresult driver_load(void);

#endif
