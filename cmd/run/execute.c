/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "execute.h"

#include <stdlib.h>
#include <string.h>

#include "await.h"
#include "cleanup.h"
#include "events.h"
#include "geometry.h"
#include "halt.h"
#include "library.h"
#include "memory.h"
#include "message.h"
#include "release.h"
#include "results.h"
#include "unit_load.h"
#include "units.h"

static void *zeroed(size_t count, size_t size)
{
	return calloc(count + 1, size);
}

static bool wants_times(const struct run *run)
{
	const struct options *options = run->plan->options;

	return options->json.wanted || options->junit.wanted || options->verbose;
}

static int allocate(struct run *run, struct err *e)
{
	const struct plan *plan = run->plan;

	run->modules = zeroed(plan->unit_count, sizeof(*run->modules));
	run->streams = zeroed(plan->streams.count, sizeof(*run->streams));
	run->events = zeroed(plan->events.count, sizeof(*run->events));
	run->moments = zeroed(plan->events.count, sizeof(*run->moments));
	run->awaited = zeroed(plan->streams.count, sizeof(*run->awaited));
	run->kernels = zeroed(plan->step_count, sizeof(*run->kernels));
	if (wants_times(run))
		run->timing = zeroed(2 * plan->step_count, sizeof(*run->timing));
	if (!run->modules || !run->streams || !run->events || !run->moments || !run->awaited ||
	    !run->kernels ||
	    (wants_times(run) && !run->timing))
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the run");
	return 0;
}

/* ---- before the first launch ---- */

/* A plan for the CPU device has chosen the images already. */
static int bind_units(struct run *run, struct err *e)
{
	const struct image_target target = device_target(&run->device);
	char text[160];
	int status;

	if (run->plan->bound.at && target.ptx_only)
		return 0;
	halt_lock();
	status = units_bind(run->plan, &target, device_describe(&run->device, text), &run->bound,
			    e);
	halt_unlock();
	return status;
}

static int load_modules(struct run *run, struct err *e)
{
	struct plan *plan = run->plan;

	plan->stage = "image";
	TRY(bind_units(run, e));
	units_say(plan, run_bound(run));
	for (size_t i = 0; i < plan->unit_count; i++) {
		TRY(unit_load(run->device.handle, plan->units[i].source, &run_bound(run)->at[i],
			      &run->modules[i], e));
		TRY(run_note_module(run, HISTORY_LOAD, i, NULL, e));
	}
	return 0;
}

static int launch_error(const struct run *run, const struct step *step, struct err *e)
{
	const struct launch *launch = &step->launch;
	char grid[40], block[40];

	return err_wrap(e, "launch %zu, %s on stream %s, grid %s, block %s",
			launch->number, launch->kernel->base,
			run->plan->streams.at[step->stream],
			geometry_format(launch->grid, grid),
			geometry_format(launch->block, block));
}

/* Finds the kernel of @step and fills in its arguments. */
static int bind(struct run *run, struct step *step, struct err *e)
{
	struct gpurun_kernel_info info = { .struct_size = sizeof(info) };
	struct launch *launch = &step->launch;
	size_t index = (size_t)(step - run->plan->steps);
	unsigned block, grid;

	TRY(memory_resolve(run, launch, e));
	TRY(CALL(gpurun_module_kernel(run->modules[launch->unit], launch->kernel->name,
				      &run->kernels[index]),
		 e));
	TRY(CALL(gpurun_kernel_get_info(run->kernels[index], &info), e));
	halt_lock();
	launch->binary_version = info.binary_version;
	halt_unlock();
	if (!launch->threads)
		return 0;
	TRY(CALL(gpurun_kernel_occupancy(run->kernels[index], launch->shared, &block, &grid),
		 e));
	return geometry_settle(launch, block, e);
}

/*
 * All before the first launch: a driver that loads kernels lazily may wait for
 * the running ones, which may wait for the one to be loaded.
 */
static int bind_all(struct run *run, struct err *e)
{
	run->plan->stage = "launch";
	for (size_t i = 0; i < run->plan->step_count; i++) {
		struct step *step = &run->plan->steps[i];

		if (step->kind != OPTION_LAUNCH || !bind(run, step, e))
			continue;
		message_log(gpurun_error_log());
		run_blame(run, i);
		return launch_error(run, step, e);
	}
	return 0;
}

static int prepare(struct run *run, struct err *e)
{
	struct plan *plan = run->plan;
	unsigned flags;

	TRY(load_modules(run, e));
	plan->stage = "memory";
	TRY(memory_place(run, e));
	plan->stage = "stream";
	flags = plan->options->json.wanted ? GPURUN_EVENT_TIMING : 0;
	for (size_t i = 0; i < plan->streams.count; i++)
		TRY(CALL(gpurun_stream_create(run->device.handle, &run->streams[i]), e));
	for (size_t i = 0; i < plan->events.count; i++)
		TRY(CALL(gpurun_event_create(run->device.handle, flags, &run->events[i]), e));
	return bind_all(run, e);
}

static int await(struct run *run, const struct step *step, struct err *e)
{
	return step->target == NONE ? await_all(run, e) : await_event(run, step->target, e);
}

/* ---- unloading ---- */

/* Tells whether something of @source was launched on @stream and not awaited since. */
static bool may_run(const struct run *run, const struct source *source, size_t stream)
{
	const struct plan *plan = run->plan;

	for (size_t i = run->awaited[stream]; i < plan->step_count; i++) {
		const struct step *step = &plan->steps[i];

		if (step->done && step->kind == OPTION_LAUNCH && step->stream == stream &&
		    plan->units[step->launch.unit].source == source)
			return true;
	}
	return false;
}

/* A fault of what still runs is reported as that, so it is waited for first. */
static int unload(struct run *run, const struct step *step, struct err *e)
{
	const struct source *source = &run->plan->sources[step->target];

	for (size_t i = 0; i < run->plan->streams.count; i++) {
		if (may_run(run, source, i))
			TRY(await_stream(run, i, e));
	}
	return release_source(run, source, e);
}

/* ---- launching ---- */

static int record_time(struct run *run, size_t index, size_t stream, struct err *e)
{
	if (!run->timing)
		return 0;
	TRY(CALL(gpurun_event_create(run->device.handle, GPURUN_EVENT_TIMING,
				     &run->timing[index]),
		 e));
	return CALL(gpurun_event_record(run->timing[index], run->streams[stream]), e);
}

static int launch_kernel(struct run *run, struct step *step, struct err *e)
{
	struct launch *launch = &step->launch;
	size_t index = (size_t)(step - run->plan->steps);
	CLEANUP(free_pointer) void **args = zeroed(launch->slot_count, sizeof(*args));
	struct gpurun_launch how = { .shared = launch->shared,
				     .stream = run->streams[step->stream] };

	if (!args)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for arguments");
	memcpy(how.grid, launch->grid, sizeof(how.grid));
	memcpy(how.block, launch->block, sizeof(how.block));
	memcpy(how.cluster, launch->cluster, sizeof(how.cluster));
	if (launch->cooperative)
		how.flags |= GPURUN_LAUNCH_COOPERATIVE;
	for (size_t i = 0; i < launch->slot_count; i++) {
		struct slot *slot = &launch->slots[i];

		args[i] = slot->large ? slot->large : slot->bytes;
	}
	TRY(record_time(run, 2 * index, step->stream, e));
	/* The driver may wait for its end, as may whatever comes next. */
	await_set(run, (struct awaited){ step->stream, index, index + 1 });
	TRY(CALL(gpurun_launch(run->kernels[index], &how, args), e));
	memory_touch(run, step);
	return record_time(run, 2 * index + 1, step->stream, e);
}

static int note_launch(struct run *run, const struct step *step, struct err *e)
{
	const struct launch *launch = &step->launch;
	const struct history_entry entry = { .kind = HISTORY_LAUNCH,
					     .launch = launch->number,
					     .kernel = launch->kernel->signature,
					     .stream = run->plan->streams.at[step->stream] };

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
static int launch_failed(struct run *run, const struct step *step, struct err *e)
{
	size_t index = (size_t)(step - run->plan->steps);

	message_log(gpurun_error_log());
	if (e->code != GPURUN_FAULT)
		return launch_error(run, step, e);
	return await_failed(run,
			   (struct awaited){ step->stream, run->awaited[step->stream], index + 1 },
			   e);
}

static int wait_event(struct run *run, size_t stream, size_t event, struct err *e)
{
	TRY(CALL(gpurun_stream_wait_event(run->streams[stream], run->events[event]), e));
	return note_event(run, HISTORY_WAIT, stream, event, e);
}

static int record(struct run *run, size_t stream, size_t event, struct err *e)
{
	TRY(CALL(gpurun_event_record(run->events[event], run->streams[stream]), e));
	return note_event(run, HISTORY_RECORD, stream, event, e);
}

static int enqueue(struct run *run, struct step *step, struct err *e)
{
	for (size_t i = 0; i < step->after_count; i++)
		TRY(wait_event(run, step->stream, step->after[i], e));
	if (step->kind == OPTION_LAUNCH) {
		if (launch_kernel(run, step, e))
			return launch_failed(run, step, e);
		TRY(note_launch(run, step, e));
	}
	if (step->kind == OPTION_RECORD)
		TRY(record(run, step->stream, step->target, e));
	if (step->kind == OPTION_WAIT)
		TRY(wait_event(run, step->stream, step->target, e));
	return step->event == NONE ? 0 : record(run, step->stream, step->event, e);
}

static int follow(struct run *run, struct step *step, struct err *e)
{
	run->plan->stage = option_table[step->kind].name;
	switch (step->kind) {
	case OPTION_LAUNCH:
	case OPTION_RECORD:
	case OPTION_WAIT:
		return enqueue(run, step, e);
	case OPTION_AWAIT:
		return await(run, step, e);
	case OPTION_UNLOAD:
		return unload(run, step, e);
	case OPTION_EXPECT:
		return results_expect(run, step, e);
	case OPTION_OUT:
		return results_out(run, step, e);
	case OPTION_SET:
	case OPTION_FILL:
	case OPTION_COPY:
		return memory_write(run, step, e);
	default:
		return results_print(run, step, e);
	}
}

/* ---- the whole ---- */

static int read_times(struct run *run, struct err *e)
{
	for (size_t i = 0; run->timing && i < run->plan->step_count; i++) {
		struct launch *launch = &run->plan->steps[i].launch;

		if (run->plan->steps[i].kind != OPTION_LAUNCH ||
		    !run->timing[2 * i + 1].id)
			continue;
		TRY(CALL(gpurun_event_elapsed(run->timing[2 * i], run->timing[2 * i + 1],
					      &launch->nanoseconds),
			 e));
		halt_lock();
		launch->has_time = true;
		halt_unlock();
		message_verbose("launch %zu, %s on stream %s: %.3f us", launch->number,
				launch->kernel->signature,
				run->plan->streams.at[run->plan->steps[i].stream],
				(double)launch->nanoseconds / 1000);
	}
	return 0;
}

/* What could not be printed is no reason to lose what is to be written: it is said at the end. */
static int put_off(struct run *run, const struct step *step, int status, const struct err *e)
{
	bool printed = step->kind == OPTION_PRINT || step->kind == OPTION_GET ||
		       (step->kind == OPTION_OUT && !strcmp(step->path, "-"));

	if (!printed || status != GPURUN_IO)
		return status;
	if (!run->unprinted.code)
		run->unprinted = *e;
	return 0;
}

static int follow_all(struct run *run, struct err *e)
{
	for (size_t i = 0; i < run->plan->step_count; i++) {
		struct step *step = &run->plan->steps[i];

		int status = put_off(run, step, follow(run, step, e), e);

		if (status) {
			run_blame(run, i);
			return status;
		}
		halt_lock();
		step->done = true;
		run->launched |= step->kind == OPTION_LAUNCH;
		halt_unlock();
	}
	run->plan->stage = "await";
	return await_all(run, e);
}

static void say_device(const struct run *run)
{
	char text[160];

	message_verbose("device: %s", device_describe(&run->device, text));
}

static int run_plan(struct run *run, struct err *e)
{
	TRY(allocate(run, e));
	TRY(prepare(run, e));
	TRY(follow_all(run, e));
	TRY(read_times(run, e));
	TRY(events_read(run, e));
	*e = (struct err){ 0 };
	TRY(results_write(run, e));
	if (run->unprinted.code) {
		run->plan->stage = "print";
		*e = run->unprinted;
		return e->code;
	}
	run->plan->stage = "end";
	return release_run(run, e);
}

int execute(struct run *run, struct err *e)
{
	struct err late = { 0 };
	int status;

	/* One run has no use for pools: the driver is asked for what the line says. */
	setenv("GPURUN_POOL", "0", 0);
	run->plan->stage = "device";
	run_show(run);
	TRY(device_open(run->plan, &run->device, e));
	halt_lock();
	run->has_device = true;
	halt_unlock();
	say_device(run);
	status = run_plan(run, e);
	await_set(run, (struct awaited){ 0 });
	run->counts.struct_size = sizeof(run->counts);
	gpurun_report_get(GPURUN_REPORT_LAUNCHES, &run->counts);
	if (findings_take(&run->findings, &late) && !status)
		*e = late;
	return status ? status : (int)late.code;
}
