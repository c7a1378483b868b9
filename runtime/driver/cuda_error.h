/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The name and meaning of a CUresult, and the status that it becomes: from our
 * own table, because the driver's does not work any more after its end.
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

/* Returns the status of a driver call that failed with @result. */
enum gpurun_status cuda_error_status(CUresult result);

/* As above for a launch, where a refusal has a status of its own. */
enum gpurun_status cuda_error_launch_status(CUresult result);

/* Tells whether @result is a kernel's fault, which is permanent for the context. */
bool cuda_error_is_fault(CUresult result);

/* Records that driver call @call returned @result: call, name, number and meaning.
 * Returns the status. */
int cuda_error_set(struct err *e, CUresult result, const char *call);

#endif
