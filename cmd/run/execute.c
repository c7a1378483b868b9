/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "execute.h"

#include <stdlib.h>

#include "await.h"
#include "clock.h"
#include "counting.h"
#include "events.h"
#include "follow.h"
#include "geometry.h"
#include "halt.h"
#include "library.h"
#include "memory.h"
#include "message.h"
#include "output_options.h"
#include "progress.h"
#include "release.h"
#include "results.h"
#include "trace_names.h"
#include "unit_load.h"
#include "units.h"

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
	const struct plan *plan = run->plan;

	const uint64_t begin = clock_now();

	run->stage = "image";
	TRY(bind_units(run, e));
	units_say(plan, run_bound(run));
	for (size_t i = 0; i < plan->unit_count; i++) {
		progress_begin(PROGRESS_LOAD, plan->units[i].source->path, 0, 0);
		TRY(unit_load(run->device.handle, plan->units[i].source, &run_bound(run)->at[i],
			      &run->modules[i], e));
		progress_end();
		TRY(run_note_module(run, HISTORY_LOAD, i, NULL, e));
	}
	run->load_nanoseconds = clock_now() - begin;
	return 0;
}

/* Settles what --block auto has left to the device. */
static int settle_extent(const struct launch *launch, struct run_step *found, struct err *e)
{
	struct extent extent;
	unsigned block, grid;
	int status;

	TRY(CALL(gpurun_kernel_occupancy(found->kernel, launch->shared, &block, &grid), e));
	status = geometry_settle(launch, block, &extent, e);
	halt_lock();
	found->extent = extent;
	halt_unlock();
	return status;
}

/* Finds the kernel of the launch @index and fills in its arguments. */
static int bind(struct run *run, size_t index, struct err *e)
{
	struct gpurun_kernel_info info = { .struct_size = sizeof(info) };
	const struct launch *launch = &run->plan->steps[index].launch;
	struct run_step *found = &run->steps[index];

	TRY(memory_resolve(run, index, e));
	TRY(CALL(gpurun_module_kernel(run->modules[launch->unit], launch->kernel->name,
				      &found->kernel),
		 e));
	TRY(CALL(gpurun_kernel_get_info(found->kernel, &info), e));
	halt_lock();
	found->binary_version = info.binary_version;
	halt_unlock();
	return launch->threads ? settle_extent(launch, found, e) : 0;
}

static size_t count_launches_of(const struct plan *plan)
{
	size_t count = 0;

	for (size_t i = 0; i < plan->step_count; i++)
		count += plan->steps[i].kind == ACTION_LAUNCH;
	return count;
}

/*
 * All before the first launch: a driver that loads kernels lazily may wait for
 * the running ones, which may wait for the one to be loaded.
 */
static int bind_all(struct run *run, struct err *e)
{
	const size_t count = count_launches_of(run->plan);

	run->stage = "launch";
	for (size_t i = 0; i < run->plan->step_count; i++) {
		const struct launch *launch = step_launch(&run->plan->steps[i]);

		if (!launch)
			continue;
		progress_begin(PROGRESS_PREPARE, launch->kernel->base, launch->number, count);
		if (!bind(run, i, e))
			continue;
		progress_end();
		message_log(gpurun_error_log());
		run_blame(run, i);
		return follow_launch_error(run, i, e);
	}
	progress_end();
	return 0;
}

static int prepare(struct run *run, struct err *e)
{
	const struct plan *plan = run->plan;
	unsigned flags;

	TRY(run_allocate(run, e));
	TRY(load_modules(run, e));
	run->stage = "memory";
	TRY(memory_place(run, e));
	run->stage = "stream";
	flags = plan->output->json.wanted ? GPURUN_EVENT_TIMING : 0;
	for (size_t i = 0; i < plan->streams.count; i++)
		TRY(CALL(gpurun_stream_create(run->device.handle, &run->streams[i]), e));
	for (size_t i = 0; i < plan->events.count; i++)
		TRY(CALL(gpurun_event_create(run->device.handle, flags, &run->events[i]), e));
	trace_names(run);
	return bind_all(run, e);
}

/* ---- the whole ---- */

static int read_times(struct run *run, struct err *e)
{
	for (size_t i = 0; i < run->plan->step_count; i++) {
		const struct launch *launch = &run->plan->steps[i].launch;
		struct run_step *found = &run->steps[i];

		if (!found->end.id)
			continue;
		TRY(CALL(gpurun_event_elapsed(found->begin, found->end, &found->nanoseconds), e));
		halt_lock();
		found->has_time = true;
		halt_unlock();
		message_verbose("launch %zu, %s on stream %s: %.3f us", launch->number,
				launch->kernel->signature,
				run->plan->streams.at[run->plan->steps[i].queued.stream],
				(double)found->nanoseconds / 1000);
	}
	return 0;
}

int execute_once(struct run *run, struct err *e)
{
	for (size_t i = 0; i < run->plan->step_count; i++) {
		const int status = follow(run, i, e);

		if (status) {
			run_blame(run, i);
			return status;
		}
		halt_lock();
		run->steps[i].done = true;
		run->launched |= run->plan->steps[i].kind == ACTION_LAUNCH;
		halt_unlock();
	}
	run->stage = "await";
	TRY(await_all(run, e));
	return read_times(run, e);
}

static void say_device(const struct run *run)
{
	char text[160];

	message_verbose("device: %s", device_describe(&run->device, text));
}

static int run_plan(struct run *run, run_work *work, struct err *e)
{
	TRY(prepare(run, e));
	TRY(work(run, e));
	TRY(events_read(run, e));
	TRY(counting_read(run, e));
	*e = (struct err){ 0 };
	TRY(results_write(run, e));
	if (run->unprinted.code) {
		run->stage = "print";
		*e = run->unprinted;
		return e->code;
	}
	run->stage = "end";
	return release_run(run, e);
}

/* The launches of the process so far; their event is 0 where the device does not count them. */
static struct gpurun_report launches_so_far(void)
{
	struct gpurun_report counts = { .struct_size = sizeof(counts) };

	gpurun_report_get(GPURUN_REPORT_LAUNCHES, &counts);
	return counts;
}

/* Notes how many launches were the run's own: there were those of @before. */
static void count_launches(struct run *run, const struct gpurun_report *before)
{
	run->counts = launches_so_far();
	run->counts.launches -= before->launches;
	run->counts.failed -= before->failed;
	run->counts.kernels -= before->kernels;
}

int execute_beside(struct run *run, const struct run *other, struct err *e)
{
	run->device = other->device;
	run->memory = other;
	return prepare(run, e);
}

int execute(struct run *run, run_work *work, struct err *e)
{
	struct gpurun_report before;
	struct err late = { 0 };
	int status;

	/* One run has no use for pools: the driver is asked for what the line says. */
	setenv("GPURUN_POOL", "0", 0);
	run->begin = clock_now();
	run->stage = "device";
	run_show(run);
	TRY(counting_begin(run, e));
	TRY(device_open(run->plan, &run->device, e));
	halt_lock();
	run->has_device = true;
	halt_unlock();
	say_device(run);
	run->stage = "lock";
	TRY(device_take_turn(run->plan, &run->device, false, e));
	before = launches_so_far();
	status = run_plan(run, work, e);
	await_set(run, (struct awaited){ 0 });
	count_launches(run, &before);
	if (findings_take(&run->findings, &late) && !status)
		*e = late;
	return status ? status : (int)late.code;
}
