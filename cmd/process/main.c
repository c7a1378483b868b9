/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* parse -> plan -> execute -> report, or one of the modes that do less. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "bench_print.h"
#include "check_keys.h"
#include "cleanup.h"
#include "devices.h"
#include "doctor.h"
#include "dry_run.h"
#include "duration.h"
#include "early.h"
#include "environment.h"
#include "exec.h"
#include "execute.h"
#include "exit.h"
#include "expand.h"
#include "extract.h"
#include "finish.h"
#include "help.h"
#include "info.h"
#include "line_rank.h"
#include "list.h"
#include "message.h"
#include "options.h"
#include "output.h"
#include "plan.h"
#include "progress.h"
#include "rank.h"
#include "repeat.h"
#include "report.h"
#include "signals.h"
#include "sources.h"
#include "stop.h"
#include "timeout.h"
#include "tracing.h"

/* A query of the devices must not hang with a driver that does. */
#define DEVICES_TIMEOUT "30s"
/* For each query of --doctor, which reports one that does. */
#define DOCTOR_TIMEOUT "10s"

/* What is printed when nothing else was. */
static void say_done(const struct run *run)
{
	const struct plan *plan = run->plan;
	const struct launch *last = NULL;
	size_t launches = 0;

	for (size_t i = 0; i < plan->step_count; i++) {
		const struct step *step = &plan->steps[i];

		if (action_effect(step->kind) == EFFECT_LOOKS)
			return;
		if (step_launch(step)) {
			last = step_launch(step);
			launches++;
		}
	}
	if (launches == 1)
		message_note("%s done on %s; no --print, --expect or --out was given",
			     last->kernel->signature, run->device.info.name);
	else
		message_note("%zu launches done on %s; no --print, --expect or --out was "
			     "given",
			     launches, run->device.info.name);
}

static int no_image(const struct options *options, struct err *e)
{
	if (options->program_args) {
		err_set(e, GPURUN_INVALID, "no file given; '%s' is after --",
			options->program_args);
		return err_hint(e, "FILE goes before --");
	}
	err_set(e, GPURUN_INVALID, "no file given");
	return err_hint(e, "gpurun FILE --list shows what is in FILE; see gpurun --help");
}

static run_work *work_of(const struct options *options)
{
	return options->bench.wanted   ? bench_steps :
	       options->bench.times ? repeat_steps :
					 execute_once;
}

/* Makes @plan, which is that of @run, and follows it. */
static int run_file(struct plan *plan, struct run *run, const struct options *options,
		    struct err *e)
{
	if (!options->image && !options->loads.count)
		return no_image(options, e);
	TRY(plan_open(plan, e));
	if (options->mode == MODE_LIST)
		return list_print(plan, e);
	if (options->mode == MODE_INFO)
		return info_print(plan, e);
	progress_end();
	if (options->mode == MODE_EXTRACT)
		return extract_write(plan, e);
	TRY(plan_make(plan, e));
	TRY(bench_check(plan, e));
	if (options->mode == MODE_DRY_RUN)
		return dry_run_print(plan, e);
	dry_run_verbose(plan);
	if (options->output.trace && strncmp(plan->device, "cpu", 3) != 0)
		TRY(environment_trace_gpu(options->output.trace_times, e));
	sources_warn(plan);
	early_note(plan);
	TRY(execute(run, work_of(options), e));
	if (options->check)
		finish_checked();
	if (run->bench && !output_has_report(&options->output))
		return bench_print(run->bench, e);
	if (!options->output.json.wanted && !options->bench.wanted)
		say_done(run);
	return 0;
}

/* How long the run may take; false: for ever. */
static int read_limit(const struct options *options, uint64_t *limit, struct err *e)
{
	const char *text = options->timeout;

	*limit = 0;
	if (!text && (options->mode == MODE_DEVICES || options->mode == MODE_DOCTOR))
		text = options->mode == MODE_DEVICES ? DEVICES_TIMEOUT : DOCTOR_TIMEOUT;
	return text ? duration_parse(option_said(options, OPTION_TIMEOUT), text, limit, e) : 0;
}

static int run_doctor(struct plan *plan, const struct options *options, struct err *e)
{
	uint64_t limit;

	TRY(read_limit(options, &limit, e));
	TRY(plan_choose_device(plan, e));
	return doctor_print(options->topic, plan->device, limit, &options->output, e);
}

static int run_mode(struct plan *plan, struct run *run, const struct options *options,
		    struct err *e)
{
	switch (options->mode) {
	case MODE_HELP:
		return help_print(options->topic, e);
	case MODE_VERSION:
		help_version();
		return 0;
	case MODE_DEVICES:
		return devices_print(options->device, &options->output, e);
	case MODE_DOCTOR:
		return run_doctor(plan, options, e);
	case MODE_EXEC:
		return exec_program(plan, run, options, e);
	case MODE_RUN:
	case MODE_LIST:
	case MODE_INFO:
	case MODE_EXTRACT:
	case MODE_DRY_RUN:
		break;
	}
	return run_file(plan, run, options, e);
}

/* The options about --exec's program; its parent reads the number again. */
static int read_required(const struct options *options, struct err *e)
{
	const char *text = options->require_launch;
	const char *option = options->expect_fault		    ? "expect-fault" :
			     options->given[OPTION_REQUIRE_LAUNCH] ? "require-launch" : NULL;

	if (option && options->mode != MODE_EXEC) {
		err_set(e, GPURUN_INVALID, "--%s is about the program of --exec, and there is none",
			option);
		return err_hint(e, "a launch of gpurun's own that faults ends with status 117: "
				   "test for that");
	}
	if (!text || (strspn(text, "0123456789") == strlen(text) && *text && strlen(text) < 10))
		return 0;
	return err_set(e, GPURUN_INVALID, "%s=%s: not a number of launches",
		       option_said(options, OPTION_REQUIRE_LAUNCH), text);
}

static int no_environment(struct err *e)
{
	return err_set(e, GPURUN_NO_MEMORY, "no memory for the environment");
}

/* By the environment, which the CPU device and programs of --exec have, too. */
static int read_color(const struct options *options, struct err *e)
{
	const char *when = options->color;

	if (!when || !strcmp(when, "auto"))
		return 0;
	if (!strcmp(when, "never"))
		return setenv("NO_COLOR", "1", 1) ? no_environment(e) : 0;
	if (strcmp(when, "always") != 0)
		return err_set(e, GPURUN_INVALID, "--color %s: expected auto, always or never",
			       when);
	unsetenv("NO_COLOR");
	return setenv("CLICOLOR_FORCE", "1", 1) ? no_environment(e) : 0;
}

/* The modes that open the device, or say whether it could be. */
static bool needs_device(const struct options *options)
{
	return options->mode == MODE_RUN || options->mode == MODE_DRY_RUN ||
	       options->mode == MODE_EXEC ||
	       (options->mode == MODE_INFO &&
		(options->given[OPTION_DEVICE] || options->given[OPTION_NO_DEVICE_EXIT]));
}

/* Of -d rank: which process of its machine this is. Lines then say of which rank they are. */
static int read_rank(struct options *options, struct err *e)
{
	/* A command line that is wrong has not come to the variable. */
	const char *device = options->device ? options->device : getenv("GPURUN_DEVICE");
	char text[16];
	int rank;

	if (!device || strcmp(device, "rank") != 0)
		return 0;
	if (rank_read(RANK_GLOBAL, &rank, e) ||
	    (needs_device(options) && rank_require(RANK_LOCAL, &options->local_rank, e)))
		return err_wrap(e, "%s rank", option_said(options, OPTION_DEVICE));
	snprintf(text, sizeof(text), "%d", rank);
	return rank >= 0 && setenv(LINE_RANK_VARIABLE, text, 1) ? no_environment(e) : 0;
}

/* What options say of the exit status; *@no_device stays what it is when none does. */
static int read_statuses(const struct options *options, int *no_device, struct err *e)
{
	char said[64];

	TRY(read_required(options, e));
	if (!options->no_device_exit)
		return 0;
	snprintf(said, sizeof(said), "%s ", option_said(options, OPTION_NO_DEVICE_EXIT));
	return status_read(said, options->no_device_exit, no_device, e);
}

/* The exit status. */
static int judge(const struct run *run, int status, const struct options *options, int no_device)
{
	if (status == GPURUN_NO_DEVICE && no_device >= 0)
		return no_device;
	if (status)
		return exit_of_status((enum gpurun_status)status);
	if (run->findings.count && options->check_status)
		return options->check_status > 0 ? options->check_status : EXIT_CHECK;
	return run->mismatches ? EXIT_MISMATCH : EXIT_OK;
}

static bool is_reporting(const struct options *options, int code)
{
	if (!report_wanted(&options->output) || output_reported())
		return false;
	return code || options->mode == MODE_RUN || options->mode == MODE_EXEC;
}

/* The report is written when all is over: see finish.h. */
static int report(struct run *run, const struct options *options, int code,
		  const struct err *error, struct err *e)
{
	CLEANUP(free_report) struct report *report = NULL;
	const struct gpurun_report *counts = &run->counts;
	const char *mismatch = run->bench_failed ? "bench" : "expect";
	struct ending ending = { .code = code, .findings = &run->findings,
				 .counts = { counts->launches, counts->failed, counts->kernels },
				 .has_counts = counts->event == GPURUN_REPORT_LAUNCHES };

	if (!is_reporting(options, code))
		return 0;
	if (error->text[0])
		ending.error = error;
	else if (run->findings.count)
		ending.error = &run->findings.first;
	else if (run->mismatches)
		ending.error = &run->first_mismatch;
	ending.stage = ending.error == &run->findings.first   ? "check"
		       : ending.error == &run->first_mismatch ? mismatch
		       : run->stage			      ? run->stage
		       : run->plan->stage		      ? run->plan->stage
							      : "usage";
	TRY(report_begin(run, &report, e));
	finish_report(&report, &ending);
	return 0;
}

/* Everything but the supervision of a worker; @orders comes from its parent, or is -1. */
static int run_whole(const struct options *options, int orders, int status, int no_device,
		     struct err *e)
{
	CLEANUP(plan_release) struct plan plan;
	CLEANUP(run_release) struct run run = { .plan = &plan };
	struct err late = { 0 };
	int code;

	plan_begin(options, &plan);
	/* A program takes the place of --exec; --doctor starts processes, and has no threads. */
	if (!status && options->mode != MODE_EXEC && options->mode != MODE_DOCTOR)
		status = stop_watch(options, orders, e);
	if (!status)
		status = run_mode(&plan, &run, options, e);
	progress_end();
	if (!status)
		status = output_end(e);
	stop_over();
	code = judge(&run, status, options, no_device);
	finish_modules(&run.history);
	if (e->text[0])
		message_error(e);
	if (report(&run, options, code, e, &late)) {
		message_error(&late);
		return code ? code : exit_of_status(late.code);
	}
	return code;
}

/* A run that a clock may stop, or that writes no report of its own, needs a worker. */
static bool needs_parent(const struct options *options, uint64_t limit)
{
	if (options->mode == MODE_EXEC)
		return limit || report_wanted(&options->output) || options->expect_fault ||
		       options->given[OPTION_REQUIRE_LAUNCH] ||
		       tracing_wanted(&options->output, true);
	return limit && (options->mode == MODE_RUN || options->mode == MODE_DEVICES);
}

int main(int argc, char **argv)
{
	/* Never released: a signal may be reported after main() has returned. */
	static struct options options;
	struct err error = { 0 }, ignored;
	uint64_t limit = 0;
	bool is_worker;
	int status, orders, no_device = -1;

	signals_prepare();
	is_worker = timeout_join(&orders);
	if (is_worker)
		expand_as_process(getppid());
	/* A worker was started as /proc/self/exe. */
	prctl(PR_SET_NAME, "gpurun");
	status = finish_prepare(&error);
	if (!status)
		status = options_parse(argc, argv, &options, &error);
	message_level(options.output.quiet, options.output.verbose);
	if (status)
		read_rank(&options, &ignored);
	else
		status = read_rank(&options, &error);
	if (!is_worker)
		options_note_old(&options);
	if (!status)
		status = read_color(&options, &error);
	if (!status)
		status = read_statuses(&options, &no_device, &error);
	if (!status)
		status = read_limit(&options, &limit, &error);
	options.bench.limit = limit;
	if (!status && !is_worker)
		status = tracing_check(&options.output, &error);
	if (!status && !is_worker && needs_parent(&options, limit))
		return timeout_supervise(&options, argv[0], limit);
	if (!status && !is_worker && options.mode == MODE_RUN && options.output.trace)
		status = tracing_begin(&options.output, &error);
	if (!status)
		status = output_begin(output_has_report(&options.output), &error);
	if (options.mode != MODE_EXEC && options.mode != MODE_DOCTOR && !options.output.quiet)
		progress_want();
	return run_whole(&options, orders, status, no_device, &error);
}
