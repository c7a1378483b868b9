/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "junit.h"

#include <stdlib.h>
#include <string.h>

#include "asserts.h"
#include "cleanup.h"
#include "demangle.h"
#include "exit.h"
#include "fault.h"
#include "options.h"
#include "xml.h"

enum outcome { PASSED, FAILED, BROKEN, SKIPPED };

struct test_case {
	char *name; /* owned */
	char *reported; /* owned; of a mismatch, or NULL */
	bool done;
	uint64_t nanoseconds;
};

struct junit {
	char *suite;             /* owned */
	char *device;            /* owned; NULL: none was opened */
	bool checks, program;    /* --check; --exec */
	struct test_case *cases; /* owned; of launches and expects */
	size_t count;
	size_t blamed;           /* the case that an error is of; NONE: of none */
};

/* ---- before the end ------------------------------------------------------------------ */

void junit_free(struct junit *junit)
{
	for (size_t i = 0; junit && i < junit->count; i++) {
		free(junit->cases[i].name);
		free(junit->cases[i].reported);
	}
	if (!junit)
		return;
	free(junit->cases);
	free(junit->suite);
	free(junit->device);
	free(junit);
}
DEFINE_CLEANUP(free_junit, struct junit *, junit_free)

static int no_memory(struct err *e)
{
	return err_set(e, GPURUN_NO_MEMORY, "no memory for the report");
}

static char *name_of(const struct plan *plan, const struct step *step, size_t number)
{
	char *name = NULL;
	int length;

	if (step->kind == ACTION_LAUNCH)
		length = asprintf(&name, "launch %zu: %s", step->launch.number,
				  step->launch.kernel->signature);
	else
		length = asprintf(&name, "expect %zu: %s", number,
				  plan->buffers[step->buffer].name);
	return length < 0 ? NULL : name;
}

/* A plan that failed half-way has launches without a kernel, and what they are of is not known. */
static bool is_case(const struct plan *plan, const struct step *step)
{
	if (step->kind == ACTION_LAUNCH)
		return step->launch.kernel;
	return step->kind == ACTION_EXPECT && step->buffer < plan->buffer_count;
}

/* The step that what went wrong is of; NONE: of none. */
static size_t blamed_step(const struct run *run)
{
	const struct awaited *awaited = &run->awaiting;

	for (size_t i = awaited->from; i < awaited->until; i++)
		if (run->plan->steps[i].kind == ACTION_LAUNCH &&
		    run->plan->steps[i].queued.stream == awaited->stream)
			return i;
	return run->blamed ? (size_t)(run->blamed - run->plan->steps) : NONE;
}

/* What was launched with what went wrong, and not awaited, may have gone wrong as well. */
static bool is_done(const struct run *run, size_t step, size_t blamed)
{
	const struct step *it = &run->plan->steps[step];
	const bool done = run_step_at(run, step)->done;

	if (!done || it->kind != ACTION_LAUNCH || blamed == NONE)
		return done;
	return run->awaited && step < run->awaited[it->queued.stream];
}

static int add_cases(struct junit *junit, const struct run *run, struct err *e)
{
	const struct plan *plan = run->plan;
	const size_t blamed = blamed_step(run);
	size_t expects = 0;

	junit->cases = calloc(plan->step_count + 1, sizeof(*junit->cases));
	if (!junit->cases)
		return no_memory(e);
	for (size_t i = 0; i < plan->step_count; i++) {
		const struct step *step = &plan->steps[i];
		const struct run_step *found = run_step_at(run, i);
		struct test_case *one = &junit->cases[junit->count];

		if (!is_case(plan, step))
			continue;
		expects += step->kind == ACTION_EXPECT;
		if (i == blamed)
			junit->blamed = junit->count;
		one->name = name_of(plan, step, expects);
		one->reported = found->reported ? strdup(found->reported) : NULL;
		one->done = is_done(run, i, blamed);
		one->nanoseconds = found->has_time ? found->nanoseconds : 0;
		junit->count++;
		if (!one->name || (found->reported && !one->reported))
			return no_memory(e);
	}
	return 0;
}

/* What --bench found wrong after the checked run is a case of its own. */
static int add_bench(struct junit *junit, const struct run *run, struct err *e)
{
	struct test_case *one = &junit->cases[junit->count];

	if (!run->plan->bench->wanted)
		return 0;
	one->name = strdup("bench");
	one->reported = run->bench_failed ? strdup(run->first_mismatch.text) : NULL;
	one->done = run->bench || run->bench_failed;
	junit->count++;
	return one->name && (one->reported || !run->bench_failed) ? 0 : no_memory(e);
}

int junit_begin(const struct run *run, struct junit **out, struct err *e)
{
	const struct options *options = run->plan->options;
	CLEANUP(free_junit) struct junit *junit = calloc(1, sizeof(*junit));
	const char *suite = options->exec ? options->exec : options->image ? options->image : "";

	*out = NULL;
	if (!junit)
		return no_memory(e);
	junit->blamed = NONE;
	junit->checks = options->check;
	junit->program = options->exec;
	junit->suite = strdup(suite);
	if (run->has_device)
		junit->device = strdup(run->device.info.name);
	if (!junit->suite || (run->has_device && !junit->device))
		return no_memory(e);
	if (!options->exec) {
		TRY(add_cases(junit, run, e));
		TRY(add_bench(junit, run, e));
	}
	*out = STEAL(junit);
	return 0;
}

/* ---- at the end ---------------------------------------------------------------------- */

/* What is counted while the cases are written. */
struct totals {
	unsigned tests, of[SKIPPED + 1];
	uint64_t nanoseconds;
};

struct suite {
	const struct junit *junit;
	const struct ending *ending;
	FILE *to;
	struct totals totals;
};

static void begin_case(struct suite *suite, const char *name, uint64_t nanoseconds,
		       enum outcome outcome)
{
	ASSERT(outcome <= SKIPPED);
	fputs("    <testcase", suite->to);
	xml_attribute(suite->to, "classname", suite->junit->suite);
	xml_attribute(suite->to, "name", name);
	fprintf(suite->to, " time=\"%.9f\">\n", (double)nanoseconds / 1e9);
	suite->totals.tests++;
	suite->totals.of[outcome]++;
	suite->totals.nanoseconds += nanoseconds;
}

static void end_case(struct suite *suite)
{
	fputs("    </testcase>\n", suite->to);
}

static void write_problem(struct suite *suite, const char *element, const char *type,
			  const char *message, const char *text)
{
	fprintf(suite->to, "      <%s", element);
	xml_attribute(suite->to, "type", type);
	xml_attribute(suite->to, "message", message);
	fputc('>', suite->to);
	xml_text(suite->to, text);
	fprintf(suite->to, "</%s>\n", element);
}

/* "mem: illegal-address in fill(int*), f.cu:12": the same in each run, as names of cases are. */
static char *report_name(const struct gpurun_report *report)
{
	CLEANUP(free_pointer) char *kernel = *report->kernel ? demangle(report->kernel) : NULL;
	char *name = NULL;
	size_t size;
	FILE *to = open_memstream(&name, &size);

	if (!to)
		return NULL;
	fprintf(to, "%s%s%s", report->check, *report->check ? ": " : "", report->kind);
	if (kernel)
		fprintf(to, " in %s", kernel);
	if (*report->file)
		fprintf(to, ", %s:%u", report->file, report->source_line);
	else if (report->ptx_line)
		fprintf(to, ", PTX line %u", report->ptx_line);
	fclose(to);
	return name;
}

/* Its first line is the message, the others and the hint are the text. */
static void write_reported(struct suite *suite, const struct gpurun_report *report, size_t times)
{
	CLEANUP(free_pointer) char *text = fault_text(report), *message = NULL, *body = NULL;
	const char *shown = text && *text ? text : report->what;
	const int length = (int)strcspn(shown, "\n");
	const char *rest = shown[length] ? shown + length + 1 : "";
	char again[48] = "";

	if (times > 1)
		snprintf(again, sizeof(again), " (reported %zu times)", times);
	if (asprintf(&message, "%.*s%s", length, shown, again) < 0)
		message = NULL;
	if (asprintf(&body, "%s%s%s%s", rest, *rest && *report->hint ? "\n" : "",
		     *report->hint ? "hint: " : "", report->hint) < 0)
		body = NULL;
	write_problem(suite, "failure", report->kind, message ? message : shown,
		      body ? body : rest);
}

/* Each a case, with what was reported several times as one. */
static void write_reports(struct suite *suite, const struct findings *reports)
{
	for (size_t i = 0; reports && i < reports->count; i++) {
		const struct gpurun_report report = findings_at(reports, i);
		const size_t times = findings_times(reports, i);
		CLEANUP(free_pointer) char *name = times ? report_name(&report) : NULL;

		if (!times)
			continue;
		begin_case(suite, name ? name : report.kind, 0, FAILED);
		write_reported(suite, &report, times);
		end_case(suite);
	}
}

static void write_system_err(struct suite *suite, const char *text)
{
	fputs("      <system-err>", suite->to);
	xml_text(suite->to, text);
	fputs("</system-err>\n", suite->to);
}

/* Faults of --exec are cases of their own. */
static bool has_broken(const struct ending *ending)
{
	return ending->broken && ending->broken->count;
}

/* The error that the run ends with, and what the device said of it. */
static void write_error(struct suite *suite)
{
	const struct err *error = suite->ending->error;
	CLEANUP(free_pointer) char *text = NULL;
	struct gpurun_report report;

	write_problem(suite, "error", exit_name(suite->ending->code), error->text, error->hint);
	if (!has_broken(suite->ending) && fault_get(&report))
		text = fault_text(&report);
	if (text && *text)
		write_system_err(suite, text);
}

/* Mismatches and findings are failures of their own cases. */
static bool has_error(const struct ending *ending)
{
	ASSERT(!ending->error || ending->stage);
	return ending->error && !ending_is_mismatch(ending) && strcmp(ending->stage, "check");
}

static void write_case(struct suite *suite, size_t index)
{
	const struct test_case *one = &suite->junit->cases[index];
	const bool blamed = index == suite->junit->blamed && has_error(suite->ending);
	const enum outcome outcome = blamed	     ? BROKEN
				     : one->reported ? FAILED
				     : one->done     ? PASSED
						     : SKIPPED;

	begin_case(suite, one->name, one->nanoseconds, outcome);
	if (outcome == SKIPPED)
		fputs("      <skipped/>\n", suite->to);
	if (outcome == BROKEN)
		write_error(suite);
	if (outcome == FAILED)
		write_problem(suite, "failure", "mismatch", one->reported, "");
	end_case(suite);
}

static void write_findings(struct suite *suite)
{
	const struct findings *findings = suite->ending->findings;
	const bool any = findings && findings->count;
	/* Reported at the end of the process, on standard error alone. */
	const bool late = !any && suite->ending->error && !strcmp(suite->ending->stage, "check");

	if (!suite->junit->checks && !any && !late)
		return;
	if (any) {
		write_reports(suite, findings);
		return;
	}
	begin_case(suite, "check", 0, late ? FAILED : PASSED);
	if (late)
		write_problem(suite, "failure", "other", suite->ending->error->text, "");
	end_case(suite);
}

/* The program of --exec is one case; it may have an exit status of its own. */
static void write_program(struct suite *suite)
{
	const struct ending *ending = suite->ending;
	const bool broken = has_error(ending), failed = ending->of_program && ending->code;
	char text[32];

	begin_case(suite, "program", ending->nanoseconds,
		   broken ? BROKEN : failed ? FAILED : PASSED);
	snprintf(text, sizeof(text), "exit status %d", ending->code);
	if (broken)
		write_error(suite);
	else if (failed)
		write_problem(suite, "failure", "program", text, "");
	end_case(suite);
}

/* Kernels that broke down, launches that failed and images that were refused, of all processes;
 * what a program looked at itself, and so ended with 0, is none. */
static void write_failures(struct suite *suite)
{
	if (!suite->ending->code)
		return;
	write_reports(suite, suite->ending->broken);
	write_reports(suite, suite->ending->failures);
}

static void write_cases(struct suite *suite)
{
	ASSERT(suite->junit->blamed == NONE || suite->junit->blamed < suite->junit->count);
	for (size_t i = 0; i < suite->junit->count; i++)
		write_case(suite, i);
	if (suite->junit->program)
		write_program(suite);
	write_failures(suite);
	write_findings(suite);
	if (!suite->junit->program && has_error(suite->ending) && suite->junit->blamed == NONE) {
		begin_case(suite, suite->ending->stage, 0, BROKEN);
		write_error(suite);
		end_case(suite);
	}
}

static void write_counts(const struct totals *totals, FILE *to)
{
	fprintf(to, " tests=\"%u\" failures=\"%u\" errors=\"%u\" skipped=\"%u\" time=\"%.9f\"",
		totals->tests, totals->of[FAILED], totals->of[BROKEN], totals->of[SKIPPED],
		(double)totals->nanoseconds / 1e9);
}

static void write_properties(const struct suite *suite, FILE *to)
{
	const struct launch_counts *counts = &suite->ending->counts;
	const size_t findings = suite->ending->findings ? suite->ending->findings->count : 0;

	fputs("    <properties>\n", to);
	if (suite->junit->device) {
		fputs("      <property name=\"device\"", to);
		xml_attribute(to, "value", suite->junit->device);
		fputs("/>\n", to);
	}
	if (suite->ending->has_counts)
		fprintf(to, "      <property name=\"launches\" value=\"%llu launch%s of %llu "
			"kernel%s ran, %llu failed; %zu finding%s\"/>\n",
			(unsigned long long)counts->ran,
			counts->ran == 1 ? "" : "es", (unsigned long long)counts->kernels,
			counts->kernels == 1 ? "" : "s", (unsigned long long)counts->failed,
			findings, findings == 1 ? "" : "s");
	fputs("    </properties>\n", to);
}

static void write_suite(const struct suite *suite, const char *cases, FILE *to)
{
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"gpurun\"", to);
	write_counts(&suite->totals, to);
	fputs(">\n  <testsuite", to);
	xml_attribute(to, "name", suite->junit->suite);
	write_counts(&suite->totals, to);
	fputs(">\n", to);
	if (suite->junit->device || suite->ending->has_counts)
		write_properties(suite, to);
	fprintf(to, "%s  </testsuite>\n</testsuites>\n", cases);
}

void junit_write(const struct junit *junit, const struct ending *ending, FILE *to)
{
	CLEANUP(free_pointer) char *cases = NULL;
	size_t size;
	struct suite suite = { .junit = junit, .ending = ending };

	suite.to = open_memstream(&cases, &size);
	if (!suite.to)
		return;
	write_cases(&suite);
	if (!fclose(suite.to))
		write_suite(&suite, cases, to);
}
