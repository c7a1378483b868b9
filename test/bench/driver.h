/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The driver for programs that know nothing else: $GPURUN_DRIVER, or libcuda.so.1. */
#ifndef TEST_BENCH_DRIVER_H
#define TEST_BENCH_DRIVER_H

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "cuda_abi.h"

static struct {
#define CUDA_API(name, symbol, need, params, args) CUresult (*name) params;
#include "cuda_api.def"
} cu;

static void open_driver(void)
{
	const char *path = getenv("GPURUN_DRIVER");
	void *dl = dlopen(path ? path : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);

	if (!dl) {
		fprintf(stderr, "%s: %s\n", program_invocation_short_name, dlerror());
		exit(1);
	}
#define CUDA_API(name, symbol, need, params, args) cu.name = dlsym(dl, symbol);
#include "cuda_api.def"
}

static void try(CUresult result, const char *call)
{
	if (!result)
		return;
	fprintf(stderr, "%s: %s: %d\n", program_invocation_short_name, call, result);
	exit(1);
}
#define TRY(call) try(cu.call, #call)

static char *read_file(const char *path)
{
	enum { LIMIT = 1 << 20 };
	FILE *file = fopen(path, "rb");
	char *data = calloc(1, LIMIT + 1);

	if (!file || !data || !fread(data, 1, LIMIT, file)) {
		fprintf(stderr, "%s: cannot read %s\n", program_invocation_short_name, path);
		exit(1);
	}
	fclose(file);
	return data;
}

#endif
