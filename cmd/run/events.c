/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "events.h"

#include "halt.h"
#include "library.h"
#include "output_options.h"

/* The stream that event @index was last recorded on; NONE: on none. */
static size_t stream_of(const struct run *run, size_t index)
{
	const struct plan *plan = run->plan;
	size_t stream = NONE;

	for (size_t i = 0; i < plan->step_count && run_step_at(run, i)->done; i++) {
		const struct step *step = &plan->steps[i];

		if (step_records(step, index))
			stream = step->queued.stream;
	}
	return stream;
}

/* From @base to @event, which may have happened before. */
static int distance(const struct gpurun_event base, struct gpurun_event event,
		    int64_t *nanoseconds, struct err *e)
{
	uint64_t after, before = 0;

	TRY(library_status(gpurun_event_elapsed(base, event, &after), e));
	if (!after)
		TRY(library_status(gpurun_event_elapsed(event, base, &before), e));
	*nanoseconds = (int64_t)after - (int64_t)before;
	return 0;
}

/* The first one that happened becomes 0. */
static void settle(struct run *run)
{
	int64_t least = INT64_MAX;
	const size_t count = run->plan->events.count;

	for (size_t i = 0; i < count; i++)
		if (run->moments[i].known && run->moments[i].nanoseconds < least)
			least = run->moments[i].nanoseconds;
	for (size_t i = 0; i < count; i++)
		run->moments[i].nanoseconds -= least;
}

static int read_moments(struct run *run, struct err *e)
{
	size_t base = NONE;

	for (size_t i = 0; i < run->plan->events.count; i++) {
		struct moment *moment = &run->moments[i];

		if (stream_of(run, i) == NONE)
			continue;
		base = base == NONE ? i : base;
		TRY(distance(run->events[base], run->events[i], &moment->nanoseconds, e));
		moment->known = true;
	}
	if (base != NONE)
		settle(run);
	return 0;
}

int events_read(struct run *run, struct err *e)
{
	int status = 0;

	if (!run->plan->output->json.wanted)
		return 0;
	halt_lock();
	status = read_moments(run, e);
	halt_unlock();
	return status;
}

void events_report(const struct run *run, struct json *json)
{
	const struct plan *plan = run->plan;
	bool any = false;

	for (size_t i = 0; i < plan->events.count; i++) {
		const size_t stream = stream_of(run, i);

		if (stream == NONE || !run->moments)
			continue;
		if (!any)
			json_array(json, "events");
		any = true;
		json_object(json, NULL);
		json_string(json, "event", plan->events.at[i]);
		json_string(json, "stream", plan->streams.at[stream]);
		if (run->moments[i].known)
			json_unsigned(json, "elapsed_ns", (uint64_t)run->moments[i].nanoseconds);
		else
			json_string(json, "elapsed_ns", NULL);
		json_end_object(json);
	}
	if (any)
		json_end_array(json);
}
