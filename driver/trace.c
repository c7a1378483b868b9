/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "trace.h"

#include <inttypes.h>
#include <math.h>

#include "config.h"
#include "listing.h"
#include "output.h"
#include "warp.h"

/* A register, and where its values are. */
struct value {
	char name[REGISTER_NAME];
	int32_t at;   /* in the row file */
	uint8_t type; /* enum ptx_type */
	bool slot;    /* one value for all lanes */
	bool written;
};

/* What one op of a trace reports. */
struct point {
	struct bytes text; /* borrowed from the program, or "" */
	uint32_t line;
	size_t first, count; /* of the values */
};

struct trace {
	struct point *points; /* owned */
	size_t point_count;
	struct value *values; /* owned */
	size_t value_count;
};

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
	return listing_matches(config.trace.kernel, kernel);
}

/* ---- Lowering ------------------------------------------------------------------- */

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
	struct value *value;

	if (write != adding->written || adding->status)
		return;
	value = array_grow(&trace->values, trace->value_count, sizeof(*value));
	if (!value) {
		adding->status = err_set(l->e, GPURUN_NO_MEMORY, "no memory for a trace");
		return;
	}
	*value = (struct value){ .at = register_at(l, index), .slot = register_slot(l, index),
				 .type = l->body->register_types[index], .written = write };
	listing_register(l->body, index, value->name);
	trace->value_count++;
}

/* Adds a point with the registers that the instruction reads, or writes. */
static int add_point(struct lowering *l, bool written, struct trace **out)
{
	struct adding adding = { l, written, 0 };
	struct trace *trace = l->code->trace;
	struct point *point;

	if (!trace)
		trace = l->code->trace = calloc(1, sizeof(*trace));
	*out = trace;
	point = trace ? array_grow(&trace->points, trace->point_count, sizeof(*point)) : NULL;
	if (!point)
		return err_set(l->e, GPURUN_NO_MEMORY, "no memory for a trace");
	*point = (struct point){ .line = l->insn->line, .first = trace->value_count };
	if (!written)
		point->text = listing_text(l->program, l->insn);
	insn_registers(l->body, l->insn, add_value, &adding);
	point->count = trace->value_count - point->first;
	return adding.status;
}

int trace_before(struct lowering *l)
{
	struct trace *trace;

	TRY(add_point(l, false, &trace));
	return emit(l, HANDLER_trace, 0, 0, 0, 0, (int64_t)trace->point_count++);
}

int trace_after(struct lowering *l)
{
	struct trace *trace;

	TRY(add_point(l, true, &trace));
	if (!trace->points[trace->point_count].count)
		return 0;
	return emit(l, HANDLER_trace, 0, 0, 0, 0, (int64_t)trace->point_count++);
}

/* ---- Execution ------------------------------------------------------------------ */

static void print_float(FILE *to, double value)
{
	fprintf(to, isfinite(value) && value == (double)(float)value ? "%.9g" : "%.17g", value);
}

/* A number of @size bytes, by what its register is declared as. */
static void print_number(FILE *to, uint8_t type, unsigned size, const uint8_t *bytes)
{
	uint64_t bits = 0;
	double wide;
	float narrow;

	memcpy(&bits, bytes, size < 8 ? size : 8);
	memcpy(&wide, &bits, sizeof(wide));
	memcpy(&narrow, &bits, sizeof(narrow));
	if (size > 8)
		fprintf(to, "0x%016" PRIx64 "%016" PRIx64, load_u64(bytes + 8), bits);
	else if (type == TYPE_F64)
		print_float(to, wide);
	else if (type == TYPE_F32)
		print_float(to, (double)narrow);
	else if (type_signed(type))
		fprintf(to, "%" PRId64, (int64_t)(bits << (64 - 8 * size)) >> (64 - 8 * size));
	else if (bits > 0xffff)
		fprintf(to, "%#" PRIx64, bits);
	else
		fprintf(to, "%" PRIu64, bits);
}

static void print_value(FILE *to, const struct warp *w, const struct value *value, unsigned lane)
{
	const uint8_t *at = w->rows + value->at;
	const unsigned size = type_size(value->type);

	fprintf(to, " %s%s=", value->written ? "-> " : "", value->name);
	if (size)
		print_number(to, value->type, size, value->slot ? at : at + size * lane);
	else
		fputs(load_u32(at) >> lane & 1 ? "true" : "false", to);
}

/* The index of the thread of @lane in its block. */
static void locate(const struct warp *w, unsigned lane, uint32_t thread[3])
{
	const uint32_t *block = w->cta->launch->block;
	const uint32_t index = w->index * LANES + lane;

	thread[0] = index % block[0];
	thread[1] = index / block[0] % block[1];
	thread[2] = index / block[0] / block[1];
}

static void print_lane(FILE *to, const struct warp *w, const struct point *point, unsigned lane)
{
	const struct trace *trace = w->cta->code->trace;
	const uint32_t *id = w->cta->id;
	uint32_t thread[3];

	locate(w, lane, thread);
	if (config.trace.has_thread && memcmp(thread, config.trace.thread, sizeof(thread)))
		return;
	fprintf(to, "trace: (%u,%u,%u) (%u,%u,%u) line %u", id[0], id[1], id[2], thread[0],
		thread[1], thread[2], point->line);
	if (point->text.size)
		fputs(": ", to);
	listing_print(to, point->text);
	for (size_t i = 0; i < point->count; i++)
		print_value(to, w, &trace->values[point->first + i], lane);
	fputc('\n', to);
}

void trace_step(const struct warp *w, const struct op *ip)
{
	CLEANUP(free_pointer) char *text = NULL;
	size_t size;
	FILE *to;

	if (config.trace.has_block &&
	    memcmp(w->cta->id, config.trace.block, sizeof(config.trace.block)))
		return;
	to = open_memstream(&text, &size);
	if (!to)
		return;
	for (unsigned lane = 0; lane < LANES; lane++)
		if (w->mask >> lane & 1)
			print_lane(to, w, &w->cta->code->trace->points[ip->imm], lane);
	if (!fclose(to))
		output_assert(text, size);
}
