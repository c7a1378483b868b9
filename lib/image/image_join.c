/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What nvcc -rdc=true leaves in a program: the relocatable images of each translation unit,
 * and beside them the cubin that nvlink made of these. It is one module, whichever of them a
 * device runs: the cubin, or what the driver's linker makes of the rest.
 */
#include "image_file.h"

/* Kernels of what is to be linked, sorted. */
struct linked_names {
	const char **at; /* owned; each borrowed from the file */
	size_t count;
};

static void release_names(struct linked_names *names)
{
	free(names->at);
}

static int compare(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* Lists the kernels of the images that are to be linked; returns how many there are. */
static size_t list_kernels(struct image_file *file)
{
	size_t count = 0;

	for (size_t i = 0; i < file->count; i++) {
		struct image *image = &file->entries[i].image;

		if (image->relocatable && !image_kernels(file, image, NULL))
			count += image->kernel_count;
	}
	return count;
}

static int collect(struct image_file *file, struct linked_names *names, struct err *e)
{
	names->at = calloc(list_kernels(file) + 1, sizeof(*names->at));
	if (!names->at)
		return err_set(e, GPURUN_NO_MEMORY, "out of memory");
	for (size_t i = 0; i < file->count; i++) {
		const struct image *image = &file->entries[i].image;

		for (size_t j = 0; image->relocatable && j < image->kernel_count; j++)
			names->at[names->count++] = image->kernels[j].name;
	}
	qsort(names->at, names->count, sizeof(*names->at), compare);
	return 0;
}

static bool has_one_of(const struct image *image, const struct linked_names *names)
{
	for (size_t i = 0; i < image->kernel_count; i++) {
		const char *name = image->kernels[i].name;

		if (bsearch(&name, names->at, names->count, sizeof(*names->at), compare))
			return true;
	}
	return false;
}

/* Tells whether part @part was linked from what has @names: its first image with kernels has
 * one of them. */
static bool was_linked(struct image_file *file, uint32_t part, const struct linked_names *names)
{
	const size_t *numbers;
	const size_t count = image_part_members(file, part, &numbers);
	bool found = false, listed = false, before;

	for (size_t i = 0; i < count && !listed; i++) {
		struct image *image = &file->entries[numbers[i]].image;

		before = file->entries[numbers[i]].listed;
		if (image->relocatable || image->problem || image_kernels(file, image, NULL) ||
		    image->relocatable)
			continue;
		listed = image->kernel_count;
		found = has_one_of(image, names);
		if (!before)
			image_forget(file, image);
	}
	return found;
}

static bool has_relocatable(struct image_file *file, uint32_t part)
{
	const size_t *numbers;
	const size_t count = image_part_members(file, part, &numbers);

	for (size_t i = 0; i < count; i++)
		if (file->entries[numbers[i]].image.relocatable)
			return true;
	return false;
}

/* One relocatable image of a fatbin is enough to know that the others are, too: the head of PTX
 * does not say it. Returns the first part of that kind; UINT32_MAX: there is none. */
static uint32_t mark_parts(struct image_file *file)
{
	uint32_t first = UINT32_MAX;

	for (uint32_t part = 0; part < file->containers; part++) {
		const size_t *numbers;
		const size_t count = image_part_members(file, part, &numbers);

		if (!has_relocatable(file, part))
			continue;
		first = first < part ? first : part;
		for (size_t i = 0; i < count; i++) {
			struct image *image = &file->entries[numbers[i]].image;

			image->relocatable |= !image->problem && (image->kind == IMAGE_PTX ||
								  image->kind == IMAGE_CUBIN);
		}
	}
	return first;
}

/* An image of its own in the file may be known to be relocatable after it was listed only. */
static void peek_all(struct image_file *file)
{
	for (size_t i = 0; i < file->count; i++)
		image_peek(file, &file->entries[i].image);
}

int image_file_join(struct image_file *file, struct err *e)
{
	CLEANUP(release_names) struct linked_names names = { 0 };
	uint32_t group;

	if (!file->links || file->joined_order)
		return 0;
	peek_all(file);
	group = mark_parts(file);
	if (group == UINT32_MAX)
		return 0;
	TRY(collect(file, &names, e));
	for (uint32_t part = 0; part < file->containers; part++) {
		const size_t *numbers;
		const size_t count = image_part_members(file, part, &numbers);
		const bool joins = was_linked(file, part, &names);

		for (size_t i = 0; i < count; i++) {
			struct image *image = &file->entries[numbers[i]].image;

			if (joins || image->relocatable)
				image->container = group;
		}
	}
	return image_file_sort(file, &file->joined_order, &file->joined_first, e);
}
