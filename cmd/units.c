/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "units.h"

#include "array.h"
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
	if (!owner->units)
		owner->units = calloc(image_count(source->file), sizeof(*owner->units));
	image_members(source->file, container, &numbers);
	return owner->units ? &owner->units[numbers[0]] : NULL;
}

int units_find_container(struct plan *plan, const struct source *source, struct image *image,
			 size_t *index, struct err *e)
{
	size_t *known = unit_of(plan, source, image->container);
	struct unit *unit;

	if (!known)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for a module");
	if (!*known) {
		unit = array_grow(&plan->units, plan->unit_count, sizeof(*unit));
		if (!unit)
			return err_set(e, GPURUN_NO_MEMORY, "no memory for a module");
		unit->source = source;
		unit->container = image->container;
		unit->image = image;
		unit->joined = join_has(plan, source);
		if (unit->joined)
			unit->source = &plan->sources[0]; /* FILE */
		*known = ++plan->unit_count;
	}
	*index = *known - 1;
	return 0;
}

int units_find(struct plan *plan, const struct lookup_kernel *kernel, size_t *index,
	       struct err *e)
{
	return units_find_container(plan, sources_of(plan, kernel), kernel->image, index, e);
}

void units_release(struct plan *plan)
{
	for (size_t i = 0; i < plan->unit_count; i++) {
		image_payload_release(&plan->units[i].payload);
		join_release(&plan->units[i]);
	}
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

int units_no_image(const struct source *source, const struct image_target *target,
		   const char *device, struct err *e)
{
	char all[ERR_TEXT_SIZE / 2];

	image_describe_all(source->file, all, sizeof(all));
	err_set(e, GPURUN_NO_IMAGE, "%s: no image for %s; it holds %s",
		source->path, device, all);
	if (target->ptx_only)
		return err_hint(e, "the CPU device runs PTX; rebuild with "
				   "-gencode arch=compute_90,code=compute_90 "
				   "(clang: --cuda-include-ptx=all)");
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

/* The first kernel that is launched from @unit and that @image lacks; NULL: it has all. */
static const char *find_lacking(const struct plan *plan, const struct unit *unit,
				const struct image *image)
{
	for (size_t i = 0; i < plan->step_count; i++) {
		const struct launch *launch = &plan->steps[i].launch;

		if (launch->kernel && &plan->units[launch->unit] == unit &&
		    !image_find_kernel(image, launch->kernel->name))
			return launch->kernel->name;
	}
	return NULL;
}

/* The best of the images of @unit that --image left and that have what is launched. */
static struct image *choose_having(const struct plan *plan, const struct unit *unit,
				   const struct image_target *target)
{
	const struct source *source = unit->source;
	const size_t *numbers;
	size_t count = image_members(source->file, unit->container, &numbers);
	struct image *best = NULL;

	for (size_t i = 0; i < count; i++) {
		struct image *image = image_at(source->file, numbers[i]);

		if (sources_wants(source, numbers[i]) &&
		    !image_kernels(source->file, image, NULL) &&
		    image_runs_on(image, target) && units_better(image, best, target) &&
		    !find_lacking(plan, unit, image))
			best = image;
	}
	return best;
}

static int lacks_kernel(const struct unit *unit, const char *name, const char *device,
			struct err *e)
{
	char words[64];

	err_set(e, GPURUN_NOT_FOUND, "%s: kernel '%.200s' is not in the image for %s, %s",
		unit->source->path, name, device,
		image_describe(unit->chosen, words, sizeof(words)));
	return err_hint(e, "--list shows the images that have it; --image takes one");
}

static int bind_unit(const struct plan *plan, struct unit *unit,
		     const struct image_target *target, const char *device, struct err *e)
{
	const struct source *source = unit->source;
	struct bytes container = image_container(source->file, unit->image);
	struct image *best = source->wanted ? NULL :
					      image_choose(source->file, unit->container,
							   target);
	struct image *having;

	if (best && container.size) {
		unit->chosen = best;
		unit->load = container;
		return 0;
	}
	having = best && !find_lacking(plan, unit, best) ?
			 best :
			 choose_having(plan, unit, target);
	unit->chosen = having ? having : best;
	if (!unit->chosen)
		return units_no_image(source, target, device, e);
	if (!having)
		return lacks_kernel(unit, find_lacking(plan, unit, best), device, e);
	image_payload_release(&unit->payload);
	TRY(image_unpack(source->file, having, &unit->payload, e));
	unit->load = unit->payload.bytes;
	return 0;
}

int units_bind_one(struct plan *plan, size_t index, const struct image_target *target,
		   const char *device, struct err *e)
{
	return bind_unit(plan, &plan->units[index], target, device, e);
}

int units_bind(struct plan *plan, const struct image_target *target, const char *device,
	       struct err *e)
{
	for (size_t i = 0; i < plan->unit_count; i++) {
		struct unit *unit = &plan->units[i];

		TRY(unit->joined ? join_bind(plan, unit, target, device, e) :
				   bind_unit(plan, unit, target, device, e));
	}
	return 0;
}

static void say_image(const struct source *source, const struct image *image)
{
	char words[64];

	if (image)
		message_verbose("image %zu of %s is taken: %s", image_index(source->file, image),
				source->path, image_describe(image, words, sizeof(words)));
}

void units_say(const struct plan *plan)
{
	for (size_t i = 0; i < plan->unit_count; i++) {
		const struct unit *unit = &plan->units[i];

		for (size_t j = 0; j < unit->part_count; j++)
			say_image(unit->parts[j].source, unit->parts[j].chosen);
		if (!unit->joined)
			say_image(unit->source, unit->chosen);
	}
}
