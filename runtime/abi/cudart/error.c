/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "error.h"

#include <stddef.h>

#include "note.h"

static const struct {
	cudaError_t code;
	const char *name, *text;
} errors[] = {
#define CUDART_ERROR(name, number, text) { name, #name, text },
#include "cudart_errors.def"
};
enum { ERRORS = sizeof(errors) / sizeof(errors[0]) };

static size_t find_error(cudaError_t error)
{
	size_t i = 0;

	while (i < ERRORS && errors[i].code != error)
		i++;
	return i;
}

const char *error_name(cudaError_t error)
{
	size_t i = find_error(error);

	return i < ERRORS ? errors[i].name : "unrecognized error code";
}

const char *cudaGetErrorName(cudaError_t error)
{
	note_asked(error);
	return error_name(error);
}

const char *cudaGetErrorString(cudaError_t error)
{
	size_t i = find_error(error);

	note_asked(error);
	return i < ERRORS ? errors[i].text : "unrecognized error code";
}

cudaError_t cudaPeekAtLastError(void)
{
	note_last(cudart_thread.last);
	return cudart_thread.last;
}

cudaError_t cudaGetLastError(void)
{
	cudaError_t last = cudart_thread.last;

	note_last(last);
	cudart_thread.last = cudaSuccess;
	return last;
}
