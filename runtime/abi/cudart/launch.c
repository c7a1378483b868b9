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
	*grid = last->grid;
	*block = last->block;
	*shared = last->shared;
	*(CUstream *)stream = last->stream;
	return cudaSuccess;
}

/* ---- What the driver refused ------------------------------------------------------ */

static bool exceeds(CUdevice device, int limit, uint64_t value)
{
	int most;

	return !value || (!cuda.cuDeviceGetAttribute(&most, (CUdevice_attribute)limit, device) &&
			  value > (uint64_t)most);
}

/* Tells whether the current device runs no kernel of this shape. */
static bool is_impossible(dim3 grid, dim3 block)
{
	CUdevice device;

	if (cuda.cuCtxGetDevice(&device))
		return false;
	return exceeds(device, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, block.x) ||
	       exceeds(device, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, block.y) ||
	       exceeds(device, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, block.z) ||
	       exceeds(device, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
		       (uint64_t)block.x * block.y * block.z) ||
	       exceeds(device, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, grid.x) ||
	       exceeds(device, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, grid.y) ||
	       exceeds(device, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, grid.z);
}

static cudaError_t answer(CUresult result, dim3 grid, dim3 block)
{
	if (result == CUDA_ERROR_INVALID_VALUE && is_impossible(grid, block))
		return cudaErrorInvalidConfiguration;
	return (cudaError_t)result;
}

/* ---- Launches ----------------------------------------------------------------------- */

cudaError_t launch_kernel(const void *symbol, dim3 grid, dim3 block, void **args, size_t shared,
			  CUstream stream)
{
	CUkernel kernel;

	TRY(kernel_get(&kernel, symbol));
	if (shared > UINT_MAX)
		return cudaErrorInvalidValue;
	return answer(cuda.cuLaunchKernel((CUfunction)kernel, grid.x, grid.y, grid.z, block.x,
					  block.y, block.z, (unsigned)shared, stream, args,
					  NULL),
		      grid, block);
}

cudaError_t launch_cooperative(const void *symbol, dim3 grid, dim3 block, void **args,
			       size_t shared, CUstream stream)
{
	CUkernel kernel;

	TRY(kernel_get(&kernel, symbol));
	if (shared > UINT_MAX)
		return cudaErrorInvalidValue;
	return answer(cuda.cuLaunchCooperativeKernel((CUfunction)kernel, grid.x, grid.y, grid.z,
						     block.x, block.y, block.z,
						     (unsigned)shared, stream, args),
		      grid, block);
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
	return answer(cuda.cuLaunchKernelEx(&how, (CUfunction)kernel, args, NULL),
		      config->gridDim, config->blockDim);
}
