/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Libraries of kernels that the program loads itself, and the driver's own calls for it. */
#ifndef CUDART_LIBRARY_H
#define CUDART_LIBRARY_H

#include "cudart.h"

/* The calls of these names, less what cudart_api.def says about STATE. */
cudaError_t library_kernel(CUkernel *kernel, CUlibrary library, const char *name);
cudaError_t library_kernels(CUkernel *kernels, unsigned count, CUlibrary library);
cudaError_t library_unload(CUlibrary library);

/* cudaGetDriverEntryPoint; with @stream, a call whose form is left open is for the
 * thread's own default stream. */
cudaError_t library_driver_call(const char *symbol, void **function, unsigned version,
				unsigned long long flags, CUdriverProcAddressQueryResult *found,
				CUstream stream);

#endif
