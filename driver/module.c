/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "config.h"
#include "context.h"
#include "entry.h"
#include "exec.h"
#include "exports.h"
#include "handle.h"
#include "jit.h"
#include "report.h"

struct module {
	void *handle;              /* NULL once unloaded */
	unsigned refs;
	struct program *program;   /* owned */
	struct function *functions; /* owned; those looked up */
	struct module *next;
};

static struct module *modules; /* each referred to once */

struct module *module_get(struct module *module)
{
	module->refs++;
	return module;
}

static void module_free(struct module *module)
{
	while (module->functions) {
		struct function *function = module->functions;

		module->functions = function->next;
		handle_free(function->handle);
		free(function);
	}
	handle_free(module->handle);
	program_free(module->program);
	free(module);
}

void module_put(struct module *module)
{
	if (module && !--module->refs)
		module_free(module);
}

static void put_module(struct module **module)
{
	module_put(*module);
}

/* Refuses @module and its functions from now on. */
static void module_unload(struct module *module)
{
	struct module **link = &modules;

	while (*link != module)
		link = &(*link)->next;
	*link = module->next;
	handle_free(module->handle);
	module->handle = NULL;
	for (struct function *f = module->functions; f; f = f->next) {
		handle_free(f->handle);
		f->handle = NULL;
	}
	module_put(module);
}

void module_clear(void)
{
	while (modules)
		module_unload(modules);
}

static CUresult module_find(CUmodule handle, struct module **out)
{
	*out = handle_object(handle, HANDLE_MODULE);
	return *out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult function_find(CUfunction handle, struct function **out)
{
	*out = handle_object(handle, HANDLE_FUNCTION);
	return *out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

/* Enters a loaded program, which it takes, as a module of the context's life @life. */
static CUresult module_new(struct program **program, uint64_t life, CUmodule *out)
{
	CLEANUP(put_module) struct module *module = calloc(1, sizeof(*module));

	if (!module)
		return CUDA_ERROR_OUT_OF_MEMORY;
	module->refs = 1;
	module->program = STEAL(*program);
	if (context_life() != life)
		return CUDA_ERROR_CONTEXT_IS_DESTROYED;
	module->handle = handle_new(HANDLE_MODULE, module);
	if (!module->handle)
		return CUDA_ERROR_OUT_OF_MEMORY;
	module->next = modules;
	*out = module->handle;
	modules = STEAL(module);
	return CUDA_SUCCESS;
}

static void free_program(struct program **program)
{
	program_free(*program);
}

/* Loading may last: the lock is given back meanwhile. */
static CUresult load(const void *image, struct jit_log *log, CUmodule *out)
{
	CLEANUP(leave) struct entry entry = enter(NEED_CONTEXT);
	CLEANUP(free_program) struct program *program = NULL;
	struct err e = { 0 };
	CUresult result;
	uint64_t life;

	TRY(entry.result);
	if (!out || !image)
		return CUDA_ERROR_INVALID_VALUE;
	life = context_life();
	open_lock();
	result = jit_load(image, &program, &e);
	close_lock();
	if (result) {
		jit_log_error(log, &e);
		report_set_quietly(e.text);
		return result;
	}
	TRY(context_result(true));
	return module_new(&program, life, out);
}

CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
	return load(image, NULL, module);
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count,
			    CUjit_option *options, void **values)
{
	struct jit_log log;

	if (count && (!options || !values))
		return CUDA_ERROR_INVALID_VALUE;
	log = jit_log(count, options, values);
	return load(image, &log, module);
}

CUresult cuModuleUnload(CUmodule module)
{
	CLEANUP(leave) struct entry entry = enter(NEED_ACTIVE);
	struct module *found;

	TRY(entry.result);
	TRY(module_find(module, &found));
	TRY(context_wait());
	TRY(module_find(module, &found));
	module_unload(found);
	return CUDA_SUCCESS;
}

static struct function *known(struct module *module, const char *name)
{
	for (struct function *f = module->functions; f; f = f->next)
		if (!strcmp(f->kernel->name, name))
			return f;
	return NULL;
}

/* Lowers the kernel, which may last: the lock is given back meanwhile. */
static CUresult lower(struct module *module, const char *name, const struct kernel **kernel)
{
	struct err e = { 0 };
	int status;

	open_lock();
	status = program_kernel(module->program, name, kernel, &e);
	close_lock();
	switch (status) {
	case GPURUN_OK:
		return CUDA_SUCCESS;
	case GPURUN_NOT_FOUND:
		return CUDA_ERROR_NOT_FOUND;
	case GPURUN_NO_MEMORY:
		return CUDA_ERROR_OUT_OF_MEMORY;
	case GPURUN_UNSUPPORTED:
		report_set("%s: %s", name, e.text);
		return CUDA_ERROR_NOT_SUPPORTED;
	default:
		report_set("%s: %s", name, e.text);
		return CUDA_ERROR_INVALID_IMAGE;
	}
}

static CUresult function_new(struct module *module, const struct kernel *kernel,
			     struct function **out)
{
	CLEANUP(free_pointer) struct function *function = calloc(1, sizeof(*function));

	if (!function)
		return CUDA_ERROR_OUT_OF_MEMORY;
	function->module = module;
	function->kernel = kernel;
	function->dynamic_shared = function_default_shared(kernel);
	function->handle = handle_new(HANDLE_FUNCTION, function);
	if (!function->handle)
		return CUDA_ERROR_OUT_OF_MEMORY;
	function->next = module->functions;
	*out = module->functions = STEAL(function);
	return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
	CLEANUP(leave) struct entry entry = enter(NEED_ACTIVE);
	CLEANUP(put_module) struct module *referred = NULL;
	const struct kernel *kernel;
	struct function *found;
	struct module *owner;

	TRY(entry.result);
	if (!function || !name || !*name)
		return CUDA_ERROR_INVALID_VALUE;
	TRY(module_find(module, &owner));
	found = known(owner, name);
	if (!found) {
		referred = module_get(owner);
		TRY(lower(owner, name, &kernel));
		found = known(owner, name);
	}
	if (!owner->handle)
		return CUDA_ERROR_INVALID_HANDLE;
	if (!found)
		TRY(function_new(owner, kernel, &found));
	*function = found->handle;
	return CUDA_SUCCESS;
}

CUresult cuModuleGetGlobal(CUdeviceptr *address, size_t *size, CUmodule module,
			   const char *name)
{
	CLEANUP(leave) struct entry entry = enter(NEED_ACTIVE);
	uint64_t found_address, found_size;
	struct module *owner;

	TRY(entry.result);
	if (!name || !*name)
		return CUDA_ERROR_INVALID_VALUE;
	TRY(module_find(module, &owner));
	switch (program_variable(owner->program, name, &found_address, &found_size)) {
	case GPURUN_NOT_FOUND:
		return CUDA_ERROR_NOT_FOUND;
	case GPURUN_INVALID:
		return CUDA_ERROR_INVALID_VALUE;
	}
	if (address)
		*address = found_address;
	if (size)
		*size = found_size;
	return CUDA_SUCCESS;
}
