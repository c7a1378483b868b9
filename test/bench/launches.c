/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Launches a kernel of three parameters COUNT times, for callgrind to count what
 * one launch costs (scripts/check-instructions):
 *
 *	launches bare COUNT
 *	launches gpurun COUNT
 *	launches mgpu COUNT
 *	launches ol COUNT
 *
 * The first calls the driver, the last two the MLIR library's mgpuLaunchKernel and
 * LLVM Offload's olLaunchKernel, from where they are beside libgpurun.so. The loops are
 * what a program has to do for each.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpurun.h"

static const char image[] =
	".version 6.0\n"
	".target sm_50\n"
	".address_size 64\n"
	".visible .entry three(.param .u64 a, .param .u64 b, .param .u32 c) { ret; }\n";

static uint64_t a, b;
static uint32_t c;
static void *arguments[] = { &a, &b, &c };

static void try(int status, const char *call)
{
	if (!status)
		return;
	fprintf(stderr, "launches: %s: %s\n", call, gpurun_error_text());
	exit(1);
}
#define TRY(call) try(call, #call)

static struct gpurun_launch launch = { .grid = { 8, 1, 1 }, .block = { 128, 1, 1 } };
static struct gpurun_kernel kernel;

static void set_up(void)
{
	struct gpurun_device device;
	struct gpurun_module module;

	TRY(gpurun_device_get(-1, &device));
	TRY(gpurun_module_load(device, image, 0, &module));
	TRY(gpurun_module_kernel(module, "three", &kernel));
	TRY(gpurun_stream_create(device, &launch.stream));
}

__attribute__((noinline)) static void loop_gpurun(int count)
{
	for (int i = 0; i < count; i++)
		if (gpurun_launch(kernel, &launch, arguments))
			abort();
}

__attribute__((noinline)) static void loop_bare(int count, void *function, void *stream)
{
	int (*cu_launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
			 unsigned, void *, void **, void **);
	void *driver = dlopen(getenv("GPURUN_DRIVER"), RTLD_NOW);

	cu_launch = dlsym(driver, "cuLaunchKernel");
	for (int i = 0; i < count; i++)
		if (cu_launch(function, 8, 1, 1, 128, 1, 1, 0, stream, arguments, NULL))
			abort();
}

static void with_bare(int count)
{
	void *function, *stream;

	set_up();
	TRY(gpurun_kernel_native(kernel, &function));
	TRY(gpurun_stream_native(launch.stream, &stream));
	loop_bare(count, function, stream);
}

static void with_gpurun(int count)
{
	set_up();
	loop_gpurun(count);
}

/* Looks up a function of a library beside libgpurun.so; ends with 77 where there is none. */
static void *function_of(const char *file, const char *name)
{
	char path[4096];
	Dl_info self;
	void *library;

	dladdr((void *)gpurun_version, &self);
	snprintf(path, sizeof(path), "%.*s/%s",
		 (int)(strrchr(self.dli_fname, '/') - self.dli_fname), self.dli_fname, file);
	library = dlopen(path, RTLD_NOW);
	if (!library)
		exit(77);
	return dlsym(library, name);
}

static void *mgpu(const char *name)
{
	return function_of("libmlir_cuda_runtime.so", name);
}

static void *ol(const char *name)
{
	return function_of("gpurun/offload/libLLVMOffload.so.22.1", name);
}

__attribute__((noinline)) static void loop_mgpu(int count, void *function, void *stream)
{
	void (*mgpu_launch)(void *, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t,
			    intptr_t, int32_t, void *, void **, void **, size_t);

	mgpu_launch = mgpu("mgpuLaunchKernel");
	for (int i = 0; i < count; i++)
		mgpu_launch(function, 8, 1, 1, 128, 1, 1, 0, stream, arguments, NULL, 3);
}

static void with_mgpu(int count)
{
	void *(*load)(const void *, int, size_t) = mgpu("mgpuModuleLoadJIT");
	void *(*get_function)(void *, const char *) = mgpu("mgpuModuleGetFunction");
	void *(*create)(void) = mgpu("mgpuStreamCreate");
	void *function = get_function(load(image, 2, sizeof(image)), "three");

	loop_mgpu(count, function, create());
}

/* What olLaunchKernel takes: the geometry, and the arguments in one piece. */
static const struct {
	size_t dimensions;
	unsigned groups[3], group[3];
	size_t shared;
} ol_size = { 3, { 8, 1, 1 }, { 128, 1, 1 }, 0 };

static const struct {
	uint64_t a, b;
	uint32_t c;
} ol_arguments;

__attribute__((noinline)) static void loop_ol(int count, void *device, void *symbol,
					      void *queue)
{
	const void *(*ol_launch)(void *, void *, void *, const void *, size_t, const void *);

	ol_launch = ol("olLaunchKernel");
	for (int i = 0; i < count; i++)
		if (ol_launch(queue, device, symbol, &ol_arguments, sizeof(ol_arguments),
			      &ol_size))
			abort();
}

static bool take_first(void *device, void *first)
{
	*(void **)first = device;
	return false;
}

static void with_ol(int count)
{
	const void *(*init)(void) = ol("olInit");
	const void *(*each)(bool (*)(void *, void *), void *) = ol("olIterateDevices");
	const void *(*queue_of)(void *, void **) = ol("olCreateQueue");
	const void *(*load)(void *, const void *, size_t, void **) = ol("olCreateProgram");
	const void *(*find)(void *, const char *, int, void **) = ol("olGetSymbol");
	void *device, *queue, *program, *symbol;

	if (init() || each(take_first, &device) || queue_of(device, &queue) ||
	    load(device, image, sizeof(image), &program) || find(program, "three", 0, &symbol))
		abort();
	loop_ol(count, device, symbol, queue);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*with)(int count);
	} ways[] = { { "bare", with_bare }, { "gpurun", with_gpurun }, { "mgpu", with_mgpu },
		     { "ol", with_ol } };
	int count = argc == 3 ? atoi(argv[2]) : 0;

	if (count < 1)
		return 2;
	TRY(gpurun_init(NULL));
	for (int i = 0; i < 4; i++)
		if (!strcmp(argv[1], ways[i].name))
			ways[i].with(count);
	return gpurun_shutdown();
}
