/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "op.h"

#include <stdlib.h>
#include <time.h>

#include "cleanup.h"
#include "context.h"
#include "entry.h"
#include "order.h"
#include "output.h"
#include "pool.h"
#include "stream.h"
#include "stream_value.h"

/* Operations that have begun and are not done; those that wait for words do not count. */
static unsigned begun_everywhere;

/* Those whose last predecessor has just become done. */
static struct op *startable, **startable_end = &startable;

struct op *op_new(enum op_kind kind)
{
	struct op *op = calloc(1, sizeof(*op));

	if (!op)
		return NULL;
	op->order = order_new();
	if (!op->order && order_wanted()) {
		free(op);
		return NULL;
	}
	op->kind = kind;
	op->refs = 1;
	op->blocked = 1;
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
	free(op->order);
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

	if (other && other->done)
		order_join(op->order, other->order);
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
	order_end(op->order);
	for (edge = op->edges; edge; edge = next) {
		struct op *waiter = edge->op;

		next = edge->next;
		order_join(waiter->order, op->order);
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

static bool touches_memory(const struct op *op)
{
	return op->kind == OP_COPY || op->kind == OP_FILL || op->kind == OP_WRITE ||
	       op->kind == OP_KERNEL;
}

/* What the host may learn of by it, or what may race with others, begins. */
static void begin_order(struct op *op)
{
	static const char *const names[] = {
		[OP_COPY] = "a copy",
		[OP_FILL] = "a fill",
		[OP_WRITE] = "a write of a word",
		[OP_KERNEL] = "",
	};

	if (op->kind == OP_HOST || op->kind == OP_WRITE)
		order_known(op->order);
	if (touches_memory(op))
		order_begin(op->order, op->kind == OP_KERNEL ? &op->grid->launch : NULL,
			    names[op->kind], op->awaited);
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
		begin_order(op);
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
	order_submit(op->order, stream_line(stream), stream_number(stream), touches_memory(op));
	submit(op);
	return result;
}

void op_submit_alone(struct op *op, struct context *context)
{
	op->context = context;
	order_submit(op->order, ORDER_LINES, 0, false);
	submit(op);
}

CUresult op_submit_after_all(struct op *op, struct context *context)
{
	CUresult result = stream_order_all(op, context);

	op_submit_alone(op, context);
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

CUresult op_await(const struct op *op)
{
	while (!op->done)
		TRY(wait_change());
	return flush();
}

CUresult op_wait(const struct op *op)
{
	TRY(op_await(op));
	order_known(op->order);
	return CUDA_SUCCESS;
}

CUresult op_wait_quiet(const struct op *op, const struct context *context)
{
	const unsigned *going = context ? &context->begun : &begun_everywhere;

	while (!op->done && (*going || value_look()))
		if (*going)
			TRY(wait_change());
	if (op->done)
		order_known(op->order);
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
	return op->awaited ? op_wait(op) : op_await(op);
}
