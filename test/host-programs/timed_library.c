/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * timed_library COUNT LAUNCHES: a program of libgpurun(3), which prints the microseconds of each launch
 * by events of its own, a line each. The kernel goes round COUNT times, at the first launch, in whose
 * time it is also made ready, once.
 */
#define LIBRARY "libgpurun.so.0"
#include "find.h"
#include "gpurun.h"
#include "spin.h"

#define LIB(name, ...) check(((__typeof__(&name))find(#name))(__VA_ARGS__), #name)

static struct gpurun_device device;
static struct gpurun_stream stream;

static void launch(struct gpurun_kernel kernel, void **params)
{
	const struct gpurun_launch how = { .grid = { 1 }, .block = { 32 }, .stream = stream };
	struct gpurun_event begin, end;
	uint64_t nanoseconds = 0;

	LIB(gpurun_event_create, device, GPURUN_EVENT_TIMING, &begin);
	LIB(gpurun_event_create, device, GPURUN_EVENT_TIMING, &end);
	LIB(gpurun_event_record, begin, stream);
	LIB(gpurun_launch, kernel, &how, params);
	LIB(gpurun_event_record, end, stream);
	LIB(gpurun_stream_synchronize, stream);
	LIB(gpurun_event_elapsed, begin, end, &nanoseconds);
	printf("%.3f\n", (double)nanoseconds / 1000);
}

int main(int argc, char **argv)
{
	struct gpurun_module module;
	struct gpurun_kernel kernel;
	uint64_t memory;
	int count = 1;

	check(argc != 3, "timed_library COUNT LAUNCHES");
	LIB(gpurun_init, NULL);
	LIB(gpurun_device_get, 0, &device);
	LIB(gpurun_stream_create, device, &stream);
	LIB(gpurun_module_load, device, spin_ptx, sizeof(spin_ptx), &module);
	LIB(gpurun_module_kernel, module, "spin", &kernel);
	LIB(gpurun_memory_alloc, device, 64, GPURUN_MEMORY_DEVICE, &memory);
	for (int i = atoi(argv[2]); i > 0; i--) {
		launch(kernel, (void *[]){ &memory, &count });
		count = atoi(argv[1]);
	}
	LIB(gpurun_shutdown, );
	return 0;
}
