/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "kernel_table.h"

#include <string.h>

#include "asserts.h"
#include "context.h"
#include "kernel.h"
#include "lock.h"

static struct kernel **bucket_of(struct module *module, const char *name)
{
	return &module->kernels[module_bucket(name)];
}

/* Finds kernel @name, and its handle; 0 when it has none. */
static struct kernel *find_known_kernel(struct module *module, const char *name, uint64_t *handle)
{
	struct kernel *kernel;

	runtime_lock();
	kernel = *bucket_of(module, name);
	while (kernel && strcmp(kernel->name, name))
		kernel = kernel->next;
	*handle = kernel && kernel->open ? kernel->object.handle : 0;
	runtime_unlock();
	return kernel;
}

/* Looks @name up in the driver and adds it. */
static int insert_kernel(struct module *module, const char *name, struct kernel **out,
			 struct err *e)
{
	CLEANUP(context_leave) struct context_scope scope = { 0 };
	struct kernel **bucket = bucket_of(module, name);

	ASSERT(lock_is_held(LOCK_LOOKUP));
	TRY(context_enter(module->device, &scope, e));
	TRY(kernel_new(module, name, out, e));
	runtime_lock();
	(*out)->next = *bucket;
	*bucket = *out;
	runtime_unlock();
	return 0;
}

/* Tells whether the new handle of @kernel may stay: not when the module was unloaded. */
static bool keep_open(struct module *module, struct kernel *kernel)
{
	bool open;

	runtime_lock();
	open = kernel->open = object_is_open(&module->object);
	runtime_unlock();
	return open;
}

static int refuse_unloaded(struct err *e)
{
	return err_set(e, GPURUN_HANDLE, "the module was unloaded meanwhile");
}

static int open_kernel(struct module *module, struct kernel *kernel, uint64_t *handle,
		       struct err *e)
{
	CLEANUP(put_object) struct object *closed = NULL;
	uint64_t made;

	ASSERT(lock_is_held(LOCK_LOOKUP) && kernel->module == module && !kernel->open);
	TRY(kernel_open(kernel, e));
	made = kernel->object.handle;
	if (keep_open(module, kernel)) {
		*handle = made;
		return 0;
	}
	object_close(made, OBJECT_KERNEL, &closed, NULL);
	return refuse_unloaded(e);
}

static int find_or_open(struct module *module, const char *name, uint64_t *handle,
			struct err *e)
{
	struct kernel *kernel = find_known_kernel(module, name, handle);

	if (*handle)
		return 0;
	/* A kernel whose handle an unload has closed may be in use until the module's
	 * last reference is released. The module is closed before its kernels are. */
	if (!object_is_open(&module->object))
		return refuse_unloaded(e);
	if (!kernel)
		TRY(insert_kernel(module, name, &kernel, e));
	return open_kernel(module, kernel, handle, e);
}

int module_kernel(struct gpurun_module handle, const char *name,
		  struct gpurun_kernel *out, struct err *e)
{
	CLEANUP(put_object) struct module *module = NULL;
	int status;

	TRY(module_use(handle, &module, e));
	TRY(module_check_name(name, "kernel", e));
	find_known_kernel(module, name, &out->id);
	if (out->id)
		return 0;
	lock_acquire(&module->lookup, LOCK_LOOKUP);
	status = find_or_open(module, name, &out->id, e);
	lock_release(&module->lookup);
	return status;
}

/* Marks @kernel closed. Its handle, or 0 when it had none. */
static uint64_t shut(struct kernel *kernel)
{
	uint64_t handle;

	runtime_lock();
	handle = kernel->open ? kernel->object.handle : 0;
	kernel->open = false;
	runtime_unlock();
	return handle;
}

static void close_kernel(struct kernel *kernel)
{
	CLEANUP(put_object) struct object *closed = NULL;
	uint64_t handle = shut(kernel);

	if (handle)
		object_close(handle, OBJECT_KERNEL, &closed, NULL);
}

void kernel_table_close(struct module *module)
{
	struct kernel *first[MODULE_BUCKETS];

	runtime_lock();
	memcpy(first, module->kernels, sizeof(first));
	runtime_unlock();
	/* Others may be added before these, never after them. */
	for (size_t i = 0; i < MODULE_BUCKETS; i++)
		for (struct kernel *kernel = first[i]; kernel; kernel = kernel->next)
			close_kernel(kernel);
}

void kernel_table_release(struct module *module)
{
	for (size_t i = 0; i < MODULE_BUCKETS; i++) {
		while (module->kernels[i]) {
			CLEANUP(free_kernel) struct kernel *kernel = module->kernels[i];

			module->kernels[i] = kernel->next;
		}
	}
}
