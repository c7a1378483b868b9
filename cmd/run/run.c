/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "run.h"

#include <stdlib.h>

#include "halt.h"
#include "units.h"

static const struct run *shown; /* under halt_lock() */

void run_show(const struct run *run)
{
	halt_lock();
	shown = run;
	halt_unlock();
}

const struct run *run_shown(void)
{
	return shown;
}

void run_release(struct run *run)
{
	free(run->modules);
	free(run->streams);
	free(run->events);
	free(run->moments);
	free(run->timing);
	free(run->awaited);
	free(run->kernels);
	bound_units_release(&run->bound);
	findings_release(&run->findings);
	history_release(&run->history);
}

const struct bound_units *run_bound(const struct run *run)
{
	return run->bound.at ? &run->bound : &run->plan->bound;
}

int run_note(struct run *run, struct history_entry entry, struct err *e)
{
	int status;

	halt_lock();
	status = history_add(&run->history, &entry, e);
	halt_unlock();
	if (!status)
		history_say(&run->history);
	return status;
}

int run_note_module(struct run *run, enum history_kind kind, size_t index, const char *by,
		    struct err *e)
{
	const struct unit *unit = &run->plan->units[index];
	const struct bound_unit *bound = &run_bound(run)->at[index];
	const struct image *image = bound->chosen ? bound->chosen : unit->image;
	struct history_entry entry = { .kind = kind, .unit = index, .by = by,
				       .file = unit->source->path, .image = SIZE_MAX };

	if (image && !bound->part_count)
		entry.image = image_index(unit->source->file, image);
	return run_note(run, entry, e);
}

void run_blame(struct run *run, size_t step)
{
	halt_lock();
	if (!run->blamed)
		run->blamed = step + 1;
	halt_unlock();
}
