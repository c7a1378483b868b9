/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "await.h"

#include "asserts.h"
#include "halt.h"
#include "library.h"
#include "message.h"
#include "progress.h"

void await_set(struct run *run, struct awaited awaited)
{
	halt_lock();
	run->awaiting = awaited;
	halt_unlock();
}

/* The launches on @stream before step @until that may still run. */
static struct awaited unseen(const struct run *run, size_t stream, size_t until)
{
	struct awaited awaited = { stream, run->awaited[stream], run->awaited[stream] };

	ASSERT(stream < run->plan->streams.count && until <= run->plan->step_count);
	while (awaited.until < until && run->steps[awaited.until].done)
		awaited.until++;
	return awaited;
}

/* Such a kernel faults at its first access. */
static void hint_shared(const struct plan *plan, const struct awaited *awaited, struct err *e)
{
	for (size_t i = awaited->from; i < awaited->until; i++) {
		const struct launch *launch = step_launch(&plan->steps[i]);

		if (launch && !launch->shared && launch->kernel->info->dynamic_shared)
			err_hint(e, "%s uses dynamic shared memory: --shared BYTES gives it some",
				 launch->kernel->base);
	}
}

/* What the device says can be done. */
static void hint_of_report(struct err *e)
{
	struct gpurun_report report = { .struct_size = sizeof(report) };

	gpurun_report_get(GPURUN_REPORT_FAULT, &report);
	if (report.event && *report.hint)
		err_hint(e, "%s", report.hint);
}

/*
 * A fault is reported by the next call, whichever it is. Narrows @awaited to the launches of
 * the kernel that the device's report names, on another stream where it is of that one alone.
 */
static void find_faulting(const struct run *run, struct awaited *awaited)
{
	struct gpurun_report report = { .struct_size = sizeof(report) };
	struct awaited found = { 0 };
	size_t streams = 0;

	gpurun_report_get(GPURUN_REPORT_FAULT, &report);

	for (size_t i = 0; i < run->plan->streams.count; i++) {
		struct awaited some = i == awaited->stream
					      ? *awaited
					      : unseen(run, i, run->plan->step_count);

		if (!awaited_narrow(&some, run->plan, report.kernel))
			continue;
		found = some;
		streams++;
	}
	if (streams == 1)
		*awaited = found;
}

int await_failed(struct run *run, struct awaited awaited, struct err *e)
{
	char text[256];
	size_t first;

	find_faulting(run, &awaited);
	awaited_describe(&awaited, run, text, sizeof(text));
	first = awaited_next(&awaited, run->plan, awaited.from);
	if (first != NONE)
		run_blame(run, first);
	if (e->code == GPURUN_FAULT && !*e->hint)
		hint_shared(run->plan, &awaited, e);
	if (e->code == GPURUN_FAULT && !*e->hint)
		hint_of_report(e);
	return *text ? err_wrap(e, "%s", text) : (int)e->code;
}

/* A failed await: the report of the device is printed before the error. */
static int failed(struct run *run, struct awaited awaited, int status, struct err *e)
{
	run->stage = "await";
	library_status(status, e);
	message_log(gpurun_error_log());
	return await_failed(run, awaited, e);
}

/* Notes the beginning of a wait; @entry has what is waited for. */
static int begin(struct run *run, struct awaited awaited, struct history_entry entry,
		 struct err *e)
{
	const size_t first = awaited_next(&awaited, run->plan, awaited.from);

	entry.kind = HISTORY_AWAIT;
	TRY(run_note(run, entry, e));
	await_set(run, awaited);
	if (first != NONE && !run->again)
		progress_begin(PROGRESS_RUN, run->plan->steps[first].launch.kernel->base, 0, 0);
	return 0;
}

/* Notes its end, with the @status of the call that waited. */
static int end(struct run *run, struct awaited awaited, struct history_entry entry, int status,
	       struct err *e)
{
	if (!run->again)
		progress_end();
	await_set(run, (struct awaited){ 0 });
	if (status)
		return failed(run, awaited, status, e);
	entry.kind = HISTORY_AWAITED;
	return run_note(run, entry, e);
}

int await_stream(struct run *run, size_t stream, struct err *e)
{
	const struct plan *plan = run->plan;
	const struct awaited awaited = unseen(run, stream, plan->step_count);
	const struct history_entry entry = { .stream = plan->streams.at[stream] };

	TRY(begin(run, awaited, entry, e));
	TRY(end(run, awaited, entry, gpurun_stream_synchronize(run->streams[stream]), e));
	for (size_t i = 0; i < plan->buffer_count; i++)
		run->buffers[i].touched[stream] = false;
	ASSERT(awaited.until >= run->awaited[stream]);
	run->awaited[stream] = awaited.until;
	return 0;
}

int await_all(struct run *run, struct err *e)
{
	for (size_t i = 0; i < run->plan->streams.count; i++)
		TRY(await_stream(run, i, e));
	return 0;
}

/* What the event @index was last recorded after. */
static struct awaited behind_event(const struct run *run, size_t index)
{
	const struct plan *plan = run->plan;
	struct awaited awaited = { 0 };

	for (size_t i = 0; i < plan->step_count && run->steps[i].done; i++) {
		const struct step *step = &plan->steps[i];

		if (step_records(step, index))
			awaited = unseen(run, step->queued.stream, i + 1);
	}
	return awaited;
}

int await_event(struct run *run, size_t event, struct err *e)
{
	const struct awaited awaited = behind_event(run, event);
	const struct history_entry entry = { .event = run->plan->events.at[event] };

	TRY(begin(run, awaited, entry, e));
	return end(run, awaited, entry, gpurun_event_synchronize(run->events[event]), e);
}
