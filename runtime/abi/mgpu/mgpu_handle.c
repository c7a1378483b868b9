/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "mgpu.h"

static const struct gpurun_device any_device;

enum gpurun_native_kind mgpu_kind_of(const void *native, uint64_t *id)
{
	*id = 0;
	return native ? gpurun_native_kind(native, id) : GPURUN_NATIVE_UNKNOWN;
}

bool mgpu_wrong_kind(const char *who, const void *native, enum gpurun_native_kind kind,
		     enum mgpu_kind wanted)
{
	static const char *const kinds[] = {
		[GPURUN_NATIVE_UNKNOWN] = "foreign",
		[GPURUN_NATIVE_STREAM] = "a stream",
		[GPURUN_NATIVE_EVENT] = "an event",
		[GPURUN_NATIVE_MODULE] = "a module",
		[GPURUN_NATIVE_KERNEL] = "a kernel",
		[GPURUN_NATIVE_VARIABLE] = "a variable",
		[GPURUN_NATIVE_CLOSED] = "gone: it was destroyed before",
	};
	static const char *const names[] = {
		[MGPU_MODULE] = "module",
		[MGPU_KERNEL] = "kernel",
		[MGPU_STREAM] = "stream",
		[MGPU_EVENT] = "event",
	};

	return mgpu_refuse(who, GPURUN_HANDLE, "no %s: %p is %s", names[wanted], native,
			   kinds[kind]);
}

static bool adopt_stream(const char *who, void *native, struct mgpu_stream *stream)
{
	struct gpurun_device device = native ? any_device : mgpu_device();

	stream->adopted = mgpu_ok(who, gpurun_stream_adopt(device, native, &stream->handle));
	return stream->adopted;
}

bool mgpu_stream_begin(const char *who, void *native, struct mgpu_stream *stream)
{
	enum gpurun_native_kind kind = mgpu_kind_of(native, &stream->handle.id);

	stream->adopted = false;
	if (kind == GPURUN_NATIVE_STREAM)
		return true;
	if (kind == GPURUN_NATIVE_UNKNOWN)
		return mgpu_ready(who) && adopt_stream(who, native, stream);
	return mgpu_wrong_kind(who, native, kind, MGPU_STREAM);
}

void mgpu_stream_end(struct mgpu_stream *stream)
{
	if (stream->adopted)
		gpurun_stream_destroy(stream->handle);
}

bool mgpu_event_adopt(const char *who, void *native, struct gpurun_stream stream,
		      struct mgpu_event *event)
{
	struct gpurun_device device = mgpu_device();

	if (stream.id && !mgpu_ok(who, gpurun_stream_device(stream, &device)))
		return false;
	event->adopted = mgpu_ok(who, gpurun_event_adopt(device, native, &event->handle));
	return event->adopted;
}

void mgpu_event_end(struct mgpu_event *event)
{
	if (event->adopted)
		gpurun_event_destroy(event->handle);
}

void mgpu_destroy_other(const char *who, void *native, enum gpurun_native_kind kind,
			enum mgpu_kind wanted)
{
	static const enum gpurun_native_kind kinds[] = {
		[MGPU_MODULE] = GPURUN_NATIVE_MODULE,
		[MGPU_KERNEL] = GPURUN_NATIVE_KERNEL,
		[MGPU_STREAM] = GPURUN_NATIVE_STREAM,
		[MGPU_EVENT] = GPURUN_NATIVE_EVENT,
	};

	if (kind != GPURUN_NATIVE_UNKNOWN)
		mgpu_wrong_kind(who, native, kind, wanted);
	else if ((native || !mgpu_is_consequence(wanted)) && mgpu_ready(who))
		mgpu_released(who, gpurun_native_destroy(kinds[wanted], native));
}
