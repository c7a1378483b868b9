/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "report.h"

#include <stdlib.h>
#include <string.h>

#include "annotate.h"
#include "asserts.h"
#include "awaited.h"
#include "bench_print.h"
#include "counts.h"
#include "document.h"
#include "events.h"
#include "exit.h"
#include "fault.h"
#include "geometry.h"
#include "junit.h"
#include "options.h"
#include "pick.h"
#include "plan_json.h"
#include "sha256.h"
#include "sources.h"
#include "trace_json.h"

static void report_device(struct json *json, const struct run *run)
{
	const struct plan *plan = run->plan;

	document_device(json, plan->device ? plan->device : plan->options->device,
			run->has_device ? &run->device.info : NULL);
}

/* The image that a kernel of @source was taken from, as the driver has it. */
static void report_chosen(struct json *json, const struct run *run,
			  const struct source *source)
{
	const struct plan *plan = run->plan;
	const struct bound_units *bound = run_bound(run);
	char text[64];

	for (size_t i = 0; i < plan->step_count; i++) {
		const struct launch *launch = step_launch(&plan->steps[i]);
		const struct image *chosen;

		/* A plan that failed half-way has launches without a unit. */
		if (!launch || launch->unit >= bound->count || !launch->kernel)
			continue;
		chosen = bound->at[launch->unit].chosen;
		if (plan->units[launch->unit].source != source || !chosen)
			continue;
		image_describe(chosen, text, sizeof(text));
		if (run->has_device && run->device.info.kind == GPURUN_DEVICE_GPU &&
		    run_step_at(run, i)->binary_version)
			snprintf(text, sizeof(text), "sm_%d",
				 run_step_at(run, i)->binary_version);
		json_string(json, "chosen", text);
		return;
	}
}

static void report_source(struct json *json, const struct source *source, const void *data)
{
	char hash[SHA256_TEXT_SIZE];

	report_chosen(json, data, source);
	sha256(image_file_bytes(source->file), hash);
	json_string(json, "sha256", hash);
	json_unsigned(json, "bytes", image_file_bytes(source->file).size);
}

static void report_launch(struct json *json, const struct run *run, size_t index)
{
	const struct step *step = &run->plan->steps[index];
	const struct run_step *found = &run->steps[index];
	const struct launch *launch = &step->launch;

	json_string(json, "kernel", launch->kernel->signature);
	json_string(json, "mangled", launch->kernel->name);
	if (*launch->kernel->scope)
		json_string(json, "from", launch->kernel->scope);
	geometry_report(json, launch, &found->extent);
	json_unsigned(json, "shared", launch->shared);
	plan_json_args(json, run->plan, step);
	plan_json_queued(json, run->plan, step);
	if (found->has_time)
		json_unsigned(json, "gpu_ns", found->nanoseconds);
	if (found->has_counted)
		counts_report(json, &found->counted);
}

static void report_first(struct json *json, const struct buffer *buffer,
			 const struct run_step *found)
{
	uint64_t dims[SHAPE_MAX_RANK], index = found->comparison.first;

	ASSERT(index < buffer->shape.count && buffer->shape.rank <= SHAPE_MAX_RANK);
	for (unsigned i = buffer->shape.rank; i-- > 0; index /= buffer->shape.dims[i])
		dims[i] = index % buffer->shape.dims[i];
	json_object(json, "first");
	json_array(json, "index");
	for (unsigned i = 0; i < buffer->shape.rank; i++)
		json_unsigned(json, NULL, dims[i]);
	json_end_array(json);
	json_number(json, "want", found->first_want);
	json_number(json, "got", found->first_got);
	json_end_object(json);
}

/* How far a number is from none is no number. */
static void report_distances(struct json *json, const struct comparison *result)
{
	if (result->max_ulp == UINT64_MAX) {
		json_string(json, "max_abs", NULL);
		json_string(json, "max_rel", NULL);
		json_string(json, "max_ulp", NULL);
		return;
	}
	json_double(json, "max_abs", result->max_abs);
	json_double(json, "max_rel", result->max_rel);
	json_unsigned(json, "max_ulp", result->max_ulp);
}

static void report_expect(struct json *json, const struct run *run, size_t index)
{
	const struct buffer *buffer = &run->plan->buffers[run->plan->steps[index].buffer];
	const struct comparison *result = &run->steps[index].comparison;

	json_string(json, "buf", buffer->name);
	json_bool(json, "ok", !result->bad);
	json_unsigned(json, "bad", result->bad);
	json_unsigned(json, "of", result->count);
	if (result->bad)
		report_first(json, buffer, &run->steps[index]);
	report_distances(json, result);
	json_string(json, "want", plan_value_after(&run->plan->steps[index]));
	document_tolerance(json, &run->plan->steps[index].tolerance);
}

static void report_event(struct json *json, const struct run *run, size_t index)
{
	const struct plan *plan = run->plan;
	const struct step *step = &plan->steps[index];

	json_string(json, "event", plan->events.at[step->event]);
	plan_json_queued(json, plan, step);
}

static void report_await(struct json *json, const struct run *run, size_t index)
{
	const size_t event = run->plan->steps[index].event;

	json_string(json, "event", event == NONE ? "all" : run->plan->events.at[event]);
}

static void report_unload(struct json *json, const struct run *run, size_t index)
{
	json_string(json, "name", run->plan->sources[run->plan->steps[index].source].name);
}

static void report_buffer(struct json *json, const struct run *run, size_t index)
{
	json_string(json, "buf", run->plan->buffers[run->plan->steps[index].buffer].name);
}

static void report_out(struct json *json, const struct run *run, size_t index)
{
	report_buffer(json, run, index);
	json_string(json, "file", run->plan->steps[index].path);
}

static void report_copy(struct json *json, const struct run *run, size_t index)
{
	report_buffer(json, run, index);
	json_string(json, "from", run->plan->buffers[run->plan->steps[index].other].name);
}

static void report_step(struct json *json, const struct run *run, size_t index)
{
	static void (*const reports[ACTION_COUNT])(struct json *, const struct run *, size_t) = {
#define ACTION(id, effect, plan, run, report, ...) [ACTION_##id] = report,
#include "actions.def"
	};
	const enum action_kind kind = run->plan->steps[index].kind;

	ASSERT(kind < ACTION_COUNT && reports[kind]);
	json_object(json, NULL);
	json_string(json, "do", action_name(kind));
	reports[kind](json, run, index);
	json_end_object(json);
}

static void report_actions(struct json *json, const struct run *run)
{
	json_array(json, "actions");
	for (size_t i = 0; i < run->plan->step_count && run_step_at(run, i)->done; i++)
		report_step(json, run, i);
	json_end_array(json);
}

static void report_exec(struct json *json, const struct options *options)
{
	json_object(json, "exec");
	json_string(json, "program", options->exec);
	json_array(json, "args");
	for (size_t i = 0; i < options->exec_args.count; i++)
		json_string(json, NULL, options->exec_args.at[i]);
	json_end_array(json);
	json_end_object(json);
}

bool ending_is_mismatch(const struct ending *ending)
{
	return !strcmp(ending->stage, "expect") ||
	       (!strcmp(ending->stage, "bench") && ending->code == EXIT_MISMATCH);
}

/* The table's names are for what we say; a program means by its numbers what it likes. */
static const char *ending_name(const struct ending *ending)
{
	if (ending->stage && !strcmp(ending->stage, "check"))
		return exit_name(ending->code ? EXIT_CHECK : EXIT_OK);
	if (!ending->of_program || ending->error)
		return exit_name(ending->code);
	return ending->code ? "program" : "ok";
}

static void report_finding(struct json *json, const struct findings *findings, size_t i)
{
	const struct gpurun_report report = findings_at(findings, i);

	fault_report_element(json, &report);
}

static void report_findings(struct json *json, const struct findings *findings)
{
	if (!findings || !findings->count)
		return;
	json_array(json, "findings");
	for (size_t i = 0; i < findings->count; i++)
		report_finding(json, findings, i);
	json_end_array(json);
}

static void report_failures(struct json *json, const struct findings *failures)
{
	if (!failures || !failures->count)
		return;
	json_array(json, "failures");
	for (size_t i = 0; i < failures->count; i++)
		report_finding(json, failures, i);
	json_end_array(json);
}

static void report_counts(struct json *json, const struct ending *ending)
{
	if (!ending->has_counts)
		return;
	json_object(json, "launches");
	json_unsigned(json, "ran", ending->counts.ran);
	json_unsigned(json, "kernels", ending->counts.kernels);
	json_unsigned(json, "failed", ending->counts.failed);
	json_end_object(json);
}

static void report_ending(struct json *json, const struct ending *ending)
{
	history_report(ending->history, json);
	fault_report(json);
	report_failures(json, ending->failures);
	report_findings(json, ending->findings);
	report_counts(json, ending);
	if (ending->trace)
		trace_report(ending->trace, json);
	document_exit(json, ending->code, ending_name(ending),
		      ending->of_program ? "program" : "gpurun");
	if (ending->error)
		document_error(json, ending->stage, ending->error);
}

static void report_run(struct json *json, const struct run *run)
{
	sources_json(json, run->plan, report_source, run);
	json_unsigned(json, "seed", run->plan->seed);
	if (run->steps) /* else a buffer may lack what could not be read */
		plan_json_buffers(json, run->plan);
	report_actions(json, run);
	if (run->bench)
		bench_report(run->bench, json);
	events_report(run, json);
	awaited_report(&run->awaiting, run->plan, json);
}

bool report_wanted(const struct output_options *output)
{
	return output->json.wanted || output->junit.wanted || output->annotate;
}

static int no_memory(struct err *e)
{
	return err_set(e, GPURUN_NO_MEMORY, "no memory for the report");
}

static int open_document(struct report *report, enum output_kind kind, struct err *e)
{
	struct document *document = &report->documents[kind];

	ASSERT(kind < OUTPUT_KINDS && !document->to && !document->text);
	document->to = open_memstream(&document->text, &document->size);
	return document->to ? 0 : no_memory(e);
}

static void begin_json(struct report *report, const struct run *run)
{
	struct json *json = &report->json;

	json->to = report->documents[OUTPUT_JSON].to;
	document_begin(json);
	report_device(json, run);
	if (run->plan->options->exec)
		report_exec(json, run->plan->options);
	else
		report_run(json, run);
}

int report_begin(const struct run *run, struct report **out, struct err *e)
{
	const struct output_options *output = run->plan->output;
	CLEANUP(free_report) struct report *report = calloc(1, sizeof(*report));

	*out = NULL;
	if (!report)
		return no_memory(e);
	report->output = output;
	if (output->json.wanted) {
		TRY(open_document(report, OUTPUT_JSON, e));
		begin_json(report, run);
	}
	if (output->junit.wanted) {
		TRY(open_document(report, OUTPUT_JUNIT, e));
		TRY(junit_begin(run, &report->junit, e));
	}
	if (output->annotate) {
		TRY(open_document(report, OUTPUT_ANNOTATIONS, e));
		annotate_mismatches(report->documents[OUTPUT_ANNOTATIONS].to, run);
	}
	*out = STEAL(report);
	return 0;
}

int report_end(struct report *report, const struct ending *ending, struct err *e)
{
	bool lost = false;

	ASSERT(!ending->error || ending->stage);
	if (report->output->json.wanted) {
		report_ending(&report->json, ending);
		json_end_object(&report->json);
		fputc('\n', report->json.to);
	}
	if (report->output->junit.wanted)
		junit_write(report->junit, ending, report->documents[OUTPUT_JUNIT].to);
	if (report->output->annotate)
		annotate_ending(report->documents[OUTPUT_ANNOTATIONS].to, ending);
	for (int i = 0; i < OUTPUT_KINDS; i++) {
		FILE *to = STEAL(report->documents[i].to);

		lost |= to && fclose(to);
	}
	return lost ? no_memory(e) : 0;
}

int report_write(const struct report *report, struct err *e)
{
	const char *files[OUTPUT_KINDS] = { [OUTPUT_JSON] = report->output->json.file,
					    [OUTPUT_JUNIT] = report->output->junit.file };
	struct err error;
	int status = 0;

	for (int i = 0; i < OUTPUT_KINDS; i++) {
		const struct document *document = &report->documents[i];

		ASSERT(!document->to); /* report_end() has ended them all */
		if (!document->text ||
		    !output_report((enum output_kind)i, files[i], document->text,
				   document->size, &error))
			continue;
		if (!status)
			*e = error;
		status = status ? status : (int)error.code;
	}
	return status;
}

void report_free(struct report *report)
{
	for (int i = 0; report && i < OUTPUT_KINDS; i++) {
		if (report->documents[i].to)
			fclose(report->documents[i].to);
		free(report->documents[i].text);
	}
	if (report)
		junit_free(report->junit);
	free(report);
}

bool report_was_sent(const struct output_options *output, struct bytes sent)
{
	const bool wanted[OUTPUT_KINDS] = { [OUTPUT_JSON] = output->json.wanted,
					    [OUTPUT_JUNIT] = output->junit.wanted,
					    [OUTPUT_ANNOTATIONS] = output->annotate };
	struct bytes found;

	for (int i = 0; i < OUTPUT_KINDS; i++)
		if (wanted[i] && !output_find(sent, (enum output_kind)i, &found))
			return false;
	return true;
}

int report_write_sent(const struct output_options *output, struct bytes sent, struct err *e)
{
	const char *files[OUTPUT_KINDS] = { [OUTPUT_JSON] = output->json.file,
					    [OUTPUT_JUNIT] = output->junit.file };
	struct bytes found;
	int status = 0;

	for (int i = OUTPUT_JSON; i < OUTPUT_KINDS; i++)
		if (output_find(sent, (enum output_kind)i, &found) &&
		    output_report((enum output_kind)i, files[i], (const char *)found.data,
				  found.size, e))
			status = (int)e->code;
	return status;
}
