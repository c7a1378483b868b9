/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_absent.h"
#include "err.h"
#include "line_rank.h"
#include "place.h"
#include "visible.h"

/* The CPU device, seen from the folder of this library. */
#define CPU_DRIVER "../cpu/libcuda.so.1"

struct driver cuda = {
#define CUDA_API(name, symbol, need, params, args) .name = absent_##name,
#include "cuda_api.def"
};

static void find_driver_call(void *library, const char *symbol, void *function)
{
	void *found = dlsym(library, symbol);

	if (found)
		memcpy(function, &found, sizeof(found));
}

static void find_all(void *library)
{
#define CUDA_API(name, symbol, need, params, args) find_driver_call(library, symbol, &cuda.name);
#include "cuda_api.def"
}

static CUresult refuse(const char *what, const char *why)
{
	visible_printf(stderr, "gpurun: %slibcudart: %s: %s\n", line_rank(), what, why);
	return CUDA_ERROR_STUB_LIBRARY;
}

static CUresult load_cpu(const char *options)
{
	char path[4096 + sizeof(CPU_DRIVER)], message[256] = "";
	void *library;
	struct err e;

	if (place_of_library(path, 4096, &e))
		return refuse("GPURUN_DEVICE=cpu", e.text);
	strcat(path, "/" CPU_DRIVER);
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return refuse("GPURUN_DEVICE=cpu", dlerror());
	find_all(library);
	if (*options && cuda.gpurunCpuConfigure(options, message, sizeof(message)))
		return refuse("GPURUN_DEVICE", message);
	return CUDA_SUCCESS;
}

CUresult driver_load(void)
{
	const char *device = secure_getenv("GPURUN_DEVICE");
	const char *path = secure_getenv("GPURUN_DRIVER");
	void *library;

	if (device && !strcmp(device, "cpu"))
		return load_cpu("");
	if (device && !strncmp(device, "cpu:", 4))
		return load_cpu(device + 4);
	if (!path || !*path)
		path = "libcuda.so.1";
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return path == secure_getenv("GPURUN_DRIVER") ?
			       refuse("GPURUN_DRIVER", dlerror()) : CUDA_ERROR_STUB_LIBRARY;
	find_all(library);
	if (device && !strncmp(device, "gpu", 3) &&
	    cuda.gpurunCpuConfigure != absent_gpurunCpuConfigure)
		return refuse("GPURUN_DEVICE=gpu", "libcuda.so.1 is gpurun's CPU device: take it "
			      "out of LD_LIBRARY_PATH and GPURUN_DRIVER");
	return CUDA_SUCCESS;
}
