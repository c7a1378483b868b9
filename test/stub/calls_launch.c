/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Launches, which check what they are given, and tensor maps. */
#include "calls.h"

#include <string.h>

#include "tensor_map.h"

enum { MAX_THREADS = 1024, MAX_SHARED = 232448, MAX_CLUSTER = 16 };

CUresult stub_cuLaunchKernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz,
			     unsigned bx, unsigned by, unsigned bz, unsigned shared,
			     CUstream stream, void **params, void **extra)
{
	struct thing *context, *thing;
	unsigned id;
	CUresult result = stub_find_stream(stream, &context, &id);

	(void)params;
	(void)extra;
	if (!result)
		result = thing_find(function, FUNCTION, &thing);
	if (result)
		return result;
	if (thing_context(thing) != context && thing_context(thing)->kind != LIBRARY)
		return CUDA_ERROR_INVALID_HANDLE;
	if (!gx || !gy || !gz || !bx || !by || !bz ||
	    (uint64_t)bx * by > MAX_THREADS || (uint64_t)bx * by * bz > MAX_THREADS ||
	    shared > MAX_SHARED)
		return CUDA_ERROR_INVALID_VALUE;
	if (stub_capture(stream) == NO_CAPTURE)
		work_launch(context, id);
	return CUDA_SUCCESS;
}

/* A cluster divides the grid and has few blocks. */
static CUresult check_cluster(const CUlaunchConfig *config, const CUlaunchAttribute *attribute)
{
	unsigned x = attribute->value.clusterDim.x, y = attribute->value.clusterDim.y,
		 z = attribute->value.clusterDim.z;

	if (attribute->id != CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
		return CUDA_SUCCESS;
	if (!x || !y || !z || config->gridDimX % x || config->gridDimY % y ||
	    config->gridDimZ % z || (uint64_t)x * y * z > MAX_CLUSTER)
		return CUDA_ERROR_INVALID_CLUSTER_SIZE;
	return CUDA_SUCCESS;
}

CUresult stub_cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function,
			       void **params, void **extra)
{
	for (unsigned i = 0; i < config->numAttrs; i++) {
		CUresult result = check_cluster(config, &config->attrs[i]);

		if (result)
			return result;
	}
	return stub_cuLaunchKernel(function, config->gridDimX, config->gridDimY,
				   config->gridDimZ, config->blockDimX, config->blockDimY,
				   config->blockDimZ, config->sharedMemBytes, config->hStream,
				   params, extra);
}

/* The limits that the real one keeps to, for each dimension. */
static bool is_dimension(uint64_t dim, uint32_t box, uint32_t element_stride)
{
	return dim && dim <= (uint64_t)1 << 32 && box && box <= 256 && element_stride &&
	       element_stride <= 8;
}

CUresult stub_cuTensorMapEncodeTiled(CUtensorMap *map, int type, unsigned rank, void *address,
				     const uint64_t *dims, const uint64_t *strides,
				     const uint32_t *box, const uint32_t *element_strides,
				     int interleave, int swizzle, int l2, int oob)
{
	struct stub_tensor_map made = { .address = (uintptr_t)address };

	if (!rank || rank > 5 || (uintptr_t)map % 64 || (uintptr_t)address % 16)
		return CUDA_ERROR_INVALID_VALUE;
	made.type = (uint8_t)type;
	made.rank = (uint8_t)rank;
	made.interleave = (uint8_t)interleave;
	made.swizzle = (uint8_t)swizzle;
	made.l2 = (uint8_t)l2;
	made.oob = (uint8_t)oob;
	for (unsigned i = 0; i < rank; i++) {
		if (!is_dimension(dims[i], box[i], element_strides[i]))
			return CUDA_ERROR_INVALID_VALUE;
		made.dims[i] = dims[i];
		made.box[i] = box[i];
		made.element_strides[i] = element_strides[i];
	}
	for (unsigned i = 0; i + 1 < rank; i++) {
		if (strides[i] % 16)
			return CUDA_ERROR_INVALID_VALUE;
		made.strides[i] = strides[i];
	}
	memcpy(map, &made, sizeof(made));
	return CUDA_SUCCESS;
}
