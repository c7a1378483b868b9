/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sources.h"

#include <stdlib.h>
#include <string.h>

#include "asserts.h"
#include "file.h"
#include "join.h"
#include "message.h"
#include "near.h"
#include "options.h"
#include "pick.h"
#include "progress.h"

static struct source *find_named(const struct plan *plan, const char *name, size_t length)
{
	for (size_t i = 0; i < plan->source_count; i++) {
		struct source *source = &plan->sources[i];

		if (length && !strncmp(source->name, name, length) &&
		    !source->name[length])
			return source;
	}
	return NULL;
}

/* ---- opening ---- */

static int find_kernels(struct plan *plan, struct source *source, struct err *e)
{
	struct err reason = { 0 };
	int status;

	if (plan->options->mode == MODE_LIST || plan->options->mode == MODE_EXTRACT ||
	    (plan->options->mode == MODE_INFO && !plan->topic))
		return 0; /* these go through them by themselves */
	status = lookup_add(&plan->lookup, source->name, source->file, source->wanted, &reason);
	if (!status)
		return 0;
	*e = reason;
	return status == GPURUN_NO_IMAGE ? err_wrap(e, "%s", source->path) : status;
}

static int open_source(struct plan *plan, const char *path, struct source *source,
		       struct err *e)
{
	source->path = path;
	progress_begin(PROGRESS_SCAN, path, 0, 0);
	if (file_take_stdin(path, source->linked ? "--link" :
				  *source->name ? "--load" : "the kernel file", e))
		return err_wrap(e, "%s%s-", source->name, *source->name ? "=" : "");
	if (image_file_open(path, &source->file, e))
		return near_file(plan->options, path, e);
	image_file_link(source->file);
	if (!*source->name && !source->linked && plan->options->image_pick)
		TRY(pick_images(source, plan->options->image_pick, e));
	return find_kernels(plan, source, e);
}

/* Reads and opens the NAME=FILE of a --load. */
static int open_load(struct plan *plan, const char *text, struct err *e)
{
	struct source *source = &plan->sources[plan->source_count];
	size_t length = strcspn(text, "=");

	if (!text[length] || !text[length + 1])
		return err_set(e, GPURUN_INVALID, "--load %s: not NAME=FILE", text);
	if (buffer_name_parse(text, length, source->name, e))
		return err_wrap(e, "--load %s", text);
	if (find_named(plan, text, length))
		return err_set(e, GPURUN_INVALID, "--load %s: there is a --load %s already",
			       text, source->name);
	plan->source_count++;
	return open_source(plan, text + length + 1, source, e);
}

/* Opens the files of --link, which go with FILE. */
static int open_links(struct plan *plan, struct err *e)
{
	const struct texts *links = &plan->options->links;

	if (links->count && !plan->options->image) {
		err_set(e, GPURUN_INVALID, "--link %s: no file given", links->at[0]);
		return err_hint(e, "it is joined with FILE, not with what --load names");
	}
	plan->lookup.joined = links->count > 0;
	for (size_t i = 0; i < links->count; i++) {
		struct source *source = &plan->sources[plan->source_count++];

		source->linked = true;
		TRY(open_source(plan, links->at[i], source, e));
	}
	return 0;
}

int sources_open(struct plan *plan, struct err *e)
{
	const struct options *options = plan->options;

	if (options->image_pick && !options->image) {
		err_set(e, GPURUN_INVALID, "--image %s: no file given",
			options->image_pick);
		return err_hint(e, "it picks an image of FILE, not of what --load names");
	}
	plan->sources = calloc(options->loads.count + options->links.count + 1,
			       sizeof(*plan->sources));
	if (!plan->sources)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the files");
	if (options->image)
		TRY(open_source(plan, options->image,
				&plan->sources[plan->source_count++], e));
	TRY(open_links(plan, e));
	for (size_t i = 0; i < options->loads.count; i++)
		TRY(open_load(plan, options->loads.at[i], e));
	return 0;
}

void sources_warn(const struct plan *plan)
{
	for (size_t i = 0; i < plan->source_count; i++) {
		const char *damage = image_file_damage(plan->sources[i].file);

		if (damage)
			message_warning("%s: damaged: %s; what is launched was read whole",
					plan->sources[i].path, damage);
	}
}

void sources_release(struct plan *plan)
{
	for (size_t i = 0; i < plan->source_count; i++) {
		free(plan->sources[i].wanted);
		free(plan->sources[i].units);
		image_file_free(plan->sources[i].file);
	}
	free(plan->sources);
}

/* ---- launching from them ---- */

const struct source *sources_of(const struct plan *plan,
				const struct lookup_kernel *kernel)
{
	size_t i = 0;

	while (plan->sources[i].file != kernel->file) {
		i++;
		ASSERT(i < plan->source_count);
	}
	return &plan->sources[i];
}

/* The length of NAME if @text looks like NAME:KERNEL, not like NAMESPACE::KERNEL; else 0. */
static size_t name_length(const char *text)
{
	char name[NAME_SIZE];
	size_t length = strcspn(text, ":");

	if (!text[length] || text[length + 1] == ':' ||
	    buffer_name_parse(text, length, name, NULL))
		return 0;
	return length;
}

int sources_find_kernel(const struct plan *plan, struct launch *launch, const char *text,
			struct err *e)
{
	size_t length = name_length(text);
	const struct source *source = find_named(plan, text, length);
	const char *scope = source ? source->name : NULL;

	if (source)
		text += length + 1;
	if (lookup_find(&plan->lookup, scope, text, &launch->kernel, &launch->level, e)) {
		if (length && !source)
			err_hint(e, "nothing is loaded as %.*s; see --load", (int)length,
				 text);
		return (int)e->code;
	}
	source = sources_of(plan, launch->kernel);
	if (source->unloaded)
		return err_set(e, GPURUN_INVALID,
			       "%s:%s is launched after --unload %s", source->name,
			       launch->kernel->signature, source->name);
	return 0;
}

int sources_accept_prefix(const struct plan *plan, const struct launch *launch,
			  const char *name, struct err *e)
{
	const char *found = launch->kernel->signature;

	if (launch->level != LOOKUP_PREFIX)
		return 0;
	if (plan->output->json.wanted || plan->output->quiet) {
		err_set(e, GPURUN_NOT_FOUND,
			"no kernel is called %s; it could be short for %s", name, found);
		return err_hint(e, "with --json and -q the whole name is needed");
	}
	message_note("taking %s for %s", found, name);
	return 0;
}

/* ---- unloading them ---- */

static int not_loaded(const struct plan *plan, struct err *e)
{
	char names[ERR_TEXT_SIZE / 2] = "";
	size_t at = 0;

	for (size_t i = 0; i < plan->source_count && at < sizeof(names); i++) {
		if (*plan->sources[i].name)
			at += (size_t)snprintf(names + at, sizeof(names) - at, "%s%s",
					       at ? ", " : "", plan->sources[i].name);
	}
	err_set(e, GPURUN_INVALID, "nothing is loaded under that name");
	if (at)
		return err_hint(e, "there is %s", names);
	return err_hint(e, "what --load NAME=FILE loads can be unloaded, FILE alone cannot");
}

int sources_unload(struct plan *plan, struct step *step, struct err *e)
{
	const char *name = step->action->value;
	struct source *source = find_named(plan, name, strlen(name));

	if (!source)
		return not_loaded(plan, e);
	if (source->unloaded)
		return err_set(e, GPURUN_INVALID, "it is unloaded already");
	source->unloaded = true;
	step->source = (size_t)(source - plan->sources);
	return 0;
}

/* ---- reporting them ---- */

static void json_source(struct json *json, const struct source *source, sources_more *more,
			const void *data)
{
	json_object(json, *source->name || source->linked ? NULL : "image");
	if (*source->name)
		json_string(json, "name", source->name);
	json_string(json, "path", source->path);
	if (source->file) {
		json_string(json, "kind", image_file_kind(source->file));
		if (more)
			more(json, source, data);
	}
	json_end_object(json);
}

/* Writes an array of those from @i on that are of --link, or of --load. */
static void json_sources(struct json *json, const struct plan *plan, size_t *i, bool linked,
			 sources_more *more, const void *data)
{
	if (*i == plan->source_count || plan->sources[*i].linked != linked)
		return;
	json_array(json, linked ? "linked" : "loaded");
	for (; *i < plan->source_count && plan->sources[*i].linked == linked; ++*i)
		json_source(json, &plan->sources[*i], more, data);
	json_end_array(json);
}

void sources_json(struct json *json, const struct plan *plan, sources_more *more,
		  const void *data)
{
	const struct source named = { .path = plan->options->image };
	size_t i = 0;

	if (plan->source_count && !*plan->sources[0].name)
		json_source(json, &plan->sources[i++], more, data);
	else if (named.path)
		json_source(json, &named, more, data);
	json_sources(json, plan, &i, true, more, data);
	json_sources(json, plan, &i, false, more, data);
}
