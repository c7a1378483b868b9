/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "dry_run.h"

#include <string.h>

#include "cleanup.h"
#include "geometry.h"
#include "document.h"
#include "message.h"
#include "output.h"
#include "pick.h"
#include "sources.h"
#include "visible.h"

/* The lists that every step may have: arguments, events waited for. */
static const struct arg_list *args_of(const struct plan *plan, const struct step *step)
{
	return step->action->launch.args.count ? &step->launch.own : &plan->defaults;
}

static const char *buffer_source(const struct buffer *buffer)
{
	return buffer->source ? buffer->source : buffer->init.text;
}

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
		      buffer_source(buffer), (unsigned long long)buffer->size);
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
		      plan->streams.at[step->stream]);
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

static void print_events(FILE *to, const struct plan *plan, const struct step *step)
{
	for (size_t i = 0; i < step->after_count; i++)
		visible_printf(to, "        after %s\n", plan->events.at[step->after[i]]);
	if (step->event != NONE)
		visible_printf(to, "        event %s\n", plan->events.at[step->event]);
}

static void print_step(FILE *to, const struct plan *plan, const struct step *step)
{
	const char *name = option_table[step->kind].name;

	if (step->kind == OPTION_LAUNCH)
		print_launch(to, plan, step);
	else if (step->kind == OPTION_RECORD || step->kind == OPTION_WAIT)
		visible_printf(to, "%-6s  %s  stream %s\n", name, plan->events.at[step->target],
			      plan->streams.at[step->stream]);
	else
		visible_printf(to, "%-6s  %s\n", name, step->action->value);
	print_events(to, plan, step);
}

static void json_buffer(struct json *json, const struct buffer *buffer)
{
	json_object(json, NULL);
	json_string(json, "name", buffer->name);
	json_string(json, "type", value_info(buffer->type)->name);
	json_array(json, "shape");
	for (unsigned i = 0; i < buffer->shape.rank; i++)
		json_unsigned(json, NULL, buffer->shape.dims[i]);
	json_end_array(json);
	json_unsigned(json, "bytes", buffer->size);
	json_string(json, buffer->source ? "file" : "init", buffer_source(buffer));
	json_end_object(json);
}

static void json_launch(struct json *json, const struct plan *plan,
			const struct step *step)
{
	const struct launch *launch = &step->launch;
	const struct arg_list *list = args_of(plan, step);
	char image[48];

	json_string(json, "kernel", launch->kernel->signature);
	json_string(json, "mangled", launch->kernel->name);
	if (*launch->kernel->scope)
		json_string(json, "from", launch->kernel->scope);
	json_string(json, "image", image_describe(launch->kernel->image, image, sizeof(image)));
	geometry_report(json, launch, &launch->extent);
	json_unsigned(json, "shared", launch->shared);
	json_array(json, "args");
	for (size_t i = 0; i < list->count; i++)
		json_string(json, NULL, list->args[i].text);
	json_end_array(json);
}

static void json_expect(struct json *json, const struct plan *plan,
			const struct step *step)
{
	json_string(json, "buf", plan->buffers[step->target].name);
	json_string(json, "want", strchr(step->action->value, '=') + 1);
	json_double(json, "rtol", step->expect.tolerance.rtol);
	json_double(json, "atol", step->expect.tolerance.atol);
	json_unsigned(json, "ulp", step->expect.tolerance.ulp);
}

static void json_enqueued(struct json *json, const struct plan *plan,
			  const struct step *step)
{
	json_string(json, "stream", plan->streams.at[step->stream]);
	json_array(json, "after");
	for (size_t i = 0; i < step->after_count; i++)
		json_string(json, NULL, plan->events.at[step->after[i]]);
	json_end_array(json);
	if (step->kind == OPTION_LAUNCH)
		json_string(json, "event",
			    step->event != NONE ? plan->events.at[step->event] : NULL);
}

static void json_step(struct json *json, const struct plan *plan, const struct step *step)
{
	json_object(json, NULL);
	json_string(json, "do", option_table[step->kind].name);
	switch (step->kind) {
	case OPTION_LAUNCH:
		json_launch(json, plan, step);
		break;
	case OPTION_RECORD:
	case OPTION_WAIT:
	case OPTION_AWAIT:
		json_string(json, "event",
			    step->target == NONE ? "all" : plan->events.at[step->target]);
		break;
	case OPTION_UNLOAD:
		json_string(json, "name", plan->sources[step->target].name);
		break;
	case OPTION_EXPECT:
		json_expect(json, plan, step);
		break;
	case OPTION_OUT:
		json_string(json, "buf", plan->buffers[step->target].name);
		json_string(json, "file", step->path);
		break;
	case OPTION_COPY:
		json_string(json, "buf", plan->buffers[step->target].name);
		json_string(json, "from", plan->buffers[step->from].name);
		break;
	case OPTION_SET:
	case OPTION_FILL:
		json_string(json, "buf", plan->buffers[step->target].name);
		json_string(json, "init", strchr(step->action->value, '=') + 1);
		break;
	default:
		json_string(json, "buf", plan->buffers[step->target].name);
		json_unsigned(json, "elements", step->limit);
		break;
	}
	if (step->stream != NONE)
		json_enqueued(json, plan, step);
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
	json_array(json, "buffers");
	for (size_t i = 0; i < plan->buffer_count; i++)
		json_buffer(json, &plan->buffers[i]);
	json_end_array(json);
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
	return output_report(OUTPUT_JSON, plan->options->json.file, text, size, e);
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
	if (plan->options->json.wanted)
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
