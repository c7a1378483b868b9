/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "native.h"

#include "context.h"
#include "event.h"
#include "kernel.h"
#include "reuse_stream.h"
#include "stream.h"

static uint64_t key_of(const void *native)
{
	return (uint64_t)(uintptr_t)native;
}

int native_enter(struct object *object, const void *native, struct err *e)
{
	enum object_kind kind = object_kind_of(object->handle);
	struct object *closed = NULL;
	bool entered;

	runtime_lock();
	entered = map_set(&runtime.natives, key_of(native), object->handle);
	runtime_unlock();
	if (entered)
		return 0;
	if (!object_close(object->handle, kind, &closed, e))
		object_put(closed);
	return err_set(e, GPURUN_NO_MEMORY, "no memory to enter a driver object");
}

void native_forget(const void *native, uint64_t handle)
{
	uint64_t key = key_of(native);

	runtime_lock();
	if (handle && map_get(&runtime.natives, key) == handle)
		map_remove(&runtime.natives, key);
	runtime_unlock();
}

enum gpurun_native_kind native_handle_kind(uint64_t handle)
{
	switch (object_kind_of(handle)) {
	case OBJECT_MODULE:
		return GPURUN_NATIVE_MODULE;
	case OBJECT_KERNEL:
		return GPURUN_NATIVE_KERNEL;
	case OBJECT_STREAM:
		return GPURUN_NATIVE_STREAM;
	case OBJECT_EVENT:
		return GPURUN_NATIVE_EVENT;
	case OBJECT_VARIABLE:
		return GPURUN_NATIVE_VARIABLE;
	case OBJECT_DEVICE:
	case OBJECT_KINDS:
		break;
	}
	return GPURUN_NATIVE_UNKNOWN;
}

enum gpurun_native_kind native_kind(const void *native, uint64_t *id)
{
	uint64_t handle = map_get(&runtime.natives, key_of(native));

	if (id)
		*id = handle;
	if (handle && !object_is_live(handle))
		return GPURUN_NATIVE_CLOSED;
	return native_handle_kind(handle);
}

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

int native_destroy(enum gpurun_native_kind kind, void *native, struct err *e)
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

int native_stream(struct gpurun_stream handle, void **native, struct err *e)
{
	CLEANUP(put_object) struct stream *stream = NULL;

	TRY(stream_use(handle, &stream, e));
	*native = stream->native;
	return 0;
}

int native_event(struct gpurun_event handle, void **native, struct err *e)
{
	CLEANUP(put_object) struct event *event = NULL;

	TRY(event_use(handle, &event, e));
	*native = event->native;
	return 0;
}

int native_module(struct gpurun_module handle, void **native, struct err *e)
{
	CLEANUP(put_object) struct module *module = NULL;

	TRY(module_use(handle, &module, e));
	*native = module->native;
	return 0;
}

int native_kernel(struct gpurun_kernel handle, void **native, struct err *e)
{
	CLEANUP(put_object) struct kernel *kernel = NULL;

	TRY(kernel_use(handle, &kernel, e));
	*native = kernel->native;
	return 0;
}

int native_context(struct gpurun_device handle, void **native, struct err *e)
{
	CLEANUP(put_object) struct device *device = NULL;

	TRY(device_use(handle, &device, e));
	TRY(context_retain(device, (CUcontext *)native, e));
	return 0;
}
