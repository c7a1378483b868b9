/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "release.h"

#include "library.h"
#include "message.h"
#include "sources.h"

/* Adds to @e what a call that answered @status says. */
static void note(int status, struct err *e)
{
	struct err failure, before = *e;

	if (!library_status(status, &failure))
		return;
	*e = failure;
	if (before.code)
		err_set(e, before.code, "%s; %s", before.text, failure.text);
}

/* The log is printed also after a success: it says that profile counters are lost. */
static void unload(struct run *run, size_t unit, const char *by, struct err *e)
{
	struct err lost;
	const int status = gpurun_module_unload(run->modules[unit]);

	note(status, e);
	if (*gpurun_error_log())
		message_log(gpurun_error_log());
	run->modules[unit].id = 0;
	if (!status && run_note_module(run, HISTORY_UNLOAD, unit, by, &lost) && !e->code)
		*e = lost;
}

int release_source(struct run *run, const struct source *source, struct err *e)
{
	for (size_t i = run->plan->unit_count; i-- > 0;) {
		if (run->plan->units[i].source == source)
			unload(run, i, "--unload", e);
	}
	return e->code ? err_wrap(e, "unloading %s", source->name) : 0;
}

/* Tells whether LLVM put destructors of variables into @unit, of which @bound was loaded. */
static bool has_destructors(const struct unit *unit, const struct bound_unit *bound)
{
	const size_t *numbers;
	size_t count = image_members(unit->source->file, unit->container, &numbers);

	for (size_t i = 0; i < bound->part_count; i++) {
		if (image_find_kernel(bound->parts[i].chosen, "nvptx$device$fini"))
			return true;
	}
	for (size_t i = 0; i < count && !bound->part_count; i++) {
		const struct image *image = image_at(unit->source->file, numbers[i]);

		if (sources_wants(unit->source, numbers[i]) && !image->problem &&
		    image_find_kernel(image, "nvptx$device$fini"))
			return true;
	}
	return false;
}

int release_run(struct run *run, struct err *e)
{
	const struct plan *plan = run->plan;

	for (size_t i = plan->unit_count; i-- > 0;) {
		if (run->modules[i].id && has_destructors(&plan->units[i], &run_bound(run)->at[i]))
			unload(run, i, "the end of the run", e);
	}
	for (size_t i = 0; i < run->saved.count; i++)
		note(gpurun_memory_free(run->saved.at[i].copy), e);
	for (size_t i = 0; i < plan->buffer_count && !run->memory; i++) {
		if (!plan->buffers[i].symbol)
			note(gpurun_memory_free(run->buffers[i].address), e);
	}
	for (size_t i = 0; i < plan->step_count; i++) {
		if (run->steps[i].begin.id)
			note(gpurun_event_destroy(run->steps[i].begin), e);
		if (run->steps[i].end.id)
			note(gpurun_event_destroy(run->steps[i].end), e);
	}
	for (size_t i = 0; i < plan->events.count; i++)
		note(gpurun_event_destroy(run->events[i]), e);
	for (size_t i = 0; i < plan->streams.count; i++)
		note(gpurun_stream_destroy(run->streams[i]), e);
	return (int)e->code;
}
