/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "event.h"

#include "api.h"
#include "asserts.h"
#include "context.h"
#include "native.h"
#include "stream.h"

static enum reuse_kind pool_of(const struct event *event)
{
	return event->timing ? REUSE_TIMING_EVENTS : REUSE_EVENTS;
}

/*
 * Parks the driver's event or, if that is not allowed, destroys it. A wait refers to
 * the record at the time when it was enqueued: the event may be recorded again
 * immediately.
 */
static void park_or_destroy(struct event *event)
{
	CLEANUP(context_leave) struct context_scope scope = { 0 };
	const struct reuse_item item = { event->native, event->object.handle };

	ASSERT(event->native && !event->adopted);
	if (reuse_stream_put(event->device, pool_of(event), item))
		return;
	native_forget(item.native, item.handle);
	context_step(event->device, &scope);
	CUDA_STEP(event->device, cuEventDestroy, event->native);
}

/* Accepts NULL and half-built events. */
static void event_free(struct event *event)
{
	if (event && event->native && !event->adopted)
		park_or_destroy(event);
	free(event);
}
DEFINE_CLEANUP(free_event, struct event *, event_free)

static void destroy(struct object *object)
{
	event_free((struct event *)object);
}

static int event_new(struct device *device, unsigned flags, struct event **out,
		     struct err *e)
{
	struct event *event;

	*out = NULL;
	if (flags & ~(unsigned)GPURUN_EVENT_TIMING)
		return err_set(e, GPURUN_INVALID, "unknown event flags %#x", flags);
	event = calloc(1, sizeof(*event));
	if (!event)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for an event");
	event->device = device;
	event->timing = flags & GPURUN_EVENT_TIMING;
	*out = event;
	return 0;
}

static int obtain(struct event *event, struct err *e)
{
	struct reuse_item item;

	if (!reuse_stream_take(event->device, pool_of(event), &item))
		return CUDA(event->device, e, cuEventCreate, &event->native,
			    event->timing ? CU_EVENT_DEFAULT : CU_EVENT_DISABLE_TIMING);
	event->native = item.native;
	event->object.handle = item.handle;
	return 0;
}

int event_create(struct gpurun_device owner, unsigned flags, struct gpurun_event *handle,
		 struct err *e)
{
	CLEANUP(put_object) struct device *device = NULL;
	CLEANUP(free_event) struct event *event = NULL;
	CLEANUP(context_leave) struct context_scope scope = { 0 };
	struct event *made;

	TRY(device_use(owner, &device, e));
	TRY(context_enter(device, &scope, e));
	TRY(event_new(device, flags, &event, e));
	TRY(obtain(event, e));
	TRY(object_add(&event->object, OBJECT_EVENT, &device->object, destroy, e));
	made = STEAL(event);
	TRY(native_enter(&made->object, made->native, e));
	handle->id = made->object.handle;
	return 0;
}

int event_adopt(struct gpurun_device owner, void *native, struct gpurun_event *handle,
		struct err *e)
{
	CLEANUP(put_object) struct device *device = NULL;
	CLEANUP(free_event) struct event *event = NULL;

	TRY(device_use(owner, &device, e));
	if (!native)
		return err_set(e, GPURUN_INVALID, "no event to adopt: the pointer is NULL");
	TRY(event_new(device, GPURUN_EVENT_TIMING, &event, e));
	event->native = native;
	event->adopted = true;
	event->recorded_on = EVENT_RECORDED_ELSEWHERE;
	TRY(object_add(&event->object, OBJECT_EVENT, &device->object, destroy, e));
	handle->id = STEAL(event)->object.handle;
	return 0;
}

int event_destroy(struct gpurun_event handle, struct err *e)
{
	CLEANUP(put_object) struct event *event = NULL;

	return object_close(handle.id, OBJECT_EVENT, &event, e);
}

int event_use_recorded(struct gpurun_event handle, const char *verb, struct event **out,
		       struct err *e)
{
	TRY(event_use(handle, out, e));
	if (atomic_load(&(*out)->recorded_on))
		return 0;
	return err_set(e, GPURUN_INVALID, "cannot %s event %#llx: it was never recorded",
		       verb, (unsigned long long)handle.id);
}

int event_record(struct gpurun_event handle, struct gpurun_stream stream_handle,
		 struct err *e)
{
	CLEANUP(put_object) struct event *event = NULL;
	CLEANUP(put_object) struct stream *stream = NULL;
	CLEANUP(context_leave) struct context_scope scope = { 0 };

	TRY(event_use(handle, &event, e));
	TRY(stream_use(stream_handle, &stream, e));
	if (event->device != stream->device)
		return err_set(e, GPURUN_INVALID, "cannot record an event of device %d on "
			       "a stream of device %d", event->device->info.ordinal,
			       stream->device->info.ordinal);
	TRY(context_enter(stream->device, &scope, e));
	TRY(CUDA(stream->device, e, cuEventRecord, event->native, stream->native));
	atomic_store(&event->recorded_on, stream_handle.id);
	return 0;
}

int event_stream(struct gpurun_event handle, struct gpurun_stream *stream, struct err *e)
{
	CLEANUP(put_object) struct event *event = NULL;
	uint64_t recorded_on;

	TRY(event_use_recorded(handle, "tell the stream of", &event, e));
	recorded_on = atomic_load(&event->recorded_on);
	if (recorded_on == EVENT_RECORDED_ELSEWHERE)
		return err_set(e, GPURUN_INVALID, "cannot tell the stream of event %#llx: it "
			       "is adopted, and was recorded by its owner",
			       (unsigned long long)handle.id);
	stream->id = recorded_on;
	return 0;
}

int event_device(struct gpurun_event handle, struct gpurun_device *device, struct err *e)
{
	CLEANUP(put_object) struct event *event = NULL;

	TRY(event_use(handle, &event, e));
	device->id = event->device->object.handle;
	return 0;
}

int event_synchronize(struct gpurun_event handle, struct err *e)
{
	CLEANUP(put_object) struct event *event = NULL;
	CLEANUP(context_leave) struct context_scope scope = { 0 };

	TRY(event_use_recorded(handle, "wait for", &event, e));
	TRY(context_enter(event->device, &scope, e));
	stream_ask_parked(event->device);
	return CUDA(event->device, e, cuEventSynchronize, event->native);
}

int event_query(struct gpurun_event handle, struct err *e)
{
	CLEANUP(put_object) struct event *event = NULL;
	CLEANUP(context_leave) struct context_scope scope = { 0 };

	TRY(event_use_recorded(handle, "query", &event, e));
	TRY(context_enter(event->device, &scope, e));
	return CUDA(event->device, e, cuEventQuery, event->native);
}

static int check_timing(const struct event *event, struct err *e)
{
	if (event->timing)
		return 0;
	err_set(e, GPURUN_INVALID, "event %#llx was created without timing",
		(unsigned long long)event->object.handle);
	return err_hint(e, "create it with GPURUN_EVENT_TIMING");
}

int event_elapsed(struct gpurun_event start_handle, struct gpurun_event end_handle,
		  uint64_t *nanoseconds, struct err *e)
{
	CLEANUP(put_object) struct event *start = NULL;
	CLEANUP(put_object) struct event *end = NULL;
	CLEANUP(context_leave) struct context_scope scope = { 0 };
	float milliseconds = 0;

	TRY(event_use_recorded(start_handle, "measure from", &start, e));
	TRY(event_use_recorded(end_handle, "measure to", &end, e));
	TRY(check_timing(start, e));
	TRY(check_timing(end, e));
	if (start->device != end->device)
		return err_set(e, GPURUN_INVALID, "cannot measure from an event of device %d to "
			       "one of device %d", start->device->info.ordinal,
			       end->device->info.ordinal);
	TRY(context_enter(start->device, &scope, e));
	TRY(CUDA(start->device, e, cuEventElapsedTime, &milliseconds, start->native,
		 end->native));
	*nanoseconds = milliseconds > 0 ? (uint64_t)((double)milliseconds * 1e6 + 0.5) : 0;
	return 0;
}
