/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the program calls, printed where GPURUN_LOG asks for it: with "cudart" each call
 * and its result, with "calls" one line at the end about the calls that are exported
 * and refused.
 */
#ifndef CUDART_CALLS_H
#define CUDART_CALLS_H

#include "cudart.h"

/* Counts @call, and answers cudaErrorNotSupported. */
cudaError_t calls_refuse(enum cudart_call call);

#endif
