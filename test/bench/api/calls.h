/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The comparison of calls: the same work done by four ways, each at its best.
 *
 *	floor     the driver calls that every side needs
 *	upstream  the driver calls that the functions of MLIR's own runtime make
 *	gpurun    gpurun.h
 *	mgpu      libmlir_cuda_runtime, as a program compiled by MLIR calls it
 *
 * A way does one operation per call. A way that launches counts up a number of its
 * own on the device, which tells afterwards that all launches have run.
 */
#ifndef BENCH_CALLS_H
#define BENCH_CALLS_H

#include <stddef.h>
#include <stdint.h>

#include "cuda_abi.h"

enum { SMALL = 64, LARGE = 1 << 20 };

enum operation {
	ENQUEUE,       /* launch; finish() is not measured */
	LAUNCH_SYNC,   /* launch, wait for the stream */
	LAUNCH_FUNC,   /* gpu.launch_func: look the kernel up, a stream of its own, wait */
	ASYNC_TOKEN,   /* an async token: the same with an event that is waited for */
	ALLOC_SMALL,   /* allocate and free 64 bytes */
	ALLOC_LARGE,   /* 1 MiB */
	LOAD,          /* load and unload the image */
	OPERATIONS,
};

enum way { FLOOR, UPSTREAM, GPURUN, MGPU, WAYS };

struct way_calls {
	void (*set_up)(void);
	void (*operations[OPERATIONS])(void); /* NULL: this way has no such operation */
	void (*finish)(void);                 /* waits for what ENQUEUE has launched */
};

extern const struct way_calls calls_floor, calls_upstream, calls_gpurun, calls_mgpu;

/* What all ways work with: an image with the kernel "count", and its arguments. */
struct work {
	void *image;
	size_t image_size;
	uint64_t out;           /* of the way at work; a device address */
	unsigned step, limit;
};

extern struct work work;

/* The arguments of the kernel, for cuLaunchKernel and its like. */
extern void *arguments[];

/* Ends the program unless @status is 0. */
void expect(int status, const char *call);
#define EXPECT(call) expect(call, #call)

/* The driver's own calls. */
extern struct driver {
#define CUDA_API(name, symbol, need, params, args) CUresult (*name) params;
#include "cuda_api.def"
} cu;

/* Opens the driver, $GPURUN_DRIVER or libcuda.so.1, with the primary context current. */
void open_driver(void);

/* Tells whether there is a libmlir_cuda_runtime beside libgpurun.so. */
int open_mgpu(void);

#endif
