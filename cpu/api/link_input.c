/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "link_input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cleanup.h"
#include "config.h"
#include "cubin.h"
#include "image.h"
#include "jit.h"

/* One input while its parts are added. */
struct reading {
	struct link_list *list;
	struct image_file *file; /* owned */
	const char *name;
	uint32_t part;
	size_t texts, passed;    /* parts that have PTX, and that are passed over */
	bool kernels;            /* one of those without PTX has kernels */
};

static void reading_release(struct reading *reading)
{
	image_file_free(reading->file);
}

void link_list_release(struct link_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free((void *)list->texts[i].text.data);
		free((void *)(uintptr_t)list->texts[i].name);
	}
	for (size_t i = 0; i < list->machine_count; i++)
		free(list->machine[i].name);
	for (size_t i = 0; i < list->name_count; i++)
		free(list->names[i]);
	free(list->texts);
	free(list->machine);
	free(list->names);
}

/* ---- Names ------------------------------------------------------------------------- */

static char *printed(const char *format, const char *first, const char *second, int length)
{
	char *text;

	return asprintf(&text, format, first, length, second) < 0 ? NULL : text;
}

/* "lib.a:b.o" of a member of an archive, "prog, image 3" of one part of several, or "lib.o". The
 * caller frees it. */
static char *name_of(const struct reading *reading, const struct image *image)
{
	const char *where = image->where, *colon = strchr(where, ':');
	char number[24];

	if (!strcmp(image_file_kind(reading->file), "ar archive"))
		return printed("%s:%.*s", reading->name, where,
			       colon ? (int)(colon - where) : (int)strlen(where));
	if (image_containers(reading->file) == 1)
		return strdup(reading->name);
	snprintf(number, sizeof(number), "image %zu", image_index(reading->file, image));
	return printed("%s, %.*s", reading->name, number, (int)strlen(number));
}

/* The name of an input that has none: "input 3". The caller frees it. */
static char *number_of(const struct link_list *list)
{
	char *text;

	return asprintf(&text, "input %zu", list->count + list->name_count + 1) < 0 ? NULL : text;
}

/* ---- Texts ------------------------------------------------------------------------- */

/* Owns @name and @text from then on. */
static CUresult add_text(struct link_list *list, char *name, struct bytes text)
{
	struct link_text *slot = name ? array_grow(&list->texts, list->count, sizeof(*slot)) : NULL;

	if (!slot) {
		free(name);
		free((void *)text.data);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	*slot = (struct link_text){ text, name, 0 };
	list->count++;
	return CUDA_SUCCESS;
}

static CUresult add_image(struct reading *reading, struct image *image, struct err *e)
{
	struct bytes text;

	TRY(jit_image_text(reading->file, image, &text, e));
	reading->texts++;
	return add_text(reading->list, name_of(reading, image), text);
}

/* ---- Machine code ------------------------------------------------------------------ */

static int add_symbol(const struct cubin_symbol *symbol, void *data, struct err *e)
{
	struct link_list *list = data;
	struct link_machine *slot;

	if (!symbol->defined)
		return 0;
	slot = array_grow(&list->machine, list->machine_count, sizeof(*slot));
	if (!slot)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the names of a cubin");
	slot->input = list->names[list->name_count - 1];
	slot->name = strdup(symbol->name);
	if (!slot->name)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the names of a cubin");
	list->machine_count++;
	return 0;
}

/* Notes what @image, which is for the linker, defines. */
static CUresult note_machine(struct reading *reading, struct image *image, struct err *e)
{
	CLEANUP(image_payload_release) struct image_payload payload = { 0 };
	struct link_list *list = reading->list;
	char **slot = array_grow(&list->names, list->name_count, sizeof(*slot));

	if (slot)
		*slot = name_of(reading, image);
	if (!slot || !*slot)
		return CUDA_ERROR_OUT_OF_MEMORY;
	list->name_count++;
	if (image_unpack(reading->file, image, &payload, e))
		return CUDA_ERROR_INVALID_IMAGE;
	if (cubin_symbols(payload.bytes, add_symbol, list, e))
		return e->code == GPURUN_NO_MEMORY ? CUDA_ERROR_OUT_OF_MEMORY :
						     CUDA_ERROR_INVALID_IMAGE;
	reading->passed++;
	reading->kernels |= image_has_kernel(image);
	return CUDA_SUCCESS;
}

/* The machine code of a part that this device would link, if it could; NULL: none is for that. */
static struct image *find_machine(struct reading *reading)
{
	struct image *best = NULL;
	const size_t *numbers;
	const size_t count = image_part_members(reading->file, reading->part, &numbers);

	for (size_t i = 0; i < count; i++) {
		struct image *image = image_at(reading->file, numbers[i]);

		if (image_kernels(reading->file, image, NULL) || !image->relocatable ||
		    image->kind != IMAGE_CUBIN || image->problem)
			continue;
		if (!best || (image->arch <= config.cc && image->arch > best->arch))
			best = image;
	}
	return best;
}

/* ---- Inputs ------------------------------------------------------------------------ */

static CUresult add_part(struct reading *reading, struct err *e)
{
	const struct image_target target = { .arch = config.cc, .ptx_only = true };
	struct image *image = image_choose_part(reading->file, reading->part, &target);

	if (image)
		return add_image(reading, image, e);
	image = find_machine(reading);
	return image ? note_machine(reading, image, e) : CUDA_SUCCESS;
}

static CUresult add_file(struct link_list *list, struct bytes image, bool objects,
			 const char *name, struct err *e)
{
	CLEANUP(reading_release) struct reading reading = { .list = list, .name = name };

	TRY(jit_open(&image, objects, name, &reading.file, e));
	image_file_link(reading.file);
	for (; reading.part < image_containers(reading.file); reading.part++)
		TRY(add_part(&reading, e));
	if (reading.texts || (reading.passed && !reading.kernels))
		return CUDA_SUCCESS;
	return jit_refuse(reading.file, image, e);
}

CUresult link_list_add(struct link_list *list, struct bytes image, bool objects, const char *name,
		       struct err *e)
{
	CLEANUP(free_pointer) char *label = name ? strdup(name) : number_of(list);
	struct bytes text;

	if (!label)
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (jit_is_file(&image, objects))
		return add_file(list, image, objects, label, e);
	TRY(jit_text(image, &text, e));
	return add_text(list, STEAL(label), text);
}
