/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Queues: streams of the runtime. Destroying one waits for nothing: what is
 * enqueued on it still runs, and its events stay valid.
 */
#include "ol.h"

/* Returns the device of @queue. OL_ERRC_INVALID_QUEUE. */
static ol_result_t device_of(ol_queue_handle_t queue, ol_device_handle_t *device)
{
	struct gpurun_device found;

	OL_TRY(ol_result(gpurun_stream_device(ol_queue(queue), &found), OL_ERRC_INVALID_QUEUE));
	*device = ol_handle(found.id);
	return OL_SUCCESS;
}

ol_result_t olCreateQueue_impl(ol_device_handle_t device, ol_queue_handle_t *queue)
{
	struct gpurun_stream stream;

	*queue = NULL;
	OL_TRY(ol_check_gpu(device, "queues"));
	OL_TRY(ol_result(gpurun_stream_create(ol_device(device), &stream),
			 OL_ERRC_INVALID_DEVICE));
	*queue = ol_handle(stream.id);
	return OL_SUCCESS;
}

ol_result_t olDestroyQueue_impl(ol_queue_handle_t queue)
{
	return ol_result(gpurun_stream_destroy(ol_queue(queue)), OL_ERRC_INVALID_QUEUE);
}

ol_result_t olSyncQueue_impl(ol_queue_handle_t queue)
{
	return ol_result(gpurun_stream_synchronize(ol_queue(queue)), OL_ERRC_INVALID_QUEUE);
}

/* Tells whether all work of @queue is done. */
static ol_result_t is_empty(ol_queue_handle_t queue, bool *empty)
{
	int status = gpurun_stream_query(ol_queue(queue));

	*empty = !status;
	return status == GPURUN_NOT_READY ? OL_SUCCESS :
					    ol_result(status, OL_ERRC_INVALID_QUEUE);
}

/* Without @completed, it only reports a fault. */
ol_result_t olQueryQueue_impl(ol_queue_handle_t queue, bool *completed)
{
	bool empty;

	return is_empty(queue, completed ? completed : &empty);
}

ol_result_t ol_begin_call(struct gpurun_device device, struct gpurun_stream *stream)
{
	return ol_result(gpurun_stream_create(device, stream), OL_ERRC_INVALID_DEVICE);
}

ol_result_t ol_end_call(struct gpurun_stream stream, ol_result_t result)
{
	if (!result)
		result = ol_result(gpurun_stream_synchronize(stream), OL_ERRC_INVALID_QUEUE);
	return ol_joined(result, ol_result(gpurun_stream_destroy(stream),
					   OL_ERRC_INVALID_QUEUE));
}

/* Refuses a list with anything in it that is no event. */
static ol_result_t check_events(const ol_event_handle_t *events, size_t count)
{
	struct gpurun_stream stream;

	for (size_t i = 0; i < count; i++) {
		if (!events[i])
			return ol_error(OL_ERRC_INVALID_NULL_HANDLE, "event %zu of %zu is NULL",
					i, count);
		OL_TRY(ol_result(gpurun_event_stream(ol_event(events[i]), &stream),
				 OL_ERRC_INVALID_EVENT));
	}
	return OL_SUCCESS;
}

/* Upstream makes the waits that precede a NULL handle; here it is all or none. */
ol_result_t olWaitEvents_impl(ol_queue_handle_t queue, ol_event_handle_t *events,
			      size_t count)
{
	ol_device_handle_t device;

	OL_TRY(device_of(queue, &device));
	OL_TRY(check_events(events, count));
	for (size_t i = 0; i < count; i++)
		OL_TRY(ol_result(gpurun_stream_wait_event(ol_queue(queue), ol_event(events[i])),
				 OL_ERRC_INVALID_EVENT));
	return OL_SUCCESS;
}

ol_result_t olLaunchHostFunction_impl(ol_queue_handle_t queue, ol_host_function_cb_t callback,
				      void *data)
{
	return ol_result(gpurun_stream_host_function(ol_queue(queue), callback, data),
			 OL_ERRC_INVALID_QUEUE);
}

ol_result_t olGetQueueInfo_impl(ol_queue_handle_t queue, ol_queue_info_t name, size_t size,
				void *value)
{
	ol_device_handle_t device;
	bool empty;

	OL_TRY(device_of(queue, &device));
	switch ((int)name) {
	case OL_QUEUE_INFO_DEVICE:
		return ol_info_copy(OL_INFO(device), size, value);
	case OL_QUEUE_INFO_EMPTY:
		OL_TRY(is_empty(queue, &empty));
		return ol_info_copy(OL_INFO(empty), size, value);
	}
	return ol_info_unknown("olGetQueueInfo", (int)name);
}

ol_result_t olGetQueueInfoSize_impl(ol_queue_handle_t queue, ol_queue_info_t name,
				    size_t *size)
{
	static const size_t sizes[] = {
		[OL_QUEUE_INFO_DEVICE] = sizeof(ol_device_handle_t),
		[OL_QUEUE_INFO_EMPTY] = sizeof(bool),
	};
	ol_device_handle_t device;

	OL_TRY(device_of(queue, &device));
	if ((unsigned)name >= OL_QUEUE_INFO_LAST)
		return ol_info_unknown("olGetQueueInfoSize", (int)name);
	*size = sizes[name];
	return OL_SUCCESS;
}
