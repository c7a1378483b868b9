/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which instructions need the value of which register. Registers that live
 * inside one block only are seen in one pass; the others go through the usual
 * data flow, backwards over the blocks until nothing changes.
 */
#include "flow.h"

#include "budget.h"

/* What one pass over the instructions collects. */
struct scan {
	struct interval *intervals;
	uint32_t *written_in;  /* of each register: the block that wrote it last, plus 1 */
	uint32_t *global;      /* of each register: its bit, plus 1; 0: local to a block */
	uint32_t global_count;
	uint32_t *registers;   /* of each bit: the register */
	uint32_t insn, block;
	uint64_t *use, *def;   /* of the present block */
	bool guarded;
};

static void touch(struct interval *interval, uint32_t at)
{
	if (interval->start > interval->end) {
		*interval = (struct interval){ at, at };
		return;
	}
	if (at < interval->start)
		interval->start = at;
	if (at > interval->end)
		interval->end = at;
}

static void note_interval(void *context, uint32_t index, bool write)
{
	struct scan *scan = context;
	struct interval *interval = &scan->intervals[index];

	touch(interval, scan->insn);
	if (write && !scan->guarded) {
		scan->written_in[index] = scan->block + 1;
	} else if (scan->written_in[index] != scan->block + 1 && !scan->global[index]) {
		scan->registers[scan->global_count] = index;
		scan->global[index] = ++scan->global_count;
	}
}

static void add_to_sets(void *context, uint32_t index, bool write)
{
	struct scan *scan = context;
	uint32_t bit = scan->global[index] - 1;
	uint64_t mask = 1ull << (bit & 63);

	if (!scan->global[index])
		return;
	if (write && !scan->guarded)
		scan->def[bit / 64] |= mask;
	else if (!(scan->def[bit / 64] & mask))
		scan->use[bit / 64] |= mask;
}

static void scan_blocks(const struct body *body, const struct flow *flow, struct scan *scan,
			void (*visit)(void *, uint32_t, bool), size_t words)
{
	for (uint32_t b = 0; b < flow->block_count; b++) {
		scan->block = b;
		for (uint32_t i = flow->blocks[b].first; i < flow->blocks[b].end; i++) {
			scan->insn = i;
			scan->guarded = body->insns[i].guard != NO_GUARD && !body->insns[i].whole;
			insn_registers(body, &body->insns[i], visit, scan);
		}
		if (!words) /* the first pass has no sets yet */
			continue;
		scan->use += words;
		scan->def += words;
	}
}

/* in = use | (out & ~def); true when in changed. */
static bool flow_back(const struct flow *flow, uint32_t b, const uint64_t *use,
		      const uint64_t *def, uint64_t *in, uint64_t *out, size_t words)
{
	const struct basic_block *block = &flow->blocks[b];
	bool changed = false;

	for (size_t w = 0; w < words; w++) {
		uint64_t live = 0, before;

		for (uint32_t s = 0; s < block->count; s++) {
			uint32_t to = flow->successors[block->successor + s];

			if (to < flow->block_count)
				live |= in[to * words + w];
		}
		out[b * words + w] = live;
		before = use[b * words + w] | (live & ~def[b * words + w]);
		changed |= before != in[b * words + w];
		in[b * words + w] = before;
	}
	return changed;
}

/* Stretches the intervals of the registers whose bits are in @set to instruction @at, of those
 * that are not in @seen, and adds them there. */
static void stretch_to(const struct scan *scan, const uint64_t *set, uint64_t *seen, size_t words,
		       uint32_t at)
{
	for (size_t w = 0; w < words; w++) {
		for (uint64_t left = set[w] & ~seen[w]; left; left &= left - 1) {
			size_t bit = w * 64 + (size_t)__builtin_ctzll(left);

			touch(&scan->intervals[scan->registers[bit]], at);
		}
		seen[w] |= set[w];
	}
}

/* Stretches the intervals of what is live into and out of blocks: to the first and to the last one
 * of each register. @seen has room for a set. */
static void stretch(const struct flow *flow, const struct scan *scan, const uint64_t *in,
		    const uint64_t *out, uint64_t *seen, size_t words)
{
	memset(seen, 0, words * sizeof(*seen));
	for (uint32_t b = 0; b < flow->block_count; b++) {
		stretch_to(scan, &in[b * words], seen, words, flow->blocks[b].first);
		stretch_to(scan, &out[b * words], seen, words, flow->blocks[b].end - 1);
	}
	memset(seen, 0, words * sizeof(*seen));
	for (size_t b = flow->block_count; b-- > 0;) {
		stretch_to(scan, &out[b * words], seen, words, flow->blocks[b].end - 1);
		stretch_to(scan, &in[b * words], seen, words, flow->blocks[b].first);
	}
}

/* Stretches those of what is live behind a short loop to its begin: no other register has their
 * places in the loop, where lanes that wait behind it keep what they need. */
static void stretch_loops(const struct flow *flow, const struct scan *scan, const uint64_t *in,
			  uint64_t *seen, size_t words)
{
	for (uint32_t b = 0; b + 1 < flow->block_count; b++) {
		const uint32_t first = flow_short_loop(flow, b);

		if (first == UINT32_MAX)
			continue;
		memset(seen, 0, words * sizeof(*seen));
		stretch_to(scan, &in[(b + 1) * words], seen, words, flow->blocks[first].first);
	}
}

/* Registers that are parameters are written before the body, results are read after it. */
static void stretch_passed(const struct body *body, struct interval *intervals)
{
	for (size_t i = 0; i < body->symbol_count; i++) {
		const struct symbol *symbol = &body->symbols[i];
		bool param = symbol->home == SYMBOL_PARAM;
		uint32_t last = body->insn_count ? (uint32_t)body->insn_count - 1 : 0;

		if (symbol->space != PTX_REG)
			continue;
		for (uint32_t lane = 0; lane < symbol->lanes; lane++) {
			touch(&intervals[symbol->reg + lane], 0);
			if (!param)
				touch(&intervals[symbol->reg + lane], last);
		}
	}
}

/* Finds what is live where each block begins; @rest has room for three times as much. */
static void solve(const struct body *body, const struct flow *flow, struct scan *scan,
		  uint64_t *in, uint64_t *rest, size_t words)
{
	size_t size = flow->block_count * words;
	uint64_t *use = rest, *def = rest + size, *out = rest + 2 * size;
	bool changed = true;

	scan->use = use;
	scan->def = def;
	scan_blocks(body, flow, scan, add_to_sets, words);
	while (changed) {
		changed = false;
		for (uint32_t b = (uint32_t)flow->block_count; b-- > 0;)
			changed |= flow_back(flow, b, use, def, in, out, words);
	}
	stretch(flow, scan, in, out, use, words);
	stretch_loops(flow, scan, in, use, words);
	stretch_passed(body, scan->intervals);
}

int liveness_find(const struct body *body, const struct flow *flow, struct liveness *out,
		  struct err *e)
{
	size_t count = body->register_count, words;
	CLEANUP(liveness_release) struct liveness live = { 0 };
	CLEANUP(free_pointer) uint32_t *written = calloc(count + 1, sizeof(*written));
	CLEANUP(free_pointer) uint32_t *registers = calloc(count + 1, sizeof(*registers));
	CLEANUP(free_pointer) uint64_t *rest = NULL;
	struct scan scan = { .written_in = written, .registers = registers };

	memset(out, 0, sizeof(*out));
	live.intervals = scan.intervals = calloc(count + 1, sizeof(*live.intervals));
	live.numbers = scan.global = calloc(count + 1, sizeof(*live.numbers));
	if (!written || !registers || !live.intervals || !live.numbers)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for %zu registers", count);
	for (size_t r = 0; r < count; r++)
		live.intervals[r].start = 1;
	scan_blocks(body, flow, &scan, note_interval, 0);
	live.words = words = (scan.global_count + 63) / 64;
	TRY(budget_check(body, flow->block_count * words, "registers in blocks, in units of 64",
			 e));
	live.sets = calloc(flow->block_count * words + 1, sizeof(*live.sets));
	rest = calloc(flow->block_count * words + 1, 3 * sizeof(*rest));
	if (!live.sets || !rest)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the liveness of registers");
	solve(body, flow, &scan, live.sets, rest, words);
	*out = live;
	memset(&live, 0, sizeof(live));
	return 0;
}

void liveness_release(struct liveness *liveness)
{
	free(liveness->intervals);
	free(liveness->numbers);
	free(liveness->sets);
}
