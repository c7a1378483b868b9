/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "dry_run.h"

#include <string.h>

#include "args.h"
#include "asserts.h"
#include "cleanup.h"
#include "geometry.h"
#include "document.h"
#include "message.h"
#include "options.h"
#include "output.h"
#include "pick.h"
#include "plan_json.h"
#include "sources.h"
#include "visible.h"

static void print_source(FILE *to, const struct source *source)
{
	char all[ERR_TEXT_SIZE];

	image_describe_all(source->file, all, sizeof(all));
	if (*source->name)
		visible_printf(to, "load    %s  %s  %s: %s\n", source->name, source->path,
			      image_file_kind(source->file), all);
	else
		visible_printf(to, "%s  %s  %s: %s\n", source->linked ? "link  " : "image ",
			       source->path, image_file_kind(source->file), all);
}

static void print_buffer(FILE *to, const struct buffer *buffer)
{
	char shape[128];

	shape_format(&buffer->shape, shape, sizeof(shape));
	visible_printf(to, "buffer  %s  %s:%s  %s%s  %llu bytes\n", buffer->name,
		      value_info(buffer->type)->name, shape, buffer->source ? "@" : "",
		      plan_buffer_source(buffer), (unsigned long long)buffer->size);
}

static void print_launch(FILE *to, const struct plan *plan, const struct step *step)
{
	const struct launch *launch = &step->launch;
	const struct arg_list *list = args_of(plan, step);
	char grid[40], block[40], image[48];

	visible_printf(to, "launch  %s%s%s  grid %s  block %s  shared %u  stream %s",
		      launch->kernel->scope, *launch->kernel->scope ? ":" : "",
		      launch->kernel->signature, geometry_format(launch->extent.grid, grid),
		      geometry_format(launch->extent.block, block), launch->shared,
		      plan->streams.at[step->queued.stream]);
	if (launch->threads)
		visible_printf(to, "  threads %llu", (unsigned long long)launch->threads);
	if (launch->cluster[0])
		visible_printf(to, "  cluster %s", geometry_format(launch->cluster, grid));
	if (launch->cooperative)
		visible_printf(to, "  cooperative");
	for (size_t i = 0; i < list->count; i++)
		visible_printf(to, "  %s", list->args[i].text);
	visible_printf(to, "  (%s)\n", image_describe(launch->kernel->image, image, sizeof(image)));
}

static void print_event(FILE *to, const struct plan *plan, const struct step *step)
{
	visible_printf(to, "%-6s  %s  stream %s\n", action_name(step->kind),
		      plan->events.at[step->event], plan->streams.at[step->queued.stream]);
}

static void print_value(FILE *to, const struct plan *plan, const struct step *step)
{
	(void)plan;
	visible_printf(to, "%-6s  %s\n", action_name(step->kind), step->action->value);
}

static void print_queued(FILE *to, const struct plan *plan, const struct queued *queued)
{
	for (size_t i = 0; i < queued->after_count; i++)
		visible_printf(to, "        after %s\n", plan->events.at[queued->after[i]]);
	if (queued->event != NONE)
		visible_printf(to, "        event %s\n", plan->events.at[queued->event]);
}

static void print_step(FILE *to, const struct plan *plan, const struct step *step)
{
	static void (*const prints[ACTION_COUNT])(FILE *, const struct plan *,
						  const struct step *) = {
#define ACTION(id, effect, plan, run, report, text, ...) [ACTION_##id] = text,
#include "actions.def"
	};

	ASSERT(step->kind < ACTION_COUNT && prints[step->kind]);
	prints[step->kind](to, plan, step);
	print_queued(to, plan, &step->queued);
}

static void json_launch(struct json *json, const struct plan *plan,
			const struct step *step)
{
	const struct launch *launch = &step->launch;
	char image[48];

	json_string(json, "kernel", launch->kernel->signature);
	json_string(json, "mangled", launch->kernel->name);
	if (*launch->kernel->scope)
		json_string(json, "from", launch->kernel->scope);
	json_string(json, "image", image_describe(launch->kernel->image, image, sizeof(image)));
	geometry_report(json, launch, &launch->extent);
	json_unsigned(json, "shared", launch->shared);
	plan_json_args(json, plan, step);
}

static void json_name(struct json *json, const struct plan *plan, const struct step *step)
{
	json_string(json, "buf", plan->buffers[step->buffer].name);
}

static void json_expect(struct json *json, const struct plan *plan, const struct step *step)
{
	json_name(json, plan, step);
	json_string(json, "want", plan_value_after(step));
	document_tolerance(json, &step->tolerance);
}

static void json_event(struct json *json, const struct plan *plan, const struct step *step)
{
	json_string(json, "event", step->event == NONE ? "all" : plan->events.at[step->event]);
}

static void json_unload(struct json *json, const struct plan *plan, const struct step *step)
{
	json_string(json, "name", plan->sources[step->source].name);
}

static void json_out(struct json *json, const struct plan *plan, const struct step *step)
{
	json_name(json, plan, step);
	json_string(json, "file", step->path);
}

static void json_copy(struct json *json, const struct plan *plan, const struct step *step)
{
	json_name(json, plan, step);
	json_string(json, "from", plan->buffers[step->other].name);
}

static void json_init(struct json *json, const struct plan *plan, const struct step *step)
{
	json_name(json, plan, step);
	json_string(json, "init", plan_value_after(step));
}

static void json_limit(struct json *json, const struct plan *plan, const struct step *step)
{
	json_name(json, plan, step);
	json_unsigned(json, "elements", step->limit);
}

static void json_step(struct json *json, const struct plan *plan, const struct step *step)
{
	static void (*const writes[ACTION_COUNT])(struct json *, const struct plan *,
						  const struct step *) = {
#define ACTION(id, effect, plan, run, report, text, json) [ACTION_##id] = json,
#include "actions.def"
	};

	ASSERT(step->kind < ACTION_COUNT && writes[step->kind]);
	json_object(json, NULL);
	json_string(json, "do", action_name(step->kind));
	writes[step->kind](json, plan, step);
	if (step->queued.stream != NONE)
		plan_json_queued(json, plan, step);
	json_end_object(json);
}

static void write_json(struct json *json, const struct plan *plan)
{
	document_begin(json);
	json_bool(json, "dry_run", true);
	document_device(json, plan->device, NULL);
	sources_json(json, plan, NULL, NULL);
	json_unsigned(json, "seed", plan->seed);
	json_string(json, "timeout", plan->options->timeout);
	plan_json_buffers(json, plan);
	json_array(json, "actions");
	for (size_t i = 0; i < plan->step_count; i++)
		json_step(json, plan, &plan->steps[i]);
	json_end_array(json);
	document_end(json, GPURUN_OK, NULL, NULL);
}

static int print_json(const struct plan *plan, struct err *e)
{
	CLEANUP(free_pointer) char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	struct json json = { .to = to };

	if (!to)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the plan");
	write_json(&json, plan);
	if (fclose(to))
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the plan");
	return output_report(OUTPUT_JSON, plan->output->json.file, text, size, e);
}

/* What there is before the first action. */
static void print_things(FILE *to, const struct plan *plan)
{
	for (size_t i = 0; i < plan->source_count; i++)
		print_source(to, &plan->sources[i]);
	visible_printf(to, "seed    %llu\n", (unsigned long long)plan->seed);
	for (size_t i = 0; i < plan->buffer_count; i++)
		print_buffer(to, &plan->buffers[i]);
}

int dry_run_print(const struct plan *plan, struct err *e)
{
	if (plan->output->json.wanted)
		return print_json(plan, e);
	visible_printf(stdout, "device  %s\n", plan->device);
	print_things(stdout, plan);
	for (size_t i = 0; i < plan->step_count; i++)
		print_step(stdout, plan, &plan->steps[i]);
	return 0;
}

void dry_run_verbose(const struct plan *plan)
{
	CLEANUP(free_pointer) char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	char *rest, *line;

	if (!to)
		return;
	print_things(to, plan);
	if (fclose(to))
		return;
	rest = text;
	while ((line = strsep(&rest, "\n")) && *line)
		message_verbose("%s", line);
}
