/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Blocks that a branch goes around, in some lanes: they are executed with all lanes together, and
 * each of their instructions by those that do not branch alone. So the region is not left at such
 * a branch. Sides that are short have become guards before (ptx/simplify.c); these are longer, or
 * have something that a guard cannot have there.
 *
 * What lanes that branch need behind the block has to be as it was: a register that is needed
 * there, and written in the block, is a vector, which keeps what they had. Others may be computed
 * for all lanes. Where the region is left in such a block, the interpreter has to see that lanes
 * have branched. The predicate may have lost its place in the row file by then, so the lanes
 * that stay are a value of their own, which the branch writes (ir->staying).
 *
 * Likewise loops of one block that lanes leave one after the other: those that have left wait. What
 * they need keeps its place in the row file only if it is needed where the loop begins, too.
 */
#include "build.h"

/* Instructions of such a block, at most. */
enum { MOST_CONVERTED = 64 };

/* A block that may be converted. */
struct candidate {
	struct build *b;
	uint32_t behind;         /* the block where its lanes meet the others */
	uint32_t head;           /* the block itself, if it is a loop; or IR_NONE */
	bool fits;
};

static bool enters(const struct candidate *k, uint32_t block, uint32_t value)
{
	const struct ir_value *v = &k->b->ir->values[value];
	const struct reached *now = k->b->l->now;

	return v->reg != IR_NONE && block < now->flow.block_count &&
	       liveness_enters(&now->liveness, block, v->reg);
}

/* Tells whether lanes that are not in the block need what value @value has. */
static bool is_needed(const struct candidate *k, uint32_t value)
{
	return enters(k, k->behind, value);
}

static void check_written(struct candidate *k, uint32_t value)
{
	if (!is_needed(k, value))
		return;
	k->fits &= k->b->ir->values[value].kind == KIND_VECTOR &&
		   (k->head == IR_NONE || enters(k, k->head, value));
}

static void visit_called(void *context, uint32_t index, bool write)
{
	struct candidate *k = context;

	if (write)
		check_written(k, k->b->ir->by_register[index]);
}

/* Whether one instruction can be executed by lanes that do not branch alone. */
static void check_insn(struct candidate *k, const struct ir_insn *insn)
{
	const struct body *body = k->b->l->body;

	k->fits &= build_is_partial(k->b, insn) && insn->under == IR_NONE &&
		   (insn->op != IR_CALL || k->head == IR_NONE);
	for (unsigned i = 0; i < IR_RESULTS && insn->d[i] != IR_NONE; i++)
		check_written(k, insn->d[i]);
	for (uint32_t i = insn->source;
	     insn->op == IR_CALL && i < insn->source_end && i < body->insn_count; i++)
		insn_registers(body, &body->insns[i], visit_called, k);
}

/* Tells whether data say how often lanes are in the loop of @block: few leave it together. */
static bool depends_on_data(const struct ir *ir, const struct ir_block *block)
{
	const uint32_t predicate = ir->insns[block->end - 1].a[0];
	uint32_t i = block->end - 1;

	while (i > block->first && ir->insns[i - 1].d[0] != predicate)
		i--;
	for (unsigned k = 0; i > block->first && k < ir->insns[i - 1].sources; k++)
		if (ir->values[ir->insns[i - 1].a[k]].kind == KIND_VECTOR)
			return true;
	return false;
}

/* Tells whether block @at is a loop of its own, which fits. */
static bool can_convert_loop(struct build *b, uint32_t at, struct candidate *k)
{
	const struct ir *ir = b->ir;
	const struct ir_block *block = &ir->blocks[at];
	const struct ir_insn *branch = &ir->insns[block->end - 1];
	const struct flow *flow = &b->l->now->flow;

	if (block->end - block->first < 2 || block->end - block->first > MOST_CONVERTED ||
	    branch->op != IR_BRANCH || !branch->sources || !branch->back || branch->imm != at ||
	    ir->values[branch->a[0]].kind != KIND_VECTOR || at >= flow->block_count ||
	    flow->joined[flow->blocks[at].first] & FLOW_AWAITS || !depends_on_data(ir, block))
		return false;
	*k = (struct candidate){ b, at + 1, at, true };
	for (uint32_t i = block->first; i + 1 < block->end && k->fits; i++)
		check_insn(k, &ir->insns[i]);
	return k->fits;
}

/* Tells whether block @at is a loop that has been converted, and goes on with block @behind. */
static bool is_loop_before(const struct ir *ir, uint32_t at, uint32_t behind)
{
	const struct ir_block *block = &ir->blocks[at];
	const struct ir_insn *last = &ir->insns[block->end - 1];

	return block->end > block->first && at + 1 == behind && last->op == IR_BRANCH &&
	       last->skipped && last->back && ir->blocks[behind].op == last->end;
}

/*
 * Tells whether the branch at the end of block @at goes around a block that fits, or around a loop
 * that has been converted, or around both.
 */
static bool can_convert(struct build *b, uint32_t at, struct candidate *k)
{
	const struct ir *ir = b->ir;
	const struct ir_block *from = &ir->blocks[at], *block = &ir->blocks[at + 1];
	const struct ir_insn *branch = &ir->insns[from->end - 1];

	if (from->end == from->first || branch->op != IR_BRANCH || !branch->sources ||
	    branch->back || ir->values[branch->a[0]].kind != KIND_VECTOR)
		return false;
	*k = (struct candidate){ b, (uint32_t)branch->imm, IR_NONE, true };
	if (is_loop_before(ir, at + 1, k->behind))
		return true;
	if ((k->behind != at + 2 &&
	     (k->behind != at + 3 || !is_loop_before(ir, at + 2, k->behind))) ||
	    block->joined || block->end - block->first > MOST_CONVERTED ||
	    block->end == block->first)
		return false;
	for (uint32_t i = block->first; i < block->end && k->fits; i++)
		check_insn(k, &ir->insns[i]);
	return k->fits;
}

/* Lets the instructions from @first to @end be executed by the lanes that stay. */
static void convert_insns(const struct candidate *k, uint32_t first, uint32_t end)
{
	struct ir *ir = k->b->ir;

	for (uint32_t i = first; i < end; i++) {
		struct ir_insn *insn = &ir->insns[i];

		insn->under = ir->staying;
		insn->whole = (insn->op == IR_LOAD || insn->op == IR_ATOMIC) &&
			      !is_needed(k, insn->d[0]);
		insn->guard_negated = false;
		if (ir_accesses(insn) ||
		    (insn->op != IR_CALL && insn->op != IR_FENCE && is_needed(k, insn->d[0])))
			insn->guard = ir->staying;
	}
}

int build_converted(struct build *b)
{
	struct ir *ir = b->ir;
	struct candidate k;

	TRY(build_staying(b, &ir->staying));
	for (uint32_t at = 0; at + 1 < ir->block_count; at++) {
		const struct ir_block *block = &ir->blocks[at];

		if (!can_convert_loop(b, at, &k))
			continue;
		ir->insns[block->end - 1].skipped = true;
		convert_insns(&k, block->first, block->end - 1);
	}
	for (uint32_t at = 0; at + 2 < ir->block_count; at++) {
		const struct ir_block *block = &ir->blocks[at];

		if (!can_convert(b, at, &k))
			continue;
		ir->insns[block->end - 1].skipped = true;
		if (!is_loop_before(ir, at + 1, k.behind))
			convert_insns(&k, block[1].first, block[1].end);
	}
	return 0;
}
