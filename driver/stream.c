/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "stream.h"

#include <pthread.h>
#include <stdlib.h>

#include "cleanup.h"
#include "context.h"
#include "entry.h"
#include "exports.h"
#include "handle.h"
#include "op.h"

struct stream {
	void *handle;      /* NULL once destroyed */
	bool non_blocking;
	struct op *last;   /* referred to; NULL when there was none */
	struct stream *next;
};

static struct stream legacy;
static struct stream *streams; /* owned, but for legacy */

/* What NULL stands for in the call that is under way. */
static __thread CUstream default_stream;

/* The calling thread's own stream (CU_STREAM_PER_THREAD); ends with the thread. */
static pthread_once_t own_once = PTHREAD_ONCE_INIT;
static pthread_key_t own_key;

/* Takes NULL. */
static void stream_free(struct stream *stream)
{
	if (!stream)
		return;
	handle_free(stream->handle);
	op_put(stream->last);
	free(stream);
}
DEFINE_CLEANUP(free_stream, struct stream *, stream_free)

/* Tells whether nothing of @stream itself is pending. */
static bool idle(const struct stream *stream)
{
	return !stream->last || stream->last->done;
}

/* Frees the destroyed streams that have nothing pending. */
static void sweep(void)
{
	struct stream **link = &streams;

	while (*link) {
		struct stream *stream = *link;

		if (!stream->handle && idle(stream)) {
			*link = stream->next;
			stream_free(stream);
		} else {
			link = &stream->next;
		}
	}
}

static CUresult stream_new(bool non_blocking, struct stream **out)
{
	CLEANUP(free_stream) struct stream *stream = calloc(1, sizeof(*stream));

	*out = NULL;
	if (!stream)
		return CUDA_ERROR_OUT_OF_MEMORY;
	stream->non_blocking = non_blocking;
	stream->handle = handle_new(HANDLE_STREAM, stream);
	if (!stream->handle)
		return CUDA_ERROR_OUT_OF_MEMORY;
	sweep();
	stream->next = streams;
	streams = stream;
	*out = STEAL(stream);
	return CUDA_SUCCESS;
}

static void stream_destroy(struct stream *stream)
{
	handle_free(stream->handle);
	stream->handle = NULL;
	sweep();
}

static void own_end(void *handle)
{
	CLEANUP(leave) struct entry entry = enter(NEED_INIT);
	struct stream *stream;

	if (entry.result)
		return;
	stream = handle_object(handle, HANDLE_STREAM);
	if (stream)
		stream_destroy(stream);
}

static void own_make_key(void)
{
	pthread_key_create(&own_key, own_end);
}

static CUresult own_stream(struct stream **out)
{
	pthread_once(&own_once, own_make_key);
	*out = handle_object(pthread_getspecific(own_key), HANDLE_STREAM);
	if (*out)
		return CUDA_SUCCESS;
	TRY(stream_new(false, out));
	if (pthread_setspecific(own_key, (*out)->handle))
		return CUDA_ERROR_OUT_OF_MEMORY;
	return CUDA_SUCCESS;
}

/* An event in the place of a stream is answered as by a real driver: 709. */
static CUresult stream_find_made(CUstream handle, struct stream **out)
{
	*out = handle_object(handle, HANDLE_STREAM);
	if (*out)
		return CUDA_SUCCESS;
	if (handle_kind(handle) == HANDLE_EVENT)
		return CUDA_ERROR_CONTEXT_IS_DESTROYED;
	return CUDA_ERROR_INVALID_HANDLE;
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
		if (!context_is_current())
			return CUDA_ERROR_INVALID_CONTEXT;
		if (handle == CU_STREAM_PER_THREAD)
			return own_stream(out);
		*out = &legacy;
		return CUDA_SUCCESS;
	}
	return stream_find_made(handle, out);
}

CUresult stream_order(struct stream *stream, struct op *op)
{
	TRY(op_after(op, stream->last));
	if (stream->non_blocking)
		return CUDA_SUCCESS;
	if (stream != &legacy)
		return op_after(op, legacy.last);
	for (struct stream *other = streams; other; other = other->next)
		if (!other->non_blocking)
			TRY(op_after(op, other->last));
	return CUDA_SUCCESS;
}

void stream_append(struct stream *stream, struct op *op)
{
	op_put(stream->last);
	stream->last = op_get(op);
}

CUresult stream_order_all(struct op *op)
{
	TRY(op_after(op, legacy.last));
	for (struct stream *stream = streams; stream; stream = stream->next)
		TRY(op_after(op, stream->last));
	return CUDA_SUCCESS;
}

CUresult stream_wait(struct stream *stream)
{
	CLEANUP(put_op) struct op *op = op_new(OP_MARK);

	if (!op)
		return CUDA_ERROR_OUT_OF_MEMORY;
	TRY(op_submit(op, stream));
	TRY(op_wait(op));
	return context_fault();
}

bool stream_idle(const struct stream *stream)
{
	if (!idle(stream))
		return false;
	if (stream != &legacy)
		return stream->non_blocking || idle(&legacy);
	for (const struct stream *other = streams; other; other = other->next)
		if (!other->non_blocking && !idle(other))
			return false;
	return true;
}

void stream_clear(void)
{
	while (streams) {
		struct stream *stream = streams;

		streams = stream->next;
		stream_free(stream);
	}
	op_put(legacy.last);
	legacy.last = NULL;
}

CUresult cuStreamCreate(CUstream *stream, unsigned flags)
{
	CLEANUP(leave) struct entry entry = enter(NEED_CONTEXT);
	struct stream *made;

	TRY(entry.result);
	if (!stream || flags > CU_STREAM_NON_BLOCKING)
		return CUDA_ERROR_INVALID_VALUE;
	TRY(stream_new(flags == CU_STREAM_NON_BLOCKING, &made));
	*stream = made->handle;
	return CUDA_SUCCESS;
}

CUresult cuStreamDestroy(CUstream stream)
{
	CLEANUP(leave) struct entry entry = enter(NEED_ACTIVE);
	struct stream *found;

	TRY(entry.result);
	TRY(stream_find_made(stream, &found));
	stream_destroy(found);
	return CUDA_SUCCESS;
}

CUresult cuStreamSynchronize(CUstream stream)
{
	CLEANUP(leave) struct entry entry = enter(NEED_ACTIVE);
	struct stream *found;

	TRY(entry.result);
	TRY(stream_find(stream, &found));
	return stream_wait(found);
}

CUresult cuStreamQuery(CUstream stream)
{
	CLEANUP(leave) struct entry entry = enter(NEED_ACTIVE);
	struct stream *found;

	TRY(entry.result);
	TRY(stream_find(stream, &found));
	return stream_idle(found) ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

CUresult cuStreamGetCtx(CUstream stream, CUcontext *ctx)
{
	CLEANUP(leave) struct entry entry = enter(NEED_ACTIVE);
	struct stream *found;

	TRY(entry.result);
	if (!ctx)
		return CUDA_ERROR_INVALID_VALUE;
	TRY(stream_find(stream, &found));
	*ctx = context_handle();
	return CUDA_SUCCESS;
}

/* One of @fn and @callback is to be called. */
static CUresult call_host(CUstream stream, CUhostFn fn, CUstreamCallback callback, void *data)
{
	CLEANUP(leave) struct entry entry = enter(NEED_ACTIVE);
	CLEANUP(put_op) struct op *op = NULL;
	struct stream *found;

	TRY(entry.result);
	if (!fn && !callback)
		return CUDA_ERROR_INVALID_VALUE;
	TRY(stream_find(stream, &found));
	op = op_new(OP_HOST);
	if (!op)
		return CUDA_ERROR_OUT_OF_MEMORY;
	op->host.fn = fn;
	op->host.callback = callback;
	op->host.stream = stream;
	op->host.data = data;
	return op_submit(op, found);
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn fn, void *data)
{
	return call_host(stream, fn, NULL, data);
}

CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void *data,
			     unsigned flags)
{
	return call_host(stream, NULL, flags ? NULL : callback, data);
}
