/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which instructions need the value of which register. Registers that live
 * inside one block only are seen in one pass; the others go through the usual
 * data flow, backwards over the blocks until nothing changes.
 */
#include "flow.h"

static void see_operand(const struct body *body, const struct operand *operand, bool write,
			void (*see)(void *, uint32_t, bool), void *context)
{
	switch (operand->kind) {
	case OPERAND_REGISTER:
		see(context, operand->index, write);
		break;
	case OPERAND_ADDRESS:
	case OPERAND_TENSOR:
		if (operand->base == OPERAND_REGISTER)
			see(context, operand->index, false);
		break;
	case OPERAND_VECTOR:
	case OPERAND_LIST:
		for (int64_t i = 0; i < operand->value; i++)
			see_operand(body, &body->elements[operand->index + i], write, see,
				    context);
		break;
	default:
		break;
	}
}

static bool begins(struct ptx_name name, const char *prefix)
{
	size_t length = strlen(prefix);

	return name.length >= length && !memcmp(name.text, prefix, length);
}

/* Tells whether the first operand of @insn is where its result goes. */
static bool has_result(const struct body *body, const struct insn *insn)
{
	static const char *const none[] = { "st.",    "red.",     "bra",       "brx",
					    "ret",    "exit",     "membar",    "fence",
					    "trap",   "prefetch", "nanosleep", "cp.",
					    "pmevent", "stackrestore" };

	if (flow_kind(insn) == FLOW_CALL)
		return insn->count && insn_operands(body, insn)[0].kind == OPERAND_LIST;
	if (begins(insn->opcode, "bar"))
		return memmem(insn->opcode.text, insn->opcode.length, ".red", 4) != NULL;
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		if (begins(insn->opcode, none[i]))
			return false;
	return true;
}

void insn_registers(const struct body *body, const struct insn *insn,
		    void (*see)(void *context, uint32_t index, bool write), void *context)
{
	const struct operand *operands = insn_operands(body, insn);
	unsigned results = 0;

	if (insn->count && has_result(body, insn))
		results = operands[0].paired ? 2 : 1;
	if (insn->guard != NO_GUARD)
		see(context, insn->guard, false);
	for (unsigned i = results; i < insn->count; i++)
		see_operand(body, &operands[i], false, see, context);
	for (unsigned i = 0; i < results; i++)
		see_operand(body, &operands[i], operands[i].kind != OPERAND_ADDRESS, see,
			    context);
}

/* What one pass over the instructions collects. */
struct scan {
	struct interval *intervals;
	uint32_t *written_in;  /* of each register: the block that wrote it last, plus 1 */
	uint32_t *global;      /* of each register: its bit, plus 1; 0: local to a block */
	uint32_t global_count;
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

static void see_first(void *context, uint32_t index, bool write)
{
	struct scan *scan = context;
	struct interval *interval = &scan->intervals[index];

	touch(interval, scan->insn);
	if (write && !scan->guarded)
		scan->written_in[index] = scan->block + 1;
	else if (scan->written_in[index] != scan->block + 1 && !scan->global[index])
		scan->global[index] = ++scan->global_count;
}

static void see_sets(void *context, uint32_t index, bool write)
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
			void (*see)(void *, uint32_t, bool), size_t words)
{
	for (uint32_t b = 0; b < flow->block_count; b++) {
		scan->block = b;
		for (uint32_t i = flow->blocks[b].first; i < flow->blocks[b].end; i++) {
			scan->insn = i;
			scan->guarded = body->insns[i].guard != NO_GUARD;
			insn_registers(body, &body->insns[i], see, scan);
		}
		if (!words) /* the first pass has no sets yet */
			continue;
		scan->use += words;
		scan->def += words;
	}
}

/* in = use | (out & ~def); tells whether in changed. */
static bool flow_back(const struct flow *flow, uint32_t b, const uint64_t *use,
		      const uint64_t *def, uint64_t *in, uint64_t *out, size_t words)
{
	const struct block *block = &flow->blocks[b];
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

/* Stretches the intervals of what is live into and out of blocks. */
static void stretch(const struct body *body, const struct flow *flow, const struct scan *scan,
		    const uint64_t *in, const uint64_t *out, size_t words)
{
	for (size_t r = 0; r < body->register_count; r++) {
		uint32_t bit = scan->global[r] - 1;
		struct interval *interval = &scan->intervals[r];

		if (!scan->global[r])
			continue;
		for (uint32_t b = 0; b < flow->block_count; b++) {
			uint64_t mask = 1ull << (bit & 63);
			size_t at = b * words + bit / 64;

			if (in[at] & mask)
				touch(interval, flow->blocks[b].first);
			if (out[at] & mask)
				touch(interval, flow->blocks[b].end - 1);
		}
	}
}

/* Registers that are parameters are written before the body, results read behind it. */
static void stretch_passed(const struct body *body, struct interval *intervals)
{
	for (size_t i = 0; i < body->symbol_count; i++) {
		const struct symbol *symbol = &body->symbols[i];
		bool param = symbol->home == SYMBOL_PARAM;
		uint32_t last = body->insn_count ? (uint32_t)body->insn_count - 1 : 0;

		if (symbol->space != PTX_REG)
			continue;
		touch(&intervals[symbol->reg], 0);
		if (!param)
			touch(&intervals[symbol->reg], last);
	}
}

int liveness_find(const struct body *body, const struct flow *flow, struct interval **out,
		  struct err *e)
{
	size_t count = body->register_count, words;
	CLEANUP(free_pointer) struct interval *intervals = calloc(count + 1, sizeof(*intervals));
	CLEANUP(free_pointer) uint32_t *numbers = calloc(count + 1, 2 * sizeof(*numbers));
	CLEANUP(free_pointer) uint64_t *sets = NULL;
	struct scan scan = { .intervals = intervals, .written_in = numbers };
	bool changed = true;

	*out = NULL;
	if (!intervals || !numbers)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for %zu registers", count);
	scan.global = numbers + count + 1;
	for (size_t r = 0; r < count; r++)
		intervals[r].start = 1;
	scan_blocks(body, flow, &scan, see_first, 0);
	words = (scan.global_count + 63) / 64;
	sets = calloc(flow->block_count * words + 1, 4 * sizeof(*sets));
	if (!sets)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the liveness of registers");
	uint64_t *use = sets, *def = use + flow->block_count * words;
	uint64_t *in = def + flow->block_count * words;
	uint64_t *live_out = in + flow->block_count * words;

	scan.use = use;
	scan.def = def;
	scan_blocks(body, flow, &scan, see_sets, words);
	while (changed) {
		changed = false;
		for (uint32_t b = (uint32_t)flow->block_count; b-- > 0;)
			changed |= flow_back(flow, b, use, def, in, live_out, words);
	}
	stretch(body, flow, &scan, in, live_out, words);
	stretch_passed(body, intervals);
	*out = STEAL(intervals);
	return 0;
}
