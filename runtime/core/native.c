/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "native.h"

#include "asserts.h"
#include "runtime.h"

static uint64_t key_of(const void *native)
{
	return (uint64_t)(uintptr_t)native;
}

int native_enter(struct object *object, const void *native, struct err *e)
{
	enum object_kind kind = object_kind_of(object->handle);
	struct object *closed = NULL;
	bool entered;

	ASSERT(native && kind && kind < OBJECT_KINDS);
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
