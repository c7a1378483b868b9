/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "teardown.h"

#include "asserts.h"
#include "context.h"
#include "memory.h"
#include "module.h"
#include "reuse_stream.h"
#include "stream.h"
#include "usage.h"

/* Closes what is open of @kind, newest first; each is destroyed when nothing holds it. */
static void close_all(enum object_kind kind)
{
	uint64_t handle;

	while ((handle = object_newest(kind))) {
		CLEANUP(put_object) struct object *object = NULL;

		object_close(handle, kind, &object, NULL);
	}
}

/* The same for what a program has to destroy. */
static void close_left(enum object_kind kind)
{
	uint64_t handle;

	while ((handle = object_newest(kind))) {
		CLEANUP(put_object) struct object *object = NULL;

		usage_leftover(true);
		object_close(handle, kind, &object, NULL);
	}
	usage_leftover(false);
}

/* Destroys the streams and events that the devices keep. */
static void release_pools(void)
{
	for (int i = 0; i < runtime.device_count; i++)
		if (runtime.devices[i])
			reuse_stream_release(runtime.devices[i]);
}

static void unload_all(void)
{
	uint64_t handle;

	while ((handle = object_newest(OBJECT_MODULE)))
		module_unload((struct gpurun_module){ handle }, NULL);
	for (int i = 0; i < runtime.device_count; i++)
		if (runtime.devices[i])
			module_release_parked(runtime.devices[i]);
}

/* Waits for the device, so that its output is written and its faults are reported. */
static void fence(int ordinal)
{
	struct device *device = runtime.devices[ordinal];
	CLEANUP(context_leave) struct context_scope scope = { 0 };

	ASSERT(!device || device->info.ordinal == ordinal);
	if (!device || !atomic_load(&device->context))
		return;
	if (context_step(device, &scope))
		CUDA_STEP(device, cuCtxSynchronize);
}

void teardown(void)
{
	ASSERT(runtime_phase() == PHASE_CLOSING || runtime_phase() == PHASE_ENDED);
	context_pop_all();
	for (int i = 0; i < runtime.device_count; i++)
		fence(i);
	usage_report();
	unload_all();
	close_all(OBJECT_KERNEL);
	close_left(OBJECT_EVENT);
	close_left(OBJECT_STREAM);
	release_pools();
	memory_release_all();
	close_all(OBJECT_DEVICE);
	stream_forget_host_functions();
	map_release(&runtime.natives);
	free(runtime.devices);
	runtime.devices = NULL;
	runtime.device_count = 0;
}
