/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "run.h"

#include <stdlib.h>

#include "asserts.h"
#include "cleanup.h"
#include "halt.h"
#include "lock.h"
#include "message.h"
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
	ASSERT(lock_is_held(LOCK_STOP) || halt_is_exempt());
	return shown;
}

static void *zeroed(size_t count, size_t size)
{
	return calloc(count + 1, size);
}

static bool allocate_all(struct run *run)
{
	const struct plan *plan = run->plan;

	run->modules = zeroed(plan->unit_count, sizeof(*run->modules));
	run->streams = zeroed(plan->streams.count, sizeof(*run->streams));
	run->events = zeroed(plan->events.count, sizeof(*run->events));
	run->moments = zeroed(plan->events.count, sizeof(*run->moments));
	run->awaited = zeroed(plan->streams.count, sizeof(*run->awaited));
	run->buffers = zeroed(plan->buffer_count, sizeof(*run->buffers));
	run->steps = zeroed(plan->step_count, sizeof(*run->steps));
	for (size_t i = 0; run->buffers && i < plan->buffer_count; i++) {
		run->buffers[i].touched = zeroed(plan->streams.count, sizeof(bool));
		if (!run->buffers[i].touched)
			return false;
	}
	return run->modules && run->streams && run->events && run->moments && run->awaited &&
	       run->buffers && run->steps;
}

int run_allocate(struct run *run, struct err *e)
{
	bool whole;

	ASSERT(!run->steps && !run->buffers);
	halt_lock();
	whole = allocate_all(run);
	for (size_t i = 0; whole && i < run->plan->step_count; i++) {
		const struct launch *launch = step_launch(&run->plan->steps[i]);

		if (launch)
			run->steps[i].extent = launch->extent;
	}
	halt_unlock();
	return whole ? 0 : err_set(e, GPURUN_NO_MEMORY, "no memory for the run");
}

static void forget_results(struct run_step *step)
{
	free(STEAL(step->reported));
	free(STEAL(step->output));
	step->comparison = (struct comparison){ 0 };
	step->has_time = false;
}

static void step_release(struct run_step *step)
{
	forget_results(step);
	free(step->values);
	free(step->args);
}

void run_begin_again(struct run *run)
{
	const struct plan *plan = run->plan;

	halt_lock();
	run->again = true;
	for (size_t i = 0; i < plan->step_count; i++)
		run->steps[i].done = false;
	for (size_t i = 0; i < plan->streams.count; i++)
		run->awaited[i] = 0;
	halt_unlock();
}

void run_forget_results(struct run *run)
{
	halt_lock();
	for (size_t i = 0; i < run->plan->step_count; i++)
		forget_results(&run->steps[i]);
	halt_unlock();
}

void run_release(struct run *run)
{
	for (size_t i = 0; run->steps && i < run->plan->step_count; i++)
		step_release(&run->steps[i]);
	for (size_t i = 0; run->buffers && i < run->plan->buffer_count; i++)
		free(run->buffers[i].touched);
	free(run->modules);
	free(run->streams);
	free(run->events);
	free(run->moments);
	free(run->steps);
	free(run->buffers);
	free(run->awaited);
	free(run->saved.at);
	free(run->bench);
	bound_units_release(&run->bound);
	findings_release(&run->findings);
	history_release(&run->history);
}

const struct run_step *run_step_at(const struct run *run, size_t index)
{
	static const struct run_step nothing;

	ASSERT(index < run->plan->step_count);
	return run->steps ? &run->steps[index] : &nothing;
}

const struct bound_units *run_bound(const struct run *run)
{
	return run->bound.at ? &run->bound : &run->plan->bound;
}

int run_note(struct run *run, struct history_entry entry, struct err *e)
{
	int status;

	if (run->again)
		return 0;
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
				       .file = unit->source->path, .image = NONE };

	ASSERT(index < run->plan->unit_count && index < run_bound(run)->count);
	if (image && !bound->part_count)
		entry.image = image_index(unit->source->file, image);
	return run_note(run, entry, e);
}

void run_mismatch(struct run *run, const struct err *e)
{
	message_error(e);
	if (!run->mismatches++)
		run->first_mismatch = *e;
}

void run_blame(struct run *run, size_t step)
{
	ASSERT(step < run->plan->step_count);
	halt_lock();
	if (!run->blamed)
		run->blamed = &run->plan->steps[step];
	halt_unlock();
}
