/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "extract.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "array.h"
#include "cleanup.h"
#include "describe.h"
#include "extract_name.h"
#include "file.h"
#include "images.h"
#include "message.h"
#include "output.h"
#include "output_options.h"
#include "sources.h"

/* What became of an image. */
struct extracted {
	const struct source *source;
	size_t number;
	char *path;    /* owned; where it is to be written */
	char *problem; /* owned; why it is not; NULL when it is */
	uint64_t size;
};

struct extraction {
	const struct plan *plan;
	struct extracted *items; /* owned */
	size_t count, failed;
};

static void release(struct extraction *extraction)
{
	for (size_t i = 0; i < extraction->count; i++) {
		free(extraction->items[i].path);
		free(extraction->items[i].problem);
	}
	free(extraction->items);
}

/* ---- What is to be written ------------------------------------------------------------ */

static int no_memory(struct err *e)
{
	return err_set(e, GPURUN_NO_MEMORY, "no memory for the names of files");
}

static int add_image(struct extraction *extraction, const struct source *source, size_t number,
		     struct err *e)
{
	const char *folder = extraction->plan->topic;
	const bool ends = *folder && folder[strlen(folder) - 1] == '/';
	struct image *image = image_at(source->file, number);
	struct extracted *item =
		array_grow(&extraction->items, extraction->count, sizeof(*item));
	char name[EXTRACT_NAME_SIZE];

	if (!item)
		return no_memory(e);
	image_peek(source->file, image);
	extract_name(source->name, number, image, name);
	*item = (struct extracted){ .source = source, .number = number };
	if (asprintf(&item->path, "%s%s%s", folder, ends ? "" : "/", name) < 0) {
		item->path = NULL;
		return no_memory(e);
	}
	extraction->count++;
	return 0;
}

static int collect(struct extraction *extraction, struct err *e)
{
	const struct plan *plan = extraction->plan;

	for (size_t i = 0; i < plan->source_count; i++) {
		const struct source *source = &plan->sources[i];

		for (size_t j = 0; j < image_count(source->file); j++)
			if (sources_wants(source, j))
				TRY(add_image(extraction, source, j, e));
	}
	return 0;
}

static int make_folder(const char *path, struct err *e)
{
	struct stat status;

	if (!*path)
		return err_set(e, GPURUN_INVALID, "--extract: an empty name of a folder");
	if (!mkdir(path, 0777))
		return 0;
	if (errno != EEXIST)
		return err_set(e, GPURUN_IO, "%s: cannot make the folder: %s", path,
			       strerror(errno));
	if (stat(path, &status) || !S_ISDIR(status.st_mode))
		return err_set(e, GPURUN_IO, "%s: is no folder", path);
	return 0;
}

/* A name that leads elsewhere would be written there. */
static int check_link(const struct extracted *item, struct err *e)
{
	struct stat status;

	if (!lstat(item->path, &status) && !S_ISREG(status.st_mode))
		return err_set(e, GPURUN_IO, "%s: is no regular file", item->path);
	return 0;
}

static int check_targets(const struct extraction *extraction, struct err *e)
{
	for (size_t i = 0; i < extraction->count; i++) {
		TRY(check_link(&extraction->items[i], e));
		TRY(file_check_target(extraction->items[i].path,
				      extraction->plan->output->force, e));
	}
	return 0;
}

/* ---- Writing ---------------------------------------------------------------------------- */

/* What cannot be unpacked by anyone is written as it is in the file. */
static int unpack(const struct extracted *item, const struct image *image,
		  struct image_payload *payload, struct err *e)
{
	if (!image->obfuscated)
		return image_unpack(item->source->file, image, payload, e);
	payload->bytes = image_stored(image);
	return 0;
}

/* Keeps, and warns of, why the image of @item is not written. */
static int note_problem(struct extraction *extraction, struct extracted *item,
			const struct err *why, struct err *e)
{
	item->problem = strdup(why->text);
	if (!item->problem)
		return no_memory(e);
	message_warning("image %zu is left out: %s", item->number, why->text);
	extraction->failed++;
	return 0;
}

static void print_item(const struct extracted *item, const struct image *image)
{
	char words[64];

	output_text("%s  %llu bytes  %s\n", item->path, (unsigned long long)item->size,
		    image_describe(image, words, sizeof(words)));
}

static int write_item(struct extraction *extraction, struct extracted *item, struct err *e)
{
	CLEANUP(image_payload_release) struct image_payload payload = { 0 };
	const struct output_options *output = extraction->plan->output;
	struct image *image = image_at(item->source->file, item->number);
	struct err why = { 0 };
	int status = unpack(item, image, &payload, &why);

	if (status == GPURUN_NO_MEMORY)
		*e = why;
	if (status)
		return status == GPURUN_NO_MEMORY ? status :
						    note_problem(extraction, item, &why, e);
	TRY(file_replace(item->path, &payload.bytes, 1, output->force, e));
	item->size = payload.bytes.size;
	if (!output->json.wanted)
		print_item(item, image);
	image_forget(item->source->file, image);
	return 0;
}

/* ---- JSON ------------------------------------------------------------------------------- */

static void json_item(struct json *json, const struct extracted *item)
{
	const struct image *image = image_at(item->source->file, item->number);

	json_object(json, NULL);
	images_json_members(json, item->source, item->number, image);
	if (item->problem) {
		json_string(json, "file", NULL);
		json_string(json, "failure", item->problem);
	} else {
		json_string(json, "file", item->path);
		json_unsigned(json, "bytes", item->size);
	}
	json_end_object(json);
}

static int json_files(struct json *json, const struct plan *plan, void *data, struct err *e)
{
	const struct extraction *extraction = data;

	(void)plan, (void)e;
	json_array(json, "files");
	for (size_t i = 0; i < extraction->count; i++)
		json_item(json, &extraction->items[i]);
	json_end_array(json);
	return 0;
}

/* ---- The whole -------------------------------------------------------------------------- */

int extract_write(const struct plan *plan, struct err *e)
{
	CLEANUP(release) struct extraction extraction = { .plan = plan };
	struct err failure = { 0 };

	TRY(collect(&extraction, e));
	TRY(make_folder(plan->topic, e));
	TRY(check_targets(&extraction, e));
	for (size_t i = 0; i < extraction.count; i++)
		TRY(write_item(&extraction, &extraction.items[i], e));
	if (extraction.failed)
		err_set(&failure, GPURUN_FORMAT, "%zu of %zu images cannot be unpacked",
			extraction.failed, extraction.count);
	if (plan->output->json.wanted)
		TRY(describe_json(plan, "extract", json_files, &extraction,
				  failure.code ? &failure : NULL, e));
	if (!failure.code)
		return describe_damage(plan, e);
	*e = failure;
	return failure.code;
}
