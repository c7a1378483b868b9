/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "annotate.h"

#include <string.h>

#include "asserts.h"
#include "cleanup.h"
#include "exit.h"
#include "fault.h"
#include "visible.h"

/* Commands end with the line; properties end at commas, and at colons. */
static void write_escaped(FILE *to, const char *text, const char *special, enum visible_as as)
{
	CLEANUP(free_pointer) char *shown = visible_new(text, as);

	if (!shown)
		return;
	for (const char *at = shown; *at; at++) {
		if (strchr(special, *at))
			fprintf(to, "%%%02X", *at);
		else
			fputc(*at, to);
	}
}

static void write_property(FILE *to, const char *text)
{
	write_escaped(to, text, "%:,", VISIBLE_NAME);
}

static void write_data(FILE *to, const char *text)
{
	write_escaped(to, text, "%\n", VISIBLE_TEXT);
}

/* @where: NULL, or it may not know the source. */
static void begin(FILE *to, const struct gpurun_report *where, const char *title)
{
	fputs("::error ", to);
	if (where && *where->file) {
		fputs("file=", to);
		write_property(to, where->file);
		fprintf(to, ",line=%u,", where->source_line);
	}
	fputs("title=gpurun%3A ", to);
	write_property(to, title);
	fputs("::", to);
}

static void annotate_mismatch(FILE *to, const char *text)
{
	begin(to, NULL, "mismatch");
	write_data(to, text);
	fputc('\n', to);
}

void annotate_mismatches(FILE *to, const struct run *run)
{
	bool told = false;

	for (size_t i = 0; i < run->plan->step_count; i++) {
		const char *reported = run_step_at(run, i)->reported;

		if (reported)
			annotate_mismatch(to, reported);
		told |= reported != NULL;
	}
	if (run->bench_failed && !told)
		annotate_mismatch(to, run->first_mismatch.text);
}

/* What was reported several times has one line. */
static void annotate_reports(FILE *to, const struct findings *reports)
{
	for (size_t i = 0; reports && i < reports->count; i++) {
		const struct gpurun_report report = findings_at(reports, i);
		const size_t times = findings_times(reports, i);
		CLEANUP(free_pointer) char *text = times ? fault_text(&report) : NULL;

		if (!times)
			continue;
		begin(to, &report, report.kind);
		write_data(to, text ? text : report.what);
		if (times > 1)
			fprintf(to, "%%0A  reported %zu times", times);
		fputc('\n', to);
	}
}

/* False when there was no fault. */
static bool annotate_fault(FILE *to, const struct err *error)
{
	CLEANUP(free_pointer) char *text = NULL;
	struct gpurun_report report;

	if (!fault_get(&report))
		return false;
	text = fault_text(&report);
	begin(to, &report, report.kind);
	write_data(to, error ? error->text : report.kind);
	if (text && *text) {
		fputs("%0A", to);
		write_data(to, text);
	}
	fputc('\n', to);
	return true;
}

/* What is reported already: of mismatches, and of findings that there are. */
static bool is_told(const struct ending *ending)
{
	return ending_is_mismatch(ending) ||
	       (!strcmp(ending->stage, "check") && ending->findings && ending->findings->count);
}

void annotate_ending(FILE *to, const struct ending *ending)
{
	const struct err *error = ending->error;

	ASSERT(!error || ending->stage);
	annotate_reports(to, ending->findings);
	if (!ending->code)
		return;
	annotate_reports(to, ending->failures);
	annotate_reports(to, ending->broken);
	if (ending->broken && ending->broken->count ? ending->code == EXIT_FAULT :
						      annotate_fault(to, error))
		return;
	if (!error || is_told(ending))
		return;
	begin(to, NULL, exit_name(ending->code));
	write_data(to, error->text);
	if (*error->hint)
		fputs("%0Ahint: ", to);
	write_data(to, error->hint);
	fputc('\n', to);
}
