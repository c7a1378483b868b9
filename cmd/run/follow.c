/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "follow.h"

#include <string.h>

#include "asserts.h"
#include "await.h"
#include "bench_keys.h"
#include "clock.h"
#include "geometry.h"
#include "library.h"
#include "memory.h"
#include "message.h"
#include "output_options.h"
#include "release.h"
#include "results.h"

static bool wants_times(const struct run *run)
{
	const struct output_options *output = run->plan->output;

	return output->json.wanted || output->junit.wanted || output->verbose ||
	       run->plan->bench->wanted;
}

int follow_launch_error(const struct run *run, size_t index, struct err *e)
{
	const struct step *step = &run->plan->steps[index];
	const struct extent *extent = &run->steps[index].extent;
	const struct launch *launch = &step->launch;
	char grid[40], block[40];

	return err_wrap(e, "launch %zu, %s on stream %s, grid %s, block %s",
			launch->number, launch->kernel->base,
			run->plan->streams.at[step->queued.stream],
			geometry_format(extent->grid, grid),
			geometry_format(extent->block, block));
}

static int await(struct run *run, size_t index, struct err *e)
{
	const size_t event = run->plan->steps[index].event;

	return event == NONE ? await_all(run, e) : await_event(run, event, e);
}

/* ---- unloading ---- */

/* Tells whether something of @source was launched on @stream and not awaited since. */
static bool may_run(const struct run *run, const struct source *source, size_t stream)
{
	const struct plan *plan = run->plan;

	for (size_t i = run->awaited[stream]; i < plan->step_count; i++) {
		const struct step *step = &plan->steps[i];
		const struct launch *launch = step_launch(step);

		if (run->steps[i].done && launch && step->queued.stream == stream &&
		    plan->units[launch->unit].source == source)
			return true;
	}
	return false;
}

/* A fault of what still runs is reported as that, so it is waited for first. */
static int unload(struct run *run, size_t index, struct err *e)
{
	const struct source *source = &run->plan->sources[run->plan->steps[index].source];

	for (size_t i = 0; i < run->plan->streams.count; i++) {
		if (may_run(run, source, i))
			TRY(await_stream(run, i, e));
	}
	return release_source(run, source, e);
}

/* ---- launching ---- */

/* Makes the events around a launch, before it: once it runs, any call may tell its fault. */
static int prepare_times(struct run *run, struct run_step *found, struct err *e)
{
	const struct gpurun_device device = run->device.handle;

	if (!wants_times(run) || found->begin.id)
		return 0;
	TRY(CALL(gpurun_event_create(device, GPURUN_EVENT_TIMING, &found->begin), e));
	return CALL(gpurun_event_create(device, GPURUN_EVENT_TIMING, &found->end), e);
}

static int record_time(struct run *run, struct gpurun_event event, size_t stream, struct err *e)
{
	return event.id ? CALL(gpurun_event_record(event, run->streams[stream]), e) : 0;
}

static int launch_kernel(struct run *run, size_t index, struct err *e)
{
	const struct step *step = &run->plan->steps[index];
	const struct launch *launch = &step->launch;
	struct run_step *found = &run->steps[index];
	struct gpurun_launch how = { .shared = launch->shared,
				     .stream = run->streams[step->queued.stream] };
	uint64_t begin;

	ASSERT(found->extent.grid[0] && found->extent.block[0]); /* settled */
	memcpy(how.grid, found->extent.grid, sizeof(how.grid));
	memcpy(how.block, found->extent.block, sizeof(how.block));
	memcpy(how.cluster, launch->cluster, sizeof(how.cluster));
	if (launch->cooperative)
		how.flags |= GPURUN_LAUNCH_COOPERATIVE;
	TRY(prepare_times(run, found, e));
	TRY(record_time(run, found->begin, step->queued.stream, e));
	/* The driver may wait for its end, as may whatever comes next. */
	await_set(run, (struct awaited){ step->queued.stream, index, index + 1 });
	begin = clock_now();
	TRY(CALL(gpurun_launch(found->kernel, &how, found->args), e));
	found->call_nanoseconds = clock_now() - begin;
	memory_touch(run, index);
	return record_time(run, found->end, step->queued.stream, e);
}

static int note_launch(struct run *run, const struct step *step, struct err *e)
{
	const struct launch *launch = &step->launch;
	const struct history_entry entry = { .kind = HISTORY_LAUNCH,
					     .launch = launch->number,
					     .kernel = launch->kernel->signature,
					     .stream = run->plan->streams.at[step->queued.stream] };

	return run_note(run, entry, e);
}

static int note_event(struct run *run, enum history_kind kind, size_t stream, size_t event,
		      struct err *e)
{
	const struct plan *plan = run->plan;
	const struct history_entry entry = { .kind = kind,
					     .event = plan->events.at[event],
					     .stream = plan->streams.at[stream] };

	return run_note(run, entry, e);
}

/* With a fault it need not be this launch that failed, but may be one before it. */
static int launch_failed(struct run *run, size_t index, struct err *e)
{
	const size_t stream = run->plan->steps[index].queued.stream;

	message_log(gpurun_error_log());
	if (e->code != GPURUN_FAULT)
		return follow_launch_error(run, index, e);
	return await_failed(run, (struct awaited){ stream, run->awaited[stream], index + 1 }, e);
}

static int wait_for(struct run *run, size_t stream, size_t event, struct err *e)
{
	ASSERT(stream < run->plan->streams.count && event < run->plan->events.count);
	TRY(CALL(gpurun_stream_wait_event(run->streams[stream], run->events[event]), e));
	return note_event(run, HISTORY_WAIT, stream, event, e);
}

static int record(struct run *run, size_t stream, size_t event, struct err *e)
{
	ASSERT(stream < run->plan->streams.count && event < run->plan->events.count);
	TRY(CALL(gpurun_event_record(run->events[event], run->streams[stream]), e));
	return note_event(run, HISTORY_RECORD, stream, event, e);
}

static int launch(struct run *run, size_t index, struct err *e)
{
	if (launch_kernel(run, index, e))
		return launch_failed(run, index, e);
	return note_launch(run, &run->plan->steps[index], e);
}

static int record_event(struct run *run, size_t index, struct err *e)
{
	const struct step *step = &run->plan->steps[index];

	return record(run, step->queued.stream, step->event, e);
}

static int wait_event(struct run *run, size_t index, struct err *e)
{
	const struct step *step = &run->plan->steps[index];

	return wait_for(run, step->queued.stream, step->event, e);
}

int follow(struct run *run, size_t index, struct err *e)
{
	static int (*const runs[ACTION_COUNT])(struct run *, size_t, struct err *) = {
#define ACTION(id, effect, plan, run, ...) [ACTION_##id] = run,
#include "actions.def"
	};
	const struct step *step = &run->plan->steps[index];
	const struct queued *queued = &step->queued;

	ASSERT(step->kind < ACTION_COUNT && runs[step->kind] && !run->steps[index].done);
	run->stage = action_name(step->kind);
	for (size_t i = 0; i < queued->after_count; i++)
		TRY(wait_for(run, queued->stream, queued->after[i], e));
	TRY(runs[step->kind](run, index, e));
	return queued->event == NONE ? 0 : record(run, queued->stream, queued->event, e);
}
