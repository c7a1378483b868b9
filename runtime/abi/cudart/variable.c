/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "variable.h"

#include "cleanup.h"
#include "image.h"

static cudaError_t find_device_variable(const void *key, CUdeviceptr *address, size_t *size)
{
	struct symbol *symbol = symbol_find(key);
	CUlibrary library;
	CUresult result;

	if (!symbol || (symbol->kind != SYMBOL_VARIABLE && symbol->kind != SYMBOL_MANAGED))
		return cudaErrorInvalidSymbol;
	TRY(image_library(symbol->image, &library));
	if (symbol->kind == SYMBOL_MANAGED)
		result = cuda.cuLibraryGetManaged(address, size, library, symbol->name);
	else
		result = cuda.cuLibraryGetGlobal(address, size, library, symbol->name);
	return (cudaError_t)result;
}

cudaError_t variable_address(void **address, const void *symbol)
{
	size_t size;

	if (!address)
		return cudaErrorInvalidValue;
	return find_device_variable(symbol, (CUdeviceptr *)address, &size);
}

cudaError_t variable_size(size_t *size, const void *symbol)
{
	CUdeviceptr address;

	return size ? find_device_variable(symbol, &address, size) : cudaErrorInvalidValue;
}
