/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "context.h"

#include "api.h"
#include "asserts.h"

int context_retain(struct device *device, CUcontext *out, struct err *e)
{
	int status = 0;

	runtime_lock();
	*out = atomic_load(&device->context);
	if (!*out) {
		status = CUDA(device, e, cuDevicePrimaryCtxRetain, out, device->native);
		if (!status)
			atomic_store_explicit(&device->context, *out, memory_order_release);
		runtime.contexts += !status;
	}
	runtime_unlock();
	return status;
}

/* Tells whether @context is the primary one of @device, without creating it. */
static int is_primary(struct device *device, CUcontext context, bool *is, struct err *e)
{
	CUcontext own = atomic_load(&device->context);
	unsigned flags;
	int active = 0;

	*is = false;
	if (!own)
		TRY(CUDA(device, e, cuDevicePrimaryCtxGetState, device->native, &flags,
			 &active));
	if (active)
		TRY(context_retain(device, &own, e));
	*is = own == context;
	return 0;
}

int context_find_device(CUcontext context, struct device **out, struct err *e)
{
	for (int i = 0; i < runtime.device_count; i++) {
		CLEANUP(put_object) struct device *device = NULL;
		bool is;

		TRY(device_find(i, &device, e));
		TRY(is_primary(device, context, &is, e));
		if (!is)
			continue;
		*out = STEAL(device);
		return 0;
	}
	return err_set(e, GPURUN_INVALID, "context %p is not the primary context of any of "
		       "%d devices", (void *)context, runtime.device_count);
}

int context_switch(struct device *device, CUresult result, CUcontext current,
		   struct context_scope *scope, struct err *e)
{
	CUcontext context = NULL;

	ASSERT(!scope->pushed);
	if (result)
		return device_fail(device, result, "cuCtxGetCurrent", e);
	TRY(context_retain(device, &context, e));
	if (current == context)
		return 0;
	if (!current)
		return CUDA(device, e, cuCtxSetCurrent, context);
	TRY(CUDA(device, e, cuCtxPushCurrent, context));
	scope->pushed = true;
	return 0;
}

bool context_step(struct device *device, struct context_scope *scope)
{
	struct api_record *record = api_record();
	int reported = atomic_load(&device->fault), driver = record->driver;
	struct err e;

	if (!context_enter(device, scope, &e))
		return true;
	if (device_is_unreported(reported, (CUresult)record->driver))
		api_failed(&e);
	else
		record->driver = driver;
	return false;
}

void context_leave(struct context_scope *scope)
{
	CUcontext popped = NULL;

	if (scope->pushed)
		CUDA_STEP(NULL, cuCtxPopCurrent, &popped);
	scope->pushed = false;
}

/* This thread must not keep a context that is destroyed. */
static void unbind(struct device *device, CUcontext context)
{
	CUcontext current = NULL;

	CUDA_STEP(device, cuCtxGetCurrent, &current);
	if (current == context)
		CUDA_STEP(device, cuCtxSetCurrent, NULL);
}

void context_release(struct device *device)
{
	CUcontext context = atomic_exchange(&device->context, NULL);
	unsigned flags = 0;
	int active = 0;

	if (!context)
		return;
	ASSERT(runtime.contexts > 0);
	runtime.contexts--;
	CUDA_STEP(device, cuDevicePrimaryCtxRelease, device->native);
	/* It lives on when it is retained outside of this library. */
	CUDA_STEP(device, cuDevicePrimaryCtxGetState, device->native, &flags, &active);
	if (!active)
		unbind(device, context);
}

int context_push(struct gpurun_device handle, struct err *e)
{
	CLEANUP(put_object) struct device *device = NULL;
	CUcontext context = NULL;

	TRY(device_use(handle, &device, e));
	TRY(context_retain(device, &context, e));
	TRY(CUDA(device, e, cuCtxPushCurrent, context));
	api_record()->pushed++;
	return 0;
}

int context_pop(struct err *e)
{
	CUcontext popped = NULL;

	if (!api_record()->pushed)
		return err_set(e, GPURUN_INVALID, "this thread has no pushed context to pop");
	api_record()->pushed--;
	CUDA_STEP(NULL, cuCtxPopCurrent, &popped);
	return 0;
}

void context_pop_all(void)
{
	CUcontext popped = NULL;

	for (; api_record()->pushed; api_record()->pushed--)
		CUDA_STEP(NULL, cuCtxPopCurrent, &popped);
}
