/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "memory.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "asserts.h"
#include "await.h"
#include "cleanup.h"
#include "library.h"

/* ---- before the first launch ---- */

/* Finds a variable, which may be smaller in the image that was taken than in another one. */
static int locate(struct run *run, const struct buffer *buffer, uint64_t *address, struct err *e)
{
	uint64_t size;

	TRY(CALL(gpurun_module_global(run->modules[buffer->unit], buffer->symbol, address, &size),
		 e));
	if (size >= buffer->size)
		return 0;
	return err_set(e, GPURUN_INVALID, "variable %s has %llu bytes there, not %llu",
		       buffer->name, (unsigned long long)size,
		       (unsigned long long)buffer->size);
}

/* Writes the addresses of @fixups into @bytes; variables are those of @unit. */
static int fix_up(struct run *run, const struct fixups *fixups, size_t unit, uint8_t *bytes,
		  struct err *e)
{
	for (size_t i = 0; i < fixups->count; i++) {
		const struct fixup *fixup = &fixups->at[i];
		uint64_t address;

		if (fixup->buffer == NONE) {
			TRY(CALL(gpurun_module_global(run->modules[unit], fixup->symbol, &address,
						      NULL),
				 e));
		} else {
			const struct buffer *buffer = &run->plan->buffers[fixup->buffer];

			ASSERT(fixup->buffer < run->plan->buffer_count);
			address = run->buffers[fixup->buffer].address +
				  fixup->elements * value_info(buffer->type)->size;
		}
		memcpy(bytes + fixup->at, &address, sizeof(address));
	}
	return 0;
}

/* The value of a parameter in the plan. */
static struct bytes value_of(const struct slot *slot)
{
	if (slot->large)
		return (struct bytes){ slot->large, slot->size };
	return (struct bytes){ slot->bytes, sizeof(slot->bytes) };
}

/* Bytes from one value to the next: each may be of any type. */
static size_t room_for(const struct slot *slot)
{
	const size_t align = _Alignof(max_align_t);

	return (value_of(slot).size + align - 1) / align * align;
}

static int allocate_values(const struct launch *launch, struct run_step *step, struct err *e)
{
	size_t size = 1;

	for (size_t i = 0; i < launch->slot_count; i++)
		size += room_for(&launch->slots[i]);
	ASSERT(!step->values && !step->args);
	step->values = malloc(size);
	step->args = calloc(launch->slot_count + 1, sizeof(*step->args));
	if (!step->values || !step->args)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for arguments");
	return 0;
}

int memory_resolve(struct run *run, size_t step, struct err *e)
{
	const struct launch *launch = &run->plan->steps[step].launch;
	struct run_step *to = &run->steps[step];
	uint8_t *at;

	TRY(allocate_values(launch, to, e));
	at = to->values;
	for (size_t i = 0; i < launch->slot_count; i++) {
		const struct slot *slot = &launch->slots[i];
		const struct bytes value = value_of(slot);

		memcpy(at, value.data, value.size);
		TRY(fix_up(run, &slot->fixups, launch->unit, at, e));
		to->args[i] = at;
		at += room_for(slot);
	}
	return 0;
}

static int allocate_buffer(struct run *run, size_t index, struct err *e)
{
	const struct buffer *buffer = &run->plan->buffers[index];
	uint64_t *address = &run->buffers[index].address;

	if (buffer->symbol)
		return locate(run, buffer, address, e);
	if (run->memory) {
		*address = run->memory->buffers[index].address;
		return 0;
	}
	if (CALL(gpurun_memory_alloc(run->device.handle, buffer->size, GPURUN_MEMORY_DEVICE,
				     address),
		 e))
		return err_wrap(e, "buffer %s", buffer->name);
	return 0;
}

static int copy_to(const struct run *run, size_t index, const uint8_t *contents, struct err *e)
{
	const struct gpurun_stream at_once = { 0 };

	return CALL(gpurun_memory_copy(run->buffers[index].address, (uintptr_t)contents,
				       run->plan->buffers[index].size, at_once),
		    e);
}

/* Of a buffer with addresses in its contents. */
static int upload_pointers(struct run *run, size_t index, struct err *e)
{
	const struct buffer *buffer = &run->plan->buffers[index];
	CLEANUP(free_pointer) uint8_t *contents = malloc(buffer->size + 1);

	if (!contents)
		return err_set(e, GPURUN_NO_MEMORY, "buffer %s: no memory for %llu bytes",
			       buffer->name, (unsigned long long)buffer->size);
	memcpy(contents, buffer->contents, buffer->size);
	TRY(fix_up(run, &buffer->pointers, NONE, contents, e));
	return copy_to(run, index, contents, e);
}

/* All of them have their addresses by now. */
static int upload(struct run *run, size_t index, struct err *e)
{
	const struct buffer *buffer = &run->plan->buffers[index];

	if (!buffer->size || buffer->init.kind == INIT_UNINIT)
		return 0;
	if (buffer->pointers.count)
		return upload_pointers(run, index, e);
	if (buffer->contents)
		return copy_to(run, index, buffer->contents, e);
	return CALL(gpurun_memory_fill(run->buffers[index].address,
				       buffer->init.kind == INIT_POISON ? 0xff : 0, 1,
				       buffer->size, (struct gpurun_stream){ 0 }),
		    e);
}

int memory_place(struct run *run, struct err *e)
{
	for (size_t i = 0; i < run->plan->buffer_count; i++)
		TRY(allocate_buffer(run, i, e));
	for (size_t i = 0; i < run->plan->buffer_count && !run->memory; i++)
		TRY(upload(run, i, e));
	return 0;
}

/* ---- after it ---- */

/* A kernel reaches a buffer by its address, and those whose addresses are there. */
static void touch_all(struct run *run, const struct fixups *fixups, size_t stream)
{
	for (size_t i = 0; i < fixups->count; i++) {
		const size_t buffer = fixups->at[i].buffer;

		if (buffer == NONE)
			continue;
		run->buffers[buffer].touched[stream] = true;
		touch_all(run, &run->plan->buffers[buffer].pointers, stream);
	}
}

void memory_touch(struct run *run, size_t step)
{
	const struct plan *plan = run->plan;
	const struct launch *launch = &plan->steps[step].launch;
	const size_t stream = plan->steps[step].queued.stream;

	ASSERT(stream < plan->streams.count && step_launch(&plan->steps[step]));
	for (size_t i = 0; i < plan->buffer_count; i++) {
		if (plan->buffers[i].symbol)
			run->buffers[i].touched[stream] = true;
	}
	for (size_t i = 0; i < launch->slot_count; i++)
		touch_all(run, &launch->slots[i].fixups, stream);
}

/* Waits for whatever touched buffer @index. */
static int settle(struct run *run, size_t index, struct err *e)
{
	ASSERT(index < run->plan->buffer_count);
	await_set(run, (struct awaited){ 0 });
	for (size_t i = 0; i < run->plan->streams.count; i++) {
		if (run->buffers[index].touched[i])
			TRY(await_stream(run, i, e));
	}
	return 0;
}

int memory_download(struct run *run, size_t index, uint8_t **contents, struct err *e)
{
	const struct buffer *buffer = &run->plan->buffers[index];
	CLEANUP(free_pointer) uint8_t *host = NULL;

	*contents = NULL;
	TRY(settle(run, index, e));
	host = malloc(buffer->size + 1);
	if (!host)
		return err_set(e, GPURUN_NO_MEMORY, "buffer %s: no memory for %llu bytes",
			       buffer->name, (unsigned long long)buffer->size);
	if (buffer->size)
		TRY(CALL(gpurun_memory_copy((uintptr_t)host, run->buffers[index].address,
					    buffer->size, (struct gpurun_stream){ 0 }),
			 e));
	*contents = STEAL(host);
	return 0;
}

int memory_write(struct run *run, size_t step, struct err *e)
{
	const struct step *it = &run->plan->steps[step];

	ASSERT(it->contents && it->other == NONE);
	TRY(settle(run, it->buffer, e));
	return run->plan->buffers[it->buffer].size ? copy_to(run, it->buffer, it->contents, e) : 0;
}

int memory_copy(struct run *run, size_t step, struct err *e)
{
	const size_t to = run->plan->steps[step].buffer, from = run->plan->steps[step].other;
	const uint64_t size = run->plan->buffers[to].size;

	ASSERT(size == run->plan->buffers[from].size);
	TRY(settle(run, to, e));
	TRY(settle(run, from, e));
	if (!size)
		return 0;
	return CALL(gpurun_memory_copy(run->buffers[to].address, run->buffers[from].address, size,
				       (struct gpurun_stream){ 0 }),
		    e);
}
