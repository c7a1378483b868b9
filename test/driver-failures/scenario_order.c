/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Programs about order: streams, events, pools, launches, threads. */
#include <pthread.h>

#include "program.h"

static void count_up(void *data)
{
	++*(int *)data;
}

/* Three streams that wait for one another, timed. */
static void streams(void)
{
	struct gpurun_stream stream[3];
	struct gpurun_event event[3];
	struct gpurun_module module;
	uint64_t nanoseconds;
	static int calls;

	STEP(gpurun_module_load(program_device, program_ptx, 0, &module));
	for (int i = 0; i < 3; i++) {
		STEP(gpurun_stream_create(program_device, &stream[i]));
		STEP(gpurun_event_create(program_device, GPURUN_EVENT_TIMING, &event[i]));
	}
	for (int i = 0; i < 3; i++) {
		if (i)
			STEP(gpurun_stream_wait_event(stream[i], event[i - 1]));
		STEP(program_launch(module, "work", stream[i]));
		STEP(gpurun_event_record(event[i], stream[i]));
	}
	STEP(gpurun_stream_host_function(stream[2], count_up, &calls));
	STEP(gpurun_event_synchronize(event[2]));
	STEP(gpurun_event_query(event[0]));
	STEP(gpurun_stream_query(stream[0]));
	STEP(gpurun_event_elapsed(event[0], event[2], &nanoseconds));
	STEP(gpurun_stream_synchronize(stream[1]));
	STEP(gpurun_event_destroy(event[1]));
	STEP(gpurun_stream_destroy(stream[1]));
}

void scenario_streams(void)
{
	if (!program_start())
		return;
	streams();
	program_stop();
}

/* As compiled code does it: each launch has a stream, an event and a buffer of its own. */
static void one_launch(struct gpurun_module module)
{
	struct gpurun_stream stream;
	struct gpurun_event event;
	uint64_t address;

	STEP(gpurun_stream_create(program_device, &stream));
	STEP(gpurun_memory_alloc(program_device, 256, GPURUN_MEMORY_DEVICE, &address));
	STEP(program_launch(module, "work", stream));
	STEP(gpurun_event_create(program_device, 0, &event));
	STEP(gpurun_event_record(event, stream));
	STEP(gpurun_stream_destroy(stream));
	STEP(gpurun_memory_free(address));
	STEP(gpurun_event_synchronize(event));
	STEP(gpurun_event_destroy(event));
}

void scenario_pools(void)
{
	struct gpurun_module module;

	if (!program_start())
		return;
	STEP(gpurun_module_load(program_device, program_ptx, 0, &module));
	for (int i = 0; i < 4 && !program_failed(); i++)
		one_launch(module);
	STEP(gpurun_module_unload(module));
	program_stop();
}

/* What a launch may ask for. */
static void launches(void)
{
	struct gpurun_launch launch = { .grid = { 32, 1, 1 }, .block = { 64, 1, 1 } };
	struct gpurun_kernel_info info = { .struct_size = sizeof(info) };
	struct gpurun_module module;
	struct gpurun_kernel kernel;

	STEP(gpurun_module_load(program_device, program_ptx, 0, &module));
	STEP(gpurun_module_kernel(module, "work", &kernel));
	STEP(gpurun_kernel_get_info(kernel, &info));
	STEP(gpurun_stream_create(program_device, &launch.stream));
	STEP(gpurun_launch(kernel, &launch, NULL));
	launch.shared = 100000;
	STEP(gpurun_launch(kernel, &launch, NULL));
	launch.cluster[0] = 2;
	launch.flags = GPURUN_LAUNCH_SPREAD;
	STEP(gpurun_launch(kernel, &launch, NULL));
	launch.cluster[0] = 16;
	STEP(gpurun_launch(kernel, &launch, NULL));
	launch.cluster[0] = 0;
	launch.flags = GPURUN_LAUNCH_COOPERATIVE;
	STEP(gpurun_launch(kernel, &launch, NULL));
	STEP(gpurun_stream_synchronize(launch.stream));
}

void scenario_launches(void)
{
	if (!program_start())
		return;
	launches();
	program_stop();
}

static void *one_thread(void *data)
{
	one_launch(*(struct gpurun_module *)data);
	return NULL;
}

/* A thread of its own for each launch. */
void scenario_threads(void)
{
	struct gpurun_module module;
	pthread_t threads[2];

	if (!program_start())
		return;
	STEP(gpurun_module_load(program_device, program_ptx, 0, &module));
	for (int i = 0; i < 2 && !program_failed(); i++) {
		if (pthread_create(&threads[i], NULL, one_thread, &module))
			return;
		pthread_join(threads[i], NULL);
	}
	program_stop();
}
