/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "join.h"

#include <stdlib.h>

#include "array.h"
#include "asserts.h"
#include "sources.h"
#include "units.h"

void join_release(struct bound_unit *bound)
{
	for (size_t i = 0; i < bound->part_count; i++)
		image_payload_release(&bound->parts[i].payload);
	free(bound->parts);
	bound->parts = NULL;
	bound->part_count = 0;
}

/* The best image of @part of @source that --image left; NULL: none runs on @target. */
static struct image *choose(const struct source *source, uint32_t part,
			    const struct image_target *target)
{
	struct image *best = NULL;
	const size_t *numbers;
	size_t count;

	if (!source->wanted)
		return image_choose_part(source->file, part, target);
	count = image_part_members(source->file, part, &numbers);
	for (size_t i = 0; i < count; i++) {
		struct image *image = image_at(source->file, numbers[i]);

		if (source->wanted[numbers[i]] && !image_kernels(source->file, image, NULL) &&
		    image_runs_on(image, target) && units_better(image, best, target))
			best = image;
	}
	return best;
}

/* Adds @chosen of @source, or the container that it is in, to what is linked. */
static int add_bound_part(struct bound_unit *out, const struct source *source, struct image *chosen,
			  struct err *e)
{
	struct link_part *part = array_grow(&out->parts, out->part_count, sizeof(*part));

	if (!part)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for a module");
	part->source = source;
	part->chosen = chosen;
	out->part_count++; /* released from here on */
	part->load = image_container(source->file, chosen);
	if (part->load.size && !source->wanted)
		return 0;
	TRY(image_unpack(source->file, chosen, &part->payload, e));
	part->load = part->payload.bytes;
	return 0;
}

/* An image of @part that only other parts may need: machine code that a device of PTX alone does
 * not run, without a kernel. NULL: it has kernels, or has none of these. */
static struct image *find_unneeded(const struct source *source, uint32_t part)
{
	struct image *found = NULL;
	const size_t *numbers;
	const size_t count = image_part_members(source->file, part, &numbers);

	for (size_t i = 0; i < count; i++) {
		struct image *image = image_at(source->file, numbers[i]);

		if (!sources_wants(source, numbers[i]) || image->problem ||
		    image_kernels(source->file, image, NULL) || image->problem)
			continue;
		if (image_has_kernel(image) || !image->relocatable)
			return NULL;
		found = found && found->arch >= image->arch ? found : image;
	}
	return found;
}

/* What of @part is linked for a device like @target; NULL: nothing. */
static struct image *choose_or_pass(const struct source *source, uint32_t part,
				    const struct image_target *target)
{
	struct image *chosen = choose(source, part, target);

	return chosen || !target->ptx_only ? chosen : find_unneeded(source, part);
}

static int add_source(struct bound_unit *out, const struct source *source,
		      const struct image_target *target, const char *device, struct err *e)
{
	const size_t before = out->part_count;

	for (uint32_t i = 0; i < image_containers(source->file); i++) {
		struct image *chosen = choose_or_pass(source, i, target);

		if (chosen)
			TRY(add_bound_part(out, source, chosen, e));
	}
	return out->part_count > before ? 0 : units_no_image(source, target, device, e);
}

static int add_part(struct bound_unit *out, const struct source *source, uint32_t part,
		    const struct image_target *target, struct err *e)
{
	struct image *chosen = choose_or_pass(source, part, target);

	return chosen && chosen->relocatable ? add_bound_part(out, source, chosen, e) : 0;
}

/* Tells whether a part of @bound has a kernel or another reason to be linked. */
static bool runs_any(const struct bound_unit *bound, const struct image_target *target)
{
	for (size_t i = 0; i < bound->part_count; i++)
		if (image_runs_on(bound->parts[i].chosen, target))
			return true;
	return false;
}

int join_bind_container(const struct unit *unit, const struct image_target *target,
			struct bound_unit *out, struct err *e)
{
	const size_t *numbers;
	const size_t count = image_members(unit->source->file, unit->container, &numbers);
	uint32_t last = UINT32_MAX;

	for (size_t i = 0; i < count; i++) {
		const struct image *image = image_at(unit->source->file, numbers[i]);

		if (image->relocatable && image->part != last)
			TRY(add_part(out, unit->source, image->part, target, e));
		last = image->relocatable ? image->part : last;
	}
	if (!runs_any(out, target))
		join_release(out);
	return 0;
}

int join_bind(const struct plan *plan, const struct image_target *target, const char *device,
	      struct bound_unit *out, struct err *e)
{
	for (size_t i = 0; i < plan->source_count; i++) {
		if (join_has(plan, &plan->sources[i]))
			TRY(add_source(out, &plan->sources[i], target, device, e));
	}
	ASSERT(out->part_count); /* of FILE, at least: add_source() */
	out->chosen = out->parts[0].chosen;
	return 0;
}
