/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plan_json.h"

#include <string.h>

#include "action.h"
#include "args.h"
#include "asserts.h"

const char *plan_buffer_source(const struct buffer *buffer)
{
	return buffer->source ? buffer->source : buffer->init.text;
}

/* What follows the name of the buffer. */
const char *plan_value_after(const struct step *step)
{
	ASSERT(strchr(step->action->value, '=')); /* the plan was made of it */
	return strchr(step->action->value, '=') + 1;
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
	json_string(json, buffer->source ? "file" : "init", plan_buffer_source(buffer));
	json_end_object(json);
}

void plan_json_buffers(struct json *json, const struct plan *plan)
{
	json_array(json, "buffers");
	for (size_t i = 0; i < plan->buffer_count; i++)
		json_buffer(json, &plan->buffers[i]);
	json_end_array(json);
}

void plan_json_args(struct json *json, const struct plan *plan, const struct step *step)
{
	const struct arg_list *list = args_of(plan, step);

	json_array(json, "args");
	for (size_t i = 0; i < list->count; i++)
		json_string(json, NULL, list->args[i].text);
	json_end_array(json);
}

void plan_json_queued(struct json *json, const struct plan *plan, const struct step *step)
{
	const struct queued *queued = &step->queued;

	ASSERT(queued->stream != NONE);
	json_string(json, "stream", plan->streams.at[queued->stream]);
	json_array(json, "after");
	for (size_t i = 0; i < queued->after_count; i++)
		json_string(json, NULL, plan->events.at[queued->after[i]]);
	json_end_array(json);
	if (step->kind == ACTION_LAUNCH)
		json_string(json, "event",
			    queued->event != NONE ? plan->events.at[queued->event] : NULL);
}
