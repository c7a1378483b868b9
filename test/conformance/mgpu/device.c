/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which device things are made on: the one that the thread chose, else the one that
 * any thread chose, else the first. Two devices only the stub driver is sure to have.
 */
#include <pthread.h>

#include "mgpu.h"

static void expect(bool condition, int status)
{
	if (!condition)
		exit(status);
}

static CUcontext contexts[2];

/* The contexts of both devices, retained behind the library's back. */
static void start(void)
{
	int count = 0;

	cuda_start();
	expect(!cu.cuDeviceGetCount(&count) && count == 2, 70);
	for (int i = 0; i < 2; i++)
		expect(!cu.cuDevicePrimaryCtxRetain(&contexts[i], i), 71);
	cu.cuCtxSetCurrent(NULL);
}

static int device_of(void *stream)
{
	CUcontext context = NULL;

	expect(!cu.cuStreamGetCtx(stream, &context), 72);
	return context == contexts[1];
}

static int new_stream_device(void)
{
	void *stream = mgpuStreamCreate();
	int device = device_of(stream);

	mgpuStreamDestroy(stream);
	return device;
}

static void first_by_default(void)
{
	start();
	expect(new_stream_device() == 0, 1);
}

static void chosen(void)
{
	start();
	mgpuSetDefaultDevice(1);
	expect(new_stream_device() == 1, 1);
	mgpuSetDefaultDevice(0);
	expect(new_stream_device() == 0, 2);
	mgpuSetDefaultDevice(1);
	mgpuSetDefaultDevice(7);
	expect(new_stream_device() == 1, 3);
}

static void *other_thread(void *chooses)
{
	if (chooses)
		mgpuSetDefaultDevice(0);
	return (void *)(intptr_t)new_stream_device();
}

static int in_thread(bool chooses)
{
	pthread_t thread;
	void *device;

	pthread_create(&thread, NULL, other_thread, chooses ? &thread : NULL);
	pthread_join(thread, &device);
	return (int)(intptr_t)device;
}

/* What a thread chooses for itself does not take another thread's choice away. */
static void by_thread(void)
{
	start();
	mgpuSetDefaultDevice(1);
	expect(in_thread(false) == 1, 1);
	expect(in_thread(true) == 0, 2);
	expect(new_stream_device() == 1, 3);
	expect(in_thread(false) == 0, 4);
}

/* A launch as gpu.launch_func makes it, with everything on one device. */
static void launch_func(void *module)
{
	void *function = mgpuModuleGetFunction(module, "add");
	void *stream = mgpuStreamCreate();
	void *memory = mgpuMemAlloc(64, stream, 0), *event = mgpuEventCreate();
	uint32_t count = 16;
	void *params[] = { &memory, &count };

	mgpuMemset32(memory, 1, 16, stream);
	launch1(function, stream, params);
	mgpuEventRecord(event, stream);
	mgpuEventSynchronize(event);
	mgpuEventDestroy(event);
	mgpuMemFree(memory, stream);
	mgpuStreamSynchronize(stream);
	mgpuStreamDestroy(stream);
}

/* A module from a constructor, the device from main. */
static void after_load(void)
{
	void *module = load(), *first, *second;

	start();
	first = mgpuModuleGetFunction(module, "add");
	launch_func(module);
	mgpuSetDefaultDevice(1);
	expect(new_stream_device() == 1, 1);
	second = mgpuModuleGetFunction(module, "add");
	expect(second != NULL && first != second, 2);
	expect(mgpuModuleGetFunction(module, "add") == second, 3);
	launch_func(module);
	mgpuSetDefaultDevice(0);
	expect(mgpuModuleGetFunction(module, "add") == first, 4);
	launch_func(module);
	mgpuModuleUnload(module);
}

static void before_load(void)
{
	void *module;

	start();
	mgpuSetDefaultDevice(1);
	module = load();
	launch_func(module);
	mgpuSetDefaultDevice(0);
	launch_func(module);
	mgpuModuleUnload(module);
}

/* A stream is repaired on its own device, whatever the default is. */
static void repaired(void)
{
	void *first, *second;

	start();
	first = mgpuStreamCreate();
	second = mgpuStreamCreate();
	mgpuSetDefaultDevice(1);
	mgpuStreamWaitEvent(second, first);
	mgpuEventSynchronize(first);
	mgpuEventDestroy(first);
	mgpuStreamDestroy(second);
}

/* The thread works on one device and has the other's context current. */
static void context_stays(void)
{
	CUcontext current = NULL;
	void *module;

	start();
	expect(!cu.cuCtxSetCurrent(contexts[1]), 1);
	module = load();
	launch_func(module);
	mgpuModuleUnload(module);
	expect(new_stream_device() == 0, 2);
	expect(!cu.cuCtxGetCurrent(&current) && current == contexts[1], 3);
}

/* A foreign stream of the device that is not the default. */
static void foreign_stream(void)
{
	void *memory, *function;
	CUstream foreign;
	CUmodule theirs;

	start();
	expect(!cu.cuCtxSetCurrent(contexts[1]), 1);
	expect(!cu.cuStreamCreate(&foreign, CU_STREAM_NON_BLOCKING), 2);
	expect(!cu.cuModuleLoadData(&theirs, kernels_ptx), 3);
	cu.cuCtxSetCurrent(NULL);
	memory = mgpuMemAlloc(4, NULL, 0);
	function = mgpuModuleGetFunction(theirs, "bump");
	launch1(function, foreign, (void *[]){ &memory });
	mgpuStreamSynchronize(foreign);
	mgpuStreamDestroy(foreign);
	mgpuModuleUnload(theirs);
}

static void one_device(void)
{
	void *module = load();

	mgpuSetDefaultDevice(0);
	launch_func(module);
	mgpuModuleUnload(module);
}

static const struct scene scenes[] = {
	SCENE(first_by_default),
	SCENE(chosen),
	SCENE(by_thread),
	SCENE(after_load),
	SCENE(before_load),
	SCENE(repaired),
	SCENE(context_stays),
	SCENE(foreign_stream),
	SCENE(one_device),
};

/* ---- Tests ------------------------------------------------------------------------------- */

#define TWO "GPURUN_STUB_DEVICES=2"

static void plays(const char *scene, int status, int lines)
{
	if (!executes())
		CHECK_ENDING(play_with(scene, TWO), status, lines);
}

static void test_first_by_default(void)
{
	plays("first_by_default", 0, 0);
}

static void test_chosen(void)
{
	plays("chosen", 115, 1);
}

static void test_by_thread(void)
{
	plays("by_thread", 0, 0);
}

static void test_after_load(void)
{
	plays("after_load", 0, 0);
}

static void test_before_load(void)
{
	plays("before_load", 0, 0);
}

static void test_repaired(void)
{
	plays("repaired", 0, 1);
}

static void test_context_stays(void)
{
	plays("context_stays", 0, 0);
}

static void test_foreign_stream(void)
{
	plays("foreign_stream", 0, 0);
}

/* GPURUN_DEVICE says which is the first choice. */
static void test_selected(void)
{
	if (!executes())
		CHECK_ENDING(play_with("first_by_default", TWO " GPURUN_DEVICE=gpu:1"), 1, 0);
}

static void test_one_device(void)
{
	CHECK_ENDING(play("one_device"), 0, 0);
}

int main(int argc, char **argv)
{
	SCENES(scenes, argc, argv);
	RUN(test_first_by_default);
	RUN(test_chosen);
	RUN(test_by_thread);
	RUN(test_after_load);
	RUN(test_before_load);
	RUN(test_repaired);
	RUN(test_context_stays);
	RUN(test_foreign_stream);
	RUN(test_selected);
	RUN(test_one_device);
	return tap_end();
}
