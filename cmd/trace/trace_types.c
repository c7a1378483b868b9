/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "trace_types.h"

#include <string.h>

#include "image.h"

size_t trace_types_of(const struct kernel_info *kernel, struct trace_param *params)
{
	if (kernel->param_count > TRACE_PARAMS_MOST)
		return 0;
	for (size_t i = 0; i < kernel->param_count; i++) {
		const struct kernel_param *from = &kernel->params[i];

		params[i] = (struct trace_param){ .offset = (uint32_t)from->offset,
						  .size = (uint32_t)from->size };
		if (!from->array && strlen(from->type) < sizeof(params[i].type))
			memcpy(params[i].type, from->type, strlen(from->type));
	}
	return kernel->param_count;
}

/* Tells whether no type of @function is known, and there is any to be. */
static bool is_untyped(const struct traced_function *function)
{
	for (size_t i = 0; i < function->count; i++)
		if (*function->params[i].type)
			return false;
	return function->count && !strcmp(function->name, function->signature);
}

void trace_types_give(struct traced_function *function, const struct trace_param *params,
		      size_t count)
{
	if (count != function->count || !is_untyped(function))
		return;
	for (size_t i = 0; i < count; i++)
		if (params[i].offset != function->params[i].offset ||
		    params[i].size != function->params[i].size)
			return;
	memcpy(function->params, params, count * sizeof(*params));
}

/* Those that @image, which is PTX, has. */
static void give_types_of(struct trace *trace, struct image_file *file, struct image *image)
{
	struct trace_param params[TRACE_PARAMS_MOST];
	struct err ignored = { 0 };

	if (image_kernels(file, image, &ignored))
		return;
	for (size_t i = 0; i < trace->function_count; i++) {
		struct traced_function *function = &trace->functions[i];
		const struct kernel_info *kernel =
			is_untyped(function) ? image_find_kernel(image, function->name) : NULL;

		if (kernel)
			trace_types_give(function, params, trace_types_of(kernel, params));
	}
	image_forget(file, image);
}

void trace_types_read(struct trace *trace, const char *path)
{
	CLEANUP(free_image_file) struct image_file *file = NULL;
	struct err ignored = { 0 };
	bool wanted = false;

	for (size_t i = 0; i < trace->function_count; i++)
		wanted = wanted || is_untyped(&trace->functions[i]);
	if (!wanted || image_file_open(path, &file, &ignored))
		return;
	for (size_t i = 0; i < image_count(file); i++)
		if (image_is_text(image_at(file, i)))
			give_types_of(trace, file, image_at(file, i));
}
