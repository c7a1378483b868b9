/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Errors by name, and the thread's last one. */
#ifndef CUDART_ERROR_H
#define CUDART_ERROR_H

#include "cudart.h"

/* As cudaGetErrorName(), for the library itself: the program has not asked. */
const char *error_name(cudaError_t error);

#pragma GCC visibility push(default)
/* Of the library's lifetime. For a number that is none: "unrecognized error code". */
const char *cudaGetErrorName(cudaError_t error);
const char *cudaGetErrorString(cudaError_t error);

/* The last failure of a call in this thread; the second clears it, unless the
 * device has to be reset to be of use again. */
cudaError_t cudaPeekAtLastError(void);
cudaError_t cudaGetLastError(void);
#pragma GCC visibility pop

#endif
