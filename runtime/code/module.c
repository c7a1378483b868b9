/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "module.h"

#include <string.h>

#include "api.h"
#include "asserts.h"
#include "context.h"
#include "diagnose.h"
#include "fatbin.h"
#include "image_part.h"
#include "image_size.h"
#include "kernel_table.h"
#include "module_copies.h"
#include "native.h"
#include "profile.h"
#include "reclaim.h"
#include "reuse_memory.h"
#include "reuse_module.h"
#include "reuse_rules.h"
#include "stream.h"
#include "structors.h"
#include "variable.h"

/* Accepts NULL and half-built modules; its kernels and variables have no handles any more. */
static void module_free(struct module *module)
{
	CLEANUP(context_leave) struct context_scope scope = { 0 };

	if (!module)
		return;
	kernel_table_release(module);
	variable_table_release(module);
	if (module->native && !module->adopted) {
		native_forget(module->native, module->object.handle);
		context_step(module->device, &scope);
		CUDA_STEP(module->device, cuModuleUnload, module->native);
	}
	pthread_mutex_destroy(&module->lookup);
	image_facts_release(&module->facts);
	arities_release(&module->arities);
	free(module->image);
	free(module);
}
DEFINE_CLEANUP(free_module, struct module *, module_free)

/* Frees a chain of parked modules. */
static void free_parked(struct module *module)
{
	while (module) {
		struct module *next = module->parked;

		module_free(module);
		module = next;
	}
}

/* ---- Unloading ------------------------------------------------------------ */

/* Waits for one stream that ran kernels of a module. False when it cannot be asked:
 * the stream was destroyed and may still have work to do. */
static bool wait_stream(struct module *module, uint64_t handle, CUresult *result)
{
	CLEANUP(put_object) struct stream *stream = NULL;
	struct gpurun_stream name = { handle };

	if (stream_use(name, &stream, NULL))
		return false;
	*result = runtime.cuda.cuStreamSynchronize(stream->native);
	device_step(module->device, *result, "cuStreamSynchronize");
	return true;
}

/* Waits for all kernels of @module. False when one of the waits failed. */
static bool wait_streams(struct module *module)
{
	bool all = module->stream_count <= MODULE_STREAMS, good = true;
	CUresult result = 0;

	ASSERT(!module->adopted);
	for (unsigned i = 0; all && i < module->stream_count; i++) {
		all = wait_stream(module, module->streams[i], &result);
		good = good && !result;
	}
	if (all)
		return good;
	result = runtime.cuda.cuCtxSynchronize();
	device_step(module->device, result, "cuCtxSynchronize");
	return !result;
}

/* Keeps @module for the next load of its bytes, if it can be used for that. */
static bool park(struct module *module)
{
	if (!runtime.pools || runtime_phase() != PHASE_UP ||
	    atomic_load(&module->device->fault) ||
	    !reuse_rule_module(module->facts.variables, module->exposed))
		return false;
	ASSERT(!module->adopted && module->image);
	module->stream_count = 0;
	atomic_store(&module->last_stream, 0);
	free_parked(reuse_module_put(module));
	return true;
}

/* Runs a step of the unload, which may fail for a reason that was reported before. */
static void make_step(struct module *module,
		      int (*step)(struct module *module, struct err *e))
{
	struct api_record *record = api_record();
	int reported = atomic_load(&module->device->fault), driver = record->driver;
	struct err e;

	record->driver = 0;
	if (step(module, &e) && (!record->driver || device_is_unreported(reported, record->driver)))
		api_failed(&e);
	else
		record->driver = driver;
}

/* The last reference is released, and so are those of the kernels. */
static void destroy(struct object *object)
{
	struct module *module = (struct module *)object;
	CLEANUP(context_leave) struct context_scope scope = { 0 };

	if (!module->adopted) {
		context_step(module->device, &scope);
		if (wait_streams(module) && park(module))
			return;
		make_step(module, structors_destroy);
		make_step(module, profile_write);
	}
	module_free(module);
}

bool module_release_parked(struct device *device)
{
	struct module *all = reuse_module_take_all(device);

	free_parked(all);
	return all != NULL;
}

/* ---- Loading -------------------------------------------------------------- */

/* Finds *@size when it is 0; else checks that the image is not larger. After a fatbin
 * there may be others, which no driver reads. */
static int measure(const void *image, size_t *size, struct err *e)
{
	struct bytes bytes = { image, *size ? *size : IMAGE_SIZE_UNKNOWN };
	size_t own = 0;

	if (!image)
		return err_set(e, GPURUN_INVALID, "no image: the pointer is NULL");
	TRY(image_size(bytes, &own, e));
	if (!*size || fatbin_sniff(bytes, 0))
		*size = own;
	return 0;
}

static int module_new(struct device *device, struct module **out, struct err *e)
{
	struct module *module = calloc(1, sizeof(*module));

	*out = module;
	if (!module)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for a module");
	module->device = device;
	pthread_mutex_init(&module->lookup, NULL);
	return 0;
}

static int check_level(int level, struct err *e)
{
	if (level >= 0 && level <= MODULE_LEVEL)
		return 0;
	return err_set(e, GPURUN_INVALID, "%d is no optimisation level: they are 0 to %d",
		       level, MODULE_LEVEL);
}

/* Loads @image, which is the copy or a part of it, with the JIT's log going to @log. */
static CUresult load_image(struct module *module, const void *image, char *log)
{
	CUjit_option options[] = { CU_JIT_ERROR_LOG_BUFFER,
				   CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
				   CU_JIT_OPTIMIZATION_LEVEL };
	void *values[] = { log, (void *)(uintptr_t)API_LOG_SIZE,
			   (void *)(uintptr_t)module->level };
	unsigned count = module->level == MODULE_LEVEL ? 2 : 3;
	CUresult result = runtime.cuda.cuModuleLoadDataEx(&module->native, image,
							  count, options, values);

	log[API_LOG_SIZE - 1] = '\0';
	if (result)
		module->native = NULL;
	return result;
}

bool reclaim(struct device *device)
{
	bool blocks = reuse_memory_flush(device);

	return module_release_parked(device) || blocks;
}

static int load(struct module *module, struct err *e)
{
	CLEANUP(free_pointer) uint8_t *part = NULL;
	struct bytes whole = { module->image, module->size };
	char *log = api_record()->log;
	const void *image;
	CUresult result;

	TRY(image_part(module->device, whole, &part, e));
	image = part ? part : module->image;
	result = load_image(module, image, log);
	if (result == CUDA_ERROR_OUT_OF_MEMORY && reclaim(module->device))
		result = load_image(module, image, log);
	if (!result)
		return 0;
	device_fail(module->device, result, "cuModuleLoadDataEx", e);
	return diagnose_load(module->device, whole, log, e);
}

/* Refuses a module that calls the host: its client waits for a server. Called before
 * constructors run. Where the image has such a name, only the driver's answer counts. */
static int check_alone(struct module *module, struct err *e)
{
	CUdeviceptr client = 0;
	size_t size = 0;
	int status;

	if (!module->facts.calls_host)
		return 0;
	status = CUDA(module->device, e, cuModuleGetGlobal, &client, &size, module->native,
		      "__llvm_rpc_client");
	if (status == GPURUN_NOT_FOUND) {
		api_record()->driver = 0;
		return 0;
	}
	TRY(status);
	err_set(e, GPURUN_UNSUPPORTED, "the image calls the host through __llvm_rpc_client, as "
		"LLVM's C library for GPUs does, and nothing here serves such calls: they "
		"would never return");
	return err_hint(e, "link it without what needs the host: printf, malloc, files, exit");
}

/* Makes a module of @image, whose device's context is current. */
static int make(struct device *device, struct bytes image, struct module_choice how,
		struct module **out, struct err *e)
{
	CLEANUP(free_module) struct module *module = NULL;

	*out = NULL;
	TRY(module_new(device, &module, e));
	TRY(image_copy(image, &module->image, e));
	module->size = image.size;
	module->level = how.level;
	TRY(load(module, e));
	TRY(image_facts_read(device, image, &module->facts, e));
	if (how.alone)
		TRY(check_alone(module, e));
	TRY(structors_construct(module, e));
	*out = STEAL(module);
	return 0;
}

int module_load(struct gpurun_device owner, const void *image, size_t size,
		struct module_choice how, struct gpurun_module *handle, struct err *e)
{
	CLEANUP(put_object) struct device *device = NULL;
	CLEANUP(free_module) struct module *module = NULL;
	CLEANUP(context_leave) struct context_scope scope = { 0 };
	struct bytes bytes;
	struct module *made;

	TRY(device_use(owner, &device, e));
	TRY(measure(image, &size, e));
	TRY(check_level(how.level, e));
	TRY(context_enter(device, &scope, e));
	bytes = (struct bytes){ image, size };
	module = reuse_module_take(device, bytes, how.level);
	if (!module)
		TRY(make(device, bytes, how, &module, e));
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
	TRY(module_new(device, &module, e));
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

int module_check_name(const char *name, const char *what, struct err *e)
{
	if (!name)
		return err_set(e, GPURUN_INVALID, "no %s name: the pointer is NULL", what);
	if (!*name)
		return err_set(e, GPURUN_NOT_FOUND, "no %s: the name is empty", what);
	return 0;
}

unsigned module_bucket(const char *name)
{
	uint32_t hash = 2166136261u;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 16777619u;
	return (hash ^ hash >> 16) % MODULE_BUCKETS;
}

int module_unload(struct gpurun_module handle, struct err *e)
{
	CLEANUP(put_object) struct module *module = NULL;

	TRY(object_close(handle.id, OBJECT_MODULE, &module, e));
	kernel_table_close(module);
	variable_table_close(module);
	module_unload_copies(module);
	return 0;
}

void module_add_stream(struct module *module, uint64_t handle)
{
	unsigned i = 0;

	runtime_lock();
	ASSERT(handle && module->stream_count <= MODULE_STREAMS + 1);
	while (i < module->stream_count && i < MODULE_STREAMS && module->streams[i] != handle)
		i++;
	if (i < MODULE_STREAMS)
		module->streams[i] = handle;
	if (i >= module->stream_count)
		module->stream_count = i + 1;
	atomic_store_explicit(&module->last_stream, handle, memory_order_relaxed);
	runtime_unlock();
}
