/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plan.h"

#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "array.h"
#include "asserts.h"
#include "buffers.h"
#include "checks.h"
#include "cleanup.h"
#include "geometry.h"
#include "host_program.h"
#include "message.h"
#include "options.h"
#include "quote.h"
#include "sources.h"
#include "units.h"
#include "writes.h"

int name_list_find(struct name_list *list, const char *name, size_t length, bool add,
		   size_t *index, struct err *e)
{
	char wanted[NAME_SIZE];
	char *slot;

	*index = NONE;
	TRY(name_parse(name, length, wanted, e));
	for (size_t i = 0; i < list->count; i++) {
		if (!strcmp(list->at[i], wanted)) {
			*index = i;
			return 0;
		}
	}
	if (!add)
		return 0;
	slot = array_grow(&list->at, list->count, NAME_SIZE);
	if (!slot)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for a name");
	memcpy(slot, wanted, NAME_SIZE);
	*index = list->count++;
	return 0;
}

/* ---- what holds for the whole run ---- */

static int read_seed(struct plan *plan, struct err *e)
{
	const char *text = plan->options->seed;
	struct number number;

	plan->seed = 1;
	if (!text)
		return 0;
	if (number_parse(text, strlen(text), &number, e) || number.is_float ||
	    number.integer < 0)
		return err_set(e, GPURUN_INVALID, "%s %s: not a whole number",
			       option_said(plan->options, OPTION_SEED), text);
	plan->seed = (uint64_t)number.integer;
	return 0;
}

static bool is_cpu(const char *device)
{
	return !strncmp(device, "cpu", 3) && (!device[3] || device[3] == ':');
}

bool plan_takes_any(const char *device)
{
	return !strcmp(device, "auto") || !strcmp(device, "rank");
}

/*
 * --no-device-exit is about a GPU, which it therefore asks for. An option beats a variable: that of
 * --device can then say which GPU, not that it is the CPU device.
 */
static const char *wanted_device(const struct options *options)
{
	const char *device = options->device ? options->device : "auto";
	const bool beaten = is_cpu(device) && options->inherited[OPTION_DEVICE] &&
			    options->given[OPTION_NO_DEVICE_EXIT];

	return options->no_device_exit && (beaten || plan_takes_any(device)) ? "gpu" : device;
}

/*
 * --check is a key of the CPU device, which it therefore asks for. So is the status of a
 * program that ends with findings.
 */
static int choose_checked(struct plan *plan, const char *check, int status, struct err *e)
{
	const char *device = plan_takes_any(plan->device) ? "cpu" : plan->device;
	char key[32] = "";

	if (!strcmp(device, "cpu:")) /* no selector: opening it reports that */
		return 0;
	if (!is_cpu(device)) {
		err_set(e, GPURUN_INVALID, "%s %s: the device is '%s'",
			option_said(plan->options, OPTION_CHECK), check, device);
		return err_hint(e, "only the CPU device checks: -d cpu");
	}
	if (status >= 0)
		snprintf(key, sizeof(key), ",error-exitcode=%d", status);
	if (asprintf(&plan->checked, "%s%scheck=%s%s", device, device[3] ? "," : ":", check,
		     key) < 0) {
		plan->checked = NULL;
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the device");
	}
	plan->device = plan->checked;
	return 0;
}

int plan_choose_device(struct plan *plan, struct err *e)
{
	const struct options *options = plan->options;

	plan->device = wanted_device(options);
	return options->check ? choose_checked(plan, options->check, options->check_status, e) : 0;
}

void plan_begin(const struct options *options, struct plan *plan)
{
	struct err ignored;

	*plan = (struct plan){ .options = options,
			       .output = &options->output,
			       .bench = &options->bench,
			       .tolerance = &options->tolerance,
			       .untyped = options->untyped,
			       .topic = options->topic,
			       .local_rank = options->local_rank,
			       .joins = options->links.count,
			       .joined = NONE };
	read_seed(plan, &ignored);
}

int plan_open(struct plan *plan, struct err *e)
{
	plan->stage = "image";
	TRY(plan_choose_device(plan, e));
	return sources_open(plan, e);
}

/* ---- streams and events ---- */

/* Reads EV or EV@STREAM of --record and --wait. */
static int read_event(struct plan *plan, struct step *step, bool add, struct err *e)
{
	const char *text = step->action->value;
	size_t length = strcspn(text, "@");

	TRY(name_list_find(&plan->events, text, length, add, &step->event, e));
	if (!text[length])
		return 0;
	if (step->action->stream)
		return err_set(e, GPURUN_INVALID, "%s and --stream %s: two streams", text,
			       step->action->stream);
	return name_list_find(&plan->streams, text + length + 1,
			      strlen(text + length + 1), true, &step->queued.stream, e);
}

/* Tells whether @step or an action after it records the event called @name. */
static bool recorded_later(const struct plan *plan, const struct step *step, const char *name,
			   size_t length)
{
	for (; step < plan->steps + plan->step_count; step++) {
		const struct action *action = step->action;
		const char *event =
			step->kind == ACTION_RECORD ? action->value : action->event;

		if (event && strcspn(event, "@") == length &&
		    !strncmp(event, name, length))
			return true;
	}
	return false;
}

/* Finds an event that is waited for: it must have been recorded further left. */
static int find_recorded(struct plan *plan, const struct step *step, const char *name,
			 size_t length, size_t *event, struct err *e)
{
	TRY(name_list_find(&plan->events, name, length, false, event, e));
	if (*event != NONE)
		return 0;
	if (recorded_later(plan, step, name, length))
		return err_set(e, GPURUN_INVALID,
			       "event %.*s is recorded only after this wait for it",
			       (int)length, name);
	err_set(e, GPURUN_INVALID, "event %.*s is never recorded", (int)length, name);
	return err_hint(e, "--event %.*s after a --launch, or --record %.*s, records it",
			(int)length, name, (int)length, name);
}

static int read_after(struct plan *plan, struct step *step, struct err *e)
{
	struct queued *queued = &step->queued;
	const char *text = step->action->after;

	while (text) {
		size_t length = strcspn(text, ",");
		size_t *slot = array_grow(&queued->after, queued->after_count, sizeof(*slot));

		if (!slot)
			return err_set(e, GPURUN_NO_MEMORY, "no memory for an event");
		queued->after_count++;
		TRY(find_recorded(plan, step, text, length, slot, e));
		text = text[length] ? text + length + 1 : NULL;
	}
	return 0;
}

/* Reads where @step is enqueued, as far as that is not known yet. */
static int read_queued(struct plan *plan, struct step *step, struct err *e)
{
	const char *stream = step->action->stream ? step->action->stream : "s0";
	const char *event = step->action->event;

	ASSERT(step->queued.event == NONE && !step->queued.after_count);
	if (step->queued.stream == NONE)
		TRY(name_list_find(&plan->streams, stream, strlen(stream), true,
				   &step->queued.stream, e));
	TRY(read_after(plan, step, e));
	if (!event)
		return 0;
	return name_list_find(&plan->events, event, strlen(event), true, &step->queued.event, e);
}

static int plan_record(struct plan *plan, struct step *step, struct err *e)
{
	TRY(read_event(plan, step, true, e));
	return read_queued(plan, step, e);
}

static int plan_wait(struct plan *plan, struct step *step, struct err *e)
{
	const char *text = step->action->value;

	TRY(find_recorded(plan, step, text, strcspn(text, "@"), &step->event, e));
	TRY(read_event(plan, step, false, e));
	return read_queued(plan, step, e);
}

static int plan_await(struct plan *plan, struct step *step, struct err *e)
{
	const char *text = step->action->value;

	step->event = NONE;
	if (!strcmp(text, "all"))
		return 0;
	return find_recorded(plan, step, text, strlen(text), &step->event, e);
}

/* ---- launches ---- */

static int plan_launch(struct plan *plan, struct step *step, struct err *e)
{
	const struct action *action = step->action;
	struct launch *launch = &step->launch;

	plan->stage = "kernel";
	TRY(sources_find_kernel(plan, launch, action->value, e));
	TRY(sources_accept_prefix(plan, launch, action->value, e));
	TRY(units_find(plan, launch->kernel, &launch->unit, e));
	plan->stage = "geometry";
	TRY(geometry_plan(plan, launch, &action->launch, &plan->options->launch, e));
	plan->stage = "arguments";
	TRY(args_bind(plan, launch, action->launch.args.count ? &launch->own : &plan->defaults,
		      e));
	plan->stage = "streams";
	return read_queued(plan, step, e);
}

/* ---- the whole ---- */

/* Says which launch is meant, where there are several. */
static int which_launch(const struct plan *plan, size_t number, struct err *e)
{
	size_t launches = 0;

	for (size_t i = 0; i < plan->step_count; i++)
		launches += plan->steps[i].kind == ACTION_LAUNCH;
	return launches > 1 ? err_wrap(e, "launch %zu", number) : (int)e->code;
}

/* Buffers first, in order of the command line, so that names may be used before. */
static int collect(struct plan *plan, struct err *e)
{
	size_t launches = 0;

	TRY(buffers_collect(plan, &plan->options->buffers, e));
	TRY(args_parse(plan, &plan->options->launch.args, &plan->defaults, e));
	for (size_t i = 0; i < plan->step_count; i++) {
		struct step *step = &plan->steps[i];

		if (step->kind != ACTION_LAUNCH)
			continue;
		step->launch.number = ++launches;
		if (args_parse(plan, &step->action->launch.args, &step->launch.own, e))
			return which_launch(plan, launches, e);
	}
	TRY(args_resolve(plan, &plan->defaults, e));
	for (size_t i = 0; i < plan->step_count; i++) {
		struct step *step = &plan->steps[i];

		if (step->kind == ACTION_LAUNCH && args_resolve(plan, &step->launch.own, e))
			return which_launch(plan, step->launch.number, e);
	}
	return 0;
}

static int plan_step(struct plan *plan, struct step *step, struct err *e)
{
	static int (*const plans[ACTION_COUNT])(struct plan *, struct step *, struct err *) = {
#define ACTION(id, effect, plan, ...) [ACTION_##id] = plan,
#include "actions.def"
	};

	ASSERT(step->kind < ACTION_COUNT && plans[step->kind]);
	plan->stage = action_name(step->kind);
	return plans[step->kind](plan, step, e);
}

/* Says which action is meant, where the text does not. */
static int where(const struct plan *plan, const struct step *step, struct err *e)
{
	if (step->kind == ACTION_LAUNCH)
		return which_launch(plan, step->launch.number, e);
	return err_wrap(e, "--%s %.80s", action_name(step->kind), step->action->value);
}

static int begin_steps(struct plan *plan, struct err *e)
{
	const struct options *options = plan->options;

	plan->steps = calloc(options->action_count + 1, sizeof(*plan->steps));
	if (!plan->steps)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the plan");
	plan->step_count = options->action_count;
	for (size_t i = 0; i < plan->step_count; i++) {
		struct step *step = &plan->steps[i];

		step->action = &options->actions[i];
		step->kind = action_of(step->action);
		step->queued.stream = step->queued.event = NONE;
		step->buffer = step->other = NONE;
	}
	return 0;
}

/* Writes the names of the kernels to @text, as many as are whole there. */
static void print_names(const struct plan *plan, char *text, size_t size)
{
	static const char more[] = ", ...";
	size_t at = 0;

	for (size_t i = 0; i < plan->lookup.count; i++) {
		const struct lookup_kernel *kernel = &plan->lookup.kernels[i];
		int length = snprintf(text + at, size - at, "%s%s%s%s", i ? ", " : "",
				      kernel->scope, *kernel->scope ? ":" : "",
				      kernel->signature);

		if (length < 0 || (size_t)length + sizeof(more) > size - at) {
			memcpy(text + at, more, sizeof(more));
			return;
		}
		at += (size_t)length;
	}
}

/* What a hint adds of @path where it is a program as well: in @text, which has @size bytes. */
static const char *also_runs(const char *path, char *text, size_t size)
{
	char quoted[128];

	*text = '\0';
	if (host_program_is(path) && quote_word(path, quoted, sizeof(quoted)))
		snprintf(text, size, "; gpurun --exec %s%s runs the program",
			 strchr(path, '/') ? "" : "./", quoted);
	return text;
}

static int no_actions(const struct plan *plan, struct err *e)
{
	char names[ERR_TEXT_SIZE / 2] = "", program[192];

	print_names(plan, names, sizeof(names));
	err_set(e, GPURUN_INVALID, "%s: nothing to do: no --launch",
		plan->sources[0].path);
	return err_hint(e, "its kernels: %s%s", *names ? names : "none",
			also_runs(plan->sources[0].path, program, sizeof(program)));
}

int plan_make(struct plan *plan, struct err *e)
{
	const struct options *options = plan->options;

	if (!options->action_count)
		return no_actions(plan, e);
	if (options->program_args)
		return err_set(e, GPURUN_INVALID,
			       "'%s' after --: a kernel takes no program arguments",
			       options->program_args);
	plan->stage = "arguments";
	TRY(read_seed(plan, e));
	TRY(begin_steps(plan, e));
	TRY(collect(plan, e));
	for (size_t i = 0; i < plan->step_count; i++) {
		if (plan_step(plan, &plan->steps[i], e))
			return where(plan, &plan->steps[i], e);
	}
	TRY(units_complete(plan, e));
	if (strncmp(plan->device, "cpu", 3) ||
	    (plan->device[3] && plan->device[3] != ':'))
		return 0;
	plan->stage = "image";
	return units_bind(plan, &(struct image_target){ .ptx_only = true },
			  "the CPU device", &plan->bound, e);
}

static void launch_release(struct launch *launch)
{
	for (size_t i = 0; i < launch->slot_count; i++) {
		free(launch->slots[i].large);
		free(launch->slots[i].fixups.at);
	}
	free(launch->slots);
	arg_list_release(&launch->own);
}

static void step_release(struct step *step)
{
	if (step->kind == ACTION_LAUNCH)
		launch_release(&step->launch);
	free(step->queued.after);
	free(step->contents);
}

void plan_release(struct plan *plan)
{
	for (size_t i = 0; i < plan->step_count; i++)
		step_release(&plan->steps[i]);
	for (size_t i = 0; i < plan->buffer_count; i++)
		buffer_release(&plan->buffers[i]);
	arg_list_release(&plan->defaults);
	free(plan->checked);
	free(plan->steps);
	free(plan->buffers);
	units_release(plan);
	free(plan->streams.at);
	free(plan->events.at);
	lookup_release(&plan->lookup);
	sources_release(plan);
}
