/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "list.h"

#include <fnmatch.h>
#include <string.h>

#include "args.h"
#include "cleanup.h"
#include "images.h"
#include "document.h"
#include "geometry.h"
#include "output.h"
#include "pick.h"
#include "sources.h"

/* The kernel called @name of image @number of @source; NULL when the image is not wanted or
 * has no such kernel. */
static const struct kernel_info *find_kernel(const struct source *source, size_t number,
					     const char *name)
{
	struct image *image = image_at(source->file, number);

	if (!sources_wants(source, number) || image->problem ||
	    image_kernels(source->file, image, NULL))
		return NULL;
	return image_find_kernel(image, name);
}

/* What a cubin knows and PTX does not. */
struct resources {
	int registers;
	int64_t shared;
};

static void add_resources(struct resources *resources, const struct kernel_info *info)
{
	if (info->registers >= 0)
		resources->registers = info->registers;
	if (info->static_shared >= 0)
		resources->shared = info->static_shared;
}

/* "  24 registers, 4096 B shared, block 256x1x1", as far as the images tell. */
static void print_resources(const struct source *source, const struct lookup_kernel *kernel)
{
	const struct kernel_info *info = kernel->info;
	struct resources resources = { -1, -1 };
	const char *comma = "  ";
	const size_t *numbers;
	size_t count = image_members(source->file, kernel->container, &numbers);
	char text[40];

	for (size_t i = 0; i < count; i++) {
		const struct kernel_info *found = find_kernel(source, numbers[i], kernel->name);

		if (found)
			add_resources(&resources, found);
	}
	if (resources.registers >= 0) {
		printf("%s%d registers", comma, resources.registers);
		comma = ", ";
	}
	if (resources.shared > 0) {
		printf("%s%lld B shared", comma, (long long)resources.shared);
		comma = ", ";
	}
	if (info->required_block[0])
		printf("%sblock %s", comma, geometry_format(info->required_block, text));
	else if (info->max_block[0])
		printf("%sblock up to %s", comma, geometry_format(info->max_block, text));
}

static void print_images_of(const struct source *source, const struct lookup_kernel *kernel)
{
	const char *comma = "  ";
	const size_t *numbers;
	size_t count = image_members(source->file, kernel->container, &numbers);

	for (size_t i = 0; i < count; i++) {
		char text[48];

		if (!find_kernel(source, numbers[i], kernel->name))
			continue;
		printf("%s%zu: %s", comma, numbers[i],
		       image_describe(image_at(source->file, numbers[i]), text,
				      sizeof(text)));
		comma = ", ";
	}
}

/* As --launch takes it: with the name of the --load before it. */
static void print_name(const struct lookup_kernel *kernel)
{
	printf("%s%s%s", kernel->scope, *kernel->scope ? ":" : "", kernel->name);
}

static void print_kernel(const struct plan *plan, const struct lookup_kernel *kernel)
{
	char signature[1024];

	args_signature("", kernel->info, signature, sizeof(signature));
	print_name(kernel);
	if (strcmp(kernel->name, kernel->signature))
		printf("  %s", kernel->signature);
	printf("  %s", signature);
	print_resources(sources_of(plan, kernel), kernel);
	print_images_of(sources_of(plan, kernel), kernel);
	putchar('\n');
}

static void json_param(struct json *json, const struct kernel_param *param)
{
	static const char *const spaces[] = {
		[PARAM_LOCAL] = "local",     [PARAM_SHARED] = "shared",
		[PARAM_CONST] = "const",     [PARAM_GLOBAL] = "global",
		[PARAM_GENERIC] = "generic",
	};

	json_object(json, NULL);
	json_string(json, "type", *param->type ? param->type : NULL);
	json_unsigned(json, "offset", param->offset);
	json_unsigned(json, "size", param->size);
	if (param->array)
		json_unsigned(json, "count", param->count);
	if (param->space != PARAM_NOT_POINTER)
		json_string(json, "pointer", spaces[param->space]);
	json_end_object(json);
}

static void json_image(struct json *json, size_t index, const struct image *image)
{
	char text[48];

	json_object(json, NULL);
	json_unsigned(json, "index", index);
	json_string(json, "image", image_describe(image, text, sizeof(text)));
	json_string(json, "kind", image->kind == IMAGE_PTX ? "ptx" : "sass");
	snprintf(text, sizeof(text), "sm_%u%.1s", image->arch,
		 image->suffix ? &image->suffix : "");
	json_string(json, "arch", text);
	json_string(json, "where", image->where);
	images_json_offload(json, image);
	json_end_object(json);
}

static void json_images(struct json *json, const struct source *source,
			const struct lookup_kernel *kernel, struct resources *resources)
{
	const size_t *numbers;
	size_t count = image_members(source->file, kernel->container, &numbers);

	json_array(json, "images");
	for (size_t i = 0; i < count; i++) {
		const struct kernel_info *info =
			find_kernel(source, numbers[i], kernel->name);

		if (!info)
			continue;
		add_resources(resources, info);
		json_image(json, numbers[i], image_at(source->file, numbers[i]));
	}
	json_end_array(json);
}

static void json_kernel(struct json *json, const struct plan *plan,
			const struct lookup_kernel *kernel)
{
	struct resources resources = { -1, -1 };

	json_object(json, NULL);
	json_string(json, "kernel", kernel->signature);
	json_string(json, "mangled", kernel->name);
	if (*kernel->scope)
		json_string(json, "from", kernel->scope);
	json_array(json, "params");
	for (size_t i = 0; i < kernel->info->param_count; i++)
		json_param(json, &kernel->info->params[i]);
	json_end_array(json);
	json_images(json, sources_of(plan, kernel), kernel, &resources);
	if (resources.registers >= 0)
		json_unsigned(json, "registers", (uint64_t)resources.registers);
	if (resources.shared >= 0)
		json_unsigned(json, "shared", (uint64_t)resources.shared);
	if (kernel->info->required_block[0])
		json_dims(json, "required_block", kernel->info->required_block);
	if (kernel->info->max_block[0])
		json_dims(json, "max_block", kernel->info->max_block);
	if (kernel->info->cluster[0])
		json_dims(json, "cluster", kernel->info->cluster);
	json_end_object(json);
}

/* Where a list goes; @print is told of each kernel. */
struct listing {
	const struct plan *plan;
	struct json *json;   /* NULL: to stdout */
	const char *pattern; /* of the names that are listed; NULL: all */
	size_t listed;
	void (*print)(const struct listing *listing, const struct lookup_kernel *kernel);
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
	json_kernel(listing->json, listing->plan, kernel);
}

static int json_kernels(struct json *json, const struct plan *plan, const char *pattern,
			struct err *e)
{
	struct listing listing = { plan, json, pattern, 0, json_one };

	json_array(json, "kernels");
	TRY(each_kernel(&listing, e));
	json_end_array(json);
	return 0;
}

static void json_damage(struct json *json, const struct source *source, const void *data)
{
	const char *damage = image_file_damage(source->file);

	(void)data;
	if (damage)
		json_string(json, "damage", damage);
}

/* ---- Variables ---------------------------------------------------------------- */

/* Where the variables of an image go. */
struct variables {
	struct json *json; /* NULL: to stdout */
	const struct source *source;
	size_t image;
};

/* Of each image: a variable may differ from one to the other. */
static void tell_variable(const struct variable_info *variable, void *data)
{
	const struct variables *to = data;
	char words[64], name[1024];

	if (!variable->length)
		return;
	snprintf(name, sizeof(name), "%.*s", (int)variable->length, variable->name);
	image_describe(image_at(to->source->file, to->image), words, sizeof(words));
	if (!to->json) {
		printf("%s  %llu bytes%s%s  %zu: %s\n", name, (unsigned long long)variable->size,
		       *variable->type ? "  " : "", variable->type, to->image, words);
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

/* What cannot be read is left out: --list=images says so. */
static void tell_variables(const struct plan *plan, struct json *json)
{
	for (size_t i = 0; i < plan->source_count; i++) {
		struct image_file *file = plan->sources[i].file;

		for (size_t j = 0; j < image_count(file) && (json || !ferror(stdout)); j++) {
			struct variables to = { json, &plan->sources[i], j };
			struct err ignored;

			if (!sources_wants(&plan->sources[i], j) || image_at(file, j)->problem)
				continue;
			image_variables(file, image_at(file, j), tell_variable, &to, &ignored);
			image_forget(file, image_at(file, j));
		}
	}
}

/* ---- What is listed ------------------------------------------------------------ */

static int print_variables(const struct plan *plan, const char *pattern, struct err *e)
{
	(void)pattern, (void)e;
	tell_variables(plan, NULL);
	return 0;
}

static int json_variables(struct json *json, const struct plan *plan, const char *pattern,
			  struct err *e)
{
	(void)pattern, (void)e;
	json_array(json, "variables");
	tell_variables(plan, json);
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
	print_name(kernel);
	putchar('\n');
}

static void print_one(const struct listing *listing, const struct lookup_kernel *kernel)
{
	print_kernel(listing->plan, kernel);
}

static int print_names(const struct plan *plan, const char *pattern, struct err *e)
{
	return each_kernel(&(struct listing){ plan, NULL, pattern, 0, print_one_name }, e);
}

static int print_kernels(const struct plan *plan, const char *pattern, struct err *e)
{
	return each_kernel(&(struct listing){ plan, NULL, pattern, 0, print_one }, e);
}

static int print_images(const struct plan *plan, const char *pattern, struct err *e)
{
	(void)pattern, (void)e;
	images_print(plan);
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
};

static int tell_damage(const struct plan *plan, struct err *e)
{
	for (size_t i = 0; i < plan->source_count; i++) {
		const char *damage = image_file_damage(plan->sources[i].file);

		if (damage)
			return err_set(e, GPURUN_FORMAT, "%s: damaged: %s",
				       plan->sources[i].path, damage);
	}
	return 0;
}

static int list_json(const struct plan *plan, const struct topic *topic, const char *pattern,
		     struct err *e)
{
	CLEANUP(free_pointer) char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	struct json json = { .to = to };
	struct err damage = { 0 };
	int status;

	if (!to)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the list");
	document_begin(&json);
	sources_json(&json, plan, json_damage, NULL);
	status = topic->report(&json, plan, pattern, e);
	document_end(&json, tell_damage(plan, &damage), "list", &damage);
	if (fclose(to))
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the list");
	TRY(status);
	return output_report(OUTPUT_JSON, plan->options->json_file, text, size, e);
}

int list_print(const struct plan *plan, struct err *e)
{
	const char *what = plan->options->topic, *pattern = NULL;
	const struct topic *topic = &topics[0];

	for (size_t i = 0; what && i < sizeof(topics) / sizeof(topics[0]); i++) {
		if (!strcmp(what, topics[i].name))
			topic = &topics[i];
	}
	if (what && strcmp(what, topic->name))
		pattern = what;
	if (plan->options->json)
		TRY(list_json(plan, topic, pattern, e));
	else
		TRY(topic->print(plan, pattern, e));
	return tell_damage(plan, e);
}
