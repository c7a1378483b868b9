/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Rows of calls and what they answer: the reference's code, where it names one. A row
 * of GUESS has what the reference leaves open: a run on a GPU settles it.
 */
#ifndef CONFORMANCE_CUDART_ROWS_H
#define CONFORMANCE_CUDART_ROWS_H

#include <setjmp.h>
#include <signal.h>

#include "cudart_use.h"

/* A GPU's driver, and NVIDIA's library, may follow a pointer that is NULL: the row is left out. */
static sigjmp_buf row_begin;

TAP_UNUSED static void row_broke_down(int signal)
{
	(void)signal;
	siglongjmp(row_begin, 1);
}

TAP_UNUSED static bool row_begins(int broke_down, const char *call)
{
	static bool set;

	if (!set && on_gpu())
		signal(SIGSEGV, row_broke_down);
	set = true;
	if (broke_down)
		printf("# %s breaks the library down\n", call);
	return !broke_down;
}

/* @call answered @got; so does what asks for the last error, until it has been taken. */
TAP_UNUSED static void refused(cudaError_t got, cudaError_t want, const char *call, int line)
{
	tap_check_int(got, want, __FILE__, line, call);
	tap_check_int(cudaPeekAtLastError(), got, __FILE__, line, "peek after the call");
	tap_check_int(cudaGetLastError(), got, __FILE__, line, "last after the call");
	tap_check_int(cudaGetLastError(), cudaSuccess, __FILE__, line, "cleared");
}
#define ROW(call, want)                                              \
	do {                                                         \
		if (row_begins(sigsetjmp(row_begin, 1), #call))      \
			refused(call, want, #call, __LINE__);        \
	} while (0)
#define GUESS ROW

#endif
