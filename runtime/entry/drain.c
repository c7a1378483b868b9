/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The bounded wait of the exit hook. The driver's own waits have no limit, so
 * this one polls, at growing intervals: an event after all work of the context
 * where the driver has such events, else each stream.
 */
#include "drain.h"

#include "api.h"
#include "context.h"
#include "cuda_error.h"
#include "end.h"
#include "nap.h"
#include "stream.h"

struct poll {
	struct device *device;
	CUevent fence; /* NULL: the driver has no such event */
	bool busy;
	bool refused;  /* this thread runs a host function of the program itself */
};

/* Evaluates a result of the driver: after an error there is nothing to wait for. */
static bool is_busy_result(struct poll *poll, CUresult result)
{
	poll->refused |= result == CUDA_ERROR_NOT_PERMITTED;
	return result == CUDA_ERROR_NOT_READY;
}

static void poll_stream(struct object *object, void *data)
{
	struct stream *stream = (struct stream *)object;
	struct poll *poll = data;

	if (stream->device == poll->device &&
	    is_busy_result(poll, runtime.cuda.cuStreamQuery(stream->native)))
		poll->busy = true;
}

/* Polls one time. */
static bool is_busy(struct poll *poll)
{
	if (poll->fence)
		return is_busy_result(poll, runtime.cuda.cuEventQuery(poll->fence));
	poll->busy = is_busy_result(poll, runtime.cuda.cuStreamQuery(NULL));
	object_each(OBJECT_STREAM, poll_stream, poll);
	return poll->busy || reuse_stream_is_busy(poll->device);
}

/* A fault that is not reported yet is left to the teardown, which names the wait. */
static void destroy_fence(struct device *device, CUevent event)
{
	CUresult result = runtime.cuda.cuEventDestroy(event);

	if (!cuda_error_is_fault(result))
		device_step(device, result, "cuEventDestroy");
}

static void place_fence(struct poll *poll)
{
	CUevent event;

	if (!runtime.cuda.fences ||
	    runtime.cuda.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING))
		return;
	if (runtime.cuda.cuCtxRecordEvent(poll->device->context, event))
		destroy_fence(poll->device, event);
	else
		poll->fence = event;
}

/*
 * Waits for one device; reports when its work does not end in time. In a host function
 * that the program passed to the driver itself, nothing can be asked or waited for.
 */
static bool drain_device(struct device *device, const struct deadline *deadline)
{
	CLEANUP(context_leave) struct context_scope scope = { 0 };
	struct poll poll = { .device = device };
	struct timespec nap = NAP_FIRST;
	CUcontext current = NULL;
	CUresult result = runtime.cuda.cuCtxGetCurrent(&current);
	struct err e;

	if (result == CUDA_ERROR_NOT_PERMITTED)
		return false;
	device_step(device, result, "cuCtxGetCurrent");
	if (!context_step(device, &scope))
		return true;
	place_fence(&poll);
	while (is_busy(&poll) && !poll.refused) {
		if (deadline_is_past(deadline)) {
			err_set(&e, GPURUN_NOT_READY, "work was still running on device %d after "
				"%g s: it was not waited for any longer", device->info.ordinal,
				deadline->seconds);
			api_failed(&e);
			return false;
		}
		nap_sleep(&nap);
	}
	if (poll.fence)
		destroy_fence(device, poll.fence);
	return !poll.refused;
}

bool drain_devices(const struct deadline *deadline)
{
	bool done = true;

	for (int i = 0; i < runtime.device_count; i++)
		if (runtime.devices[i] && runtime.devices[i]->context &&
		    !drain_device(runtime.devices[i], deadline))
			done = false;
	return done;
}
