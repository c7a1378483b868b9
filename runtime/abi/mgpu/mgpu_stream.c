/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Streams and events. What is passed as an event may be a stream: see mgpu_repair.c. */
#include "mgpu.h"

static const struct gpurun_stream no_stream;

void *mgpuStreamCreate(void)
{
	struct gpurun_stream stream;
	void *native;

	if (!mgpu_ready(__func__) ||
	    !mgpu_ok(__func__, gpurun_stream_create(mgpu_device(), &stream)) ||
	    !mgpu_ok(__func__, gpurun_stream_native(stream, &native)))
		return mgpu_not_made(MGPU_STREAM);
	return native;
}

void mgpuStreamDestroy(void *native)
{
	struct gpurun_stream stream;
	enum gpurun_native_kind kind = mgpu_kind_of(native, &stream.id);

	mgpu_launch_forget();
	if (kind == GPURUN_NATIVE_STREAM)
		mgpu_ok(__func__, gpurun_stream_destroy(stream));
	else
		mgpu_destroy_other(__func__, native, kind, MGPU_STREAM);
}

void mgpuStreamSynchronize(void *native)
{
	CLEANUP(mgpu_stream_end) struct mgpu_stream stream;

	if (mgpu_stream_begin(__func__, native, &stream))
		mgpu_ok(__func__, gpurun_stream_synchronize(stream.handle));
}

void *mgpuEventCreate(void)
{
	struct gpurun_event event;
	void *native;

	if (!mgpu_ready(__func__) ||
	    !mgpu_ok(__func__, gpurun_event_create(mgpu_device(), 0, &event)) ||
	    !mgpu_ok(__func__, gpurun_event_native(event, &native)))
		return mgpu_not_made(MGPU_EVENT);
	return native;
}

void mgpuEventDestroy(void *native)
{
	uint64_t id;

	switch (mgpu_event_kind_of(__func__, native, &id)) {
	case MGPU_IS_EVENT:
		mgpu_ok(__func__, gpurun_event_destroy((struct gpurun_event){ id }));
		break;
	case MGPU_IS_STREAM:
		mgpu_repair_destroy(__func__, (struct gpurun_stream){ id });
		break;
	case MGPU_IS_FOREIGN:
		mgpu_destroy_other(__func__, native, GPURUN_NATIVE_UNKNOWN, MGPU_EVENT);
		break;
	case MGPU_IS_GONE:
	case MGPU_IS_WRONG:
		break;
	}
}

/* Ends a wait for an event: one that could not be recorded is a consequence. */
static void waited(const char *who, int status)
{
	if (status != GPURUN_INVALID || gpurun_error_driver() ||
	    !mgpu_is_consequence(MGPU_RECORD))
		mgpu_ok(who, status);
}

static void wait_foreign(const char *who, void *native)
{
	CLEANUP(mgpu_event_end) struct mgpu_event event;

	if (mgpu_event_adopt(who, native, no_stream, &event))
		mgpu_ok(who, gpurun_event_synchronize(event.handle));
}

void mgpuEventSynchronize(void *native)
{
	uint64_t id;

	switch (mgpu_event_kind_of(__func__, native, &id)) {
	case MGPU_IS_EVENT:
		waited(__func__, gpurun_event_synchronize((struct gpurun_event){ id }));
		break;
	case MGPU_IS_STREAM:
		mgpu_repair_synchronize(__func__, (struct gpurun_stream){ id });
		break;
	case MGPU_IS_FOREIGN:
		wait_foreign(__func__, native);
		break;
	case MGPU_IS_GONE:
		mgpu_repair_wait_gone(__func__, id);
		break;
	case MGPU_IS_WRONG:
		break;
	}
}

static void stream_wait_foreign(const char *who, struct gpurun_stream stream, void *native)
{
	CLEANUP(mgpu_event_end) struct mgpu_event event;

	if (mgpu_event_adopt(who, native, stream, &event))
		mgpu_ok(who, gpurun_stream_wait_event(stream, event.handle));
}

static void stream_wait(const char *who, struct gpurun_stream stream, void *native)
{
	uint64_t id;

	switch (mgpu_event_kind_of(who, native, &id)) {
	case MGPU_IS_EVENT:
		waited(who, gpurun_stream_wait_event(stream, (struct gpurun_event){ id }));
		break;
	case MGPU_IS_STREAM:
		mgpu_repair_wait(who, stream, (struct gpurun_stream){ id });
		break;
	case MGPU_IS_FOREIGN:
		stream_wait_foreign(who, stream, native);
		break;
	case MGPU_IS_GONE:
		mgpu_repair_wait_gone(who, id);
		break;
	case MGPU_IS_WRONG:
		break;
	}
}

void mgpuStreamWaitEvent(void *native, void *event)
{
	CLEANUP(mgpu_stream_end) struct mgpu_stream stream;

	if (mgpu_stream_begin(__func__, native, &stream))
		stream_wait(__func__, stream.handle, event);
}

static void record(const char *who, struct gpurun_event event, struct gpurun_stream stream)
{
	if (!mgpu_ok(who, gpurun_event_record(event, stream)))
		mgpu_not_made(MGPU_RECORD);
}

static void record_foreign(const char *who, void *native, struct gpurun_stream stream)
{
	CLEANUP(mgpu_event_end) struct mgpu_event event;

	if (mgpu_event_adopt(who, native, stream, &event))
		record(who, event.handle, stream);
}

/* No stream is accepted as an event here: no compiler passes one. */
void mgpuEventRecord(void *native, void *stream_native)
{
	CLEANUP(mgpu_stream_end) struct mgpu_stream stream;
	struct gpurun_event event;
	enum gpurun_native_kind kind;

	if (!mgpu_stream_begin(__func__, stream_native, &stream))
		return;
	kind = mgpu_kind_of(native, &event.id);
	if (kind == GPURUN_NATIVE_EVENT)
		record(__func__, event, stream.handle);
	else if (kind != GPURUN_NATIVE_UNKNOWN)
		mgpu_wrong_kind(__func__, native, kind, MGPU_EVENT);
	else if (native || !mgpu_is_consequence(MGPU_EVENT))
		record_foreign(__func__, native, stream.handle);
}
