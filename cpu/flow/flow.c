/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "flow.h"

#include "array.h"
#include "budget.h"

/* The label that operand @operand names; NULL when it is none. */
static const struct label *label_of(const struct body *body, const struct operand *operand)
{
	if (operand->kind != OPERAND_LABEL || operand->index >= body->label_count)
		return NULL;
	return &body->labels[operand->index];
}

/* The first instruction of the loop that conditional branch @i ends; UINT32_MAX: it ends none. */
static uint32_t loop_of(const struct body *body, uint32_t i)
{
	const struct insn *insn = &body->insns[i];
	const struct label *label;

	if (flow_kind(insn) != FLOW_BRANCH || !insn->count)
		return UINT32_MAX;
	label = label_of(body, insn_operands(body, insn));
	return label && label->insn <= i ? label->insn : UINT32_MAX;
}

/*
 * Tells whether @insn may read what another thread has just written, so that a loop may wait
 * for it. By the memory model that is no other load.
 */
static bool observes(const struct insn *insn)
{
	static const char *const strong[] = { ".volatile", ".relaxed", ".acquire", ".mmio" };

	switch (insn->base) {
	case INSN_ATOM:
	case INSN_CALL:
	case INSN_FENCE:
	case INSN_MBARRIER:
	case INSN_MEMBAR:
	case INSN_NANOSLEEP:
		return true;
	case INSN_LD:
		for (size_t i = 0; i < sizeof(strong) / sizeof(strong[0]); i++)
			if (insn_has(insn, strong[i]))
				return true;
		return false;
	}
	return false;
}

/* Marks where lanes leave a loop one after the other, and loops that may wait for others. */
static int mark_loops(const struct body *body, uint8_t *joined, struct err *e)
{
	size_t count = body->insn_count;
	CLEANUP(free_pointer) uint32_t *observed = calloc(count + 1, sizeof(*observed));

	if (!observed)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the loops of a function");
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t first = loop_of(body, i);

		observed[i + 1] = observed[i] + observes(&body->insns[i]);
		if (first == UINT32_MAX)
			continue;
		if (body->insns[i].guard != NO_GUARD)
			joined[i + 1] |= FLOW_JOINED;
		if (observed[i + 1] != observed[first])
			joined[first] |= FLOW_AWAITS;
	}
	return 0;
}

/* Marks the instructions that begin a block. */
static void mark(const struct body *body, uint8_t *starts, uint8_t *joined)
{
	starts[0] = 1;
	for (size_t i = 0; i < body->label_count; i++)
		if (body->labels[i].placed)
			starts[body->labels[i].insn] = joined[body->labels[i].insn] = FLOW_JOINED;
	for (size_t i = 0; i < body->insn_count; i++)
		if (flow_kind(&body->insns[i]) != FLOW_NEXT)
			starts[i + 1] = 1;
}

static int add_successor(struct flow *flow, struct basic_block *block, uint32_t to, struct err *e)
{
	uint32_t *slot = array_grow(&flow->successors, flow->successor_count, sizeof(*slot));

	if (!slot)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for control flow");
	*slot = to;
	flow->successor_count++;
	block->count++;
	return 0;
}

static int add_targets(const struct body *body, struct flow *flow, struct basic_block *block,
		       const struct operand *operands, uint32_t count, struct err *e)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct label *label = label_of(body, &operands[i]);

		if (label)
			TRY(add_successor(flow, block, flow->block_of[label->insn], e));
	}
	return 0;
}

static int link_block(const struct body *body, struct flow *flow, uint32_t index, struct err *e)
{
	struct basic_block *block = &flow->blocks[index];
	const struct insn *last = &body->insns[block->end - 1];
	const struct operand *operands = insn_operands(body, last);
	enum flow_kind kind = flow_kind(last);
	bool falls = kind == FLOW_NEXT || kind == FLOW_CALL || last->guard != NO_GUARD;

	block->successor = (uint32_t)flow->successor_count;
	if (kind == FLOW_BRANCH)
		TRY(add_targets(body, flow, block, operands, last->count, e));
	for (uint32_t i = 0; kind == FLOW_TABLE && i < last->count; i++) {
		if (operands[i].kind == OPERAND_TABLE) {
			const struct label_table *table = &body->tables[operands[i].index];

			TRY(add_targets(body, flow, block, body->operands + table->first,
					table->count, e));
		}
	}
	if (falls && index + 1 < flow->block_count)
		TRY(add_successor(flow, block, index + 1, e));
	return 0;
}

int flow_find(const struct body *body, struct flow *flow, struct err *e)
{
	size_t count = body->insn_count;
	CLEANUP(free_pointer) uint8_t *starts = calloc(count + 1, 1);

	flow->joined = calloc(count + 1, 1);
	flow->block_of = calloc(count + 1, sizeof(*flow->block_of));
	if (!starts || !flow->joined || !flow->block_of)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for control flow");
	mark(body, starts, flow->joined);
	TRY(mark_loops(body, flow->joined, e));
	for (uint32_t i = 0; i < count; i++) {
		struct basic_block *block;

		if (starts[i]) {
			block = array_grow(&flow->blocks, flow->block_count, sizeof(*block));
			if (!block)
				return err_set(e, GPURUN_NO_MEMORY, "no memory for blocks");
			block->first = i;
			flow->block_count++;
		}
		flow->blocks[flow->block_count - 1].end = i + 1;
		flow->block_of[i] = (uint32_t)flow->block_count - 1;
	}
	flow->block_of[count] = (uint32_t)flow->block_count;
	for (uint32_t i = 0; i < flow->block_count; i++) {
		TRY(link_block(body, flow, i, e));
		TRY(budget_check(body, flow->successor_count, "edges between blocks", e));
	}
	return 0;
}

uint32_t flow_short_loop(const struct flow *flow, uint32_t block)
{
	const struct basic_block *end = &flow->blocks[block];
	uint32_t first = UINT32_MAX;
	bool falls = false;

	for (uint32_t i = 0; i < end->count; i++) {
		const uint32_t to = flow->successors[end->successor + i];

		falls |= to == block + 1;
		if (to <= block && block - to < FLOW_LOOP_BLOCKS)
			first = to;
	}
	return falls ? first : UINT32_MAX;
}

void flow_release(struct flow *flow)
{
	free(flow->blocks);
	free(flow->successors);
	free(flow->block_of);
	free(flow->joined);
}
