/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "globals.h"

#include "output.h"
#include "sources.h"

/* Where the variables of an image go. */
struct globals {
	struct json *json; /* NULL: to stdout */
	const char *heading; /* NULL: none, or it is printed */
	const char *indent;
	const struct source *source;
	size_t image;
};

/* Of each image: a variable may differ from one to the other. */
static void print_one(const struct variable_info *variable, void *data)
{
	struct globals *to = data;
	char words[64], name[1024];

	if (!variable->length)
		return;
	snprintf(name, sizeof(name), "%.*s", (int)variable->length, variable->name);
	image_describe(image_at(to->source->file, to->image), words, sizeof(words));
	if (!to->json) {
		if (to->heading) {
			putchar('\n');
			output_text("%s\n", to->heading);
		}
		to->heading = NULL;
		output_text("%s%s  %llu bytes%s%s  %zu: %s\n", to->indent, name,
			    (unsigned long long)variable->size, *variable->type ? "  " : "",
			    variable->type, to->image, words);
		return;
	}
	json_object(to->json, NULL);
	json_string(to->json, "name", name);
	json_unsigned(to->json, "bytes", variable->size);
	json_string(to->json, "type", *variable->type ? variable->type : NULL);
	json_unsigned(to->json, "index", to->image);
	json_string(to->json, "image", words);
	json_end_object(to->json);
}

static void print_image(struct globals *to, size_t number)
{
	struct image *image = image_at(to->source->file, number);
	struct err ignored;

	if (!sources_wants(to->source, number) || image->problem ||
	    (image->relocatable && !image_kernels(to->source->file, image, &ignored) &&
	     image->of_runtime))
		return;
	to->image = number;
	image_variables(to->source->file, image, print_one, to, &ignored);
}

void globals_print(const struct source *source, uint32_t container, const char *heading,
		  struct json *json)
{
	struct globals to = { json, heading, heading ? "  " : "", source, 0 };
	const bool all = container == GLOBALS_ALL;
	const size_t *numbers = NULL;
	size_t count = all ? image_count(source->file) :
			     image_members(source->file, container, &numbers);

	for (size_t i = 0; i < count && (json || !ferror(stdout)); i++) {
		const size_t number = all ? i : numbers[i];

		print_image(&to, number);
		if (all) /* or a list that the caller uses would go */
			image_forget(source->file, image_at(source->file, number));
	}
}
