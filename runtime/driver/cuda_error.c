/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cuda_error.h"

#include <string.h>

const char *cuda_error_name(CUresult result)
{
	switch ((int)result) {
#define CUDA_ERROR(name, number, meaning)                                                  \
	case number:                                                                       \
		return #name;
		CUDA_RESULTS
#undef CUDA_ERROR
	}
	return "CUDA_ERROR_?";
}

const char *cuda_error_meaning(CUresult result)
{
	switch ((int)result) {
#define CUDA_ERROR(name, number, meaning)                                                  \
	case number:                                                                       \
		return meaning;
		CUDA_RESULTS
#undef CUDA_ERROR
	}
	return "an error this version does not know";
}

bool cuda_error_is_fault(CUresult result)
{
	switch ((int)result) {
	case CUDA_ERROR_ILLEGAL_ADDRESS:
	case CUDA_ERROR_LAUNCH_TIMEOUT:
	case CUDA_ERROR_ASSERT:
	case CUDA_ERROR_HARDWARE_STACK_ERROR:
	case CUDA_ERROR_ILLEGAL_INSTRUCTION:
	case CUDA_ERROR_MISALIGNED_ADDRESS:
	case CUDA_ERROR_INVALID_ADDRESS_SPACE:
	case CUDA_ERROR_INVALID_PC:
	case CUDA_ERROR_LAUNCH_FAILED:
		return true;
	}
	return false;
}

enum gpurun_status cuda_error_status(CUresult result)
{
	if (cuda_error_is_fault(result))
		return GPURUN_FAULT;
	switch ((int)result) {
	case CUDA_SUCCESS:
		return GPURUN_OK;
	case CUDA_ERROR_INVALID_VALUE:
		return GPURUN_INVALID;
	case CUDA_ERROR_OUT_OF_MEMORY:
		return GPURUN_NO_MEMORY;
	case CUDA_ERROR_STUB_LIBRARY:
	case CUDA_ERROR_NO_DEVICE:
	case CUDA_ERROR_INVALID_DEVICE:
		return GPURUN_NO_DEVICE;
	case CUDA_ERROR_INVALID_IMAGE:
	case CUDA_ERROR_INVALID_PTX:
	case CUDA_ERROR_INVALID_SOURCE:
	case CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND:
	case CUDA_ERROR_SHARED_OBJECT_INIT_FAILED:
		return GPURUN_FORMAT;
	case CUDA_ERROR_NO_BINARY_FOR_GPU:
	case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
	case CUDA_ERROR_JIT_COMPILER_NOT_FOUND:
	case CUDA_ERROR_JIT_COMPILATION_DISABLED:
		return GPURUN_NO_IMAGE;
	case CUDA_ERROR_NOT_FOUND:
		return GPURUN_NOT_FOUND;
	case CUDA_ERROR_NOT_READY:
		return GPURUN_NOT_READY;
	case CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES:
	case CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE:
	case CUDA_ERROR_INVALID_CLUSTER_SIZE:
		return GPURUN_LAUNCH;
	case CUDA_ERROR_NOT_SUPPORTED:
		return GPURUN_UNSUPPORTED;
	}
	return GPURUN_DRIVER;
}

enum gpurun_status cuda_error_launch_status(CUresult result)
{
	if (result == CUDA_ERROR_INVALID_VALUE)
		return GPURUN_LAUNCH;
	return cuda_error_status(result);
}

int cuda_error_set(struct err *e, CUresult result, const char *call)
{
	enum gpurun_status status = strncmp(call, "cuLaunchKernel", 14) ?
						  cuda_error_status(result) :
						  cuda_error_launch_status(result);

	return err_set(e, status, "%s: %s (%d): %s", call, cuda_error_name(result),
		       (int)result, cuda_error_meaning(result));
}
