/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* gpurunCpuReport(): reports of faults and findings; gpurunCpuNote(): what the runtime knows. */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "arena.h"
#include "cause.h"
#include "cleanup.h"
#include "config.h"
#include "context.h"
#include "demangle.h"
#include "entry.h"
#include "exports.h"
#include "failed.h"
#include "findings.h"
#include "grid.h"
#include "leftover.h"
#include "outcome.h"
#include "report.h"

/* The caller has ended its kernels: what they have allocated on the heap is leaked. */
static void report_heap(void)
{
	static atomic_bool reported;

	if (config.check & CHECK_LEAK && !atomic_exchange(&reported, true))
		arena_report_leaks(1u << BLOCK_HEAP, NULL, 0);
}

/* As text, or as a record. */
static void write_report(const struct gpurun_report *report, bool as_record, char *to, size_t size)
{
	if (as_record)
		report_pack(report, to, size);
	else
		report_format(report, to, size);
}

static CUresult next_finding(bool as_record, char *to, size_t size)
{
	CLEANUP(free_pointer) void *owned = NULL;
	struct gpurun_report report;

	report_heap();
	if (!size)
		return CUDA_SUCCESS;
	owned = finding_pop(&report);
	write_report(&report, as_record, to, size);
	return CUDA_SUCCESS;
}

static CUresult write_fault(bool as_record, char *to, size_t size)
{
	struct gpurun_report report;

	driver_lock();
	report_mute();
	while (size && context_report_pending() && !driver_ended())
		wait_change();
	report_get(&report);
	if (size)
		write_report(&report, as_record, to, size);
	driver_unlock();
	return CUDA_SUCCESS;
}

static CUresult write_counts(bool as_record, char *to, size_t size)
{
	const struct gpurun_report report = outcome_counts();

	if (!as_record)
		return CUDA_ERROR_INVALID_VALUE;
	write_report(&report, true, to, size);
	return CUDA_SUCCESS;
}

static CUresult write_running(bool as_record, char *to, size_t size)
{
	struct gpurun_report report = report_none();

	if (!as_record)
		return CUDA_ERROR_INVALID_VALUE;
	driver_lock();
	if (grid_oldest(&report))
		report.event = GPURUN_REPORT_RUNNING;
	write_report(&report, true, to, size);
	driver_unlock();
	return CUDA_SUCCESS;
}

static CUresult write_cause(bool as_record, char *to, size_t size)
{
	if (as_record)
		return CUDA_ERROR_INVALID_VALUE;
	snprintf(to, size, "%s", cause_text());
	return CUDA_SUCCESS;
}

static CUresult set_leftover(bool on)
{
	driver_lock();
	if (on)
		leftover_begin();
	else
		leftover_end();
	driver_unlock();
	return CUDA_SUCCESS;
}

/* ---- gpurunCpuNote() -------------------------------------------------------------------- */

/* Of this thread: launches whose errors the program has not read. */
static _Thread_local struct {
	unsigned refused, without_code;
} unread;

/* Adds why, and where the driver was asked, what was to be launched. */
static void add_cause(struct gpurun_report *report, char *what, size_t size)
{
	const struct cause_launch *launched = cause_launched();
	const char *cause = *cause_text() ? cause_text() : report->what;
	CLEANUP(free_pointer) char *kernel = NULL;

	if (*launched->kernel) {
		report->kernel = launched->kernel;
		memcpy(report->grid, launched->grid, sizeof(report->grid));
		memcpy(report->block_size, launched->block, sizeof(report->block_size));
	}
	kernel = demangle_alone(report->kernel);
	snprintf(what, size, "launch%s%.200s: %s (%d)%s%s", *report->kernel ? " of " : "",
		 kernel ? kernel : report->kernel, report->error_name, report->error,
		 *cause ? ": " : "", cause);
	report->what = what;
}

/* A launch that failed because of missing code is reported as an image that was refused. */
static bool is_without_code(int error)
{
	return error == CUDA_ERROR_NO_BINARY_FOR_GPU || error == CUDA_ERROR_INVALID_PTX ||
	       error == CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
}

static bool has_fault(void)
{
	bool faulted;

	driver_lock();
	faulted = context_faulted();
	driver_unlock();
	return faulted;
}

static void note_launch(struct gpurun_report *report)
{
	bool without_code = is_without_code(report->error);
	char what[512];

	if (without_code)
		outcome_image_failed();
	without_code &= outcome_has_image();
	if (has_fault() || cause_is_harmless())
		return;
	if (!cause_launched()->counted)
		outcome_refused();
	add_cause(report, what, sizeof(what));
	outcome_launch(report, without_code);
	unread.refused += !without_code;
	unread.without_code += without_code;
}

static void note_call(const struct gpurun_report *report)
{
	if (is_without_code(report->error))
		outcome_image_failed();
	failed_call(report->call, report->error, report->error_name, report->what, NULL);
	cause_clear();
}

static CUresult note_report(int kind, const char *record, size_t size)
{
	struct gpurun_report report;

	if (!record || !report_unpack((struct bytes){ (const uint8_t *)record, size }, &report))
		return CUDA_ERROR_INVALID_VALUE;
	if (kind == GPURUN_CPU_NOTE_LAUNCH)
		note_launch(&report);
	else
		note_call(&report);
	return CUDA_SUCCESS;
}

CUresult gpurunCpuNote(int kind, const char *record, size_t number)
{
	if (kind == GPURUN_CPU_NOTE_STATUS) {
		outcome_log_status((int)number);
		return CUDA_SUCCESS;
	}
	if (driver_ended() || driver_state() == DRIVER_FORKED)
		return driver_result();
	switch (kind) {
	case GPURUN_CPU_NOTE_LAUNCH:
	case GPURUN_CPU_NOTE_CALL:
		return note_report(kind, record, number);
	case GPURUN_CPU_NOTE_READ:
		outcome_read(unread.refused, unread.without_code);
		unread.refused = unread.without_code = 0;
		return CUDA_SUCCESS;
	case GPURUN_CPU_NOTE_LOOKED:
		outcome_looked((int)number);
		return CUDA_SUCCESS;
	case GPURUN_CPU_NOTE_RECOVERED:
		outcome_recovered();
		return CUDA_SUCCESS;
	case GPURUN_CPU_NOTE_WORKED:
		if (record)
			failed_worked(record);
		return CUDA_SUCCESS;
	}
	return CUDA_ERROR_INVALID_VALUE;
}

/* ---- gpurunCpuReport() --------------------------------------------------------------------- */

/* Works in any state except after the end or a fork: a failed cuInit has a report too. */
CUresult gpurunCpuReport(int kind, char *text, size_t size)
{
	const bool as_record = kind & GPURUN_CPU_REPORT_RECORD;

	/* Before any lock: a forked child has those of its parent as they were. */
	if (driver_ended() || driver_state() == DRIVER_FORKED)
		return driver_result();
	if (size && !text)
		return CUDA_ERROR_INVALID_VALUE;
	if (as_record && size < REPORT_LEAST)
		return CUDA_ERROR_INVALID_VALUE;
	switch (kind & ~GPURUN_CPU_REPORT_RECORD) {
	case GPURUN_CPU_REPORT_FAULT:
		return write_fault(as_record, text, size);
	case GPURUN_CPU_REPORT_FINDING:
		return next_finding(as_record, text, size);
	case GPURUN_CPU_REPORT_LAUNCHES:
		return write_counts(as_record, text, size);
	case GPURUN_CPU_REPORT_RUNNING:
		return write_running(as_record, text, size);
	case GPURUN_CPU_REPORT_CAUSE:
		return write_cause(as_record, text, size);
	case GPURUN_CPU_REPORT_LEFT:
	case GPURUN_CPU_REPORT_LEFT_END:
		return set_leftover(kind == GPURUN_CPU_REPORT_LEFT);
	}
	return CUDA_ERROR_INVALID_VALUE;
}
