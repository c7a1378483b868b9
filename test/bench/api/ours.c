/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* gpurun.h. */
#include "calls.h"
#include "gpurun.h"

static struct {
	struct gpurun_device device;
	struct gpurun_module module;
	struct gpurun_kernel kernel;
	struct gpurun_stream stream;
} own;

static struct gpurun_kernel kernel_of(struct gpurun_module module)
{
	struct gpurun_kernel kernel;

	EXPECT(gpurun_module_kernel(module, "count", &kernel));
	return kernel;
}

static struct gpurun_stream stream_create(void)
{
	struct gpurun_stream stream;

	EXPECT(gpurun_stream_create(own.device, &stream));
	return stream;
}

static void launch(struct gpurun_kernel kernel, struct gpurun_stream stream)
{
	struct gpurun_launch how = {
		.grid = { 1, 1, 1 },
		.block = { 1, 1, 1 },
		.stream = stream,
	};

	EXPECT(gpurun_launch(kernel, &how, arguments));
}

static struct gpurun_module load(void)
{
	struct gpurun_module module;

	EXPECT(gpurun_module_load(own.device, work.image, work.image_size, &module));
	return module;
}

static void set_up(void)
{
	EXPECT(gpurun_device_get(0, &own.device));
	own.module = load();
	own.kernel = kernel_of(own.module);
	own.stream = stream_create();
}

static void enqueue(void)
{
	launch(own.kernel, own.stream);
}

static void launch_sync(void)
{
	launch(own.kernel, own.stream);
	EXPECT(gpurun_stream_synchronize(own.stream));
}

static void launch_func(void)
{
	struct gpurun_kernel kernel = kernel_of(own.module);
	struct gpurun_stream stream = stream_create();

	launch(kernel, stream);
	EXPECT(gpurun_stream_synchronize(stream));
	EXPECT(gpurun_stream_destroy(stream));
}

static void token(void)
{
	struct gpurun_kernel kernel = kernel_of(own.module);
	struct gpurun_stream stream = stream_create();
	struct gpurun_event event;

	launch(kernel, stream);
	EXPECT(gpurun_event_create(own.device, 0, &event));
	EXPECT(gpurun_event_record(event, stream));
	EXPECT(gpurun_stream_destroy(stream));
	EXPECT(gpurun_event_synchronize(event));
	EXPECT(gpurun_event_destroy(event));
}

static void alloc_free(uint64_t size)
{
	uint64_t address;

	EXPECT(gpurun_memory_alloc(own.device, size, GPURUN_MEMORY_DEVICE, &address));
	EXPECT(gpurun_memory_free(address));
}

static void alloc_small(void)
{
	alloc_free(SMALL);
}

static void alloc_large(void)
{
	alloc_free(LARGE);
}

static void load_unload(void)
{
	EXPECT(gpurun_module_unload(load()));
}

static void finish(void)
{
	EXPECT(gpurun_stream_synchronize(own.stream));
}

const struct way_calls calls_gpurun = {
	.set_up = set_up,
	.operations = {
		[ENQUEUE] = enqueue,
		[LAUNCH_SYNC] = launch_sync,
		[LAUNCH_FUNC] = launch_func,
		[ASYNC_TOKEN] = token,
		[ALLOC_SMALL] = alloc_small,
		[ALLOC_LARGE] = alloc_large,
		[LOAD] = load_unload,
	},
	.finish = finish,
};
