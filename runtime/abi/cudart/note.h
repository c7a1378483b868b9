/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Reports to the CPU device (gpurunCpuNote) what it alone cannot see of the program. On a GPU
 * nothing. Each call is for what rarely happens.
 */
#ifndef CUDART_NOTE_H
#define CUDART_NOTE_H

#include "cudart.h"

/* That @call, which is @name, has failed: a launch by <<<>>> where the thread says so. */
void note_failure(enum cudart_call call, const char *name, cudaError_t error);

/* Sets why the call in progress is about to fail with @error, in words; returns @error. */
cudaError_t note_cause(cudaError_t error, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* That @call has worked, if it was out of memory before. */
void note_success(enum cudart_call call, const char *name);

/* Whether note_success() is of use. */
extern atomic_bool note_pending;

/* That the program was given @last as the last error of the thread. */
void note_last(cudaError_t last);

/* That the program has asked what @error is. */
void note_asked(cudaError_t error);

/* That the program has reset the device. */
void note_reset(void);

#endif
