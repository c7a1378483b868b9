/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "unit_load.h"

#include <stdlib.h>
#include <string.h>

#include "asserts.h"
#include "cleanup.h"
#include "cubin.h"
#include "library.h"
#include "message.h"
#include "sources.h"

/* ---- A name that is missing ---------------------------------------------------- */

/* What is looked for in images that were left out. */
struct missing {
	char name[256];
	bool found;
};

static int compare(const struct cubin_symbol *symbol, void *data, struct err *e)
{
	struct missing *search = data;

	(void)e;
	search->found |= symbol->defined && !strcmp(symbol->name, search->name);
	return search->found;
}

/* Tells whether @image is machine code alone that defines what is missing. */
static bool has_name(const struct source *source, const struct image *image, struct missing *search)
{
	CLEANUP(image_payload_release) struct image_payload payload = { 0 };
	struct err ignored;

	if (image_is_text(image) || image->line_arch || !image->relocatable ||
	    image_unpack(source->file, image, &payload, &ignored))
		return false;
	cubin_symbols(payload.bytes, compare, search, &ignored);
	return search->found;
}

/* The name that @text, of a driver, says is missing: what it quotes first. */
static bool read_name(const char *text, struct missing *search)
{
	const char *begin = strchr(text, '\'');
	const size_t length = begin ? strcspn(begin + 1, "'") : 0;

	if (!length || length >= sizeof(search->name))
		return false;
	memcpy(search->name, begin + 1, length);
	search->name[length] = '\0';
	return true;
}

/* Says which image of @source has what is missing; false: none. */
static bool hint_image(const struct source *source, struct missing *search, struct err *e)
{
	char words[64];

	for (size_t i = 0; i < image_count(source->file); i++) {
		const struct image *image = image_at(source->file, i);

		if (!has_name(source, image, search))
			continue;
		err_hint(e, "image %zu of %s defines it, %s without PTX: compile that translation "
			"unit to PTX too", i, source->path,
			 image_describe(image, words, sizeof(words)));
		return true;
	}
	return false;
}

/* Drivers say it so where what an image declares is defined nowhere. */
static int hint_missing(const struct source *source, struct err *e)
{
	static const char *const words[] = { "declared .extern", "Unresolved extern",
					     "Undefined reference" };
	struct missing search = { 0 };
	const char *said = NULL;

	if (!*e->hint && strstr(e->text, "as machine code alone"))
		return err_hint(e, "compile that translation unit to PTX too: nvcc -gencode "
				"arch=compute_90,code=compute_90, or with -lineinfo");
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]) && !said; i++)
		said = strstr(e->text, words[i]);
	if (!said || *e->hint)
		return (int)e->code;
	/* The other drivers name it afterwards. */
	if (strncmp(said, words[0], strlen(words[0])) && read_name(said, &search) &&
	    hint_image(source, &search, e))
		return (int)e->code;
	return err_hint(e, "--link FILE joins the file that defines it");
}

/* ---- The driver's linker ------------------------------------------------------- */

/* Of parts of one file, each with its number. */
static int name_part(const struct link_part *part, char **name, struct err *e)
{
	const struct image_file *file = part->source->file;
	int length;

	if (image_containers(file) == 1)
		length = asprintf(name, "%s", part->source->path);
	else
		length = asprintf(name, "image %zu of %s", image_index(file, part->chosen),
				  part->source->path);
	if (length >= 0)
		return 0;
	*name = NULL;
	return err_set(e, GPURUN_NO_MEMORY, "no memory for a module");
}

/* What the linker gets. */
struct inputs {
	struct gpurun_link_input *at; /* owned */
	char **names;                 /* owned, and each */
	size_t count;
};

static void release_inputs(struct inputs *inputs)
{
	for (size_t i = 0; inputs->names && i < inputs->count; i++)
		free(inputs->names[i]);
	free(inputs->names);
	free(inputs->at);
}

static int collect(const struct bound_unit *bound, struct inputs *inputs, struct err *e)
{
	ASSERT(bound->part_count);
	inputs->count = bound->part_count;
	inputs->at = calloc(bound->part_count, sizeof(*inputs->at));
	inputs->names = calloc(bound->part_count, sizeof(*inputs->names));
	if (!inputs->at || !inputs->names)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for a module");
	for (size_t i = 0; i < bound->part_count; i++) {
		const struct link_part *part = &bound->parts[i];

		TRY(name_part(part, &inputs->names[i], e));
		inputs->at[i] = (struct gpurun_link_input){ part->load.data, part->load.size,
							    inputs->names[i] };
	}
	return 0;
}

/* Lets the driver join the parts of @bound. */
static int link_parts(struct gpurun_device device, const struct source *source,
		      const struct bound_unit *bound, struct gpurun_module *module, struct err *e)
{
	CLEANUP(release_inputs) struct inputs inputs = { 0 };

	TRY(collect(bound, &inputs, e));
	if (!CALL(gpurun_module_link(device, inputs.at, inputs.count, module), e))
		return 0;
	message_log(gpurun_error_log());
	err_wrap(e, "linking %s", source->path);
	return hint_missing(source, e);
}

int unit_load(struct gpurun_device device, const struct source *source,
	      const struct bound_unit *bound, struct gpurun_module *module, struct err *e)
{
	if (bound->part_count)
		return link_parts(device, source, bound, module, e);
	if (!CALL(gpurun_module_load(device, bound->load.data, bound->load.size, module), e))
		return 0;
	/* What there is in place of an image tells more than the log. */
	if (e->code != GPURUN_NO_IMAGE)
		message_log(gpurun_error_log());
	err_wrap(e, "%s", source->path);
	return hint_missing(source, e);
}
