/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "memory.h"

#include <stdlib.h>
#include <string.h>

#include "await.h"
#include "cleanup.h"
#include "library.h"

/* ---- before the first launch ---- */

/* Finds a variable, which may be smaller in the image that was taken than in another one. */
static int locate(struct run *run, struct buffer *buffer, struct err *e)
{
	uint64_t size;

	TRY(CALL(gpurun_module_global(run->modules[buffer->unit], buffer->symbol,
				      &buffer->address, &size),
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

			address = buffer->address +
				  fixup->elements * value_info(buffer->type)->size;
		}
		memcpy(bytes + fixup->at, &address, sizeof(address));
	}
	return 0;
}

int memory_resolve(struct run *run, struct launch *launch, struct err *e)
{
	for (size_t i = 0; i < launch->slot_count; i++) {
		struct slot *slot = &launch->slots[i];

		TRY(fix_up(run, &slot->fixups, launch->unit,
			   slot->large ? slot->large : slot->bytes, e));
	}
	return 0;
}

static int allocate_buffer(struct run *run, struct buffer *buffer, struct err *e)
{
	if (buffer->symbol)
		return locate(run, buffer, e);
	if (CALL(gpurun_memory_alloc(run->device.handle, buffer->size,
				     GPURUN_MEMORY_DEVICE, &buffer->address),
		 e))
		return err_wrap(e, "buffer %s", buffer->name);
	return 0;
}

/* All of them have their addresses by now. */
static int upload(struct run *run, struct buffer *buffer, struct err *e)
{
	struct gpurun_stream at_once = { 0 };

	if (!buffer->size || buffer->init.kind == INIT_UNINIT)
		return 0;
	TRY(fix_up(run, &buffer->pointers, NONE, buffer->contents, e));
	if (buffer->contents)
		return CALL(gpurun_memory_copy(buffer->address,
					       (uintptr_t)buffer->contents, buffer->size,
					       at_once),
			    e);
	return CALL(gpurun_memory_fill(buffer->address,
				       buffer->init.kind == INIT_POISON ? 0xff : 0, 1,
				       buffer->size, at_once),
		    e);
}

int memory_place(struct run *run, struct err *e)
{
	struct plan *plan = run->plan;

	for (size_t i = 0; i < plan->buffer_count; i++)
		TRY(allocate_buffer(run, &plan->buffers[i], e));
	for (size_t i = 0; i < plan->buffer_count; i++)
		TRY(upload(run, &plan->buffers[i], e));
	return 0;
}

/* ---- after it ---- */

/* A kernel reaches a buffer by its address, and those whose addresses are there. */
static void touch_all(struct run *run, const struct fixups *fixups, size_t stream)
{
	for (size_t i = 0; i < fixups->count; i++) {
		struct buffer *buffer;

		if (fixups->at[i].buffer == NONE)
			continue;
		buffer = &run->plan->buffers[fixups->at[i].buffer];
		buffer->touched[stream] = true;
		touch_all(run, &buffer->pointers, stream);
	}
}

void memory_touch(struct run *run, const struct step *step)
{
	for (size_t i = 0; i < run->plan->buffer_count; i++) {
		if (run->plan->buffers[i].symbol)
			run->plan->buffers[i].touched[step->stream] = true;
	}
	for (size_t i = 0; i < step->launch.slot_count; i++)
		touch_all(run, &step->launch.slots[i].fixups, step->stream);
}

/* Waits for whatever touched @buffer. */
static int settle(struct run *run, const struct buffer *buffer, struct err *e)
{
	await_set(run, (struct awaited){ 0 });
	for (size_t i = 0; i < run->plan->streams.count; i++) {
		if (buffer->touched[i])
			TRY(await_stream(run, i, e));
	}
	return 0;
}

int memory_download(struct run *run, size_t index, uint8_t **contents, struct err *e)
{
	const struct buffer *buffer = &run->plan->buffers[index];
	CLEANUP(free_pointer) uint8_t *host = NULL;

	*contents = NULL;
	TRY(settle(run, buffer, e));
	host = malloc(buffer->size + 1);
	if (!host)
		return err_set(e, GPURUN_NO_MEMORY, "buffer %s: no memory for %llu bytes",
			       buffer->name, (unsigned long long)buffer->size);
	if (buffer->size)
		TRY(CALL(gpurun_memory_copy((uintptr_t)host, buffer->address,
					    buffer->size, (struct gpurun_stream){ 0 }),
			 e));
	*contents = STEAL(host);
	return 0;
}

int memory_write(struct run *run, const struct step *step, struct err *e)
{
	const struct buffer *buffer = &run->plan->buffers[step->target];
	const struct buffer *from = step->from == NONE ? NULL : &run->plan->buffers[step->from];

	TRY(settle(run, buffer, e));
	if (from)
		TRY(settle(run, from, e));
	if (!buffer->size)
		return 0;
	return CALL(gpurun_memory_copy(buffer->address,
				       from ? from->address : (uintptr_t)step->contents,
				       buffer->size, (struct gpurun_stream){ 0 }),
		    e);
}
