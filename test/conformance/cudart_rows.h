/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Rows of calls and what they answer: the reference's code, where it names one. A row
 * of GUESS has what the reference leaves open: a run on a GPU settles it.
 */
#ifndef CONFORMANCE_CUDART_ROWS_H
#define CONFORMANCE_CUDART_ROWS_H

#include "cudart_use.h"

/* @call answered @got; so does what asks for the last error, until it has been taken. */
TAP_UNUSED static void refused(cudaError_t got, cudaError_t want, const char *call, int line)
{
	tap_check_int(got, want, __FILE__, line, call);
	tap_check_int(cudaPeekAtLastError(), got, __FILE__, line, "peek after the call");
	tap_check_int(cudaGetLastError(), got, __FILE__, line, "last after the call");
	tap_check_int(cudaGetLastError(), cudaSuccess, __FILE__, line, "cleared");
}
#define ROW(call, want) refused(call, want, #call, __LINE__)
#define GUESS(call, want) refused(call, want, #call, __LINE__)

#endif
