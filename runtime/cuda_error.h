/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What a CUresult is called, what it means, and which status it becomes: from
 * our own table, because the driver's stops answering once it is down.
 */
#ifndef RUNTIME_CUDA_ERROR_H
#define RUNTIME_CUDA_ERROR_H

#include <stdbool.h>

#include "cuda_abi.h"
#include "err.h"

/* Returns the driver API's name of @result; "CUDA_ERROR_?" for an unknown number. */
const char *cuda_error_name(CUresult result);

/* Returns what @result means, in lower case. */
const char *cuda_error_meaning(CUresult result);

/* Returns the status that a failing driver call answers with. */
enum gpurun_status cuda_error_status(CUresult result);

/* As above for a launch, where a refusal has a status of its own. */
enum gpurun_status cuda_error_launch_status(CUresult result);

/* Tells whether @result is a kernel's fault, which sticks to the context. */
bool cuda_error_is_fault(CUresult result);

/* Records that driver call @call answered @result: call, name, number and meaning.
 * Returns the status. */
int cuda_error_set(struct err *e, CUresult result, const char *call);

#endif
