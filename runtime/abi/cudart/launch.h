/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Launches. A geometry that no kernel can have is what the driver says, cudaErrorInvalidValue,
 * as with NVIDIA's library of CUDA 13 on an H200.
 */
#ifndef CUDART_LAUNCH_H
#define CUDART_LAUNCH_H

#include "cudart.h"

cudaError_t launch_kernel(const void *function, dim3 grid, dim3 block, void **args,
			  size_t shared, CUstream stream);
cudaError_t launch_cooperative(const void *function, dim3 grid, dim3 block, void **args,
			       size_t shared, CUstream stream);

/* @stream replaces the default stream of @config. */
cudaError_t launch_configured(const cudaLaunchConfig_t *config, const void *function,
			      void **args, CUstream stream);

/* Writes @config as the driver has it; cudaErrorInvalidValue. */
cudaError_t launch_config(const cudaLaunchConfig_t *config, CUlaunchConfig *out);

/* What compilers make of <<<>>>: push, the call of the host function, pop. Other than
 * 0: the host function is not called. */
#pragma GCC visibility push(default)
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, CUstream stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);
#pragma GCC visibility pop

#endif
