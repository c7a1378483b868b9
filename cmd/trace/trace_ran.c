/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "trace_ran.h"

#include <stdlib.h>

#include "array.h"

static int no_memory_for_times(struct err *e)
{
	return err_set(e, GPURUN_NO_MEMORY, "no memory for the trace");
}

void rans_release(struct rans *rans)
{
	free(rans->at);
}

int rans_add(struct rans *rans, uint64_t process, const struct trace_record *record, struct err *e)
{
	struct ran *ran = array_grow(&rans->at, rans->count, sizeof(*ran));

	if (!ran)
		return no_memory_for_times(e);
	*ran = (struct ran){ process, record->id, record->begin, record->end,
			     record->flags & TRACE_CLOCK ? record->handle : 0 };
	rans->count++;
	return 0;
}

/* ---- by call ---- */

static int compare_rans(const void *left, const void *right)
{
	const struct ran *a = left, *b = right;

	return order_of(a->process, b->process) ?: order_of(a->id, b->id);
}

/* In that order, that it ended before that it began. */
static int compare_ends(const void *left, const void *right)
{
	const struct ran *a = left, *b = right;

	return compare_rans(left, right) ?: order_of(b->end, a->end);
}

/* Sorts them, and leaves one of each call. */
static void sort_rans(struct rans *rans)
{
	size_t count = 0;

	if (rans->count)
		qsort(rans->at, rans->count, sizeof(*rans->at), compare_ends);
	for (size_t i = 0; i < rans->count; i++)
		if (!i || compare_rans(&rans->at[i], &rans->at[i - 1]))
			rans->at[count++] = rans->at[i];
	rans->count = count;
}

static struct ran *find_ran(const struct rans *rans, const struct traced_call *call)
{
	const struct ran which = { .process = call->process, .id = call->record.id };

	return rans->count ? bsearch(&which, rans->at, rans->count, sizeof(which), compare_rans) :
			     NULL;
}

/* ---- clocks ---- */

/* What is to be added to the times on a clock, modulo 2^64; of several the largest is right. */
struct placed_clock {
	uint64_t process, clock;
	int64_t offset;
};

static int compare_clocks(const void *left, const void *right)
{
	const struct placed_clock *a = left, *b = right;

	return order_of(a->process, b->process) ?: order_of(a->clock, b->clock);
}

static int compare_offsets(const void *left, const void *right)
{
	const struct placed_clock *a = left, *b = right;

	return compare_clocks(left, right) ?: (b->offset > a->offset) - (b->offset < a->offset);
}

/* The clocks of @rans in @clocks, which has room for one of each call, and how many there are. */
static size_t find_clocks(const struct rans *rans, const struct trace *trace,
			  struct placed_clock *clocks)
{
	size_t count = 0, kept = 0;

	for (size_t i = 0; i < trace->count; i++) {
		const struct traced_call *call = &trace->calls[i];
		const struct ran *ran = find_ran(rans, call);

		if (ran && ran->clock)
			clocks[count++] = (struct placed_clock){
				call->process, ran->clock,
				(int64_t)(call->record.begin - ran->begin)
			};
	}
	qsort(clocks, count, sizeof(*clocks), compare_offsets);
	for (size_t i = 0; i < count; i++)
		if (!i || compare_clocks(&clocks[i], &clocks[i - 1]))
			clocks[kept++] = clocks[i];
	return kept;
}

/* Puts the times of @rans on the host's clock. */
static int place_clocks(struct rans *rans, const struct trace *trace, struct err *e)
{
	CLEANUP(free_pointer) struct placed_clock *clocks =
		malloc((trace->count + 1) * sizeof(*clocks));
	size_t count;

	if (!clocks)
		return no_memory_for_times(e);
	count = find_clocks(rans, trace, clocks);
	for (size_t i = 0; count && i < rans->count; i++) {
		struct ran *ran = &rans->at[i];
		const struct placed_clock which = { .process = ran->process, .clock = ran->clock };
		const struct placed_clock *clock =
			bsearch(&which, clocks, count, sizeof(which), compare_clocks);

		if (!clock)
			continue;
		ran->begin += (uint64_t)clock->offset;
		ran->end += (uint64_t)clock->offset;
	}
	return 0;
}

/* ---- calls ---- */

/* When the last thing happened. */
static uint64_t end_of(const struct trace *trace, const struct rans *rans)
{
	uint64_t end = 0;

	for (size_t i = 0; i < trace->count; i++)
		end = end < trace->calls[i].record.end ? trace->calls[i].record.end : end;
	for (size_t i = 0; i < rans->count; i++)
		end = end < rans->at[i].end ? rans->at[i].end : end;
	return end;
}

static void add_times(struct traced_call *call, const struct ran *ran, uint64_t end)
{
	call->unfinished = !ran->end;
	call->ran_begin = ran->begin;
	call->ran_end = ran->end ? ran->end : end;
	if (call->ran_end < call->ran_begin)
		call->ran_end = call->ran_begin;
}

/* A call with a time that events have measured. */
struct measured {
	size_t track;
	struct traced_call *call;
};

static int compare_measured(const void *left, const void *right)
{
	const struct measured *a = left, *b = right;

	return order_of(a->track, b->track) ?:
	       order_of(a->call->ran_begin, b->call->ran_begin) ?:
	       order_of(a->call->ran_end, b->call->ran_end);
}

/* Events round, and those of two threads on one stream mix: there one launch begins when the one
 * before it ends. */
static void untangle(struct measured *measured, size_t count)
{
	qsort(measured, count, sizeof(*measured), compare_measured);
	for (size_t i = 1; i < count; i++) {
		const struct traced_call *before = measured[i - 1].call;
		struct traced_call *call = measured[i].call;

		if (measured[i].track != measured[i - 1].track ||
		    call->ran_begin >= before->ran_end)
			continue;
		call->ran_begin = before->ran_end;
		if (call->ran_end < call->ran_begin)
			call->ran_end = call->ran_begin;
	}
}

int rans_apply(struct rans *rans, struct trace *trace, struct err *e)
{
	CLEANUP(free_pointer) struct measured *measured =
		malloc((trace->count + 1) * sizeof(*measured));
	size_t count = 0;
	uint64_t end;

	if (!measured)
		return no_memory_for_times(e);
	sort_rans(rans);
	TRY(place_clocks(rans, trace, e));
	end = end_of(trace, rans);
	for (size_t i = 0; i < trace->count; i++) {
		struct traced_call *call = &trace->calls[i];
		const struct ran *ran = find_ran(rans, call);

		if (!ran)
			continue;
		add_times(call, ran, end);
		if (ran->clock)
			measured[count++] = (struct measured){ call->track, call };
	}
	untangle(measured, count);
	return 0;
}
