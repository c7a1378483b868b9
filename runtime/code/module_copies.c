/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "module_copies.h"

#include "asserts.h"

static uint64_t copy_on(struct module *module, int ordinal)
{
	uint64_t handle;

	ASSERT(ordinal >= 0 && ordinal < runtime.device_count);
	runtime_lock();
	handle = module->copies ? module->copies[ordinal] : 0;
	runtime_unlock();
	return object_is_live(handle) ? handle : 0;
}

/* Stores @made unless another thread was faster. Returns the valid handle; 0 when the
 * module was unloaded meanwhile. */
static uint64_t enter(struct module *module, int ordinal, uint64_t made)
{
	uint64_t handle = 0;

	runtime_lock();
	if (object_is_open(&module->object)) {
		ASSERT(module->copies && ordinal < runtime.device_count);
		if (!object_is_live(module->copies[ordinal]))
			module->copies[ordinal] = made;
		handle = module->copies[ordinal];
	}
	runtime_unlock();
	return handle;
}

/* Allocates room for one handle per device, which the unload of @module frees. */
static int make_room(struct module *module, struct err *e)
{
	CLEANUP(free_pointer) uint64_t *copies = NULL;

	copies = calloc((size_t)runtime.device_count, sizeof(*copies));
	if (!copies)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for a module on %d devices",
			       runtime.device_count);
	runtime_lock();
	if (!module->copies && object_is_open(&module->object))
		module->copies = STEAL(copies);
	runtime_unlock();
	return 0;
}

/* Loads the image of @module on @device. */
static int load_copy(struct module *module, struct device *device, uint64_t *handle,
		     struct err *e)
{
	struct gpurun_device owner = { device->object.handle };
	struct module_choice how = { .level = module->level };
	struct gpurun_module made = { 0 };

	if (module->adopted)
		return err_set(e, GPURUN_UNSUPPORTED, "an adopted module has no image that "
			       "could be loaded on device %d", device->info.ordinal);
	TRY(make_room(module, e));
	TRY(module_load(owner, module->image, module->size, how, &made, e));
	*handle = enter(module, device->info.ordinal, made.id);
	if (*handle != made.id)
		TRY(module_unload(made, e));
	if (!*handle)
		return err_set(e, GPURUN_HANDLE, "the module was unloaded meanwhile");
	return 0;
}

int module_on_device(struct gpurun_module handle, struct gpurun_device owner,
		     struct gpurun_module *other, struct err *e)
{
	CLEANUP(put_object) struct module *module = NULL;
	CLEANUP(put_object) struct device *device = NULL;

	TRY(module_use(handle, &module, e));
	TRY(device_use(owner, &device, e));
	other->id = device == module->device ? handle.id :
					       copy_on(module, device->info.ordinal);
	if (other->id)
		return 0;
	return load_copy(module, device, &other->id, e);
}

void module_unload_copies(struct module *module)
{
	uint64_t *copies;

	runtime_lock();
	copies = module->copies;
	module->copies = NULL;
	runtime_unlock();
	for (int i = 0; copies && i < runtime.device_count; i++)
		if (object_is_live(copies[i]))
			module_unload((struct gpurun_module){ copies[i] }, NULL);
	free(copies);
}
