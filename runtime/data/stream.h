/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Streams: work enqueued on one runs in order. They live until destroyed or shut down. */
#ifndef RUNTIME_STREAM_H
#define RUNTIME_STREAM_H

#include "device.h"

struct stream {
	struct object object; /* its parent is the device */
	struct device *device;
	CUstream native;
	bool adopted;         /* the driver's stream is the program's own */
	_Atomic bool quarantined; /* the driver's stream is not to be used again */
};

static inline int stream_use(struct gpurun_stream handle, struct stream **out,
			     struct err *e)
{
	return object_get(handle.id, OBJECT_STREAM, out, e);
}

int stream_create(struct gpurun_device device, struct gpurun_stream *handle, struct err *e);
int stream_adopt(struct gpurun_device device, void *native, struct gpurun_stream *handle,
		 struct err *e);
int stream_destroy(struct gpurun_stream handle, struct err *e);
int stream_quarantine(struct gpurun_stream handle, struct err *e);
int stream_synchronize(struct gpurun_stream handle, struct err *e);
int stream_device(struct gpurun_stream handle, struct gpurun_device *device,
		  struct err *e);
int stream_query(struct gpurun_stream handle, struct err *e);
int stream_wait_event(struct gpurun_stream handle, struct gpurun_event event,
		      struct err *e);
int stream_host_function(struct gpurun_stream handle, void (*function)(void *data),
			 void *data, struct err *e);

/*
 * Polls whether one of @device's parked streams is idle: called when a thread waits
 * for work anyway, so that the next creation of a stream need not poll. The context
 * is current.
 */
void stream_ask_parked(struct device *device);

/* Frees the host functions that will never run; their contexts are destroyed. */
void stream_forget_host_functions(void);

#endif
