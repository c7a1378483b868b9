/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "units.h"

#include <stdlib.h>

#include "array.h"
#include "asserts.h"
#include "cleanup.h"
#include "join.h"
#include "message.h"
#include "sources.h"

/* Where the unit of @container of @source is noted; NULL without memory. */
static size_t *unit_of(struct plan *plan, const struct source *source, uint32_t container)
{
	struct source *owner = &plan->sources[source - plan->sources];
	const size_t *numbers;

	if (join_has(plan, source))
		return &plan->joined;
	if (!owner->units) {
		const size_t count = image_count(source->file);

		owner->units = reallocarray(NULL, count, sizeof(*owner->units));
		if (!owner->units)
			return NULL;
		for (size_t i = 0; i < count; i++)
			owner->units[i] = NONE;
	}
	image_members(source->file, container, &numbers);
	return &owner->units[numbers[0]];
}

int units_find_container(struct plan *plan, const struct source *source, struct image *image,
			 size_t *index, struct err *e)
{
	size_t *known = unit_of(plan, source, image->container);
	struct unit *unit;

	if (!known)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for a module");
	if (*known == NONE) {
		unit = array_grow(&plan->units, plan->unit_count, sizeof(*unit));
		if (!unit)
			return err_set(e, GPURUN_NO_MEMORY, "no memory for a module");
		unit->source = source;
		unit->container = image->container;
		unit->image = image;
		unit->joined = join_has(plan, source);
		if (unit->joined)
			unit->source = &plan->sources[0]; /* FILE */
		*known = plan->unit_count++;
	}
	ASSERT(*known < plan->unit_count);
	*index = *known;
	return 0;
}

int units_find(struct plan *plan, const struct lookup_kernel *kernel, size_t *index,
	       struct err *e)
{
	return units_find_container(plan, sources_of(plan, kernel), kernel->image, index, e);
}

void bound_unit_release(struct bound_unit *bound)
{
	image_payload_release(&bound->payload);
	join_release(bound);
	*bound = (struct bound_unit){ 0 };
}

void bound_units_release(struct bound_units *bound)
{
	for (size_t i = 0; i < bound->count; i++)
		bound_unit_release(&bound->at[i]);
	free(bound->at);
	*bound = (struct bound_units){ 0 };
}

void units_release(struct plan *plan)
{
	bound_units_release(&plan->bound);
	free(plan->units);
}

static bool has_unit(const struct plan *plan, const struct source *source)
{
	for (size_t i = 0; i < plan->unit_count; i++) {
		if (plan->units[i].source == source)
			return true;
	}
	return false;
}

static int add_all_of(struct plan *plan, const struct source *source, struct err *e)
{
	size_t index;

	for (size_t i = 0; i < plan->lookup.count; i++) {
		if (sources_of(plan, &plan->lookup.kernels[i]) == source)
			TRY(units_find(plan, &plan->lookup.kernels[i], &index, e));
	}
	return 0;
}

int units_complete(struct plan *plan, struct err *e)
{
	for (size_t i = 0; i < plan->source_count; i++) {
		const struct source *source = &plan->sources[i];

		if (*source->name && !has_unit(plan, source))
			TRY(add_all_of(plan, source, e));
	}
	return 0;
}

/* ---- which image ---- */

/* What the CPU device would run. A cubin that has the PTX of some translation units alone would, if
 * it had that of all. */
static int hint_ptx(struct image_file *file, struct err *e)
{
	for (size_t i = 0; i < image_count(file); i++) {
		const struct image *image = image_at(file, i);

		if (image->line_lacks)
			return err_hint(e, "image %zu has the PTX of some translation units alone: "
					"none has '%.200s'; compile all with -lineinfo (clang: "
					"-gline-tables-only), or to PTX", i, image->line_lacks);
	}
	return err_hint(e, "the CPU device runs PTX; rebuild with "
			   "-gencode arch=compute_90,code=compute_90 "
			   "(a cubin: -lineinfo; clang: --cuda-include-ptx=all)");
}

/* The image that --image picked in the place of PTX; NULL: it picked none, or there is no PTX. */
static const struct image *picked_for_ptx(const struct source *source)
{
	const struct image *picked = NULL;
	bool ptx = false;

	for (size_t i = 0; source->wanted && i < image_count(source->file); i++) {
		const struct image *image = image_at(source->file, i);

		if (source->wanted[i])
			picked = image;
		else
			ptx |= image->kind == IMAGE_PTX;
	}
	return ptx ? picked : NULL;
}

int units_no_image(const struct source *source, const struct image_target *target,
		   const char *device, struct err *e)
{
	const struct image *picked = target->ptx_only ? picked_for_ptx(source) : NULL;
	char all[ERR_TEXT_SIZE / 2];

	if (picked) {
		err_set(e, GPURUN_NO_IMAGE, "%s: --image picks %s, and %s runs PTX", source->path,
			image_describe(picked, all, sizeof(all)), device);
		return err_hint(e, "leave --image out, or --image ptx");
	}
	image_describe_all(source->file, all, sizeof(all));
	err_set(e, GPURUN_NO_IMAGE, "%s: no image for %s; it holds %s",
		source->path, device, all);
	if (target->ptx_only)
		return hint_ptx(source->file, e);
	return err_hint(e, "rebuild with -gencode arch=compute_%u,code=sm_%u "
			   "(clang: --cuda-gpu-arch=sm_%u)",
			target->arch, target->arch, target->arch);
}

bool units_better(const struct image *a, const struct image *b,
		  const struct image_target *target)
{
	if (!b)
		return true;
	if ((a->kind == IMAGE_PTX) != (b->kind == IMAGE_PTX))
		return (b->kind == IMAGE_PTX) != target->ptx_only;
	if (a->arch != b->arch)
		return a->arch > b->arch;
	return a->suffix && (!b->suffix || a->suffix < b->suffix);
}

/* A unit that is being bound. */
struct choice {
	const struct plan *plan;
	const struct unit *unit;
	const struct image_target *target;
	const char *device; /* describes it */
	struct bound_unit *out;
};

/* The image of what is loaded that has kernel @name: @image, or if that is NULL one that is to be
 * linked; NULL: none. */
static const struct image *having(const struct bound_unit *bound, const struct image *image,
				  const char *name)
{
	if (image)
		return image_find_kernel(image, name) ? image : NULL;
	for (size_t i = 0; i < bound->part_count; i++)
		if (image_find_kernel(bound->parts[i].chosen, name))
			return bound->parts[i].chosen;
	return NULL;
}

/* The first kernel that is launched from the unit and that @image lacks, or all that is to be
 * linked; NULL: none is. */
static const char *find_lacking(const struct choice *choice, const struct image *image)
{
	const struct plan *plan = choice->plan;

	for (size_t i = 0; i < plan->step_count; i++) {
		const struct launch *launch = step_launch(&plan->steps[i]);

		if (launch && launch->kernel && &plan->units[launch->unit] == choice->unit &&
		    !having(choice->out, image, launch->kernel->name))
			return launch->kernel->name;
	}
	return NULL;
}

/* The best of the images of the unit that --image left and that have what is launched. */
static struct image *choose_having(const struct choice *choice)
{
	const struct source *source = choice->unit->source;
	const struct image_target *target = choice->target;
	const size_t *numbers;
	size_t count = image_members(source->file, choice->unit->container, &numbers);
	struct image *best = NULL;

	for (size_t i = 0; i < count; i++) {
		struct image *image = image_at(source->file, numbers[i]);

		if (sources_wants(source, numbers[i]) && !image->relocatable &&
		    !image_kernels(source->file, image, NULL) && !image->relocatable &&
		    image_runs_on(image, target) && units_better(image, best, target) &&
		    !find_lacking(choice, image))
			best = image;
	}
	return best;
}

/* The first image of @unit that has kernel @name: it is one that @device does not run. */
static const struct image *find_kernel(const struct unit *unit, const char *name)
{
	const struct source *source = unit->source;
	const size_t *numbers;
	const size_t count = image_members(source->file, unit->container, &numbers);

	for (size_t i = 0; i < count; i++) {
		struct image *image = image_at(source->file, numbers[i]);

		if (sources_wants(source, numbers[i]) && image->relocatable &&
		    !image_kernels(source->file, image, NULL) && image_find_kernel(image, name))
			return image;
	}
	return NULL;
}

static int lacks_kernel(const struct choice *choice, const char *name, struct err *e)
{
	const struct source *source = choice->unit->source;
	const struct image *only = find_kernel(choice->unit, name);
	char words[64];

	if (only) {
		err_set(e, GPURUN_NO_IMAGE, "%s: kernel '%.200s' is in image %zu alone, %s, which "
			"%s does not run", source->path, name,
			image_index(source->file, only),
			image_describe(only, words, sizeof(words)), choice->device);
		return err_hint(e, "compile this translation unit to PTX too: nvcc -gencode "
				   "arch=compute_90,code=compute_90");
	}
	err_set(e, GPURUN_NOT_FOUND, "%s: kernel '%.200s' is not in the image for %s, %s",
		source->path, name, choice->device,
		image_describe(choice->out->chosen, words, sizeof(words)));
	return err_hint(e, "--list shows the images that have it; --image takes one");
}

/* The part that has the first kernel that is launched, or the first. */
static const struct image *chosen_part(const struct choice *choice)
{
	const struct plan *plan = choice->plan;

	for (size_t i = 0; i < plan->step_count; i++) {
		const struct launch *launch = step_launch(&plan->steps[i]);

		if (launch && launch->kernel && &plan->units[launch->unit] == choice->unit)
			return having(choice->out, NULL, launch->kernel->name);
	}
	ASSERT(choice->out->part_count);
	return choice->out->parts[0].chosen;
}

/* Loads @image, or the container that a driver chooses from. */
static int use_image(const struct choice *choice, struct image *image, struct err *e)
{
	const struct source *source = choice->unit->source;
	struct bound_unit *out = choice->out;

	out->chosen = image;
	out->load = source->wanted ? (struct bytes){ 0 } : image_container(source->file, image);
	if (out->load.size)
		return 0;
	TRY(image_unpack(source->file, image, &out->payload, e));
	out->load = out->payload.bytes;
	return 0;
}

static bool is_linked(const struct unit *unit)
{
	const size_t *numbers;
	const size_t count = image_members(unit->source->file, unit->container, &numbers);

	for (size_t i = 0; i < count; i++)
		if (image_at(unit->source->file, numbers[i])->relocatable)
			return true;
	return false;
}

/* No image of the unit alone has what is launched: what is to be linked may have. */
static int bind_parts(const struct choice *choice, struct image *best, struct err *e)
{
	struct bound_unit *out = choice->out;
	const char *lacking;

	TRY(join_bind_container(choice->unit, choice->target, out, e));
	out->chosen = best;
	if (!best && !out->part_count)
		return units_no_image(choice->unit->source, choice->target, choice->device, e);
	lacking = find_lacking(choice, out->part_count ? NULL : best);
	if (lacking)
		return lacks_kernel(choice, lacking, e);
	out->chosen = chosen_part(choice);
	return 0;
}

static int bind_unit(const struct choice *choice, struct err *e)
{
	const struct unit *unit = choice->unit;
	const struct source *source = unit->source;
	struct image *best = source->wanted ? NULL :
					      image_choose(source->file, unit->container,
							   choice->target);

	if (best && !is_linked(unit) && image_container(source->file, best).size)
		return use_image(choice, best, e);
	if (!best || find_lacking(choice, best)) {
		struct image *other = choose_having(choice);

		if (!other)
			return bind_parts(choice, best, e);
		best = other;
	}
	return use_image(choice, best, e);
}

int units_bind_one(const struct plan *plan, size_t index, const struct image_target *target,
		   const char *device, struct bound_unit *out, struct err *e)
{
	const struct choice choice = { plan, &plan->units[index], target, device, out };

	ASSERT(index < plan->unit_count && !out->parts && !out->load.size);
	return choice.unit->joined ? join_bind(plan, target, device, out, e) :
				     bind_unit(&choice, e);
}

int units_bind(const struct plan *plan, const struct image_target *target, const char *device,
	       struct bound_units *out, struct err *e)
{
	out->at = calloc(plan->unit_count + 1, sizeof(*out->at));
	if (!out->at)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for a module");
	out->count = plan->unit_count;
	for (size_t i = 0; i < plan->unit_count; i++)
		TRY(units_bind_one(plan, i, target, device, &out->at[i], e));
	return 0;
}

static void say_image(const struct source *source, const struct image *image)
{
	char words[64];

	if (image)
		message_verbose("image %zu of %s is taken: %s", image_index(source->file, image),
				source->path, image_describe(image, words, sizeof(words)));
}

void units_say(const struct plan *plan, const struct bound_units *bound)
{
	for (size_t i = 0; i < bound->count; i++) {
		const struct bound_unit *one = &bound->at[i];

		for (size_t j = 0; j < one->part_count; j++)
			say_image(one->parts[j].source, one->parts[j].chosen);
		if (!one->part_count)
			say_image(plan->units[i].source, one->chosen);
	}
}
