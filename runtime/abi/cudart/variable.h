/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The program's __device__, __constant__ and __managed__ variables. */
#ifndef CUDART_VARIABLE_H
#define CUDART_VARIABLE_H

#include "cudart.h"

/*
 * Where the variable of the host address @symbol is in the current context, and
 * its size in bytes; its image is loaded for that. cudaErrorInvalidSymbol,
 * or cudaErrorSymbolNotFound where the image does not have it.
 */
cudaError_t variable_address(void **address, const void *symbol);
cudaError_t variable_size(size_t *size, const void *symbol);

#endif
