/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Rows of bad arguments, and what CUDA's manual says that they are answered with. Where it names
 * several results for one mistake each of them is right. Handles of what is destroyed, and NULL
 * where the manual does not speak of it, only the CPU device is given: a GPU's driver may follow
 * them.
 */
#ifndef CONFORMANCE_REFUSED_H
#define CONFORMANCE_REFUSED_H

#include "cuda_kernels.h"

#define VALUE    CUDA_ERROR_INVALID_VALUE
#define DEVICE   CUDA_ERROR_INVALID_DEVICE
#define CONTEXT  CUDA_ERROR_INVALID_CONTEXT
#define HANDLE   CUDA_ERROR_INVALID_HANDLE
#define MISSING  CUDA_ERROR_NOT_FOUND
#define LIMIT    CUDA_ERROR_UNSUPPORTED_LIMIT
#define RESOURCE CUDA_ERROR_INVALID_RESOURCE_TYPE
#define GONE     CUDA_ERROR_CONTEXT_IS_DESTROYED
#define NONE     1000 /* a device */
#define UNKNOWN  77   /* a flag, an attribute, ... */

/* What is good, for the arguments beside the bad one. */
static struct {
	CUcontext context;
	CUmodule module;
	CUfunction step, nothing;
	CUlibrary library;
	CUkernel kernel;
	CUstream stream;
	CUevent event;
	CUmemoryPool pool;
	CUdeviceptr memory, managed;
	void *host;
	CUdevice device;
} good TAP_UNUSED;

/* Calls that some row is about, in the order of @cu; shared with children. */
static bool (*tried)[sizeof(cu) / sizeof(void *)];

/* The row that is being tried. */
static const char *trying TAP_UNUSED;

TAP_UNUSED static void refused(const char *call, CUresult got, const CUresult *right)
{
	while (*right && got != *right)
		right++;
	if (*right)
		return;
	tap.failed = true;
	printf("# %s is answered with %d\n", call, got);
	fflush(stdout);
}

/*
 * REFUSED(call, (arguments), results that are right ...), when the driver has the call;
 * HERE() is a row for the CPU device alone.
 */
#define INDEX(name) (((char *)&cu.name - (char *)&cu) / sizeof(void *))
#define REFUSED(name, args, ...)                                       \
	do {                                                           \
		(*tried)[INDEX(name)] = true;                          \
		trying = #name #args;                                  \
		if (cu.name)                                           \
			refused(#name #args, cu.name args,             \
				(const CUresult[]){ __VA_ARGS__, 0 }); \
	} while (0)
#define HERE(name, args, ...)                                          \
	do {                                                           \
		(*tried)[INDEX(name)] = true;                          \
		if (cu.gpurunCpuReport)                                \
			REFUSED(name, args, __VA_ARGS__);              \
	} while (0)

#endif
