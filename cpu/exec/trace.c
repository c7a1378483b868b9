/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "trace.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "asserts.h"
#include "cleanup.h"
#include "config.h"
#include "output.h"
#include "warp.h"

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

static void print_value(FILE *to, const struct warp *w, const struct trace_value *value,
			unsigned lane)
{
	const uint8_t *at = w->rows + value->at;
	const unsigned size = type_size(value->type);

	ASSERT(value->at >= 0 && (uint32_t)value->at < w->cta->code->row_bytes && lane < LANES);
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

static void print_lane(FILE *to, const struct warp *w, const struct trace_point *point,
		       unsigned lane)
{
	const struct trace *trace = w->cta->code->trace;
	const uint32_t *id = w->cta->id;
	uint32_t thread[3];

	locate(w, lane, thread);
	if (config.trace.has_thread && memcmp(thread, config.trace.thread, sizeof(thread)))
		return;
	ASSERT(point->first + point->count <= trace->value_count);
	listing_printed(LISTING_TRACE);
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

	ASSERT((uint64_t)ip->imm < w->cta->code->trace->point_count);
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
		output_listing(text, size);
}
