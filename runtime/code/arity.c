/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "arity.h"

#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "diagnose.h"
#include "image.h"
#include "module.h"

static int compare(const void *left, const void *right)
{
	const struct arity *a = left, *b = right;

	return strcmp(a->name, b->name);
}

static int no_memory(struct err *e)
{
	return err_set(e, GPURUN_NO_MEMORY, "no memory for the names of kernels");
}

static int copy_kernels(const struct image *image, struct arities *arities, struct err *e)
{
	arities->items = calloc(image->kernel_count + 1, sizeof(arities->items[0]));
	if (!arities->items)
		return no_memory(e);
	for (size_t i = 0; i < image->kernel_count; i++) {
		const struct kernel_info *kernel = &image->kernels[i];
		struct arity *arity = &arities->items[i];

		arity->name = strdup(kernel->name);
		if (!arity->name)
			return no_memory(e);
		arity->count = (int)kernel->param_count;
		arities->count++;
	}
	qsort(arities->items, arities->count, sizeof(arities->items[0]), compare);
	arities->known = true;
	return 0;
}

/* Of the part that the driver chooses: usually those of all parts are the same. */
static int read_image(const struct module *module, struct arities *arities, struct err *e)
{
	CLEANUP(free_image_file) struct image_file *file = NULL;
	struct bytes bytes = { module->image, module->size };
	struct image_target target = diagnose_target(module->device);
	struct image *best;
	int status = image_file_read(bytes, "image", &file, e);

	if (status == GPURUN_NO_MEMORY)
		return status;
	best = file ? image_choose(file, UINT32_MAX, &target) : NULL;
	status = best ? image_kernels(file, best, e) : GPURUN_NO_IMAGE;
	if (status)
		return status == GPURUN_NO_MEMORY ? status : 0;
	return copy_kernels(best, arities, e);
}

int arity_find(struct module *module, const char *name, int *count, struct err *e)
{
	struct arities *arities = &module->arities;
	const struct arity key = { .name = (char *)(uintptr_t)name }, *found;

	*count = ARITY_UNKNOWN;
	if (!arities->read && module->image)
		TRY(read_image(module, arities, e));
	arities->read = true;
	if (!arities->known)
		return 0;
	found = bsearch(&key, arities->items, arities->count, sizeof(key), compare);
	*count = found ? found->count : ARITY_ABSENT;
	return 0;
}

void arities_release(struct arities *arities)
{
	for (size_t i = 0; i < arities->count; i++)
		free(arities->items[i].name);
	free(arities->items);
}
