/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "library.h"

#include <stdlib.h>
#include <string.h>

#include "asserts.h"
#include "cleanup.h"
#include "context.h"
#include "entry.h"
#include "exec.h"
#include "exports.h"
#include "handle.h"
#include "jit.h"
#include "module.h"
#include "report.h"

struct library_kernel {
	void *handle;            /* NULL until it was asked for */
	char *name;              /* owned */
	struct library *library; /* borrowed: it owns this kernel */
};

struct library {
	void *handle;
	unsigned refs;
	struct bytes text;              /* owned; ends with NUL */
	struct library_kernel *kernels; /* owned */
	struct library_kernel **by_name; /* owned; sorted */
	unsigned count;
	struct list_node *modules;      /* borrowed: see library_modules() */
	unsigned registers;             /* that a kernel may have; 0: no limit */
};

/* NULL: nothing. */
static void library_put(struct library *library)
{
	ASSERT(!library || library->refs);
	if (!library || --library->refs)
		return;
	for (unsigned i = 0; i < library->count; i++) {
		handle_free(library->kernels[i].handle);
		free(library->kernels[i].name);
	}
	free(library->kernels);
	free(library->by_name);
	free((void *)library->text.data);
	free(library);
}
DEFINE_CLEANUP(put_library, struct library *, library_put)
DEFINE_CLEANUP(free_program, struct program *, program_free)

static CUresult library_find(CUlibrary handle, struct library **out)
{
	*out = handle_object(handle, HANDLE_LIBRARY);
	return *out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

static CUresult kernel_find(const void *handle, struct library_kernel **out)
{
	*out = handle_object(handle, HANDLE_KERNEL);
	return *out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

/* Finds the library of a query; @out, for its result, must not be NULL. */
static CUresult library_for_query(CUlibrary handle, const void *out, struct library **found)
{
	return out ? library_find(handle, found) : CUDA_ERROR_INVALID_VALUE;
}

static CUresult kernel_for_query(CUkernel handle, const void *out, struct library_kernel **found)
{
	return out ? kernel_find(handle, found) : CUDA_ERROR_INVALID_VALUE;
}

/* ---- Loading --------------------------------------------------------------- */

static int compare_names(const void *left, const void *right)
{
	const struct library_kernel *const *a = left, *const *b = right;

	return strcmp((*a)->name, (*b)->name);
}

static int compare_with_name(const void *name, const void *item)
{
	const struct library_kernel *const *kernel = item;

	return strcmp(name, (*kernel)->name);
}

/* Copies the names of the kernels of @program. */
static CUresult name_kernels(struct library *library, const struct program *program)
{
	const char *name;
	unsigned count = 0;

	while (program_entry(program, count, &name))
		count++;
	library->kernels = calloc(count + 1, sizeof(*library->kernels));
	library->by_name = calloc(count + 1, sizeof(*library->by_name));
	if (!library->kernels || !library->by_name)
		return CUDA_ERROR_OUT_OF_MEMORY;
	for (; program_entry(program, library->count, &name); library->count++) {
		struct library_kernel *kernel = &library->kernels[library->count];

		ASSERT(library->count < count);
		kernel->library = library;
		kernel->name = strdup(name);
		if (!kernel->name)
			return CUDA_ERROR_OUT_OF_MEMORY;
		library->by_name[library->count] = kernel;
	}
	qsort(library->by_name, count, sizeof(struct library_kernel *), compare_names);
	return CUDA_SUCCESS;
}

/* Makes a library of the image, and loads it one time as a check. Without the lock. */
static CUresult open_image(struct bytes image, struct library **out, struct program **program,
			   struct err *e)
{
	CLEANUP(put_library) struct library *library = calloc(1, sizeof(*library));

	if (!library)
		return CUDA_ERROR_OUT_OF_MEMORY;
	library->refs = 1;
	TRY(jit_text(image, &library->text, e));
	TRY(jit_load(library->text, program, e));
	TRY(name_kernels(library, *program));
	*out = STEAL(library);
	return CUDA_SUCCESS;
}

static CUresult check_options(const CUlibraryOption *options, unsigned count)
{
	if (count && !options)
		return CUDA_ERROR_INVALID_VALUE;
	for (unsigned i = 0; i < count; i++)
		if (options[i] > CU_LIBRARY_BINARY_IS_PRESERVED)
			return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}

/* Needs no context; where one is current the library is loaded there immediately. */
static CUresult load(struct bytes image, struct jit_log *log, CUlibrary *out)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);
	CLEANUP(put_library) struct library *library = NULL;
	CLEANUP(free_program) struct program *program = NULL;
	struct module *module;
	struct err e = { 0 };
	CUresult result;
	uint64_t life;

	TRY(call.result);
	life = context_here()->domain.life;
	driver_unlock();
	result = open_image(image, &library, &program, &e);
	driver_lock();
	jit_log_time(log);
	if (result) {
		jit_log_error(log, &e);
		report_set_quietly(e.text);
		return result;
	}
	library->registers = log->registers;
	library->handle = handle_new(HANDLE_LIBRARY, library);
	if (!library->handle)
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (!context_result(true) && context_is_in(life))
		TRY(module_new(&program, life, library, library->registers, &module));
	*out = library->handle;
	STEAL(library);
	return CUDA_SUCCESS;
}

CUresult cuLibraryLoadData(CUlibrary *library, const void *image, CUjit_option *options,
			   void **values, unsigned count, CUlibraryOption *library_options,
			   void **library_values, unsigned library_count)
{
	struct jit_log log;

	(void)library_values;
	if (!library || !image || (count && (!options || !values)))
		return CUDA_ERROR_INVALID_VALUE;
	TRY(check_options(library_options, library_count));
	log = jit_log(count, options, values);
	return load((struct bytes){ image, JIT_UNSIZED }, &log, library);
}

CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *path, CUjit_option *options,
			       void **values, unsigned count, CUlibraryOption *library_options,
			       void **library_values, unsigned library_count)
{
	CLEANUP(free_pointer) void *owned = NULL;
	struct bytes image;
	struct jit_log log;
	struct err e = { 0 };

	(void)library_values;
	if (!library || !path || (count && (!options || !values)))
		return CUDA_ERROR_INVALID_VALUE;
	TRY(check_options(library_options, library_count));
	log = jit_log(count, options, values);
	TRY(jit_read(path, &image, &e));
	owned = (void *)image.data;
	return load(image, &log, library);
}

CUresult cuLibraryUnload(CUlibrary library)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);
	struct library *found;

	TRY(call.result);
	TRY(library_find(library, &found));
	if (!context_result(false))
		TRY(context_wait());
	TRY(library_find(library, &found));
	module_unload_library(found);
	handle_free(found->handle);
	library_put(found);
	return CUDA_SUCCESS;
}

/* ---- A library in the current context ---------------------------------------- */

/* Loads @library, which another thread may do, or unload, meanwhile. */
static CUresult make_module(struct library *library, struct module **out)
{
	CLEANUP(put_library) struct library *referred = library;
	CLEANUP(free_program) struct program *program = NULL;
	const uint64_t life = context_here()->domain.life;
	struct err e = { 0 };
	CUresult result;

	(void)referred;
	library->refs++;
	driver_unlock();
	result = jit_load(library->text, &program, &e);
	driver_lock();
	TRY(result);
	TRY(context_result(true));
	if (handle_object(library->handle, HANDLE_LIBRARY) != library)
		return CUDA_ERROR_INVALID_HANDLE;
	*out = module_of_library(library);
	return *out ? CUDA_SUCCESS :
		      (CUresult)module_new(&program, life, library, library->registers, out);
}

static CUresult library_module(struct library *library, struct module **out)
{
	TRY(context_result(true));
	*out = module_of_library(library);
	return *out ? CUDA_SUCCESS : make_module(library, out);
}

struct list_node **library_modules(struct library *library)
{
	return &library->modules;
}

CUresult library_function(const void *handle, struct function **out)
{
	struct library_kernel *kernel;
	struct module *module;

	TRY(kernel_find(handle, &kernel));
	TRY(library_module(kernel->library, &module));
	TRY(kernel_find(handle, &kernel));
	return module_function(module, kernel->name, out);
}

CUresult cuLibraryGetModule(CUmodule *module, CUlibrary library)
{
	CLEANUP(leave) struct api_call call = enter(NEED_CONTEXT);
	struct library *found;
	struct module *made;

	TRY(call.result);
	TRY(library_for_query(library, module, &found));
	TRY(library_module(found, &made));
	*module = module_handle(made);
	return CUDA_SUCCESS;
}

static CUresult find_variable(CUdeviceptr *address, size_t *size, CUlibrary library,
			      const char *name, bool managed)
{
	CLEANUP(leave) struct api_call call = enter(NEED_CONTEXT);
	struct library *found;
	struct module *module;
	uint64_t at, bytes;

	TRY(call.result);
	if (!name || !*name)
		return CUDA_ERROR_INVALID_VALUE;
	TRY(library_find(library, &found));
	TRY(library_module(found, &module));
	if (managed && !program_is_managed(module_program(module), name))
		return CUDA_ERROR_NOT_FOUND;
	if (program_variable(module_program(module), name, &at, &bytes))
		return CUDA_ERROR_NOT_FOUND;
	if (address)
		*address = at;
	if (size)
		*size = bytes;
	return CUDA_SUCCESS;
}

CUresult cuLibraryGetGlobal(CUdeviceptr *address, size_t *size, CUlibrary library,
			    const char *name)
{
	return find_variable(address, size, library, name, false);
}

CUresult cuLibraryGetManaged(CUdeviceptr *address, size_t *size, CUlibrary library,
			     const char *name)
{
	return find_variable(address, size, library, name, true);
}

/* A function that host and device share by address: there is none. */
CUresult cuLibraryGetUnifiedFunction(void **function, CUlibrary library, const char *symbol)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);
	struct library *found;

	TRY(call.result);
	if (!function || !symbol)
		return CUDA_ERROR_INVALID_VALUE;
	TRY(library_find(library, &found));
	return CUDA_ERROR_INVALID_VALUE; /* the device has no such functions, whatever their name */
}

/* ---- Kernels ------------------------------------------------------------------ */

static CUresult kernel_handle(struct library_kernel *kernel, CUkernel *out)
{
	if (!kernel->handle)
		kernel->handle = handle_new(HANDLE_KERNEL, kernel);
	*out = kernel->handle;
	return *out ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);
	struct library_kernel **named;
	struct library *found;

	TRY(call.result);
	if (!kernel || !name || !*name)
		return CUDA_ERROR_INVALID_VALUE;
	TRY(library_find(library, &found));
	named = bsearch(name, found->by_name, found->count, sizeof(struct library_kernel *),
			compare_with_name);
	return named ? kernel_handle(*named, kernel) : CUDA_ERROR_NOT_FOUND;
}

CUresult cuLibraryGetKernelCount(unsigned *count, CUlibrary library)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);
	struct library *found;

	TRY(call.result);
	TRY(library_for_query(library, count, &found));
	*count = found->count;
	return CUDA_SUCCESS;
}

CUresult cuLibraryEnumerateKernels(CUkernel *kernels, unsigned count, CUlibrary library)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);
	struct library *found;

	TRY(call.result);
	if (!kernels || !count)
		return CUDA_ERROR_INVALID_VALUE;
	TRY(library_find(library, &found));
	for (unsigned i = 0; i < count && i < found->count; i++)
		TRY(kernel_handle(&found->kernels[i], &kernels[i]));
	return CUDA_SUCCESS;
}

CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel)
{
	CLEANUP(leave) struct api_call call = enter(NEED_CONTEXT);
	struct function *found;

	TRY(call.result);
	if (!function)
		return CUDA_ERROR_INVALID_VALUE;
	TRY(library_function(kernel, &found));
	*function = found->handle;
	return CUDA_SUCCESS;
}

CUresult cuKernelGetLibrary(CUlibrary *library, CUkernel kernel)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);
	struct library_kernel *found;

	TRY(call.result);
	TRY(kernel_for_query(kernel, library, &found));
	*library = found->library->handle;
	return CUDA_SUCCESS;
}

CUresult cuKernelGetName(const char **name, CUkernel kernel)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);
	struct library_kernel *found;

	TRY(call.result);
	TRY(kernel_for_query(kernel, name, &found));
	*name = found->name;
	return CUDA_SUCCESS;
}

/* Queries and settings of a kernel are those of its function in the current context. */
CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t *offset, size_t *size)
{
	return cuFuncGetParamInfo((CUfunction)kernel, index, offset, size);
}

CUresult cuKernelGetAttribute(int *value, CUfunction_attribute attrib, CUkernel kernel,
			      CUdevice dev)
{
	return dev ? CUDA_ERROR_INVALID_DEVICE :
		     cuFuncGetAttribute(value, attrib, (CUfunction)kernel);
}

CUresult cuKernelSetAttribute(CUfunction_attribute attrib, int value, CUkernel kernel,
			      CUdevice dev)
{
	return dev ? CUDA_ERROR_INVALID_DEVICE :
		     cuFuncSetAttribute((CUfunction)kernel, attrib, value);
}

CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache cache, CUdevice dev)
{
	return dev ? CUDA_ERROR_INVALID_DEVICE :
		     cuFuncSetCacheConfig((CUfunction)kernel, cache);
}
