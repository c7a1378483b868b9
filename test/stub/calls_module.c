/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Modules, functions, launches. An image is a fatbin container, a cubin or PTX
 * text; a kernel is there when its name stands anywhere in the bytes. A
 * function is found once and lives with its module.
 */
#include "calls.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

/* The end of an ELF file as its section table tells it: enough to find names in. */
static size_t elf_size(const char *image)
{
	Elf64_Ehdr head;

	memcpy(&head, image, sizeof(head));
	return head.e_shoff + (size_t)head.e_shnum * head.e_shentsize;
}

static size_t image_size(const char *image)
{
	uint64_t size;

	if (!memcmp(image, "\x50\xed\x55\xba", 4)) {
		memcpy(&size, image + 8, sizeof(size));
		return size + 16;
	}
	if (!memcmp(image, ELFMAG, SELFMAG))
		return elf_size(image);
	return strstr(image, ".version") ? strlen(image) : 0;
}

/* Says in the JIT's error log, where there is one, what is wrong with the PTX. */
static void write_log(unsigned count, const CUjit_option *options, void *const *values)
{
	char *log = NULL;
	size_t size = 0;

	for (unsigned i = 0; i < count; i++) {
		if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
			log = values[i];
		if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
			size = (uintptr_t)values[i];
	}
	if (log)
		snprintf(log, size, "stub, line 1; fatal: missing .target directive\n");
}

CUresult stub_image_size(const void *image, unsigned count, const CUjit_option *options,
			 void *const *values, size_t *size)
{
	*size = image_size(image);
	if (!*size)
		return CUDA_ERROR_INVALID_IMAGE;
	if (((const char *)image)[0] == '.' && !memmem(image, *size, ".target", 7)) {
		write_log(count, options, values);
		return CUDA_ERROR_INVALID_PTX;
	}
	return CUDA_SUCCESS;
}

void stub_image_keep(struct thing *thing, const void *image, size_t size)
{
	thing->data = malloc(size);
	if (!thing->data)
		abort();
	memcpy(thing->data, image, size);
	thing->size = size;
}

void stub_image_end(struct thing *thing)
{
	struct thing *function;

	while ((function = thing->next)) {
		thing->next = function->next;
		free(function->data);
		thing_end(function);
	}
	free(thing->data);
	thing_end(thing);
}

CUresult stub_cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count,
				 CUjit_option *options, void **values)
{
	struct thing *thing;
	CUresult result;
	size_t size;

	if (!stub_current())
		return CUDA_ERROR_INVALID_CONTEXT;
	result = stub_image_size(image, count, options, values, &size);
	if (result)
		return result;
	thing = thing_new(MODULE, stub_current());
	stub_image_keep(thing, image, size);
	*module = (CUmodule)thing;
	return CUDA_SUCCESS;
}

CUresult stub_cuModuleLoadData(CUmodule *module, const void *image)
{
	return stub_cuModuleLoadDataEx(module, image, 0, NULL, NULL);
}

CUresult stub_cuModuleUnload(CUmodule module)
{
	struct thing *thing;
	CUresult result = thing_find(module, MODULE, &thing);

	if (result)
		return result;
	work_wait(thing->owner, WORK_ALL_STREAMS, work_mark());
	stub_image_end(thing);
	return CUDA_SUCCESS;
}

/* Finds function @name of @module among those that were asked for, or makes it. */
static struct thing *function_of(struct thing *module, const char *name)
{
	struct thing *function = module->next;

	while (function && strcmp(function->data, name))
		function = function->next;
	if (function)
		return function;
	function = thing_new(FUNCTION, module);
	function->data = strdup(name);
	if (!function->data)
		abort();
	function->next = module->next;
	module->next = function;
	return function;
}

CUresult stub_image_function(struct thing *thing, const char *name, CUfunction *function)
{
	if (!memmem(thing->data, thing->size, name, strlen(name)))
		return CUDA_ERROR_NOT_FOUND;
	*function = (CUfunction)function_of(thing, name);
	return CUDA_SUCCESS;
}

CUresult stub_cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
	struct thing *owner;
	CUresult result = thing_find(module, MODULE, &owner);

	return result ? result : stub_image_function(owner, name, function);
}

/* Bytes of the variable whose name stands at @found; it lies over its name. */
static size_t size_of_variable(const struct thing *module, const char *found, size_t length)
{
	const char *asked = getenv("GPURUN_STUB_VARIABLE");
	size_t size = asked ? strtoul(asked, NULL, 10) : length;
	size_t room = module->size - (size_t)(found - module->data);

	return size < room ? size : room;
}

CUresult stub_image_variable(const struct thing *thing, const char *name, CUdeviceptr *address,
			     size_t *size)
{
	char *found = memmem(thing->data, thing->size, name, strlen(name));

	if (!found)
		return CUDA_ERROR_NOT_FOUND;
	if (address)
		*address = (uintptr_t)found;
	if (size)
		*size = size_of_variable(thing, found, strlen(name));
	return CUDA_SUCCESS;
}

CUresult stub_cuModuleGetGlobal(CUdeviceptr *address, size_t *size, CUmodule module,
				const char *name)
{
	struct thing *thing;
	CUresult result = thing_find(module, MODULE, &thing);

	return result ? result : stub_image_variable(thing, name, address, size);
}

static CUresult check_function(CUfunction function)
{
	struct thing *thing;

	return thing_find(function, FUNCTION, &thing);
}

CUresult stub_cuFuncGetAttribute(int *value, CUfunction_attribute attribute,
				 CUfunction function)
{
	switch ((int)attribute) {
	case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
		*value = 1024;
		break;
	case CU_FUNC_ATTRIBUTE_NUM_REGS:
		*value = 16;
		break;
	case CU_FUNC_ATTRIBUTE_PTX_VERSION:
	case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
		*value = 90;
		break;
	default:
		*value = 0;
	}
	return check_function(function);
}

CUresult stub_cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute,
				 int value)
{
	if (attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES && value > 232448)
		return CUDA_ERROR_INVALID_VALUE;
	return check_function(function);
}

/* Parameter @index of the kernels that @text, "N" or "SIZE,SIZE,...", says. */
static bool find_parameter(const char *text, size_t index, size_t *offset, size_t *size)
{
	const bool list = strchr(text, ',') != NULL;

	if (!list && index >= strtoul(text, NULL, 10))
		return false;
	*offset = index * 8;
	*size = 8;
	for (size_t i = 0, end = 0; list && i <= index; i++) {
		if (!*text)
			return false;
		*size = strtoul(text, (char **)&text, 10);
		*offset = (end + *size - 1) / *size * *size;
		end = *offset + *size;
		text += *text == ',';
	}
	return true;
}

/* As a driver before CUDA 12.4 would, if it had the call. */
CUresult stub_cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset,
				 size_t *size)
{
	const char *text = getenv("GPURUN_STUB_PARAMETERS");

	if (!text)
		return CUDA_ERROR_NOT_SUPPORTED;
	if (!find_parameter(text, index, offset, size))
		return CUDA_ERROR_INVALID_VALUE;
	return check_function(function);
}

/* Every kernel fills a multiprocessor with two blocks, unless its shared memory is too much. */
CUresult stub_cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction function,
					       CUoccupancyB2DSize shared_of, size_t shared,
					       int most)
{
	const bool fits = (shared_of ? shared_of(1024) : shared) <= 232448;

	*block = most && most < 1024 ? most : 1024;
	*block = fits ? *block : 0;
	*grid = fits ? 2 : 0;
	return check_function(function);
}

CUresult stub_cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function,
							  int block, size_t shared)
{
	(void)block;
	*blocks = shared <= 116224 ? 2 : shared <= 232448;
	return check_function(function);
}
