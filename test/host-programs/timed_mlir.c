/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * timed_mlir COUNT LAUNCHES: what code that MLIR makes calls of its runtime, and events of the driver
 * around each launch: prints their microseconds, a line each. The kernel goes round COUNT times, at the
 * first launch, in whose time it is also made ready, once.
 */
#include <stdint.h>

#include "find.h"
#include "spin.h"

static void *runtime;

/* Calls a function of MLIR's runtime, of which the types tell the type. */
#define MLIR(result, name, types, ...) ((result(*) types)find_mlir(name))(__VA_ARGS__)

static void *find_mlir(const char *name)
{
	void *function = dlsym(runtime, name);

	check(!function, name);
	return function;
}

static void *new_event(void)
{
	void *event;

	CALL("cuEventCreate", (void **, unsigned), &event, 0);
	return event;
}

static void launch(void *function, void *stream, void **params)
{
	void *begin = new_event(), *end = new_event();
	float ms = 0;

	CALL("cuEventRecord", (void *, void *), begin, stream);
	MLIR(void, "mgpuLaunchKernel",
	     (void *, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, int32_t, void *,
	      void **, void **, size_t),
	     function, 1, 1, 1, 32, 1, 1, 0, stream, params, NULL, 2);
	CALL("cuEventRecord", (void *, void *), end, stream);
	MLIR(void, "mgpuStreamSynchronize", (void *), stream);
	CALL("cuEventElapsedTime", (float *, void *, void *), &ms, begin, end);
	printf("%.3f\n", (double)ms * 1000);
}

int main(int argc, char **argv)
{
	void *context, *module, *function, *stream, *out, *params[2];
	int count = 1;

	check(argc != 3, "timed_mlir COUNT LAUNCHES");
	runtime = dlopen("libmlir_cuda_runtime.so", RTLD_NOW);
	check(!runtime, "dlopen of libmlir_cuda_runtime.so");
	CALL("cuInit", (unsigned), 0);
	CALL("cuDevicePrimaryCtxRetain", (void **, int), &context, 0);
	CALL("cuCtxSetCurrent", (void *), context);
	module = MLIR(void *, "mgpuModuleLoad", (const void *, size_t), spin_ptx, sizeof(spin_ptx));
	function = MLIR(void *, "mgpuModuleGetFunction", (void *, const char *), module, "spin");
	stream = MLIR(void *, "mgpuStreamCreate", (void), );
	out = MLIR(void *, "mgpuMemAlloc", (uint64_t, void *, unsigned), 64, stream, 0);
	params[0] = &out;
	params[1] = &count;
	for (int i = atoi(argv[2]); i > 0; i--) {
		launch(function, stream, params);
		count = atoi(argv[1]);
	}
	MLIR(void, "mgpuMemFree", (void *, void *), out, stream);
	MLIR(void, "mgpuStreamDestroy", (void *), stream);
	MLIR(void, "mgpuModuleUnload", (void *), module);
	return 0;
}
