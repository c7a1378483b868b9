/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "usage.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "api.h"
#include "block.h"
#include "line_rank.h"
#include "stream.h"
#include "visible.h"
#include "words.h"

enum { MOST_LINES = 20 }; /* of blocks, one each; the others are counted */

int usage_get(struct gpurun_device handle, struct gpurun_memory_usage *usage, struct err *e)
{
	CLEANUP(put_object) struct device *device = NULL;
	struct gpurun_memory_usage found = { .struct_size = sizeof(found) };

	TRY(device_use(handle, &device, e));
	found.cached_bytes = reuse_memory_bytes(device);
	runtime_lock();
	found.bytes = device->memory.bytes;
	found.peak_bytes = device->memory.peak;
	found.blocks = device->memory.blocks;
	runtime_unlock();
	return api_copy_struct(usage, &found, sizeof(found), e);
}

void usage_configure(void)
{
	runtime.report_leaks = words_have(secure_getenv("GPURUN_LOG"), "leaks");
}

static const char *const kind_names[] = {
	[GPURUN_MEMORY_DEVICE] = "device memory",
	[GPURUN_MEMORY_HOST] = "pinned host memory",
	[GPURUN_MEMORY_MANAGED] = "managed memory",
	[BLOCK_REGISTERED] = "registered host memory",
};

struct rest {
	unsigned lines;
	uint64_t blocks, bytes; /* without a line */
};

static void report_block(const struct block *block, void *data)
{
	struct rest *rest = data;

	if (block->lasting)
		return;
	if (rest->lines++ < MOST_LINES) {
		visible_printf(stderr, "gpurun: %sleak: %" PRIu64 " bytes of %s at %#" PRIx64
			       ", device %d\n", line_rank(), block->size, kind_names[block->kind],
			       block->address, block->device->info.ordinal);
		return;
	}
	rest->blocks++;
	rest->bytes += block->size;
}

/* The program may have destroyed such a stream in a way that we cannot see. */
static bool is_quarantined(const struct object *object)
{
	return object_kind_of(object->handle) == OBJECT_STREAM &&
	       ((const struct stream *)object)->quarantined;
}

static void count_open(struct object *object, void *data)
{
	*(unsigned *)data += object_is_open(object) && !is_quarantined(object);
}

static void report_objects(enum object_kind kind, const char *name)
{
	unsigned count = 0;

	object_each(kind, count_open, &count);
	if (count)
		visible_printf(stderr, "gpurun: %sleak: %u %s%s\n", line_rank(), count, name,
			       count > 1 ? "s" : "");
}

/* What a device's program never freed. */
struct leaked {
	const struct device *device;
	uint64_t blocks, bytes;
};

static void count_block(const struct block *block, void *data)
{
	struct leaked *leaked = data;

	if (block->device != leaked->device || block->lasting)
		return;
	leaked->blocks++;
	leaked->bytes += block->size;
}

static void report_device(const struct device *device)
{
	struct leaked leaked = { .device = device };

	block_each(count_block, &leaked);
	visible_printf(stderr, "gpurun: %sdevice %d: ", line_rank(), device->info.ordinal);
	if (leaked.blocks)
		visible_printf(stderr, "%" PRIu64 " bytes leaked in %" PRIu64 " block%s",
			       leaked.bytes, leaked.blocks, leaked.blocks > 1 ? "s" : "");
	else
		visible_printf(stderr, "no memory leaked");
	visible_printf(stderr, ", peak %" PRIu64 " bytes\n", device->memory.peak);
}

void usage_report(void)
{
	struct rest rest = { 0 };

	if (!runtime.report_leaks)
		return;
	block_each(report_block, &rest);
	if (rest.blocks)
		visible_printf(stderr, "gpurun: %sleak: %" PRIu64 " bytes in %" PRIu64
			       " more blocks\n", line_rank(), rest.bytes, rest.blocks);
	report_objects(OBJECT_STREAM, "stream");
	report_objects(OBJECT_EVENT, "event");
	/* To unload modules is what the exit hook is for. */
	if (runtime_phase() != PHASE_ENDED)
		report_objects(OBJECT_MODULE, "module");
	for (int i = 0; i < runtime.device_count; i++)
		if (runtime.devices[i])
			report_device(runtime.devices[i]);
}

void usage_leftover(bool is)
{
	if (runtime.cuda.cpu)
		runtime.cuda.gpurunCpuReport(is ? GPURUN_CPU_REPORT_LEFT :
						  GPURUN_CPU_REPORT_LEFT_END, NULL, 0);
}
