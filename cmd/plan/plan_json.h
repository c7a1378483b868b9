/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a plan and the report of its run say in the same words. */
#ifndef CMD_PLAN_JSON_H
#define CMD_PLAN_JSON_H

#include "json.h"
#include "plan.h"

/* What @buffer begins with, as written: the path of a file, or an INIT. */
const char *plan_buffer_source(const struct buffer *buffer);

/* What the expect @step compares with, as written; of a set or a fill: what is written. */
const char *plan_value_after(const struct step *step);

/* Writes "buffers". */
void plan_json_buffers(struct json *json, const struct plan *plan);

/* Writes the "args" of the launch @step. */
void plan_json_args(struct json *json, const struct plan *plan, const struct step *step);

/* Writes where @step is enqueued, behind what, and which event is recorded behind it. */
void plan_json_queued(struct json *json, const struct plan *plan, const struct step *step);

#endif
