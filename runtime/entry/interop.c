/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "interop.h"

#include "context.h"
#include "event.h"
#include "kernel.h"
#include "module.h"
#include "native.h"
#include "reuse_stream.h"
#include "stream.h"

/* Refuses the driver's object of a handle, or one kept after a handle: its pool would
 * return it again. An object of another kind is refused by the driver. */
static int check_foreign(enum gpurun_native_kind kind, void *native, struct err *e)
{
	struct reuse_item item = { .native = native };
	enum gpurun_native_kind known = native_kind(native, &item.handle);

	if (known == kind)
		return err_set(e, GPURUN_INVALID, "%p is one of gpurun's: destroy its handle",
			       native);
	/* The driver may have reused the address of a quarantined one for the program. */
	if (known != GPURUN_NATIVE_CLOSED || reuse_stream_is_quarantined(item))
		return 0;
	return err_set(e, GPURUN_INVALID, "%p was one of gpurun's: its handle is closed",
		       native);
}

int interop_destroy(enum gpurun_native_kind kind, void *native, struct err *e)
{
	if (!native)
		return err_set(e, GPURUN_INVALID, "nothing to destroy: the pointer is NULL");
	TRY(check_foreign(kind, native, e));
	switch (kind) {
	case GPURUN_NATIVE_STREAM:
		return CUDA(NULL, e, cuStreamDestroy, native);
	case GPURUN_NATIVE_EVENT:
		return CUDA(NULL, e, cuEventDestroy, native);
	case GPURUN_NATIVE_MODULE:
		return CUDA(NULL, e, cuModuleUnload, native);
	case GPURUN_NATIVE_KERNEL:
	case GPURUN_NATIVE_VARIABLE:
	case GPURUN_NATIVE_CLOSED:
	case GPURUN_NATIVE_UNKNOWN:
		break;
	}
	return err_set(e, GPURUN_INVALID, "%d is no kind of thing that can be destroyed",
		       (int)kind);
}

int interop_stream(struct gpurun_stream handle, void **native, struct err *e)
{
	CLEANUP(put_object) struct stream *stream = NULL;

	TRY(stream_use(handle, &stream, e));
	*native = stream->native;
	return 0;
}

int interop_event(struct gpurun_event handle, void **native, struct err *e)
{
	CLEANUP(put_object) struct event *event = NULL;

	TRY(event_use(handle, &event, e));
	*native = event->native;
	return 0;
}

int interop_module(struct gpurun_module handle, void **native, struct err *e)
{
	CLEANUP(put_object) struct module *module = NULL;

	TRY(module_use(handle, &module, e));
	*native = module->native;
	return 0;
}

int interop_kernel(struct gpurun_kernel handle, void **native, struct err *e)
{
	CLEANUP(put_object) struct kernel *kernel = NULL;

	TRY(kernel_use(handle, &kernel, e));
	*native = kernel->native;
	return 0;
}

int interop_context(struct gpurun_device handle, void **native, struct err *e)
{
	CLEANUP(put_object) struct device *device = NULL;

	TRY(device_use(handle, &device, e));
	TRY(context_retain(device, (CUcontext *)native, e));
	return 0;
}
