/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Programs that hand driver objects out and in, and that use two devices. */
#include "program.h"

/* Hands the driver's objects out, and takes them for foreign ones. */
static void adopt(struct gpurun_module module, struct gpurun_stream stream)
{
	void *native_module, *native_kernel, *native_stream, *native_event;
	struct gpurun_module foreign_module;
	struct gpurun_kernel kernel, foreign_kernel;
	struct gpurun_stream foreign_stream;
	struct gpurun_event event, foreign_event;
	struct gpurun_launch launch = { 0 };

	STEP(gpurun_module_kernel(module, "work", &kernel));
	STEP(gpurun_event_create(program_device, 0, &event));
	STEP(gpurun_module_native(module, &native_module));
	STEP(gpurun_kernel_native(kernel, &native_kernel));
	STEP(gpurun_stream_native(stream, &native_stream));
	STEP(gpurun_event_native(event, &native_event));
	STEP(gpurun_module_adopt(program_device, native_module, &foreign_module));
	STEP(gpurun_kernel_adopt(program_device, native_kernel, &foreign_kernel));
	STEP(gpurun_stream_adopt((struct gpurun_device){ 0 }, native_stream,
				 &foreign_stream));
	STEP(gpurun_event_adopt(program_device, native_event, &foreign_event));
	launch.stream = foreign_stream;
	STEP(gpurun_launch(foreign_kernel, &launch, NULL));
	STEP(program_launch(foreign_module, "more", foreign_stream));
	STEP(gpurun_event_record(foreign_event, foreign_stream));
	STEP(gpurun_event_synchronize(foreign_event));
	STEP(gpurun_kernel_release(foreign_kernel));
	STEP(gpurun_module_unload(foreign_module));
	STEP(gpurun_event_destroy(foreign_event));
	STEP(gpurun_stream_destroy(foreign_stream));
}

static void interop(void)
{
	_Alignas(64) char map[128];
	const uint64_t dims[] = { 64, 32 }, strides[] = { 256 };
	const uint32_t box[] = { 16, 8 }, steps[] = { 1, 1 };
	struct gpurun_memory_info block = { .struct_size = sizeof(block) };
	uint64_t address;
	struct gpurun_module module;
	struct gpurun_stream stream;

	STEP(gpurun_context_push(program_device));
	STEP(gpurun_module_load(program_device, program_ptx, 0, &module));
	STEP(gpurun_stream_create(program_device, &stream));
	STEP(gpurun_memory_alloc(program_device, 8192, GPURUN_MEMORY_DEVICE, &address));
	STEP(gpurun_memory_get_info(address + 100, &block));
	STEP(gpurun_tensor_map_encode(map, 7, 2, address, dims, strides, box, steps, 0, 0, 0,
				      0));
	adopt(module, stream);
	STEP(gpurun_context_pop());
}

void scenario_interop(void)
{
	if (!program_start())
		return;
	interop();
	program_stop();
}

/* The same on the second device, with the first one's context current. */
static void devices(void)
{
	struct gpurun_device second;
	struct gpurun_module module, other;
	struct gpurun_stream stream, far;
	uint64_t near_block, far_block;

	STEP(gpurun_device_get(1, &second));
	STEP(gpurun_stream_create(program_device, &stream));
	STEP(gpurun_stream_create(second, &far));
	STEP(gpurun_module_load(program_device, program_ptx, 0, &module));
	STEP(gpurun_module_load(second, program_ptx, 0, &other));
	STEP(program_launch(module, "work", stream));
	STEP(program_launch(other, "work", far));
	STEP(gpurun_memory_alloc(program_device, 64, GPURUN_MEMORY_DEVICE, &near_block));
	STEP(gpurun_memory_alloc(second, 64, GPURUN_MEMORY_DEVICE, &far_block));
	STEP(gpurun_memory_copy(far_block, near_block, 64, (struct gpurun_stream){ 0 }));
	STEP(gpurun_stream_synchronize(far));
	STEP(gpurun_module_unload(other));
	STEP(gpurun_memory_free(far_block));
}

void scenario_devices(void)
{
	if (!program_start())
		return;
	devices();
	program_stop();
}
