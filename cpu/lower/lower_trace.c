/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "lower_trace.h"

#include <stdlib.h>

#include "asserts.h"
#include "config.h"
#include "listing.h"
#include "trace.h"

void trace_free(struct trace *trace)
{
	if (!trace)
		return;
	free(trace->points);
	free(trace->values);
	free(trace);
}

bool trace_wants(const char *kernel)
{
	listing_lowered();
	return listing_matches(config.trace.kernel, kernel);
}

/* The registers of an instruction that are being added. */
struct adding {
	struct lowering *l;
	bool written; /* those that it writes; else those that it reads */
	int status;
};

static void add_value(void *context, uint32_t index, bool write)
{
	struct adding *adding = context;
	struct lowering *l = adding->l;
	struct trace *trace = l->code->trace;
	struct trace_value *value;

	if (write != adding->written || adding->status)
		return;
	value = array_grow(&trace->values, trace->value_count, sizeof(*value));
	if (!value) {
		adding->status = err_set(l->e, GPURUN_NO_MEMORY, "no memory for a trace");
		return;
	}
	*value = (struct trace_value){ .at = register_at(l, index), .slot = register_slot(l, index),
				 .type = l->body->register_types[index], .written = write };
	listing_register(l->body, index, value->name);
	trace->value_count++;
}

/* Adds a point with the registers that the instruction reads, or writes. */
static int add_point(struct lowering *l, bool written, struct trace **out)
{
	struct adding adding = { l, written, 0 };
	struct trace *trace = l->code->trace;
	struct trace_point *point;

	if (!trace)
		trace = l->code->trace = calloc(1, sizeof(*trace));
	*out = trace;
	point = trace ? array_grow(&trace->points, trace->point_count, sizeof(*point)) : NULL;
	if (!point)
		return err_set(l->e, GPURUN_NO_MEMORY, "no memory for a trace");
	*point = (struct trace_point){ .line = l->insn->line, .first = trace->value_count };
	if (!written)
		point->text = listing_text(l->program, l->insn);
	insn_registers(l->body, l->insn, add_value, &adding);
	point->count = trace->value_count - point->first;
	return adding.status;
}

int trace_before(struct lowering *l)
{
	struct trace *trace;

	ASSERT(l->traced);
	TRY(add_point(l, false, &trace));
	return emit(l, HANDLER_trace, 0, 0, 0, 0, (int64_t)trace->point_count++);
}

int trace_after(struct lowering *l)
{
	struct trace *trace;

	ASSERT(l->traced && l->code->trace);
	TRY(add_point(l, true, &trace));
	if (!trace->points[trace->point_count].count)
		return 0;
	return emit(l, HANDLER_trace, 0, 0, 0, 0, (int64_t)trace->point_count++);
}
