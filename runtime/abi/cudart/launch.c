/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "launch.h"

#include <limits.h>

#include "cleanup.h"
#include "kernel.h"

/* ---- The configuration ---------------------------------------------------------- */

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, CUstream stream)
{
	struct thread *thread = &cudart_thread;

	if (thread->configured == MOST_CONFIGURATIONS)
		return cudart_leave(CALL___cudaPushCallConfiguration, cudaErrorMemoryAllocation);
	thread->configurations[thread->configured++] =
		(struct configuration){ grid, block, shared, stream };
	return cudaSuccess;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
	struct thread *thread = &cudart_thread;
	const struct configuration *last;

	if (!thread->configured)
		return cudart_leave(CALL___cudaPopCallConfiguration,
				    cudaErrorMissingConfiguration);
	if (!grid || !block || !shared || !stream)
		return cudart_leave(CALL___cudaPopCallConfiguration, cudaErrorInvalidValue);
	last = &thread->configurations[--thread->configured];
	thread->popped = true;
	*grid = last->grid;
	*block = last->block;
	*shared = last->shared;
	*(CUstream *)stream = last->stream;
	return cudaSuccess;
}

/* ---- Launches ----------------------------------------------------------------------- */

cudaError_t launch_kernel(const void *symbol, dim3 grid, dim3 block, void **args, size_t shared,
			  CUstream stream)
{
	struct thread *thread = &cudart_thread;
	CUkernel kernel;

	/* A grid without blocks is a way to launch nothing. */
	thread->launched = thread->popped && grid.x && grid.y && grid.z ? symbol : NULL;
	thread->popped = false;
	TRY(kernel_get(&kernel, symbol));
	if (shared > UINT_MAX)
		return cudaErrorInvalidValue;
	return (cudaError_t)cuda.cuLaunchKernel((CUfunction)kernel, grid.x, grid.y, grid.z, block.x,
						block.y, block.z, (unsigned)shared, stream, args,
						NULL);
}

cudaError_t launch_cooperative(const void *symbol, dim3 grid, dim3 block, void **args,
			       size_t shared, CUstream stream)
{
	CUkernel kernel;

	TRY(kernel_get(&kernel, symbol));
	if (shared > UINT_MAX)
		return cudaErrorInvalidValue;
	return (cudaError_t)cuda.cuLaunchCooperativeKernel((CUfunction)kernel, grid.x, grid.y,
							   grid.z, block.x, block.y, block.z,
							   (unsigned)shared, stream, args);
}

cudaError_t launch_config(const cudaLaunchConfig_t *config, CUlaunchConfig *out)
{
	if (!config || config->dynamicSmemBytes > UINT_MAX)
		return cudaErrorInvalidValue;
	*out = (CUlaunchConfig){
		.gridDimX = config->gridDim.x, .gridDimY = config->gridDim.y,
		.gridDimZ = config->gridDim.z, .blockDimX = config->blockDim.x,
		.blockDimY = config->blockDim.y, .blockDimZ = config->blockDim.z,
		.sharedMemBytes = (unsigned)config->dynamicSmemBytes,
		.hStream = config->stream, .attrs = config->attrs,
		.numAttrs = config->numAttrs,
	};
	return cudaSuccess;
}

cudaError_t launch_configured(const cudaLaunchConfig_t *config, const void *symbol, void **args,
			      CUstream stream)
{
	CUlaunchConfig how;
	CUkernel kernel;

	TRY(launch_config(config, &how));
	TRY(kernel_get(&kernel, symbol));
	if (!how.hStream)
		how.hStream = stream;
	return (cudaError_t)cuda.cuLaunchKernelEx(&how, (CUfunction)kernel, args, NULL);
}
