/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The driver's functions, as loaded from a library. No member is ever NULL: an
 * OPTIONAL function that the library misses returns CUDA_ERROR_NOT_SUPPORTED.
 * A library, once opened, stays open: drivers do not survive being closed.
 *
 * libcudart has a loader of its own (runtime/abi/cudart/driver.h), which shares with this one
 * the table and cuda_absent.h alone: it links nothing of runtime/, needs no function by name, calls
 * also those that this library does not (OTHER), and its table is valid before a driver is loaded.
 */
#ifndef RUNTIME_CUDA_API_H
#define RUNTIME_CUDA_API_H

#include <stdbool.h>

#include "cuda_abi.h"
#include "err.h"

struct cuda_api {
	void *library; /* dlopen's handle; NULL while nothing is loaded */
	bool cpu;      /* the library is the CPU device */
	bool fences;   /* it has cuCtxRecordEvent */
	bool parameters; /* it has cuFuncGetParamInfo */
#define CUDA_API(name, symbol, need, params, args) CUresult(*name) params;
#include "cuda_api.def"
};

/*
 * Opens the driver library @path and fills @api. GPURUN_NO_DEVICE, and
 * *@absent, when there is no such file; GPURUN_DRIVER when there is one that
 * cannot be loaded or misses a REQUIRED function.
 */
int cuda_api_open(const char *path, struct cuda_api *api, bool *absent, struct err *e);

#endif
