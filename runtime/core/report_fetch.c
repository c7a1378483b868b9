/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "report_fetch.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "api.h"
#include "cleanup.h"
#include "cuda_error.h"
#include "demangle.h"
#include "report_format.h"

static bool fetch(int kind, char *record)
{
	return runtime.cuda.cpu &&
	       !runtime.cuda.gpurunCpuReport(kind | GPURUN_CPU_REPORT_RECORD, record, REPORT_MOST);
}

static void unpack_record(const char *record, struct gpurun_report *report)
{
	report_unpack((struct bytes){ (const uint8_t *)record, REPORT_MOST }, report);
}

/* Any call after the launch may be the one that returns a fault. */
static void name_kernel(const struct gpurun_report *report, struct err *e)
{
	CLEANUP(free_pointer) char *kernel = demangle_alone(report->kernel);
	const size_t used = strlen(e->text);

	snprintf(e->text + used, sizeof(e->text) - used, ": %s, launched before",
		 kernel ? kernel : report->kernel);
}

void report_keep(CUresult result, const char *call, struct err *e)
{
	struct api_record *record = api_record();
	struct gpurun_report report;
	char fetched[REPORT_MOST];

	if (record->log[0] || !fetch(GPURUN_CPU_REPORT_FAULT, fetched))
		return;
	unpack_record(fetched, &report);
	record->reported = report.event == GPURUN_REPORT_FAULT;
	report_format(&report, record->log, sizeof(record->log));
	if (record->reported && cuda_error_is_fault(result)) {
		report.call = call;
		report.error_name = cuda_error_name(result);
		if (e && *report.kernel)
			name_kernel(&report, e);
	}
	report_pack(&report, record->report, sizeof(record->report));
}

static int no_room(struct err *e)
{
	return err_set(e, GPURUN_INVALID, "nowhere to write the report: the pointer is NULL");
}

void report_add_cause(struct err *e)
{
	char cause[256] = "";
	size_t used;

	if (!e || !runtime.cuda.cpu)
		return;
	runtime.cuda.gpurunCpuReport(GPURUN_CPU_REPORT_CAUSE, cause, sizeof(cause));
	used = strlen(e->text);
	if (*cause)
		snprintf(e->text + used, sizeof(e->text) - used, ": %s", cause);
}

/* Whether a library asks for errors, and its program does not. */
static atomic_bool relayed;

static void send_note(int kind, size_t number)
{
	if (atomic_load(&relayed))
		return;
	if (runtime_enter() && runtime.cuda.cpu)
		runtime.cuda.gpurunCpuNote(kind, NULL, number);
	runtime_leave();
}

void report_relay(void)
{
	atomic_store(&relayed, true);
}

void report_looked(void)
{
	const struct api_record *record = api_record();

	if (record->err.code == GPURUN_FAULT && record->driver && !record->inside)
		send_note(GPURUN_CPU_NOTE_LOOKED, (size_t)record->driver);
}

void report_recovered(void)
{
	send_note(GPURUN_CPU_NOTE_RECOVERED, 0);
}

int report_of_failure(struct gpurun_report *out)
{
	const struct api_record *record = api_record();
	struct gpurun_report report = report_none();
	struct err e = { 0 };

	if (!out)
		return no_room(&api_clear()->err);
	report_looked();
	if (record->reported)
		unpack_record(record->report, &report);
	if (api_copy_struct(out, &report, sizeof(report), &e))
		api_clear()->err = e;
	return (int)e.code;
}

/* The kind that the device has for @event; 0: there is none. */
static int kind_of(int event)
{
	switch (event) {
	case GPURUN_REPORT_FINDING:
		return GPURUN_CPU_REPORT_FINDING;
	case GPURUN_REPORT_LAUNCHES:
		return GPURUN_CPU_REPORT_LAUNCHES;
	case GPURUN_REPORT_RUNNING:
		return GPURUN_CPU_REPORT_RUNNING;
	}
	return 0;
}

int report_fetch(int event, struct gpurun_report *out, struct err *e)
{
	const int kind = kind_of(event);
	struct api_record *record = api_record();
	struct gpurun_report report = report_none();

	if (!out)
		return no_room(e);
	if (!kind)
		return err_set(e, GPURUN_INVALID, "there are no reports of event %d", event);
	record->reported = false;
	if (fetch(kind, record->report))
		unpack_record(record->report, &report);
	return api_copy_struct(out, &report, sizeof(report), e);
}

int report_finding(char *text, size_t size)
{
	if (runtime.cuda.cpu)
		runtime.cuda.gpurunCpuReport(GPURUN_CPU_REPORT_FINDING, text, size);
	return 0;
}
