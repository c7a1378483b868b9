/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "join.h"

#include <stdlib.h>

#include "array.h"
#include "sources.h"
#include "units.h"

void join_release(struct unit *unit)
{
	for (size_t i = 0; i < unit->part_count; i++)
		image_payload_release(&unit->parts[i].payload);
	free(unit->parts);
	unit->parts = NULL;
	unit->part_count = 0;
}

/* The best image of @container of @source that --image left; NULL: none runs on @target. */
static struct image *choose(const struct source *source, uint32_t container,
			    const struct image_target *target)
{
	struct image *best = NULL;
	const size_t *numbers;
	size_t count;

	if (!source->wanted)
		return image_choose(source->file, container, target);
	count = image_members(source->file, container, &numbers);
	for (size_t i = 0; i < count; i++) {
		struct image *image = image_at(source->file, numbers[i]);

		if (source->wanted[numbers[i]] && !image_kernels(source->file, image, NULL) &&
		    image_runs_on(image, target) && units_better(image, best, target))
			best = image;
	}
	return best;
}

/* Adds @chosen of @source, or the container that it is in, to what is linked. */
static int add(struct unit *unit, const struct source *source, struct image *chosen,
	       struct err *e)
{
	struct link_part *part = array_grow(&unit->parts, unit->part_count, sizeof(*part));

	if (!part)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for a module");
	part->source = source;
	part->chosen = chosen;
	unit->part_count++; /* released from here on */
	part->load = image_container(source->file, chosen);
	if (part->load.size && !source->wanted)
		return 0;
	TRY(image_unpack(source->file, chosen, &part->payload, e));
	part->load = part->payload.bytes;
	return 0;
}

static int add_source(struct unit *unit, const struct source *source,
		      const struct image_target *target, const char *device, struct err *e)
{
	const size_t before = unit->part_count;

	for (uint32_t i = 0; i < image_containers(source->file); i++) {
		struct image *chosen = choose(source, i, target);

		if (chosen)
			TRY(add(unit, source, chosen, e));
	}
	return unit->part_count > before ? 0 : units_no_image(source, target, device, e);
}

int join_bind(const struct plan *plan, struct unit *unit, const struct image_target *target,
	      const char *device, struct err *e)
{
	join_release(unit);
	for (size_t i = 0; i < plan->source_count; i++) {
		if (join_has(plan, &plan->sources[i]))
			TRY(add_source(unit, &plan->sources[i], target, device, e));
	}
	unit->chosen = unit->parts[0].chosen;
	return 0;
}
