/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Images for different devices that share a kernel are one module, compiled
 * several times: one of them is to be chosen. Two for the same device are not,
 * whatever their kernels are called.
 */
#include "image_file.h"

enum { MOST_PAIRS = 1024 }; /* compared to join two modules; a bound on the time */

struct alternative {
	size_t image; /* index in the file */
	const char *kernel;
	size_t rank; /* which image of that kernel for that device it is */
};

/* Images from @first on, and which are one module: those with one container. */
struct modules {
	struct image_file *file;
	size_t first;
	size_t *next;            /* owned; of each image the next of its module, in a ring */
	struct alternative *all; /* owned */
	size_t count;
};

static void release_modules(struct modules *modules)
{
	free(modules->next);
	free(modules->all);
}

static struct image *image_of(const struct modules *modules, size_t index)
{
	return &modules->file->entries[index].image;
}

static size_t *next_of(const struct modules *modules, size_t index)
{
	return &modules->next[index - modules->first];
}

static int compare_devices(const struct image *a, const struct image *b)
{
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->arch != b->arch)
		return a->arch < b->arch ? -1 : 1;
	return a->suffix - b->suffix;
}

/* By kernel, device and place. */
static int by_device(const void *left, const void *right, void *data)
{
	const struct alternative *a = left, *b = right;
	int order = strcmp(a->kernel, b->kernel);

	order = order ? order :
			compare_devices(image_of(data, a->image), image_of(data, b->image));
	return order ? order : (a->image > b->image) - (a->image < b->image);
}

/* By kernel, rank and place. */
static int by_rank(const void *left, const void *right)
{
	const struct alternative *a = left, *b = right;
	int order = strcmp(a->kernel, b->kernel);

	order = order ? order : (a->rank > b->rank) - (a->rank < b->rank);
	return order ? order : (a->image > b->image) - (a->image < b->image);
}

/* Tells whether the modules of @a and @b are two, without images for the same device. */
static bool can_join(const struct modules *modules, size_t a, size_t b)
{
	size_t i = a, j = b, pairs = 0;

	if (image_of(modules, a)->container == image_of(modules, b)->container)
		return false;
	do {
		do {
			if (!compare_devices(image_of(modules, i), image_of(modules, j)) ||
			    ++pairs > MOST_PAIRS)
				return false;
			j = *next_of(modules, j);
		} while (j != b);
		i = *next_of(modules, i);
	} while (i != a);
	return true;
}

/* Joins the modules of @a and @b, in the container of @a. */
static void join(const struct modules *modules, size_t a, size_t b)
{
	size_t i = b, behind = *next_of(modules, a);

	do {
		image_of(modules, i)->container = image_of(modules, a)->container;
		i = *next_of(modules, i);
	} while (i != b);
	*next_of(modules, a) = *next_of(modules, b);
	*next_of(modules, b) = behind;
}

static void join_all(struct modules *modules)
{
	struct alternative *all = modules->all;

	qsort_r(all, modules->count, sizeof(*all), by_device, modules);
	for (size_t i = 1; i < modules->count; i++)
		if (!strcmp(all[i].kernel, all[i - 1].kernel) &&
		    !compare_devices(image_of(modules, all[i].image),
				     image_of(modules, all[i - 1].image)))
			all[i].rank = all[i - 1].rank + 1;
	qsort(all, modules->count, sizeof(*all), by_rank);
	for (size_t i = 1; i < modules->count; i++)
		if (!strcmp(all[i].kernel, all[i - 1].kernel) &&
		    all[i].rank == all[i - 1].rank &&
		    can_join(modules, all[i - 1].image, all[i].image))
			join(modules, all[i - 1].image, all[i].image);
}

/* Tells whether image @index may be joined: those of a fatbin have a container of their own,
 * and stay there. */
static bool is_single(const struct modules *modules, size_t index)
{
	return !modules->file->entries[index].container.size;
}

/* Makes room for the kernels of all images. */
static int make_room(struct modules *modules, struct err *e)
{
	size_t end = modules->file->count, kernels = 0;

	for (size_t i = modules->first; i < end; i++)
		kernels += image_of(modules, i)->kernel_count;
	modules->next = calloc(end - modules->first + 1, sizeof(*modules->next));
	modules->all = calloc(kernels + 1, sizeof(*modules->all));
	if (!modules->next || !modules->all)
		return err_set(e, GPURUN_NO_MEMORY, "out of memory");
	return 0;
}

int image_join_alternatives(struct image_file *file, size_t first, struct err *e)
{
	CLEANUP(release_modules)
	struct modules modules = { .file = file, .first = first };

	TRY(make_room(&modules, e));
	for (size_t i = first; i < file->count; i++) {
		const struct image *image = image_of(&modules, i);

		*next_of(&modules, i) = i;
		for (size_t j = 0; is_single(&modules, i) && j < image->kernel_count; j++)
			modules.all[modules.count++] =
				(struct alternative){ i, image->kernels[j].name, 0 };
	}
	join_all(&modules);
	return 0;
}
