/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Launches in steps, by the calls from before CUDA 4: block, shared memory and
 * arguments are set for a function, one call each, and stay set.
 */
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "device_limits.h"
#include "entry.h"
#include "exports.h"
#include "module.h"

#define PARAMETERS 4096 /* bytes that a kernel of that time could have */

struct launch_steps {
	unsigned block[3], shared;
	size_t size;          /* of the arguments, as cuParamSetSize() has it */
	_Alignas(16) unsigned char bytes[PARAMETERS];
};

/* What was set for the function of @handle; initially nothing. */
static CUresult find_steps(CUfunction handle, struct launch_steps **out)
{
	struct function *function;

	TRY(function_find(handle, &function));
	if (!function->steps)
		function->steps = calloc(1, sizeof(*function->steps));
	*out = function->steps;
	return *out ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuFuncSetBlockShape(CUfunction function, int x, int y, int z)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);
	struct launch_steps *steps;

	TRY(call.result);
	TRY(find_steps(function, &steps));
	if (x <= 0 || y <= 0 || z <= 0 || x > DEVICE_MAX_BLOCK_X || y > DEVICE_MAX_BLOCK_Y ||
	    z > DEVICE_MAX_BLOCK_Z || x * y > DEVICE_MAX_THREADS ||
	    x * y * z > DEVICE_MAX_THREADS)
		return CUDA_ERROR_INVALID_VALUE;
	steps->block[0] = (unsigned)x;
	steps->block[1] = (unsigned)y;
	steps->block[2] = (unsigned)z;
	return CUDA_SUCCESS;
}

/* The launch checks whether a block may have as much. */
CUresult cuFuncSetSharedSize(CUfunction function, unsigned bytes)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);
	struct launch_steps *steps;

	TRY(call.result);
	TRY(find_steps(function, &steps));
	steps->shared = bytes;
	return CUDA_SUCCESS;
}

CUresult cuParamSetSize(CUfunction function, unsigned bytes)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);
	struct launch_steps *steps;

	TRY(call.result);
	TRY(find_steps(function, &steps));
	if (bytes > PARAMETERS)
		return CUDA_ERROR_INVALID_VALUE;
	steps->size = bytes;
	return CUDA_SUCCESS;
}

CUresult cuParamSetv(CUfunction function, int offset, void *bytes, unsigned count)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);
	struct launch_steps *steps;

	TRY(call.result);
	TRY(find_steps(function, &steps));
	if (offset < 0 || offset > PARAMETERS || count > PARAMETERS - (unsigned)offset ||
	    (!bytes && count))
		return CUDA_ERROR_INVALID_VALUE;
	if (count)
		memcpy(steps->bytes + offset, bytes, count);
	return CUDA_SUCCESS;
}

CUresult cuParamSeti(CUfunction function, int offset, unsigned value)
{
	return cuParamSetv(function, offset, &value, sizeof(value));
}

CUresult cuParamSetf(CUfunction function, int offset, float value)
{
	return cuParamSetv(function, offset, &value, sizeof(value));
}

/* A copy: once the lock is released, another thread may set other arguments. */
static CUresult copy_steps(CUfunction function, struct launch_steps *out)
{
	CLEANUP(leave) struct api_call call = enter_from(NEED_ACTIVE, "cuLaunchGrid");
	struct launch_steps *steps;

	TRY(call.result);
	TRY(find_steps(function, &steps));
	*out = *steps;
	return CUDA_SUCCESS;
}

CUresult cuLaunchGridAsync(CUfunction function, int width, int height, CUstream stream)
{
	struct launch_steps steps;
	void *extra[] = { CU_LAUNCH_PARAM_BUFFER_POINTER, steps.bytes,
			  CU_LAUNCH_PARAM_BUFFER_SIZE, &steps.size, CU_LAUNCH_PARAM_END };

	TRY(copy_steps(function, &steps));
	if (width <= 0 || height <= 0)
		return CUDA_ERROR_INVALID_VALUE;
	return cuLaunchKernel(function, (unsigned)width, (unsigned)height, 1, steps.block[0],
			      steps.block[1], steps.block[2], steps.shared, stream, NULL, extra);
}

CUresult cuLaunchGrid(CUfunction function, int width, int height)
{
	return cuLaunchGridAsync(function, width, height, NULL);
}

CUresult cuLaunch(CUfunction function)
{
	return cuLaunchGrid(function, 1, 1);
}
