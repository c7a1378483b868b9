/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "library.h"

#include "cleanup.h"
#include "kernel.h"

cudaError_t library_kernel(CUkernel *kernel, CUlibrary library, const char *name)
{
	TRY(cuda.cuLibraryGetKernel(kernel, library, name));
	return kernel_add(*kernel, library);
}

cudaError_t library_kernels(CUkernel *kernels, unsigned count, CUlibrary library)
{
	unsigned there = 0;

	TRY(cuda.cuLibraryEnumerateKernels(kernels, count, library));
	TRY(cuda.cuLibraryGetKernelCount(&there, library));
	for (unsigned i = 0; i < count && i < there; i++)
		TRY(kernel_add(kernels[i], library));
	return cudaSuccess;
}

cudaError_t library_unload(CUlibrary library)
{
	kernel_forget(library);
	return (cudaError_t)cuda.cuLibraryUnload(library);
}

cudaError_t library_driver_call(const char *symbol, void **function, unsigned version,
				unsigned long long flags, CUdriverProcAddressQueryResult *found,
				CUstream stream)
{
	CUresult result;

	if (!symbol || !function)
		return cudaErrorInvalidValue;
	if (stream && flags == CU_GET_PROC_ADDRESS_DEFAULT)
		flags = CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
	result = cuda.cuGetProcAddress(symbol, function, (int)version, flags, found);
	/* @found says it, to those who ask. */
	return found && result == CUDA_ERROR_NOT_FOUND ? cudaSuccess : (cudaError_t)result;
}
