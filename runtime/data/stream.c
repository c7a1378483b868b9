/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "stream.h"

#include "api.h"
#include "asserts.h"
#include "context.h"
#include "event.h"
#include "native.h"
#include "reuse_rules.h"
#include "usage.h"

enum {
	ROTATING = 2,    /* streams that are parked before one of them is polled */
	MOST_POLLED = 4, /* parked streams, before a new one is created */
};

/* A host function enqueued on a stream; freed when it runs. */
struct host_call {
	void (*function)(void *data);
	void *data;
	struct host_call *next, *previous; /* in runtime.host_calls, under the lock */
};

/* Parks the driver's stream or, if that is not allowed, destroys it. */
static void park_or_destroy(struct stream *stream)
{
	CLEANUP(context_leave) struct context_scope scope = { 0 };
	const struct reuse_item item = { stream->native, stream->object.handle };

	ASSERT(stream->native && !stream->adopted);
	if (stream->quarantined) {
		reuse_stream_quarantine(item);
		usage_leftover(false); /* for the program it is destroyed */
	} else if (reuse_stream_put(stream->device, REUSE_STREAMS, item)) {
		return;
	} else {
		native_forget(item.native, item.handle);
	}
	context_step(stream->device, &scope);
	CUDA_STEP(stream->device, cuStreamDestroy, stream->native);
}

/* Accepts NULL and half-built streams. */
static void stream_free(struct stream *stream)
{
	if (stream && stream->native && !stream->adopted)
		park_or_destroy(stream);
	free(stream);
}
DEFINE_CLEANUP(free_stream, struct stream *, stream_free)

static void destroy(struct object *object)
{
	stream_free((struct stream *)object);
}

static int stream_new(struct device *device, struct stream **out, struct err *e)
{
	struct stream *stream = calloc(1, sizeof(*stream));

	*out = stream;
	if (!stream)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for a stream");
	stream->device = device;
	return 0;
}

/*
 * Polls the stream that was parked first: an idle one is parked as such. A busy one
 * is parked again, or, if there is no room any more, destroyed as one that cannot be
 * polled: the creation of its successor reports what is wrong. False when there is
 * none.
 */
static bool poll_parked(struct device *device)
{
	struct reuse_item item;
	CUresult result;

	if (!reuse_stream_take(device, REUSE_STREAMS, &item))
		return false;
	result = reuse_rule_stream(item.native);
	if (result == CUDA_SUCCESS && reuse_stream_put(device, REUSE_IDLE_STREAMS, item))
		return true;
	if (result == CUDA_ERROR_NOT_READY && reuse_stream_put(device, REUSE_STREAMS, item))
		return true;
	native_forget(item.native, item.handle);
	runtime.cuda.cuStreamDestroy(item.native);
	return true;
}

void stream_ask_parked(struct device *device)
{
	if (reuse_stream_count(device, REUSE_STREAMS))
		poll_parked(device);
}

/*
 * A poll costs as much as a sixth of a launch and its wait on an H100, but nothing
 * while a thread waits anyway. So a few streams rotate: while one is waited for, another
 * is polled. Only where that many are parked and none of them was found idle does the
 * creation poll, and where several are busy a new one costs less than more polls.
 */
static int obtain(struct stream *stream, struct err *e)
{
	struct device *device = stream->device;
	struct reuse_item item;
	bool found = reuse_stream_take(device, REUSE_IDLE_STREAMS, &item);

	for (int i = 0; i < MOST_POLLED && !found; i++) {
		if (reuse_stream_count(device, REUSE_STREAMS) < ROTATING ||
		    !poll_parked(device))
			break;
		found = reuse_stream_take(device, REUSE_IDLE_STREAMS, &item);
	}
	if (!found)
		return CUDA(device, e, cuStreamCreate, &stream->native,
			    CU_STREAM_NON_BLOCKING);
	stream->native = item.native;
	stream->object.handle = item.handle;
	return 0;
}

int stream_create(struct gpurun_device owner, struct gpurun_stream *handle, struct err *e)
{
	CLEANUP(put_object) struct device *device = NULL;
	CLEANUP(free_stream) struct stream *stream = NULL;
	CLEANUP(context_leave) struct context_scope scope = { 0 };
	struct stream *made;

	TRY(device_use(owner, &device, e));
	TRY(context_enter(device, &scope, e));
	TRY(stream_new(device, &stream, e));
	TRY(obtain(stream, e));
	TRY(object_add(&stream->object, OBJECT_STREAM, &device->object, destroy, e));
	made = STEAL(stream);
	TRY(native_enter(&made->object, made->native, e));
	handle->id = made->object.handle;
	return 0;
}

/* The device of a foreign stream. One of the special numbers is of the current
 * context. */
static int device_of(CUstream native, struct device **out, struct err *e)
{
	CUcontext context = NULL;

	if (native > CU_STREAM_PER_THREAD)
		TRY(CUDA(NULL, e, cuStreamGetCtx, native, &context));
	else
		TRY(CUDA(NULL, e, cuCtxGetCurrent, &context));
	if (!context)
		return device_find(-1, out, e);
	return context_find_device(context, out, e);
}

int stream_adopt(struct gpurun_device owner, void *native, struct gpurun_stream *handle,
		 struct err *e)
{
	CLEANUP(put_object) struct device *device = NULL;
	CLEANUP(free_stream) struct stream *stream = NULL;

	if (owner.id)
		TRY(device_use(owner, &device, e));
	else
		TRY(device_of(native, &device, e));
	TRY(stream_new(device, &stream, e));
	stream->native = native;
	stream->adopted = true;
	TRY(object_add(&stream->object, OBJECT_STREAM, &device->object, destroy, e));
	handle->id = STEAL(stream)->object.handle;
	return 0;
}

int stream_destroy(struct gpurun_stream handle, struct err *e)
{
	CLEANUP(put_object) struct stream *stream = NULL;

	return object_close(handle.id, OBJECT_STREAM, &stream, e);
}

int stream_quarantine(struct gpurun_stream handle, struct err *e)
{
	CLEANUP(put_object) struct stream *stream = NULL;

	TRY(stream_use(handle, &stream, e));
	atomic_store(&stream->quarantined, true);
	return 0;
}

int stream_synchronize(struct gpurun_stream handle, struct err *e)
{
	CLEANUP(put_object) struct stream *stream = NULL;
	CLEANUP(context_leave) struct context_scope scope = { 0 };

	TRY(stream_use(handle, &stream, e));
	TRY(context_enter(stream->device, &scope, e));
	stream_ask_parked(stream->device);
	return CUDA(stream->device, e, cuStreamSynchronize, stream->native);
}

int stream_query(struct gpurun_stream handle, struct err *e)
{
	CLEANUP(put_object) struct stream *stream = NULL;
	CLEANUP(context_leave) struct context_scope scope = { 0 };

	TRY(stream_use(handle, &stream, e));
	TRY(context_enter(stream->device, &scope, e));
	return CUDA(stream->device, e, cuStreamQuery, stream->native);
}

int stream_device(struct gpurun_stream handle, struct gpurun_device *device,
		  struct err *e)
{
	CLEANUP(put_object) struct stream *stream = NULL;

	TRY(stream_use(handle, &stream, e));
	device->id = stream->device->object.handle;
	return 0;
}

int stream_wait_event(struct gpurun_stream handle, struct gpurun_event event_handle,
		      struct err *e)
{
	CLEANUP(put_object) struct stream *stream = NULL;
	CLEANUP(put_object) struct event *event = NULL;
	CLEANUP(context_leave) struct context_scope scope = { 0 };

	TRY(stream_use(handle, &stream, e));
	TRY(event_use_recorded(event_handle, "wait for", &event, e));
	TRY(context_enter(stream->device, &scope, e));
	return CUDA(stream->device, e, cuStreamWaitEvent, stream->native, event->native, 0);
}

static void host_call_add(struct host_call *call)
{
	runtime_lock();
	ASSERT(!runtime.host_calls || !runtime.host_calls->previous);
	call->next = runtime.host_calls;
	if (call->next)
		call->next->previous = call;
	runtime.host_calls = call;
	runtime_unlock();
}

static void host_call_remove(struct host_call *call)
{
	runtime_lock();
	ASSERT((call->previous ? call->previous->next : runtime.host_calls) == call);
	ASSERT(!call->next || call->next->previous == call);
	if (call->previous)
		call->previous->next = call->next;
	else
		runtime.host_calls = call->next;
	if (call->next)
		call->next->previous = call->previous;
	runtime_unlock();
}

/* Called by the driver, on its own thread. */
static void run_host_call(void *data)
{
	CLEANUP(free_pointer) struct host_call *call = data;

	host_call_remove(call);
	api_record()->host_function = true;
	call->function(call->data);
	api_record()->host_function = false;
}

int stream_host_function(struct gpurun_stream handle, void (*function)(void *data),
			 void *data, struct err *e)
{
	CLEANUP(put_object) struct stream *stream = NULL;
	CLEANUP(context_leave) struct context_scope scope = { 0 };
	struct host_call *call;
	int status;

	TRY(stream_use(handle, &stream, e));
	if (!function)
		return err_set(e, GPURUN_INVALID, "no host function: the pointer is NULL");
	TRY(context_enter(stream->device, &scope, e));
	call = calloc(1, sizeof(*call));
	if (!call)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for a host function");
	call->function = function;
	call->data = data;
	/* From here on the list owns it: it may run, and be freed, before the call returns. */
	host_call_add(call);
	status = CUDA(stream->device, e, cuLaunchHostFunc, stream->native, run_host_call,
		      call);
	if (status) {
		host_call_remove(call);
		free(call);
	}
	return status;
}

void stream_forget_host_functions(void)
{
	while (runtime.host_calls) {
		CLEANUP(free_pointer) struct host_call *call = runtime.host_calls;

		host_call_remove(call);
	}
}
