/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "kernel_json.h"

#include "asserts.h"
#include "images.h"
#include "sources.h"

const struct kernel_info *kernel_of_image(const struct source *source, size_t number,
					  const char *name)
{
	struct image *image = image_at(source->file, number);

	if (!sources_wants(source, number) || image->problem ||
	    image_kernels(source->file, image, NULL))
		return NULL;
	return image_find_kernel(image, name);
}

void resources_add(struct resources *resources, const struct kernel_info *info)
{
	if (info->registers >= 0)
		resources->registers = info->registers;
	if (info->static_shared >= 0)
		resources->shared = info->static_shared;
}

const char *param_space_name(enum param_space space)
{
	static const char *const spaces[] = {
		[PARAM_NOT_POINTER] = "none", [PARAM_LOCAL] = "local",
		[PARAM_SHARED] = "shared",    [PARAM_CONST] = "const",
		[PARAM_GLOBAL] = "global",    [PARAM_GENERIC] = "generic",
	};

	return spaces[space];
}

static void json_param(struct json *json, const struct kernel_param *param)
{
	json_object(json, NULL);
	json_string(json, "type", *param->type ? param->type : NULL);
	json_unsigned(json, "offset", param->offset);
	json_unsigned(json, "size", param->size);
	if (param->array)
		json_unsigned(json, "count", param->count);
	if (param->space != PARAM_NOT_POINTER)
		json_string(json, "pointer", param_space_name(param->space));
	json_end_object(json);
}

/* Writes @value unless it is not known. */
static void json_known(struct json *json, const char *key, int64_t value)
{
	if (value >= 0)
		json_unsigned(json, key, (uint64_t)value);
}

/* Writes @value unless it is 0, which says that none is given. */
static void json_given(struct json *json, const char *key, unsigned value)
{
	if (value)
		json_unsigned(json, key, value);
}

/* Where the image is, and what it says of the kernel. */
static void json_whole_image(struct json *json, const struct image *image,
			     const struct kernel_info *info)
{
	images_json_place(json, image);
	if (image->kind == IMAGE_PTX) {
		char text[24];

		snprintf(text, sizeof(text), "%u.%u", image->ptx_major, image->ptx_minor);
		json_string(json, "ptx_version", text);
	}
	json_bool(json, "lines", image->lines);
	json_known(json, "registers", info->registers);
	json_known(json, "shared", info->static_shared);
	json_known(json, "stack", info->stack);
	json_known(json, "constant", info->constant);
	json_known(json, "barriers", info->barriers);
}

static void json_image(struct json *json, size_t index, const struct image *image,
		       const struct kernel_info *whole)
{
	char text[64];

	json_object(json, NULL);
	json_unsigned(json, "index", index);
	json_string(json, "image", image_describe(image, text, sizeof(text)));
	json_string(json, "kind", image->kind == IMAGE_PTX ? "ptx" : "sass");
	snprintf(text, sizeof(text), "sm_%u%.1s", image->arch,
		 image->suffix ? &image->suffix : "");
	json_string(json, "arch", text);
	json_string(json, "where", image->where);
	if (whole)
		json_whole_image(json, image, whole);
	images_json_offload(json, image);
	json_end_object(json);
}

static void json_images(struct json *json, const struct source *source,
			const struct lookup_kernel *kernel, bool whole,
			struct resources *resources)
{
	json_array(json, "images");
	for (size_t i = 0; i < kernel->image_count; i++) {
		const size_t number = kernel->images[i];
		const struct kernel_info *info = kernel_of_image(source, number, kernel->name);

		if (!info)
			continue;
		ASSERT(number < image_count(source->file));
		resources_add(resources, info);
		json_image(json, number, image_at(source->file, number), whole ? info : NULL);
	}
	json_end_array(json);
}

static void json_bounds(struct json *json, const struct kernel_info *info, bool whole)
{
	if (info->required_block[0])
		json_dims(json, "required_block", info->required_block);
	if (info->max_block[0])
		json_dims(json, "max_block", info->max_block);
	if (info->cluster[0])
		json_dims(json, "cluster", info->cluster);
	if (!whole)
		return;
	json_given(json, "max_cluster", info->max_cluster);
	json_given(json, "min_blocks", info->min_blocks);
	json_given(json, "max_registers", info->max_registers);
	json_unsigned(json, "param_bytes", info->param_bytes);
	json_bool(json, "exported", !info->local);
	if (info->dynamic_shared)
		json_bool(json, "dynamic_shared", true);
}

void kernel_json(struct json *json, const struct plan *plan, const struct lookup_kernel *kernel,
		 bool whole)
{
	struct resources resources = { -1, -1 };

	json_string(json, "kernel", kernel->signature);
	json_string(json, "mangled", kernel->name);
	if (*kernel->scope)
		json_string(json, "from", kernel->scope);
	json_array(json, "params");
	for (size_t i = 0; i < kernel->info->param_count; i++)
		json_param(json, &kernel->info->params[i]);
	json_end_array(json);
	json_images(json, sources_of(plan, kernel), kernel, whole, &resources);
	json_known(json, "registers", resources.registers);
	json_known(json, "shared", resources.shared);
	json_bounds(json, kernel->info, whole);
}
