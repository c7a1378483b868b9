/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Events: created and recorded in one step, on a queue that they may outlive. An
 * event of an idle queue is an ordinary event, and done.
 */
#include "ol.h"

/* Unknown flags are ignored. */
ol_result_t olCreateEvent_impl(ol_queue_handle_t queue, ol_event_flags_t flags,
			       ol_event_handle_t *event)
{
	const unsigned timing =
		flags & OL_EVENT_FLAG_ENABLE_PROFILING ? GPURUN_EVENT_TIMING : 0;
	struct gpurun_stream stream = ol_queue(queue);
	struct gpurun_device device;
	struct gpurun_event made;
	ol_result_t result;

	*event = NULL;
	OL_TRY(ol_result(gpurun_stream_device(stream, &device), OL_ERRC_INVALID_QUEUE));
	OL_TRY(ol_result(gpurun_event_create(device, timing, &made), OL_ERRC_INVALID_QUEUE));
	result = ol_result(gpurun_event_record(made, stream), OL_ERRC_INVALID_QUEUE);
	if (result)
		return ol_joined(result, olDestroyEvent_impl(ol_handle(made.id)));
	*event = ol_handle(made.id);
	return OL_SUCCESS;
}

ol_result_t olDestroyEvent_impl(ol_event_handle_t event)
{
	return ol_result(gpurun_event_destroy(ol_event(event)), OL_ERRC_INVALID_EVENT);
}

ol_result_t olSyncEvent_impl(ol_event_handle_t event)
{
	return ol_result(gpurun_event_synchronize(ol_event(event)), OL_ERRC_INVALID_EVENT);
}

static ol_result_t check_one_device(ol_event_handle_t start, ol_event_handle_t end)
{
	struct gpurun_device first, last;

	OL_TRY(ol_result(gpurun_event_device(ol_event(start), &first), OL_ERRC_INVALID_EVENT));
	OL_TRY(ol_result(gpurun_event_device(ol_event(end), &last), OL_ERRC_INVALID_EVENT));
	if (first.id == last.id)
		return OL_SUCCESS;
	return ol_error(OL_ERRC_INVALID_DEVICE, "the events are of two devices");
}

/* In milliseconds. */
ol_result_t olGetEventElapsedTime_impl(ol_event_handle_t start, ol_event_handle_t end,
				       float *elapsed)
{
	uint64_t nanoseconds;

	*elapsed = 0;
	OL_TRY(check_one_device(start, end));
	OL_TRY(ol_result(gpurun_event_elapsed(ol_event(start), ol_event(end), &nanoseconds),
			 OL_ERRC_INVALID_EVENT));
	*elapsed = (float)((double)nanoseconds / 1e6);
	return OL_SUCCESS;
}

/* Returns the queue of @event, which may be destroyed. OL_ERRC_INVALID_EVENT. */
static ol_result_t queue_of(ol_event_handle_t event, ol_queue_handle_t *queue)
{
	struct gpurun_stream stream;

	OL_TRY(ol_result(gpurun_event_stream(ol_event(event), &stream), OL_ERRC_INVALID_EVENT));
	*queue = ol_handle(stream.id);
	return OL_SUCCESS;
}

/* Tells whether @event is done. Its queue is not polled. */
static ol_result_t is_complete(ol_event_handle_t event, bool *complete)
{
	int status = gpurun_event_query(ol_event(event));

	*complete = !status;
	return status == GPURUN_NOT_READY ? OL_SUCCESS :
					    ol_result(status, OL_ERRC_INVALID_EVENT);
}

ol_result_t olGetEventInfo_impl(ol_event_handle_t event, ol_event_info_t name, size_t size,
				void *value)
{
	ol_queue_handle_t queue;
	bool complete;

	OL_TRY(queue_of(event, &queue));
	switch ((int)name) {
	case OL_EVENT_INFO_QUEUE:
		return ol_info_copy(OL_INFO(queue), size, value);
	case OL_EVENT_INFO_IS_COMPLETE:
		OL_TRY(is_complete(event, &complete));
		return ol_info_copy(OL_INFO(complete), size, value);
	}
	return ol_info_unknown("olGetEventInfo", (int)name);
}

ol_result_t olGetEventInfoSize_impl(ol_event_handle_t event, ol_event_info_t name,
				    size_t *size)
{
	static const size_t sizes[] = {
		[OL_EVENT_INFO_QUEUE] = sizeof(ol_queue_handle_t),
		[OL_EVENT_INFO_IS_COMPLETE] = sizeof(bool),
	};
	ol_queue_handle_t queue;

	OL_TRY(queue_of(event, &queue));
	if ((unsigned)name >= OL_EVENT_INFO_LAST)
		return ol_info_unknown("olGetEventInfoSize", (int)name);
	*size = sizes[name];
	return OL_SUCCESS;
}
