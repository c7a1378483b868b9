/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "images.h"

#include "asserts.h"
#include "cleanup.h"
#include "offload.h"
#include "output.h"
#include "sources.h"
#include "visible.h"

/* What headers say of it: nothing is unpacked. */
static const struct image *look_at(const struct source *source, size_t index)
{
	struct image *image = image_at(source->file, index);

	image_peek(source->file, image);
	return image;
}

/* ---- Lines ------------------------------------------------------------ */

static void print_offload(const struct offload_entry *entry)
{
	output_text("  producer=%s", offload_producer(entry));
	for (size_t i = 0; i < entry->string_count; i++) {
		const struct offload_string *string = &entry->strings[i];

		output_text(" %s=", string->key);
		visible_write(stdout, (const char *)string->value.data, string->value.size,
			      VISIBLE_NAME);
	}
}

static void print_image(const struct source *source, size_t index)
{
	const struct image *image = look_at(source, index);
	char text[64];

	output_text("%s%s%zu: %s", source->name, *source->name ? ":" : "", index,
		    image_describe(image, text, sizeof(text)));
	if (*image->where)
		output_text("  %s", image->where);
	if (image->offload)
		print_offload(image->offload);
	if (image->problem)
		output_text("  %s\n", image->problem);
	else
		output_text("  %llu bytes\n", (unsigned long long)image->size);
}

/* How many images of @source have no number, as there is nothing in them. */
static size_t count_empty(const struct source *source)
{
	return source->wanted ? 0 : image_file_empty(source->file);
}

void images_print(const struct plan *plan)
{
	for (size_t i = 0; i < plan->source_count; i++) {
		const struct source *source = &plan->sources[i];
		const size_t empty = count_empty(source);

		for (size_t j = 0; j < image_count(source->file) && !ferror(stdout); j++)
			if (sources_wants(source, j))
				print_image(source, j);
		if (empty)
			output_text("%s%sand %zu image%s without a kernel\n", source->name,
				    *source->name ? ": " : "", empty, empty == 1 ? "" : "s");
	}
}

/* ---- JSON ------------------------------------------------------------- */

static const char *const kinds[] = {
	[IMAGE_PTX] = "ptx",         [IMAGE_CUBIN] = "sass",
	[IMAGE_LTOIR] = "lto-ir",    [IMAGE_RELOCATABLE] = "relocatable",
	[IMAGE_BITCODE] = "bitcode", [IMAGE_FOREIGN] = "foreign",
	[IMAGE_UNKNOWN] = "unknown",
};

static void json_bytes(struct json *json, const char *key, struct bytes bytes)
{
	CLEANUP(free_pointer) char *text = calloc(1, bytes.size + 1);

	if (text && bytes.size)
		memcpy(text, bytes.data, bytes.size);
	if (text)
		json_text(json, key, text, bytes.size);
	else
		json_string(json, key, NULL);
}

void images_json_offload(struct json *json, const struct image *image)
{
	const struct offload_entry *entry = image->offload;

	if (!entry)
		return;
	json_object(json, "offload");
	json_string(json, "producer", offload_producer(entry));
	json_object(json, "strings");
	for (size_t i = 0; i < entry->string_count; i++)
		json_bytes(json, entry->strings[i].key, entry->strings[i].value);
	json_end_object(json);
	json_end_object(json);
}

void images_json_place(struct json *json, const struct image *image)
{
	json_unsigned(json, "offset", image->offset);
	json_unsigned(json, "stored", image->stored);
	json_unsigned(json, "size", image->size);
	if (image->codec != CODEC_NONE)
		json_string(json, "compression", codec_name(image->codec));
}

/* What is to be linked says that, and then what it is. */
static void json_kind(struct json *json, const struct image *image)
{
	const bool relocatable = image->relocatable || image->kind == IMAGE_RELOCATABLE;

	ASSERT(image->kind < sizeof(kinds) / sizeof(kinds[0]) && kinds[image->kind]);
	json_string(json, "kind", relocatable ? "relocatable" : kinds[image->kind]);
	if (relocatable)
		json_string(json, "code", image_is_text(image) ? "ptx" : "sass");
}

void images_json_members(struct json *json, const struct source *source, size_t index,
			 const struct image *image)
{
	char text[64];

	if (*source->name)
		json_string(json, "from", source->name);
	json_unsigned(json, "index", index);
	json_string(json, "image", image_describe(image, text, sizeof(text)));
	json_kind(json, image);
	json_string(json, "where", image->where);
	images_json_place(json, image);
	images_json_offload(json, image);
	if (image->problem)
		json_string(json, "problem", image->problem);
}

static void json_image(struct json *json, const struct source *source, size_t index)
{
	json_object(json, NULL);
	images_json_members(json, source, index, look_at(source, index));
	json_end_object(json);
}

void images_json(struct json *json, const struct plan *plan)
{
	size_t empty = 0;

	json_array(json, "images");
	for (size_t i = 0; i < plan->source_count; i++) {
		empty += count_empty(&plan->sources[i]);
		for (size_t j = 0; j < image_count(plan->sources[i].file); j++)
			if (sources_wants(&plan->sources[i], j))
				json_image(json, &plan->sources[i], j);
	}
	json_end_array(json);
	if (empty)
		json_unsigned(json, "images_without_kernel", empty);
}
