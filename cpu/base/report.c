/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "report.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "outcome.h"
#include "output.h"

static char record[REPORT_MOST];
static size_t record_size; /* 0: there is no report */
static bool muted;	   /* the program has called gpurunCpuReport() */

struct gpurun_report report_about(int event, const struct about *about, const char *what)
{
	struct gpurun_report report = report_none();

	report.event = event;
	report.kind = report_kind_name(about->kind);
	report.error = event == GPURUN_REPORT_FAULT ? report_kind_error(about->kind) : 0;
	report.what = what;
	report.count = 1;
	report.bytes = about->bytes;
	if (about->access)
		report.access = about->access;
	if (about->has_address) {
		report.has_address = 1;
		report.address = about->address;
		report.space = about->shared ? "shared" : "generic";
	}
	if (about->call) {
		report.call = about->call;
		report.error = about->error;
		report.error_name = about->error_name;
	}
	if (about->other) {
		report.other = about->other;
		report.other_access = about->other_access;
		report.has_other = about->has_other;
		memcpy(report.other_block, about->other_block, sizeof(report.other_block));
		memcpy(report.other_thread, about->other_thread, sizeof(report.other_thread));
	}
	return report;
}

static void keep(const struct gpurun_report *report)
{
	record_size = report_pack(report, record, sizeof(record));
}

void report_set(const struct gpurun_report *report)
{
	char text[REPORT_MOST];

	keep(report);
	if (muted)
		return;
	report_format(report, text, sizeof(text));
	output_report(report->event == GPURUN_REPORT_FAULT ? "fault: " : "", text);
	if (*report->hint)
		output_note("hint: %s", report->hint);
}

void report_fault(CUresult code, const void *packed)
{
	const struct about about = { .kind = report_kind_of((int)code) };
	struct gpurun_report report;

	if (!report_read(packed, &report))
		report = report_about(GPURUN_REPORT_FAULT, &about, "no memory for a report");
	report.error = (int)code;
	report_set(&report);
	outcome_fault(&report);
}

void report_refusal(enum report_kind kind, const char *fmt, ...)
{
	const struct about about = { .kind = kind };
	char what[REPORT_MOST / 2];
	struct gpurun_report report;
	va_list args;

	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	report = report_about(GPURUN_REPORT_IMAGE, &about, what);
	report_set(&report);
}

void report_set_quietly(const char *text)
{
	const struct about about = { .kind = KIND_REFUSED_IMAGE };
	const struct gpurun_report report = report_about(GPURUN_REPORT_IMAGE, &about, text);

	keep(&report);
}

void report_clear(void)
{
	record_size = 0;
}

void report_mute(void)
{
	muted = true;
}

bool report_is_muted(void)
{
	return muted;
}

void report_get(struct gpurun_report *report)
{
	report_unpack((struct bytes){ (const uint8_t *)record, record_size }, report);
}
