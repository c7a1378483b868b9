/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Programs that use everything once, and end in different ways. */
#include <string.h>

#include "program.h"

enum { BYTES = 64 };

/* Loads, launches, records, waits and copies; nothing is released. */
static void use(struct gpurun_module *module, struct gpurun_stream *stream,
		struct gpurun_event *event, uint64_t *address)
{
	char bytes[BYTES] = "sixty-four bytes", back[BYTES];

	STEP(gpurun_module_load(program_device, program_ptx, 0, module));
	STEP(gpurun_stream_create(program_device, stream));
	STEP(gpurun_event_create(program_device, 0, event));
	STEP(gpurun_memory_alloc(program_device, BYTES, GPURUN_MEMORY_DEVICE, address));
	STEP(gpurun_memory_copy(*address, address_of(bytes), BYTES, *stream));
	STEP(program_launch(*module, "work", *stream));
	STEP(gpurun_event_record(*event, *stream));
	STEP(gpurun_event_synchronize(*event));
	STEP(gpurun_memory_copy(address_of(back), *address, BYTES, *stream));
	STEP(gpurun_stream_synchronize(*stream));
}

/* Everything is released where it is no longer needed. */
static void plain(void)
{
	struct gpurun_module module = { 0 };
	struct gpurun_stream stream = { 0 };
	struct gpurun_event event = { 0 };
	uint64_t address = 0;

	use(&module, &stream, &event, &address);
	/* What was made before a failure is there to be released after it. */
	if (event.id)
		told(gpurun_event_destroy(event));
	if (stream.id)
		told(gpurun_stream_destroy(stream));
	if (module.id)
		told(gpurun_module_unload(module));
	told(gpurun_memory_free(address));
}

void scenario_plain(void)
{
	if (!program_start())
		return;
	plain();
	program_stop();
}

/* The exit hook finds all of it. */
void scenario_leave(void)
{
	struct gpurun_module module;
	struct gpurun_stream stream;
	struct gpurun_event event;
	uint64_t address;

	if (program_start())
		use(&module, &stream, &event, &address);
}

/* Up and down several times, once nested, and left up at the end. */
void scenario_again(void)
{
	struct gpurun_module module;
	struct gpurun_stream stream;
	struct gpurun_event event;
	uint64_t address;

	for (int i = 0; i < 3; i++) {
		if (!program_start())
			return;
		use(&module, &stream, &event, &address);
		if (program_failed())
			return;
		STEP(gpurun_init(NULL));
		STEP(gpurun_shutdown());
		STEP(gpurun_shutdown());
	}
	if (program_start())
		use(&module, &stream, &event, &address);
}

/* One is unloaded while the other lives and runs; a third is never launched. */
static void modules(void)
{
	struct gpurun_module first, second, idle;
	struct gpurun_stream stream;
	uint64_t address, size;

	STEP(gpurun_stream_create(program_device, &stream));
	STEP(gpurun_module_load(program_device, program_ptx, 0, &first));
	STEP(gpurun_module_load(program_device, program_ptx, 0, &second));
	STEP(gpurun_module_load(program_device, program_ptx, 0, &idle));
	STEP(gpurun_module_global(first, "counter", &address, &size));
	STEP(program_launch(first, "work", stream));
	STEP(program_launch(second, "more", stream));
	STEP(gpurun_module_unload(first));
	STEP(program_launch(second, "work", stream));
	STEP(gpurun_module_load(program_device, program_ptx, 0, &first));
	STEP(program_launch(first, "more", stream));
	STEP(gpurun_module_unload(second));
	STEP(gpurun_module_unload(idle));
	STEP(gpurun_module_unload(first));
}

void scenario_modules(void)
{
	if (!program_start())
		return;
	modules();
	program_stop();
}

static void memory(void)
{
	static char mine[4096];
	struct gpurun_stream stream, at_once = { 0 };
	uint64_t device, pinned, managed, left, all;

	STEP(gpurun_stream_create(program_device, &stream));
	STEP(gpurun_memory_alloc(program_device, BYTES, GPURUN_MEMORY_DEVICE, &device));
	STEP(gpurun_memory_alloc(program_device, BYTES, GPURUN_MEMORY_HOST, &pinned));
	STEP(gpurun_memory_alloc(program_device, BYTES, GPURUN_MEMORY_MANAGED, &managed));
	STEP(gpurun_device_memory(program_device, &left, &all));
	STEP(gpurun_memory_register(mine, sizeof(mine)));
	STEP(gpurun_memory_fill(device, 7, 1, BYTES, stream));
	STEP(gpurun_memory_fill(device, 7, 2, BYTES / 2, stream));
	STEP(gpurun_memory_fill(device, 7, 4, BYTES / 4, at_once));
	STEP(gpurun_memory_copy(address_of(mine), device, BYTES, stream));
	STEP(gpurun_memory_copy(pinned, device, BYTES, at_once));
	STEP(gpurun_memory_copy(managed, pinned, BYTES, at_once));
	STEP(gpurun_device_synchronize(program_device));
	STEP(gpurun_memory_unregister(mine));
	STEP(gpurun_memory_free(pinned));
	STEP(gpurun_memory_free(managed));
	STEP(gpurun_memory_free(device));
	STEP(gpurun_memory_alloc(program_device, BYTES, GPURUN_MEMORY_DEVICE, &device));
	STEP(gpurun_memory_alloc(program_device, 2 * BYTES, GPURUN_MEMORY_DEVICE, &managed));
	STEP(gpurun_memory_free(device));
}

void scenario_memory(void)
{
	if (!program_start())
		return;
	memory();
	program_stop();
}

/* Freed blocks that come back, in batches and one by one, and some that stay away. */
static void freed(void)
{
	struct gpurun_memory_usage usage = { .struct_size = sizeof(usage) };
	struct gpurun_module module;
	struct gpurun_stream stream;
	uint64_t address;

	STEP(gpurun_module_load(program_device, program_ptx, 0, &module));
	STEP(gpurun_stream_create(program_device, &stream));
	for (int i = 0; i < 20; i++) {
		STEP(gpurun_memory_alloc(program_device, i % 4 ? BYTES : 8 << 20,
					 GPURUN_MEMORY_DEVICE, &address));
		if (i % 3 == 0)
			STEP(program_launch(module, "work", stream));
		STEP(gpurun_memory_free(address));
	}
	STEP(gpurun_memory_get_usage(program_device, &usage));
	STEP(gpurun_stream_synchronize(stream));
}

void scenario_freed(void)
{
	if (!program_start())
		return;
	freed();
	program_stop();
}
