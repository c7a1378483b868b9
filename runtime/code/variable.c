/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The table only grows, at the front of its buckets: a lookup needs no lock. */
#include "variable.h"

#include <string.h>

#include "api.h"
#include "asserts.h"
#include "context.h"
#include "lock.h"

struct variable {
	struct object object; /* its parent is the module */
	char *name;           /* owned */
	struct gpurun_variable_info info;
	struct variable *next; /* of its bucket in the module's table */
};

static void variable_free(struct variable *variable)
{
	if (!variable)
		return;
	free(variable->name);
	free(variable);
}
DEFINE_CLEANUP(free_variable, struct variable *, variable_free)

/* The module keeps it. */
static void destroy(struct object *object)
{
	(void)object;
}

static _Atomic(struct variable *) *bucket_of(struct module *module, const char *name)
{
	return &module->variables[module_bucket(name)];
}

static struct variable *look_up(struct module *module, const char *name)
{
	struct variable *variable = atomic_load(bucket_of(module, name));

	while (variable && strcmp(variable->name, name))
		variable = variable->next;
	return variable;
}

/* Asks the driver where @name is. From then on its address may be known. To the name of a
 * kernel a driver says that the value is invalid. */
static int locate(struct module *module, const char *name, uint64_t *address,
		  uint64_t *size, struct err *e)
{
	CLEANUP(context_leave) struct context_scope scope = { 0 };
	CUdeviceptr start = 0;
	size_t bytes = 0;
	int status;

	TRY(context_enter(module->device, &scope, e));
	status = CUDA(module->device, e, cuModuleGetGlobal, &start, &bytes, module->native,
		      name);
	if (status == GPURUN_NOT_FOUND || api_record()->driver == CUDA_ERROR_INVALID_VALUE)
		return err_set(e, GPURUN_NOT_FOUND, "no variable '%s' in the module", name);
	TRY(status);
	atomic_store(&module->exposed, true);
	*address = start;
	*size = bytes;
	return 0;
}

static int variable_new(struct module *module, const char *name, struct variable **out,
			struct err *e)
{
	CLEANUP(free_variable) struct variable *variable = calloc(1, sizeof(*variable));

	*out = NULL;
	if (variable)
		variable->name = strdup(name);
	if (!variable || !variable->name)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for variable '%s'", name);
	variable->info.struct_size = sizeof(variable->info);
	variable->info.name = variable->name;
	TRY(locate(module, name, &variable->info.address, &variable->info.size, e));
	*out = STEAL(variable);
	return 0;
}

/* Adds @variable, which has its handle. Tells whether that may stay open: not when the
 * module was unloaded, because then only the caller can close it. */
static bool enter(struct module *module, struct variable *variable)
{
	_Atomic(struct variable *) *bucket = bucket_of(module, variable->name);
	bool open;

	runtime_lock();
	variable->next = atomic_load(bucket);
	atomic_store(bucket, variable);
	open = object_is_open(&module->object);
	runtime_unlock();
	return open;
}

/* Makes a variable and its handle. The module's lookup lock is held. */
static int make_variable(struct module *module, const char *name, uint64_t *handle, struct err *e)
{
	CLEANUP(free_variable) struct variable *variable = NULL;
	CLEANUP(put_object) struct object *closed = NULL;
	uint64_t made;

	ASSERT(lock_is_held(LOCK_LOOKUP) && !look_up(module, name));
	TRY(variable_new(module, name, &variable, e));
	TRY(object_add(&variable->object, OBJECT_VARIABLE, &module->object, destroy, e));
	made = variable->object.handle;
	if (enter(module, STEAL(variable))) {
		*handle = made;
		return 0;
	}
	object_close(made, OBJECT_VARIABLE, &closed, NULL);
	return err_set(e, GPURUN_HANDLE, "the module was unloaded meanwhile");
}

static int find_or_add(struct module *module, const char *name, uint64_t *handle,
		       struct err *e)
{
	struct variable *variable = look_up(module, name);

	if (!variable)
		return make_variable(module, name, handle, e);
	*handle = variable->object.handle;
	return 0;
}

int variable_find(struct gpurun_module handle, const char *name,
		  struct gpurun_variable *out, struct err *e)
{
	CLEANUP(put_object) struct module *module = NULL;
	struct variable *variable;
	int status;

	TRY(module_use(handle, &module, e));
	TRY(module_check_name(name, "variable", e));
	variable = look_up(module, name);
	if (variable) {
		out->id = variable->object.handle;
		return 0;
	}
	lock_acquire(&module->lookup, LOCK_LOOKUP);
	status = find_or_add(module, name, &out->id, e);
	lock_release(&module->lookup);
	return status;
}

int variable_locate(struct gpurun_module handle, const char *name, uint64_t *address,
		    uint64_t *size, struct err *e)
{
	CLEANUP(put_object) struct module *module = NULL;
	uint64_t start, bytes;

	TRY(module_use(handle, &module, e));
	TRY(module_check_name(name, "variable", e));
	TRY(locate(module, name, &start, &bytes, e));
	if (address)
		*address = start;
	if (size)
		*size = bytes;
	return 0;
}

int variable_describe(struct gpurun_variable handle, struct gpurun_variable_info *info,
		      struct err *e)
{
	CLEANUP(put_object) struct variable *variable = NULL;

	TRY(object_get(handle.id, OBJECT_VARIABLE, &variable, e));
	return api_copy_struct(info, &variable->info, sizeof(*info), e);
}

static void close_variable(struct variable *variable)
{
	CLEANUP(put_object) struct object *closed = NULL;

	object_close(variable->object.handle, OBJECT_VARIABLE, &closed, NULL);
}

void variable_table_close(struct module *module)
{
	/* A thread that enters one from here on sees that the module is closed. */
	runtime_lock();
	runtime_unlock();
	for (size_t i = 0; i < MODULE_BUCKETS; i++)
		for (struct variable *variable = atomic_load(&module->variables[i]); variable;
		     variable = variable->next)
			close_variable(variable);
}

void variable_table_release(struct module *module)
{
	for (size_t i = 0; i < MODULE_BUCKETS; i++) {
		struct variable *next = atomic_load(&module->variables[i]);

		while (next) {
			CLEANUP(free_variable) struct variable *variable = next;

			next = variable->next;
		}
	}
}
