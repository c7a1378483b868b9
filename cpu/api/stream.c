/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "stream.h"

#include <pthread.h>
#include <stdlib.h>

#include "asserts.h"
#include "cause.h"
#include "cleanup.h"
#include "context.h"
#include "entry.h"
#include "exports.h"
#include "findings.h"
#include "handle.h"
#include "leftover.h"
#include "list.h"
#include "task.h"
#include "order.h"

struct stream {
	void *handle;      /* NULL after destruction, and of a legacy stream */
	struct context *context; /* borrowed: it ends with it */
	bool legacy;       /* the context's NULL stream */
	bool non_blocking;
	bool kept;         /* created by the program and not destroyed */
	bool own;          /* that of @thread (CU_STREAM_PER_THREAD); ends with it */
	pthread_t thread;
	uint64_t id;       /* for programs; of the special ones, their number */
	unsigned line;     /* of order.h */
	struct stream_hints hints;
	struct task *last;   /* a reference; NULL when there was none */
	struct list_node all;   /* of streams */
	struct list_node group; /* of own_streams, then of dying */
	struct list_node open;  /* of its context's open streams of its kind */
};

#define FIRST_ID 16 /* above the handles of the special streams */

static struct list_node *streams;     /* owned */
static struct list_node *own_streams; /* of threads that live */
static struct list_node *dying;       /* destroyed ones that had something pending */
static struct list_node *sweep_at;    /* of dying: where sweep() goes on, or NULL */
static uint64_t made_so_far;    /* streams */
static unsigned lines;          /* in use, of order.h; NULL streams have some, too */

/* The orders of all freed streams, blocking ones and others. Of any context. */
static struct order freed_orders[2];

/* The meaning of a NULL stream in the current call. */
static __thread CUstream default_stream;

/* Set in each thread that has per-thread streams. */
static pthread_once_t own_once = PTHREAD_ONCE_INIT;
static pthread_key_t own_key;

/* The own stream that the calling thread used last. */
static __thread void *own_last;

/* NULL: nothing. */
static void stream_free(struct stream *stream)
{
	if (!stream)
		return;
	handle_free(stream->handle);
	if (sweep_at == &stream->group)
		sweep_at = stream->group.next;
	list_remove(&stream->all);
	list_remove(&stream->group);
	list_remove(&stream->open);
	if (stream->last)
		order_join(&freed_orders[stream->non_blocking], stream->last->order);
	task_put(stream->last);
	free(stream);
}
DEFINE_CLEANUP(free_stream, struct stream *, stream_free)

/* Tells whether nothing of @stream itself is pending. */
static bool idle(const struct stream *stream)
{
	return !stream->last || stream->last->done;
}

/*
 * Frees destroyed streams that have nothing pending: it looks at two of them, the next ones each
 * time, so that calls take the same time however many there are, and more are freed than come.
 */
static void sweep(void)
{
	for (int i = 0; i < 2 && dying; i++) {
		struct list_node *node = sweep_at ? sweep_at : dying;
		struct stream *stream = LIST_OBJECT(node, struct stream, group);

		sweep_at = node->next;
		if (idle(stream))
			stream_free(stream);
	}
}

/* Ends @stream for the program: its handle is invalid. */
static void end_handle(struct stream *stream)
{
	handle_free(stream->handle);
	stream->handle = NULL;
	list_remove(&stream->group);
	list_add(&dying, &stream->group);
}

/*
 * An open stream has a last operation that the context's NULL stream does not come after yet. The
 * others have none, or it is the NULL stream's own, or one before that.
 */
static void open_add(struct stream *stream)
{
	if (!stream->legacy && !list_has(&stream->open))
		list_add(&stream->context->open[stream->non_blocking], &stream->open);
}

/* Whether it makes no difference any more that something comes after the last operation. */
static bool is_past(const struct stream *stream)
{
	return idle(stream) && !order_wanted();
}

/* Lets @task come after the open streams of @context, of one kind. */
static CUresult after_open(struct task *task, struct context *context, bool non_blocking)
{
	struct list_node *next;

	for (struct list_node *node = context->open[non_blocking]; node; node = next) {
		const struct stream *stream = LIST_OBJECT(node, struct stream, open);

		next = node->next;
		if (is_past(stream))
			list_remove(node);
		else
			TRY(task_after(task, stream->last));
	}
	return CUDA_SUCCESS;
}

/* Adds @stream to those of @context. Its work comes after the context's held operation. */
static void stream_link(struct stream *stream, struct context *context)
{
	ASSERT(!stream->context && !stream->last && context->handle);
	stream->context = context;
	stream->line = lines++ % ORDER_LINES;
	stream->hints = (struct stream_hints){ .sync_policy = -1, .domains = { 0, 1 } };
	stream->last = context->held ? task_get(context->held) : NULL;
	list_add(&streams, &stream->all);
	if (stream->last)
		open_add(stream);
}

static CUresult stream_new(bool non_blocking, struct stream **out)
{
	CLEANUP(free_stream) struct stream *stream = calloc(1, sizeof(*stream));

	*out = NULL;
	if (!stream)
		return CUDA_ERROR_OUT_OF_MEMORY;
	stream->id = FIRST_ID + ++made_so_far;
	stream->non_blocking = non_blocking;
	stream->kept = true;
	stream->handle = handle_new(HANDLE_STREAM, stream);
	if (!stream->handle)
		return CUDA_ERROR_OUT_OF_MEMORY;
	sweep();
	stream_link(stream, context_here());
	*out = STEAL(stream);
	return CUDA_SUCCESS;
}

/* The NULL stream of @context, or NULL when memory is exhausted. */
static struct stream *legacy_of(struct context *context)
{
	struct stream *stream = context->legacy;

	if (stream)
		return stream;
	stream = calloc(1, sizeof(*stream));
	if (!stream)
		return NULL;
	stream->legacy = true;
	stream->id = (uintptr_t)CU_STREAM_LEGACY;
	stream_link(stream, context);
	return context->legacy = stream;
}

static void stream_destroy(struct stream *stream)
{
	stream->kept = false;
	end_handle(stream);
	sweep();
}

/* The thread has ended: so have its streams. */
static void own_end(void *ignored)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);
	struct list_node *next;

	(void)ignored;
	if (call.result)
		return;
	for (struct list_node *node = own_streams; node; node = next) {
		struct stream *stream = LIST_OBJECT(node, struct stream, group);

		next = node->next;
		if (pthread_equal(stream->thread, pthread_self()))
			end_handle(stream);
	}
	sweep();
}

static void own_make_key(void)
{
	pthread_key_create(&own_key, own_end);
}

/* The calling thread's own stream in @context, or NULL when it has none. */
static struct stream *own_known(const struct context *context)
{
	struct stream *stream = handle_object(own_last, HANDLE_STREAM);

	if (stream && stream->context == context)
		return stream;
	for (struct list_node *node = own_streams; node; node = node->next) {
		stream = LIST_OBJECT(node, struct stream, group);
		if (stream->context == context && pthread_equal(stream->thread, pthread_self()))
			return stream;
	}
	return NULL;
}

static CUresult own_stream(struct stream **out)
{
	pthread_once(&own_once, own_make_key);
	*out = own_known(context_here());
	if (!*out) {
		if (pthread_setspecific(own_key, &own_once))
			return CUDA_ERROR_OUT_OF_MEMORY;
		TRY(stream_new(false, out));
		(*out)->own = true;
		(*out)->thread = pthread_self();
		list_add(&own_streams, &(*out)->group);
	}
	own_last = (*out)->handle;
	return CUDA_SUCCESS;
}

/* An event instead of a stream: 709, as from a real driver. */
static CUresult stream_find_made(CUstream handle, struct stream **out)
{
	*out = handle_object(handle, HANDLE_STREAM);
	if (*out)
		return CUDA_SUCCESS;
	if (handle_kind(handle) == HANDLE_EVENT)
		return CUDA_ERROR_CONTEXT_IS_DESTROYED;
	return cause_set(CUDA_ERROR_INVALID_HANDLE, "%p is no stream", (void *)handle);
}

CUstream stream_set_default(CUstream handle)
{
	CUstream before = default_stream;

	default_stream = handle;
	return before;
}

CUresult stream_find(CUstream handle, struct stream **out)
{
	*out = NULL;
	handle = handle ? handle : default_stream;
	if ((uintptr_t)handle <= (uintptr_t)CU_STREAM_PER_THREAD) {
		TRY(refused_in_host_function());
		if (!context_is_current())
			return CUDA_ERROR_INVALID_CONTEXT;
		if (handle == CU_STREAM_PER_THREAD)
			return own_stream(out);
		*out = legacy_of(context_here());
		return *out ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
	}
	return stream_find_made(handle, out);
}

/* Adds to @task the edges that the order of @stream demands. 2 when memory is exhausted. */
static CUresult add_order(struct stream *stream, struct task *task)
{
	TRY(task_after(task, stream->last));
	if (stream->non_blocking)
		return CUDA_SUCCESS;
	if (!stream->legacy)
		return stream->context->legacy ? task_after(task, stream->context->legacy->last) :
						 CUDA_SUCCESS;
	order_join(task->order, &freed_orders[0]);
	return after_open(task, stream->context, false);
}

/* Makes @task the last operation of @stream. */
static void set_last(struct stream *stream, struct task *task)
{
	struct context *context = stream->context;

	task_put(stream->last);
	stream->last = task_get(task);
	open_add(stream);
	while (stream->legacy && context->open[0])
		list_remove(context->open[0]);
}

/* Its number in its line of orders (order.h). */
static unsigned number_of(const struct stream *stream)
{
	if (stream->legacy)
		return ORDER_NULL_STREAM;
	return stream->own ? ORDER_OWN_STREAM : (unsigned)(stream->id - FIRST_ID);
}

struct context *stream_context(const struct stream *stream)
{
	return stream->context;
}

bool stream_is_null(const struct stream *stream)
{
	return stream->legacy;
}

CUresult stream_submit(struct stream *stream, struct task *task)
{
	CUresult result = add_order(stream, task);

	if (result)
		task_defuse(task);
	else
		set_last(stream, task);
	task_submit(task, &stream->context->domain, stream->line, number_of(stream));
	return result;
}

CUresult stream_order_all(struct task *task, struct context *context)
{
	order_join(task->order, &freed_orders[0]);
	order_join(task->order, &freed_orders[1]);
	TRY(task_after(task, context->held));
	if (context->legacy)
		TRY(task_after(task, context->legacy->last));
	TRY(after_open(task, context, false));
	return after_open(task, context, true);
}

CUresult stream_submit_after_all(struct task *task, struct context *context)
{
	CUresult result = stream_order_all(task, context);

	task_submit_alone(task, &context->domain);
	return result;
}

/* Submits to @stream an operation that does nothing, after @task. */
static CUresult submit_mark(struct stream *stream, struct task *task)
{
	CLEANUP(put_task) struct task *mark = task_new(TASK_MARK);

	if (!mark)
		return CUDA_ERROR_OUT_OF_MEMORY;
	TRY(task_after(mark, task));
	return stream_submit(stream, mark);
}

/* New streams of @context come after @task, and what they came after so far: two edges, for which
 * an operation has room. */
static CUresult hold_new(struct context *context, struct task *task)
{
	CLEANUP(put_task) struct task *both = task_new(TASK_MARK);

	if (!both)
		return CUDA_ERROR_OUT_OF_MEMORY;
	TRY(task_after(both, context->held));
	TRY(task_after(both, task));
	task_submit_alone(both, &context->domain);
	task_put(context->held);
	context->held = STEAL(both);
	return CUDA_SUCCESS;
}

CUresult stream_hold_all(struct context *context, struct task *task)
{
	TRY(hold_new(context, task));
	for (struct list_node *node = streams; node; node = node->next) {
		struct stream *stream = LIST_OBJECT(node, struct stream, all);

		if (stream->context == context && (stream->handle || stream->legacy))
			TRY(submit_mark(stream, task));
	}
	return CUDA_SUCCESS;
}

CUresult stream_wait(struct stream *stream)
{
	CLEANUP(put_task) struct task *task = task_new(TASK_MARK);
	const CUcontext handle = stream->context->handle;
	struct context *context;

	if (!task)
		return CUDA_ERROR_OUT_OF_MEMORY;
	TRY(stream_submit(stream, task));
	TRY(task_wait(task));
	TRY(context_find(handle, &context));
	return context->domain.fault;
}

bool stream_idle(const struct stream *stream)
{
	struct list_node *next;

	if (!idle(stream))
		return false;
	if (!stream->legacy)
		return stream->non_blocking || !stream->context->legacy ||
		       idle(stream->context->legacy);
	for (struct list_node *node = stream->context->open[0]; node; node = next) {
		const struct stream *other = LIST_OBJECT(node, struct stream, open);

		next = node->next;
		if (!idle(other))
			return false;
		if (is_past(other))
			list_remove(node);
	}
	return true;
}

void stream_close(const struct context *context)
{
	for (struct list_node *node = streams; node; node = node->next) {
		struct stream *stream = LIST_OBJECT(node, struct stream, all);

		if (stream->context == context && stream->handle)
			end_handle(stream);
	}
}

void stream_report_leaks(const struct context *context)
{
	unsigned count = 0;

	for (const struct list_node *node = streams; node; node = node->next) {
		const struct stream *stream = LIST_OBJECT(node, const struct stream, all);

		if (stream->kept && !stream->own && (!context || stream->context == context))
			count++;
	}
	finding_report_unreleased(count, "stream", "cuStreamDestroy");
}

void stream_clear(struct context *context)
{
	struct list_node *next;

	for (struct list_node *node = streams; node; node = next) {
		struct stream *stream = LIST_OBJECT(node, struct stream, all);

		next = node->next;
		if (stream->context != context)
			continue;
		if (stream->last)
			order_awaited(stream->last->order);
		stream_free(stream);
	}
	context->legacy = NULL;
	task_put(context->held);
	context->held = NULL;
}

int stream_priority(int priority)
{
	return priority > 0			   ? 0 :
	       priority < STREAM_GREATEST_PRIORITY ? STREAM_GREATEST_PRIORITY :
						     priority;
}

struct stream_hints *stream_hints(struct stream *stream)
{
	return &stream->hints;
}

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority)
{
	CLEANUP(leave) struct api_call call = enter(NEED_CONTEXT);
	struct stream *made;

	TRY(call.result);
	if (!stream || flags > CU_STREAM_NON_BLOCKING)
		return CUDA_ERROR_INVALID_VALUE;
	TRY(stream_new(flags == CU_STREAM_NON_BLOCKING, &made));
	made->hints.priority = stream_priority(priority);
	*stream = made->handle;
	return CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream *stream, unsigned flags)
{
	return cuStreamCreateWithPriority(stream, flags, 0);
}

CUresult cuStreamDestroy(CUstream stream)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);
	struct stream *found;

	TRY(call.result);
	TRY(stream_find_made(stream, &found));
	leftover_stream();
	stream_destroy(found);
	return CUDA_SUCCESS;
}

CUresult cuStreamSynchronize(CUstream stream)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);
	struct stream *found;

	TRY(call.result);
	TRY(stream_find(stream, &found));
	return stream_wait(found);
}

CUresult cuStreamQuery(CUstream stream)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);
	struct stream *found;

	TRY(call.result);
	TRY(stream_find(stream, &found));
	if (!stream_idle(found))
		return CUDA_ERROR_NOT_READY;
	/* Nothing to wait for; but what is submitted next comes after it. */
	return order_wanted() ? stream_wait(found) : CUDA_SUCCESS;
}

/* Finds the stream of a query; @out, for its result, must not be NULL. */
static CUresult find_for_query(CUstream handle, const void *out, struct stream **found)
{
	return out ? stream_find(handle, found) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuStreamGetCtx(CUstream stream, CUcontext *ctx)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);
	struct stream *found;

	TRY(call.result);
	TRY(find_for_query(stream, ctx, &found));
	*ctx = found->context->handle;
	return CUDA_SUCCESS;
}

/* No stream is of a green context: there is none of these. */
CUresult cuStreamGetGreenCtx(CUstream stream, CUgreenCtx *green)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);
	struct stream *found;

	TRY(call.result);
	TRY(find_for_query(stream, green, &found));
	*green = NULL;
	return CUDA_SUCCESS;
}

CUresult cuStreamGetCtx_v2(CUstream stream, CUcontext *ctx, CUgreenCtx *green)
{
	TRY(cuStreamGetCtx(stream, ctx));
	if (green)
		*green = NULL;
	return CUDA_SUCCESS;
}

CUresult cuStreamGetFlags(CUstream stream, unsigned *flags)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);
	struct stream *found;

	TRY(call.result);
	TRY(find_for_query(stream, flags, &found));
	*flags = found->non_blocking ? CU_STREAM_NON_BLOCKING : CU_STREAM_DEFAULT;
	return CUDA_SUCCESS;
}

CUresult cuStreamGetId(CUstream stream, unsigned long long *id)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);
	struct stream *found;

	TRY(call.result);
	TRY(find_for_query(stream, id, &found));
	*id = found->id;
	return CUDA_SUCCESS;
}
