/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "list.h"

#include <fnmatch.h>
#include <string.h>

#include "args.h"
#include "asserts.h"
#include "columns.h"
#include "complete.h"
#include "describe.h"
#include "geometry.h"
#include "globals.h"
#include "images.h"
#include "kernel_json.h"
#include "output_options.h"
#include "pick.h"
#include "sources.h"
#include "visible.h"

/* "24 registers, 4096 B shared, block 256x1x1", as far as the images have it. */
static void print_resources(FILE *to, const struct source *source,
			    const struct lookup_kernel *kernel)
{
	const struct kernel_info *info = kernel->info;
	struct resources resources = { -1, -1 };
	const char *comma = "";
	char text[40];

	for (size_t i = 0; i < kernel->image_count; i++) {
		const struct kernel_info *found =
			kernel_of_image(source, kernel->images[i], kernel->name);

		if (found)
			resources_add(&resources, found);
	}
	if (resources.registers >= 0) {
		visible_printf(to, "%s%d registers", comma, resources.registers);
		comma = ", ";
	}
	if (resources.shared > 0) {
		visible_printf(to, "%s%lld B shared", comma, (long long)resources.shared);
		comma = ", ";
	}
	if (info->required_block[0])
		visible_printf(to, "%sblock %s", comma,
			       geometry_format(info->required_block, text));
	else if (info->max_block[0])
		visible_printf(to, "%sblock up to %s", comma,
			       geometry_format(info->max_block, text));
}

static void print_images_of(FILE *to, const struct source *source,
			    const struct lookup_kernel *kernel)
{
	const char *comma = "";

	for (size_t i = 0; i < kernel->image_count; i++) {
		const size_t number = kernel->images[i];
		char text[64];

		visible_printf(to, "%s%zu: %s", comma, number,
			       image_describe(image_at(source->file, number), text, sizeof(text)));
		comma = ", ";
	}
}

/* As --launch takes it: with the name of the --load before it. */
static void print_name(FILE *to, const struct lookup_kernel *kernel)
{
	visible_printf(to, "%s%s%s", kernel->scope, *kernel->scope ? ":" : "", kernel->name);
}

/*
 * Cells of a kernel: name, C++ signature, parameters, resources, images. A terminal has room for
 * one name, that of C++ where there is one, which --launch takes as well.
 */

static void print_kernel(struct columns *columns, const struct plan *plan,
			 const struct lookup_kernel *kernel)
{
	FILE *to = columns_row(columns);
	const bool cpp = strcmp(kernel->name, kernel->signature) != 0;
	char signature[1024];

	if (!to)
		return;
	args_signature("", kernel->info, signature, sizeof(signature));
	if (columns->width) {
		visible_printf(to, "%s%s%s", kernel->scope, *kernel->scope ? ":" : "",
			       kernel->signature);
	} else {
		print_name(to, kernel);
		fputc('\t', to);
		visible_printf(to, "%s", cpp ? kernel->signature : "");
	}
	fputc('\t', to);
	visible_printf(to, "%s", signature);
	fputc('\t', to);
	print_resources(to, sources_of(plan, kernel), kernel);
	fputc('\t', to);
	print_images_of(to, sources_of(plan, kernel), kernel);
	columns_end_row(columns);
}

/* Where a list is written; @print is called for each kernel. */
struct listing {
	const struct plan *plan;
	struct json *json;   /* NULL: to stdout */
	const char *pattern; /* of the names that are listed; NULL: all */
	size_t listed;
	void (*print)(const struct listing *listing, const struct lookup_kernel *kernel);
	struct columns *columns; /* of print_one() */
};

static bool is_listed(const struct listing *listing, const struct lookup_kernel *kernel)
{
	return !listing->pattern || !fnmatch(listing->pattern, kernel->name, 0) ||
	       !fnmatch(listing->pattern, kernel->base, 0) ||
	       !fnmatch(listing->pattern, kernel->signature, 0);
}

static bool visit(const struct lookup *lookup, void *data)
{
	struct listing *listing = data;

	for (size_t i = 0; i < lookup->count; i++) {
		if (!is_listed(listing, &lookup->kernels[i]))
			continue;
		listing->print(listing, &lookup->kernels[i]);
		listing->listed++;
	}
	return listing->json || !ferror(stdout);
}

static int each_kernel(struct listing *listing, struct err *e)
{
	for (size_t i = 0; i < listing->plan->source_count; i++) {
		const struct source *source = &listing->plan->sources[i];
		int status = lookup_each(source->name, source->file, source->wanted, visit, listing,
					 e);

		if (status)
			return status == GPURUN_NO_IMAGE ? err_wrap(e, "%s", source->path) :
							   status;
	}
	if (listing->listed || !listing->pattern)
		return 0;
	err_set(e, GPURUN_NOT_FOUND, "no kernel matches '%s'", listing->pattern);
	return err_hint(e, "a pattern is a shell's: '*gemm*'; --list has all kernels, "
			   "--list=images and --list=vars the images and variables");
}

static void json_one(const struct listing *listing, const struct lookup_kernel *kernel)
{
	json_object(listing->json, NULL);
	kernel_json(listing->json, listing->plan, kernel, false);
	json_end_object(listing->json);
}

static int json_kernels(struct json *json, const struct plan *plan, const char *pattern,
			struct err *e)
{
	struct listing listing = { plan, json, pattern, 0, json_one, NULL };

	json_array(json, "kernels");
	TRY(each_kernel(&listing, e));
	json_end_array(json);
	return 0;
}

/* ---- What is listed ------------------------------------------------------------ */

static int print_variables(const struct plan *plan, const char *pattern, struct err *e)
{
	(void)pattern, (void)e;
	for (size_t i = 0; i < plan->source_count && !ferror(stdout); i++)
		globals_print(&plan->sources[i], GLOBALS_ALL, NULL, NULL);
	return 0;
}

static int json_variables(struct json *json, const struct plan *plan, const char *pattern,
			  struct err *e)
{
	(void)pattern, (void)e;
	json_array(json, "variables");
	for (size_t i = 0; i < plan->source_count; i++)
		globals_print(&plan->sources[i], GLOBALS_ALL, NULL, json);
	json_end_array(json);
	return 0;
}

static int json_images_all(struct json *json, const struct plan *plan, const char *pattern,
			   struct err *e)
{
	(void)pattern, (void)e;
	images_json(json, plan);
	return 0;
}

static void print_one_name(const struct listing *listing, const struct lookup_kernel *kernel)
{
	(void)listing;
	print_name(stdout, kernel);
	putchar('\n');
}

static void print_one(const struct listing *listing, const struct lookup_kernel *kernel)
{
	print_kernel(listing->columns, listing->plan, kernel);
}

static int print_names(const struct plan *plan, const char *pattern, struct err *e)
{
	return each_kernel(&(struct listing){ plan, NULL, pattern, 0, print_one_name, NULL }, e);
}

static int print_kernels(const struct plan *plan, const char *pattern, struct err *e)
{
	CLEANUP(columns_release) struct columns columns;
	struct listing listing = { plan, NULL, pattern, 0, print_one, &columns };

	columns_begin(&columns, 1);
	TRY(each_kernel(&listing, e));
	return columns_end(&columns, e);
}

static int print_images(const struct plan *plan, const char *pattern, struct err *e)
{
	(void)pattern, (void)e;
	images_print(plan);
	return 0;
}

static int print_completions(const struct plan *plan, const char *pattern, struct err *e)
{
	(void)pattern;
	return complete_kernels(plan, e);
}

static int print_variable_completions(const struct plan *plan, const char *pattern, struct err *e)
{
	(void)pattern, (void)e;
	complete_variables(plan);
	return 0;
}

/* What --list=WHAT names; anything else is a pattern for the first. */
static const struct topic {
	const char *name;
	int (*print)(const struct plan *plan, const char *pattern, struct err *e);
	int (*report)(struct json *json, const struct plan *plan, const char *pattern,
		      struct err *e);
} topics[] = {
	{ "kernels", print_kernels, json_kernels },
	{ "images", print_images, json_images_all },
	{ "names", print_names, json_kernels },
	{ "vars", print_variables, json_variables },
	/* Asked by the completions of shells, and not documented. */
	{ "complete:kernels", print_completions, json_kernels },
	{ "complete:vars", print_variable_completions, json_variables },
};

/* What of a topic is in a report. */
struct asked_topic {
	const struct topic *topic;
	const char *pattern;
};

static int json_topic(struct json *json, const struct plan *plan, void *data, struct err *e)
{
	const struct asked_topic *asked = data;

	return asked->topic->report(json, plan, asked->pattern, e);
}

int list_print(const struct plan *plan, struct err *e)
{
	const char *what = plan->topic, *pattern = NULL;
	const struct topic *topic = &topics[0];

	for (size_t i = 0; what && i < sizeof(topics) / sizeof(topics[0]); i++) {
		if (!strcmp(what, topics[i].name))
			topic = &topics[i];
	}
	if (what && strcmp(what, topic->name))
		pattern = what;
	if (plan->output->json.wanted)
		TRY(describe_json(plan, "list", json_topic,
				  &(struct asked_topic){ topic, pattern }, NULL, e));
	else
		TRY(topic->print(plan, pattern, e));
	return describe_damage(plan, e);
}
