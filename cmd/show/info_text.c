/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "info_text.h"

#include <string.h>

#include "geometry.h"
#include "images.h"
#include "kernel_json.h"
#include "output.h"
#include "sources.h"

typedef unsigned long long ull;

static void print_param(size_t index, const struct kernel_param *param)
{
	output_text("    %zu: ", index);
	if (*param->type)
		output_text("%s", param->type);
	if (*param->type && param->array)
		output_text("[%llu]", (ull)param->count);
	output_text("%sat %llu, %llu bytes", *param->type ? " " : "", (ull)param->offset,
		    (ull)param->size);
	if (param->space != PARAM_NOT_POINTER)
		output_text(", pointer to %s memory", param_space_name(param->space));
	putchar('\n');
}

static void print_params(const struct kernel_info *info)
{
	if (!info->param_count) {
		output_text("  parameters: none\n");
		return;
	}
	output_text("  parameters: %zu, %llu bytes\n", info->param_count, (ull)info->param_bytes);
	for (size_t i = 0; i < info->param_count; i++)
		print_param(i, &info->params[i]);
}

/* What a launch has to keep to. */
static void print_bounds(const struct kernel_info *info)
{
	char text[40];

	if (info->required_block[0])
		output_text("  block: %s required\n", geometry_format(info->required_block, text));
	else if (info->max_block[0])
		output_text("  block: up to %s\n", geometry_format(info->max_block, text));
	if (info->cluster[0])
		output_text("  cluster: %s required\n", geometry_format(info->cluster, text));
	if (info->max_cluster)
		output_text("  cluster: up to %u blocks\n", info->max_cluster);
	if (info->min_blocks)
		output_text("  compiled for: at least %u blocks on a multiprocessor\n",
			    info->min_blocks);
	if (info->max_registers)
		output_text("  compiled for: at most %u registers\n", info->max_registers);
	if (info->dynamic_shared)
		output_text("  shared memory: dynamic too\n");
	if (info->local)
		output_text("  not exported\n");
}

/* Prints "NUMBER WHAT", after a comma or what else *@before is; nothing when it is unknown. */
static void print_known(const char **before, int64_t number, const char *what)
{
	if (number < 0)
		return;
	output_text("%s%lld %s", *before, (long long)number, what);
	*before = ", ";
}

static void print_resources(const struct kernel_info *info)
{
	const char *before = "    ";

	print_known(&before, info->registers, "registers");
	print_known(&before, info->static_shared, "bytes of static shared memory");
	print_known(&before, info->stack, "bytes of stack");
	print_known(&before, info->constant, "bytes of constants and parameters");
	print_known(&before, info->barriers, info->barriers == 1 ? "barrier" : "barriers");
	if (*before == ',')
		putchar('\n');
}

static void print_place(const struct image *image)
{
	output_text("    %s%s", image->where, *image->where ? ", " : "");
	output_text("offset %#llx, %llu bytes", (ull)image->offset, (ull)image->stored);
	if (image->codec != CODEC_NONE)
		output_text(" of %s, %llu unpacked", codec_name(image->codec), (ull)image->size);
	output_text(image->lines ? ", with line info\n" : "\n");
}

static void print_images(const struct source *source, const struct lookup_kernel *kernel)
{
	char text[64];

	for (size_t i = 0; i < kernel->image_count; i++) {
		const size_t number = kernel->images[i];
		const struct image *image = image_at(source->file, number);
		const struct kernel_info *info = kernel_of_image(source, number, kernel->name);

		if (!info)
			continue;
		output_text("  image %zu: %s\n", number,
			    image_describe(image, text, sizeof(text)));
		print_place(image);
		print_resources(info);
	}
}

void info_text(const struct plan *plan, const struct lookup_kernel *kernel)
{
	output_text("%s%s%s\n", kernel->scope, *kernel->scope ? ":" : "", kernel->name);
	if (strcmp(kernel->name, kernel->signature))
		output_text("  signature: %s\n", kernel->signature);
	print_params(kernel->info);
	print_bounds(kernel->info);
	print_images(sources_of(plan, kernel), kernel);
}
