/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Events: points in a stream's work. An event knows the stream on which it was recorded. */
#ifndef RUNTIME_EVENT_H
#define RUNTIME_EVENT_H

#include "device.h"

/* An event's recorded_on when the program itself may have recorded it. */
#define EVENT_RECORDED_ELSEWHERE UINT64_MAX

struct event {
	struct object object; /* its parent is the device */
	struct device *device;
	CUevent native;
	bool timing;
	bool adopted;                 /* the driver's event is the program's own */
	_Atomic uint64_t recorded_on; /* handle of the stream; 0 while never recorded */
};

static inline int event_use(struct gpurun_event handle, struct event **out, struct err *e)
{
	return object_get(handle.id, OBJECT_EVENT, out, e);
}

/* As event_use() for an event that was recorded; else GPURUN_INVALID: cannot @verb it. */
int event_use_recorded(struct gpurun_event handle, const char *verb, struct event **out,
		       struct err *e);

int event_create(struct gpurun_device device, unsigned flags, struct gpurun_event *handle,
		 struct err *e);
int event_adopt(struct gpurun_device device, void *native, struct gpurun_event *handle,
		struct err *e);
int event_destroy(struct gpurun_event handle, struct err *e);
int event_record(struct gpurun_event handle, struct gpurun_stream stream, struct err *e);
int event_stream(struct gpurun_event handle, struct gpurun_stream *stream, struct err *e);
int event_device(struct gpurun_event handle, struct gpurun_device *device, struct err *e);
int event_synchronize(struct gpurun_event handle, struct err *e);
int event_query(struct gpurun_event handle, struct err *e);
int event_elapsed(struct gpurun_event start, struct gpurun_event end, uint64_t *nanoseconds,
		  struct err *e);

#endif
