/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A CUDA driver that the benchmarks of the CPU device have opened, with kernels.ptx loaded.
 * Several may be open in one process, which ends when a call fails.
 */
#ifndef BENCH_CPU_DEVICE_H
#define BENCH_CPU_DEVICE_H

#include "cuda_abi.h"
#include "work.h"

struct device {
	const char *name;                     /* borrowed; what failures are said to be of */
	struct {
#define CUDA_API(name, symbol, need, params, args) CUresult (*name) params;
#include "cuda_api.def"
	} cu;
	CUcontext context;
	CUmodule module;
	CUstream stream;
	CUfunction function;                  /* what was prepared last, with its arguments */
	CUdeviceptr addresses[MOST_BUFFERS];
	void *arguments[2 + MOST_BUFFERS];
};

/* Opens the driver at @path, or by that name. @keys: more for the CPU device than GPURUN_CPU
 * has; or NULL. */
void device_open(struct device *device, const char *name, const char *path, const char *keys);

/* Ends the process, saying what the device is, if it is not the CPU device. */
void device_require_cpu(const struct device *device, const char *path);

/* Loads the module in the file @ptx, before any of what follows. */
void device_load(struct device *device, const char *ptx);

/* Memory of the device with @words words of @data in it; device_drop() frees all of @work's. */
void *device_buffer(struct device *device, const void *data, uint32_t words);
void device_drop(struct device *device, const struct work *work, void *const buffers[]);
void device_read(struct device *device, void *from, void *data, uint32_t words);

/* What device_launch() launches, until the next call. */
void device_prepare(struct device *device, const struct work *work, void *const buffers[]);
void device_launch(struct device *device, const struct work *work);
void device_wait(struct device *device);

/* Releases all but the library itself. */
void device_close(struct device *device);

#endif
