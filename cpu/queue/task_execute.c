/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The work of operations that touch memory. */
#include <stdatomic.h>
#include <string.h>

#include "arena.h"
#include "asserts.h"
#include "lock.h"
#include "task.h"
#include "race_transfer.h"
#include "shadow_memory.h"

static void fill(void *dst, uint32_t value, unsigned width, size_t count)
{
	const uint16_t half = (uint16_t)value;

	ASSERT(width == 1 || width == 2 || width == 4);
	ASSERT((uintptr_t)dst % width == 0);
	switch (width) {
	case 1:
		memset(dst, (int)(value & 0xff), count);
		break;
	case 2:
		for (size_t i = 0; i < count; i++)
			((uint16_t *)dst)[i] = half;
		break;
	default:
		for (size_t i = 0; i < count; i++)
			((uint32_t *)dst)[i] = value;
		break;
	}
}

static void fill_rows(const struct task_fill *f)
{
	for (size_t row = 0; row < f->rows; row++) {
		uint64_t dst = f->dst + row * f->pitch;

		fill(arena_bytes(dst), f->value, f->width, f->count);
		shadow_set_written(dst, f->count * f->width, true);
	}
}

/* Whatever thread executes it: reports name the call that asked for it. */
static void free_block(uint64_t address)
{
	arena_caller = "cuMemFreeAsync";
	arena_free(address, NULL);
	arena_caller = NULL;
}

static void copy_row(uint64_t dst, uint64_t src, size_t size)
{
	memmove(arena_bytes(dst), arena_bytes(src), size);
	shadow_copy(dst, src, size);
}

void task_copy(const struct task_copy *copy)
{
	for (size_t slice = 0; slice < copy->slices; slice++) {
		const uint64_t dst = copy->dst + slice * copy->dst_slice;
		const uint64_t src = copy->src + slice * copy->src_slice;

		for (size_t row = 0; row < copy->rows; row++)
			copy_row(dst + row * copy->dst_pitch, src + row * copy->src_pitch,
				 copy->size);
	}
}

static void note_copy(struct race_transfer *t, const struct task_copy *copy)
{
	t->name = "a copy";
	for (size_t i = 0; i < copy->rows * copy->slices; i++) {
		const size_t row = i % copy->rows, slice = i / copy->rows;
		const uint64_t dst = copy->dst + slice * copy->dst_slice + row * copy->dst_pitch;
		const uint64_t src = copy->src + slice * copy->src_slice + row * copy->src_pitch;

		t->source = NULL;
		race_transfer(t, src, copy->size);
		t->source = arena_bytes(src);
		race_transfer(t, dst, copy->size);
	}
}

static void note_fill(struct race_transfer *t, const struct task_fill *f)
{
	uint8_t bytes[4];

	for (unsigned i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(f->value >> 8 * (i % f->width));
	t->name = "a fill";
	t->source = bytes;
	t->repeated = true;
	for (size_t row = 0; row < f->rows; row++)
		race_transfer(t, f->dst + row * f->pitch, f->count * f->width);
}

static void note_write(struct race_transfer *t, const struct task_value *v)
{
	t->name = "a write of a word";
	t->source = (const uint8_t *)&v->value;
	race_transfer(t, v->address, v->width);
}

/* Checks what @task is about to do to memory, for check=race. */
static void note_races(const struct task *task)
{
	struct race_transfer t = { .order = task->order };

	if (!t.order)
		return;
	if (task->kind == TASK_COPY)
		note_copy(&t, &task->copy);
	else if (task->kind == TASK_FILL)
		note_fill(&t, &task->fill);
	else if (task->kind == TASK_WRITE)
		note_write(&t, &task->value);
}

static void write_word(const struct task_value *v)
{
	ASSERT((v->width == 4 || v->width == 8) && v->address % v->width == 0);
	if (v->width == 4)
		atomic_store((_Atomic uint32_t *)arena_bytes(v->address), (uint32_t)v->value);
	else
		atomic_store((_Atomic uint64_t *)arena_bytes(v->address), v->value);
}

void task_execute(const struct task *task)
{
	ASSERT(!lock_is_held(LOCK_DRIVER) && !task->done && !task->blocked);
	note_races(task);
	if (task->kind == TASK_COPY)
		task_copy(&task->copy);
	else if (task->kind == TASK_FILL)
		fill_rows(&task->fill);
	else if (task->kind == TASK_FREE)
		free_block(task->freed);
	else if (task->kind == TASK_WRITE)
		write_word(&task->value);
}
