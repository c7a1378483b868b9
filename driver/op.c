/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "op.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "arena.h"
#include "cleanup.h"
#include "context.h"
#include "entry.h"
#include "output.h"
#include "pool.h"
#include "shadow.h"
#include "stream.h"
#include "stream_value.h"

/* Operations that have begun and are not done; those that wait for words do not count. */
static unsigned begun_everywhere;

/* Those whose last predecessor has just become done. */
static struct op *startable, **startable_end = &startable;

struct op *op_new(enum op_kind kind)
{
	struct op *op = calloc(1, sizeof(*op));

	if (op) {
		op->kind = kind;
		op->refs = 1;
		op->blocked = 1;
	}
	return op;
}

struct op *op_get(struct op *op)
{
	op->refs++;
	return op;
}

static void release_work(struct op *op)
{
	if (op->kind == OP_COPY)
		free(op->copy.staged);
	if (op->kind == OP_KERNEL)
		grid_free(op->grid);
}

void op_put(struct op *op)
{
	if (!op || --op->refs)
		return;
	release_work(op);
	free(op);
}

static struct op_edge *edge_new(struct op *op)
{
	const size_t inlined = sizeof(op->inline_edges) / sizeof(op->inline_edges[0]);

	if (op->inline_used < inlined)
		return &op->inline_edges[op->inline_used++];
	return malloc(sizeof(struct op_edge));
}

static void edge_free(struct op_edge *edge)
{
	const struct op *op = edge->op;

	if (edge != &op->inline_edges[0] && edge != &op->inline_edges[1])
		free(edge);
}

CUresult op_after(struct op *op, struct op *other)
{
	struct op_edge *edge;

	if (!other || other->done)
		return CUDA_SUCCESS;
	edge = edge_new(op);
	if (!edge)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*edge = (struct op_edge){ op, other->edges };
	other->edges = edge;
	op->blocked++;
	return CUDA_SUCCESS;
}

uint64_t op_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void unblock(struct op *op)
{
	if (--op->blocked)
		return;
	op->next = NULL;
	*startable_end = op;
	startable_end = &op->next;
}

/* Counts @op among what goes on. */
static void begun(struct op *op)
{
	op->counted = true;
	op->context->begun++;
	begun_everywhere++;
}

/* Drops the reference that an unfinished operation holds on itself. */
static void complete(struct op *op)
{
	struct op_edge *edge, *next;

	op->context->begun -= op->counted;
	begun_everywhere -= op->counted;
	context_op_done(op->context);
	op->done = true;
	op->time = op_clock();
	for (edge = op->edges; edge; edge = next) {
		struct op *waiter = edge->op;

		next = edge->next;
		edge_free(edge);
		unblock(waiter);
	}
	op->edges = NULL;
	op_put(op);
}

CUresult op_lost(const struct op *op)
{
	return op->context->life == op->life ? context_fault(op->context) :
					       CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

static void start(struct op *op)
{
	bool called = op->kind == OP_HOST && op->host.callback;

	op->dropped = op_lost(op) && !called;
	if (op->dropped || op->kind == OP_MARK) {
		complete(op);
	} else if (op->kind == OP_WAIT) {
		value_wait(op);
	} else {
		begun(op);
		op->ready = op->by_caller;
		if (!op->by_caller)
			pool_add(op);
	}
}

static void start_all(void)
{
	bool any = startable != NULL;

	while (startable) {
		struct op *op = startable;

		startable = op->next;
		if (!startable)
			startable_end = &startable;
		start(op);
	}
	if (any)
		driver_changed();
}

void op_done(struct op *op)
{
	complete(op);
	driver_changed();
	start_all();
}

/* Lets go of what keeps a new operation from starting. */
static void submit(struct op *op)
{
	op_get(op);
	op->life = op->context->life;
	op->context->pending++;
	unblock(op);
	start_all();
}

/* Edges may lead to @op already: it stays, without its work, until those are done. */
static void defuse(struct op *op)
{
	release_work(op);
	op->kind = OP_MARK;
	op->by_caller = false;
}

CUresult op_submit(struct op *op, struct stream *stream)
{
	CUresult result = stream_order(stream, op);

	op->context = stream_context(stream);
	if (result)
		defuse(op);
	else
		stream_append(stream, op);
	submit(op);
	return result;
}

CUresult op_submit_after_all(struct op *op, struct context *context)
{
	CUresult result = stream_order_all(op, context);

	op->context = context;
	submit(op);
	return result;
}

static CUresult flush(void)
{
	if (output_pending()) {
		open_lock();
		output_flush();
		close_lock();
	}
	return CUDA_SUCCESS;
}

CUresult op_wait(const struct op *op)
{
	while (!op->done)
		TRY(wait_change());
	return flush();
}

CUresult op_wait_quiet(const struct op *op, const struct context *context)
{
	const unsigned *going = context ? &context->begun : &begun_everywhere;

	while (!op->done && (*going || value_look()))
		if (*going)
			TRY(wait_change());
	return flush();
}

CUresult op_run(struct op *op)
{
	while (!op->ready && !op->done)
		TRY(wait_change());
	if (!op->done) {
		open_lock();
		op_execute(op);
		close_lock();
		op_done(op);
	}
	return op_wait(op);
}

static void fill(void *dst, uint32_t value, unsigned width, size_t count)
{
	const uint16_t half = (uint16_t)value;

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

static void fill_rows(const struct op_fill *f)
{
	for (size_t row = 0; row < f->rows; row++) {
		uint64_t dst = f->dst + row * f->pitch;

		fill((void *)(uintptr_t)dst, f->value, f->width, f->count);
		shadow_set_written(dst, f->count * f->width, true);
	}
}

/* Whoever executes it: the stream frees it on behalf of the call that asked for it. */
static void free_block(uint64_t address)
{
	arena_caller = "cuMemFreeAsync";
	arena_free(address, NULL);
	arena_caller = NULL;
}

static void copy_row(void *dst, const void *src, size_t size)
{
	memmove(dst, src, size);
	shadow_copy((uintptr_t)dst, (uintptr_t)src, size);
}

void op_copy(const struct op_copy *copy)
{
	for (size_t slice = 0; slice < copy->slices; slice++) {
		char *dst = (char *)copy->dst + slice * copy->dst_slice;
		const char *src = (const char *)copy->src + slice * copy->src_slice;

		for (size_t row = 0; row < copy->rows; row++)
			copy_row(dst + row * copy->dst_pitch, src + row * copy->src_pitch,
				 copy->size);
	}
}

void op_execute(const struct op *op)
{
	if (op->kind == OP_COPY)
		op_copy(&op->copy);
	else if (op->kind == OP_FILL)
		fill_rows(&op->fill);
	else if (op->kind == OP_FREE)
		free_block(op->freed);
	else if (op->kind == OP_WRITE)
		value_write(&op->value);
}
