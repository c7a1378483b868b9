/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asserts.h"
#include "cleanup.h"
#include "config.h"
#include "context.h"
#include "entry.h"
#include "exec.h"
#include "exports.h"
#include "findings.h"
#include "handle.h"
#include "jit.h"
#include "library.h"
#include "list.h"
#include "lock.h"
#include "report.h"

struct module {
	void *handle;              /* NULL after unloading */
	unsigned refs;
	struct program *program;   /* owned */
	struct function **functions; /* owned, each too: of the program's entries, NULL until
					they are looked up; or NULL */
	struct library *library;   /* borrowed, or NULL */
	unsigned registers;        /* the limit of its kernels; 0: none */
	struct context *context;   /* borrowed: it ends with it */
	struct list_node all, of_library; /* of modules; of those of @library */
};

static struct list_node *modules; /* each with one reference */

struct module *module_get(struct module *module)
{
	ASSERT(lock_is_held(LOCK_DRIVER) && module->refs);
	module->refs++;
	return module;
}

static void module_free(struct module *module)
{
	const size_t count = module->functions ? program_functions(module->program) : 0;

	for (size_t i = 0; i < count; i++) {
		struct function *function = module->functions[i];

		if (!function)
			continue;
		handle_free(function->handle);
		free(function->name);
		free(function->steps);
		free(function);
	}
	free(module->functions);
	handle_free(module->handle);
	program_free(module->program);
	free(module);
}

void module_put(struct module *module)
{
	ASSERT(!module || (lock_is_held(LOCK_DRIVER) && module->refs));
	if (module && !--module->refs)
		module_free(module);
}

static void put_module(struct module **module)
{
	module_put(*module);
}

/* Makes the handles of @module and its functions invalid. */
static void module_unload(struct module *module)
{
	const size_t count = module->functions ? program_functions(module->program) : 0;

	ASSERT(module->handle && list_has(&module->all));
	list_remove(&module->all);
	list_remove(&module->of_library);
	handle_free(module->handle);
	module->handle = NULL;
	for (size_t i = 0; i < count; i++) {
		if (!module->functions[i])
			continue;
		handle_free(module->functions[i]->handle);
		module->functions[i]->handle = NULL;
	}
	module_put(module);
}

void module_report_leaks(const struct context *context)
{
	unsigned count = 0;

	for (struct list_node *node = modules; node; node = node->next) {
		const struct module *module = LIST_OBJECT(node, struct module, all);

		if (module->handle && !module->library &&
		    (!context || module->context == context))
			count++;
	}
	finding_report_unreleased(count, "module", "cuModuleUnload");
}

void module_clear(const struct context *context)
{
	struct list_node *next;

	for (struct list_node *node = modules; node; node = next) {
		struct module *module = LIST_OBJECT(node, struct module, all);

		next = node->next;
		if (module->context == context)
			module_unload(module);
	}
}

void module_unload_library(struct library *library)
{
	struct list_node **list = library_modules(library);

	while (*list)
		module_unload(LIST_OBJECT(*list, struct module, of_library));
}

struct module *module_of_library(struct library *library)
{
	const struct context *here = context_here();

	for (struct list_node *node = *library_modules(library); node; node = node->next) {
		struct module *module = LIST_OBJECT(node, struct module, of_library);

		if (module->context == here)
			return module;
	}
	return NULL;
}

CUmodule module_handle(const struct module *module)
{
	return module->handle;
}

struct program *module_program(const struct module *module)
{
	return module->program;
}

static CUresult module_find(CUmodule handle, struct module **out)
{
	*out = handle_object(handle, HANDLE_MODULE);
	return *out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult module_new(struct program **program, uint64_t life, struct library *library,
		    unsigned registers, struct module **out)
{
	CLEANUP(put_module) struct module *module = calloc(1, sizeof(*module));

	if (!module)
		return CUDA_ERROR_OUT_OF_MEMORY;
	module->refs = 1;
	module->library = library;
	module->registers = registers;
	module->context = context_here();
	module->program = STEAL(*program);
	if (!context_is_in(life))
		return CUDA_ERROR_CONTEXT_IS_DESTROYED;
	module->handle = handle_new(HANDLE_MODULE, module);
	if (!module->handle)
		return CUDA_ERROR_OUT_OF_MEMORY;
	list_add(&modules, &module->all);
	if (library)
		list_add(library_modules(library), &module->of_library);
	*out = STEAL(module);
	return CUDA_SUCCESS;
}

static void free_program(struct program **program)
{
	program_free(*program);
}

/* Loads the PTX in @image, without the lock. */
static CUresult load_program(struct bytes image, struct program **out, struct err *e)
{
	CLEANUP(free_pointer) void *owned = NULL;
	struct bytes text;

	TRY(jit_text(image, &text, e));
	owned = (void *)text.data;
	return jit_load(text, out, e);
}

/* Loading may take long: the lock is released meanwhile. */
static CUresult load(struct bytes image, struct jit_log *log, CUmodule *out)
{
	CLEANUP(leave) struct api_call call = enter(NEED_CONTEXT);
	CLEANUP(free_program) struct program *program = NULL;
	struct module *module;
	struct err e = { 0 };
	CUresult result;
	uint64_t life;

	TRY(call.result);
	if (!out || !image.data)
		return CUDA_ERROR_INVALID_VALUE;
	life = context_here()->domain.life;
	driver_unlock();
	result = load_program(image, &program, &e);
	driver_lock();
	jit_log_time(log);
	if (result) {
		jit_log_error(log, &e);
		report_set_quietly(e.text);
		return result;
	}
	TRY(context_result(true));
	TRY(module_new(&program, life, NULL, log ? log->registers : 0, &module));
	*out = module->handle;
	return CUDA_SUCCESS;
}

static struct bytes unsized(const void *image)
{
	return (struct bytes){ image, JIT_UNSIZED };
}

CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
	return load(unsized(image), NULL, module);
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count,
			    CUjit_option *options, void **values)
{
	struct jit_log log;

	if (count && (!options || !values))
		return CUDA_ERROR_INVALID_VALUE;
	log = jit_log(count, options, values);
	return load(unsized(image), &log, module);
}

CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image)
{
	return load(unsized(image), NULL, module);
}

CUresult cuModuleLoad(CUmodule *module, const char *path)
{
	CLEANUP(free_pointer) void *owned = NULL;
	struct bytes image;
	struct err e = { 0 };

	if (!module || !path)
		return CUDA_ERROR_INVALID_VALUE;
	TRY(jit_read(path, &image, &e));
	owned = (void *)image.data;
	return load(image, NULL, module);
}

/* A module of a library is unloaded with the library. */
CUresult cuModuleUnload(CUmodule module)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);
	struct module *found;

	TRY(call.result);
	TRY(module_find(module, &found));
	if (found->library)
		return CUDA_ERROR_NOT_PERMITTED;
	TRY(context_wait());
	TRY(module_find(module, &found));
	module_unload(found);
	return CUDA_SUCCESS;
}

/* ---- Functions ------------------------------------------------------------ */

/* Lowers the kernel, which may take long: the lock is released meanwhile. */
static CUresult lower(struct module *module, const char *name, const struct kernel **kernel)
{
	struct err e = { 0 };
	int status;

	driver_unlock();
	status = program_kernel(module->program, name, kernel, &e);
	driver_lock();
	switch (status) {
	case GPURUN_OK:
		return CUDA_SUCCESS;
	case GPURUN_NOT_FOUND:
		return CUDA_ERROR_NOT_FOUND;
	case GPURUN_NO_MEMORY:
		return CUDA_ERROR_OUT_OF_MEMORY;
	case GPURUN_UNSUPPORTED:
		report_refusal(KIND_REFUSED_IMAGE, "%s: %s", name, e.text);
		return CUDA_ERROR_NOT_SUPPORTED;
	default:
		report_refusal(KIND_REFUSED_IMAGE, "%s: %s", name, e.text);
		return CUDA_ERROR_INVALID_IMAGE;
	}
}

static CUresult function_new(struct module *module, const char *name, struct function **out)
{
	CLEANUP(free_pointer) struct function *function = calloc(1, sizeof(*function));
	CLEANUP(free_pointer) char *copy = strdup(name);

	if (!function || !copy)
		return CUDA_ERROR_OUT_OF_MEMORY;
	function->module = module;
	function->most_registers = module->registers;
	function->carveout = -1;
	function->handle = handle_new(HANDLE_FUNCTION, function);
	if (!function->handle)
		return CUDA_ERROR_OUT_OF_MEMORY;
	function->name = STEAL(copy);
	*out = STEAL(function);
	return CUDA_SUCCESS;
}

CUresult module_function(struct module *module, const char *name, struct function **out)
{
	size_t at;

	if (!program_find_entry(module->program, name, &at))
		return CUDA_ERROR_NOT_FOUND;
	if (!module->functions)
		module->functions = calloc(program_functions(module->program),
					   sizeof(struct function *));
	if (!module->functions)
		return CUDA_ERROR_OUT_OF_MEMORY;
	ASSERT(at < program_functions(module->program));
	if (!module->functions[at])
		TRY(function_new(module, name, &module->functions[at]));
	*out = module->functions[at];
	return CUDA_SUCCESS;
}

CUresult function_peek(CUfunction handle, struct function **out)
{
	*out = handle_object(handle, HANDLE_FUNCTION);
	if (*out)
		return CUDA_SUCCESS;
	return library_function(handle, out);
}

/* Lowers *@function when it was not; the module may be unloaded meanwhile. */
static CUresult function_load(struct function *function)
{
	CLEANUP(put_module) struct module *module = NULL;
	const struct kernel *kernel;

	if (function->kernel)
		return CUDA_SUCCESS;
	module = module_get(function->module);
	TRY(lower(module, function->name, &kernel));
	if (!module->handle)
		return CUDA_ERROR_INVALID_HANDLE;
	if (!function->kernel)
		function->dynamic_shared = function_default_shared(kernel);
	ASSERT(!function->kernel || function->kernel == kernel);
	function->kernel = kernel;
	return CUDA_SUCCESS;
}

CUresult function_find(CUfunction handle, struct function **out)
{
	TRY(function_peek(handle, out));
	return function_load(*out);
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);
	struct function *found;
	struct module *owner;

	TRY(call.result);
	if (!function || !name || !*name)
		return CUDA_ERROR_INVALID_VALUE;
	TRY(module_find(module, &owner));
	TRY(module_function(owner, name, &found));
	TRY(function_load(found));
	*function = found->handle;
	return CUDA_SUCCESS;
}

/* The kernels, which are lowered when they are used first. */
CUresult cuModuleEnumerateFunctions(CUfunction *functions, unsigned count, CUmodule module)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);
	struct function *found;
	struct module *owner;
	const char *name;

	TRY(call.result);
	if (!functions || !count)
		return CUDA_ERROR_INVALID_VALUE;
	TRY(module_find(module, &owner));
	for (unsigned i = 0; i < count && program_entry(owner->program, i, &name); i++) {
		TRY(module_function(owner, name, &found));
		functions[i] = found->handle;
	}
	return CUDA_SUCCESS;
}

CUresult cuModuleGetFunctionCount(unsigned *count, CUmodule module)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);
	struct module *owner;
	const char *name;

	TRY(call.result);
	if (!count)
		return CUDA_ERROR_INVALID_VALUE;
	TRY(module_find(module, &owner));
	for (*count = 0; program_entry(owner->program, *count, &name);)
		++*count;
	return CUDA_SUCCESS;
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);

	TRY(call.result);
	if (!mode)
		return CUDA_ERROR_INVALID_VALUE;
	*mode = CU_MODULE_LAZY_LOADING;
	return CUDA_SUCCESS;
}

/* ---- Variables ------------------------------------------------------------ */

CUresult cuModuleGetGlobal(CUdeviceptr *address, size_t *size, CUmodule module,
			   const char *name)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);
	uint64_t found_address, found_size;
	struct module *owner;

	TRY(call.result);
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
