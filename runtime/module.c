/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "module.h"

#include <string.h>

#include "api.h"
#include "context.h"
#include "diagnose.h"
#include "image_size.h"
#include "kernel.h"
#include "native.h"
#include "stream.h"

/* Takes NULL and half-built modules; the kernels are gone: each held the module. */
static void module_free(struct module *module);
DEFINE_CLEANUP(free_module, struct module *, module_free)

/* Waits for one stream that ran kernels of a module. False when it cannot be asked:
 * the stream was destroyed and may still have work to do. */
static bool wait_stream(struct module *module, uint64_t handle)
{
	CLEANUP(put_object) struct stream *stream = NULL;
	struct gpurun_stream name = { handle };

	if (stream_use(name, &stream, NULL))
		return false;
	CUDA_STEP(module->device, cuStreamSynchronize, stream->native);
	return true;
}

static void wait_streams(struct module *module)
{
	bool all = module->stream_count <= MODULE_STREAMS;

	for (unsigned i = 0; all && i < module->stream_count; i++)
		all = wait_stream(module, module->streams[i]);
	if (!all)
		CUDA_STEP(module->device, cuCtxSynchronize);
}

static void unload(struct module *module)
{
	CLEANUP(context_leave) struct context_scope scope = { 0 };
	struct err e;

	native_forget(module->native, module->object.handle);
	if (context_enter(module->device, &scope, &e))
		api_failed(&e);
	wait_streams(module);
	CUDA_STEP(module->device, cuModuleUnload, module->native);
}

static void module_free(struct module *module)
{
	if (!module)
		return;
	if (module->native && !module->adopted)
		unload(module);
	free(module->image);
	free(module);
}

static void destroy(struct object *object)
{
	module_free((struct module *)object);
}

/* Finds out *@size when it is 0; else checks that the image keeps to it. */
static int measure(const void *image, size_t *size, struct err *e)
{
	struct bytes bytes = { image, *size ? *size : IMAGE_SIZE_UNKNOWN };
	size_t own = 0;

	if (!image)
		return err_set(e, GPURUN_INVALID, "no image: the pointer is NULL");
	TRY(image_size(bytes, &own, e));
	if (!*size)
		*size = own;
	return 0;
}

/* Makes a module with its copy of the image. */
static int module_new(struct device *device, const void *image, size_t size,
		      struct module **out, struct err *e)
{
	CLEANUP(free_module) struct module *module = NULL;

	*out = NULL;
	TRY(measure(image, &size, e));
	module = calloc(1, sizeof(*module));
	if (module)
		module->image = malloc(size + 1);
	if (!module || !module->image)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for an image of %zu bytes",
			       size);
	memcpy(module->image, image, size);
	module->image[size] = '\0';
	module->size = size;
	module->device = device;
	*out = STEAL(module);
	return 0;
}

/* Loads the copy, with the JIT's log going to the thread's record. */
static int load(struct module *module, struct err *e)
{
	char *log = api_record()->log;
	CUjit_option options[] = { CU_JIT_ERROR_LOG_BUFFER,
				   CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
	void *values[] = { log, (void *)(uintptr_t)API_LOG_SIZE };
	CUresult result = runtime.cuda.cuModuleLoadDataEx(&module->native, module->image, 2,
							  options, values);

	log[API_LOG_SIZE - 1] = '\0';
	if (!result)
		return 0;
	module->native = NULL;
	device_fail(module->device, result, "cuModuleLoadDataEx", e);
	return diagnose_load(module->device, (struct bytes){ module->image, module->size },
			     log, e);
}

int module_load(struct gpurun_device owner, const void *image, size_t size,
		struct gpurun_module *handle, struct err *e)
{
	CLEANUP(put_object) struct device *device = NULL;
	CLEANUP(free_module) struct module *module = NULL;
	CLEANUP(context_leave) struct context_scope scope = { 0 };
	struct module *made;

	TRY(device_use(owner, &device, e));
	TRY(module_new(device, image, size, &module, e));
	TRY(context_enter(device, &scope, e));
	TRY(load(module, e));
	TRY(object_add(&module->object, OBJECT_MODULE, &device->object, destroy, e));
	made = STEAL(module);
	TRY(native_enter(&made->object, made->native, e));
	handle->id = made->object.handle;
	return 0;
}

int module_adopt(struct gpurun_device owner, void *native, struct gpurun_module *handle,
		 struct err *e)
{
	CLEANUP(put_object) struct device *device = NULL;
	CLEANUP(free_module) struct module *module = NULL;

	TRY(device_use(owner, &device, e));
	if (!native)
		return err_set(e, GPURUN_INVALID, "no module to adopt: the pointer is NULL");
	module = calloc(1, sizeof(*module));
	if (!module)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for a module");
	module->device = device;
	module->native = native;
	module->adopted = true;
	TRY(object_add(&module->object, OBJECT_MODULE, &device->object, destroy, e));
	handle->id = STEAL(module)->object.handle;
	return 0;
}

int module_check(struct gpurun_device owner, const void *image, size_t size,
		 struct err *e)
{
	CLEANUP(put_object) struct device *device = NULL;

	TRY(device_use(owner, &device, e));
	TRY(measure(image, &size, e));
	return diagnose_image(device, (struct bytes){ image, size }, e);
}

/* Takes the kernels out of the cache and closes their handles. */
static void close_kernels(struct module *module)
{
	for (size_t i = 0; i < MODULE_BUCKETS; i++) {
		struct kernel *kernel;

		runtime_lock();
		kernel = module->kernels[i];
		module->kernels[i] = NULL;
		runtime_unlock();
		while (kernel) {
			struct kernel *next = kernel->next;
			CLEANUP(put_object) struct object *closed = NULL;

			object_close(kernel->object.handle, OBJECT_KERNEL, &closed, NULL);
			kernel = next;
		}
	}
}

int module_unload(struct gpurun_module handle, struct err *e)
{
	CLEANUP(put_object) struct module *module = NULL;

	TRY(object_close(handle.id, OBJECT_MODULE, &module, e));
	close_kernels(module);
	return 0;
}

void module_add_stream(struct module *module, uint64_t handle)
{
	unsigned i = 0;

	runtime_lock();
	while (i < module->stream_count && i < MODULE_STREAMS && module->streams[i] != handle)
		i++;
	if (i < MODULE_STREAMS)
		module->streams[i] = handle;
	if (i >= module->stream_count)
		module->stream_count = i + 1;
	atomic_store_explicit(&module->last_stream, handle, memory_order_relaxed);
	runtime_unlock();
}

static struct kernel **bucket_of(struct module *module, const char *name)
{
	uint32_t hash = 2166136261u;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 16777619u;
	return &module->kernels[(hash ^ hash >> 16) % MODULE_BUCKETS];
}

/* The handle of kernel @name of @module, or 0 when it was not looked up yet. */
static uint64_t cached(struct module *module, const char *name)
{
	struct kernel *kernel;
	uint64_t handle;

	runtime_lock();
	kernel = *bucket_of(module, name);
	while (kernel && strcmp(kernel->name, name))
		kernel = kernel->next;
	handle = kernel ? kernel->object.handle : 0;
	runtime_unlock();
	return handle;
}

/*
 * Enters @kernel unless another thread was faster, or has unloaded the module
 * meanwhile. The handle that holds, or 0.
 */
static uint64_t enter(struct module *module, struct kernel *kernel)
{
	struct kernel **bucket = bucket_of(module, kernel->name);
	struct kernel *other;
	uint64_t handle;

	runtime_lock();
	for (other = *bucket; other && strcmp(other->name, kernel->name);)
		other = other->next;
	if (!other && object_is_open(&module->object)) {
		kernel->next = *bucket;
		*bucket = other = kernel;
	}
	handle = other ? other->object.handle : 0;
	runtime_unlock();
	return handle;
}

/* Looks @name up in the driver. */
static int find_kernel(struct module *module, const char *name, uint64_t *handle,
		       struct err *e)
{
	CLEANUP(put_object) struct object *spare = NULL;
	CLEANUP(context_leave) struct context_scope scope = { 0 };
	struct kernel *kernel;
	uint64_t made;

	TRY(context_enter(module->device, &scope, e));
	TRY(kernel_new(module, name, &kernel, e));
	made = kernel->object.handle;
	*handle = enter(module, kernel);
	if (*handle != made)
		object_close(made, OBJECT_KERNEL, &spare, NULL);
	if (!*handle)
		return err_set(e, GPURUN_HANDLE, "the module was unloaded meanwhile");
	return 0;
}

int module_kernel(struct gpurun_module handle, const char *name,
		  struct gpurun_kernel *out, struct err *e)
{
	CLEANUP(put_object) struct module *module = NULL;

	TRY(module_use(handle, &module, e));
	if (!name)
		return err_set(e, GPURUN_INVALID, "no kernel name: the pointer is NULL");
	out->id = cached(module, name);
	if (out->id)
		return 0;
	return find_kernel(module, name, &out->id, e);
}

int module_global(struct gpurun_module handle, const char *name, uint64_t *address,
		  uint64_t *size, struct err *e)
{
	CLEANUP(put_object) struct module *module = NULL;
	CLEANUP(context_leave) struct context_scope scope = { 0 };
	CUdeviceptr start = 0;
	size_t bytes = 0;
	int status;

	TRY(module_use(handle, &module, e));
	if (!name)
		return err_set(e, GPURUN_INVALID, "no variable name: the pointer is NULL");
	TRY(context_enter(module->device, &scope, e));
	status = CUDA(module->device, e, cuModuleGetGlobal, &start, &bytes, module->native,
		      name);
	if (status == GPURUN_NOT_FOUND)
		return err_set(e, status, "no variable '%s' in the module", name);
	TRY(status);
	if (address)
		*address = start;
	if (size)
		*size = bytes;
	return 0;
}
