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
 */
#include "convert.h"

static bool enters(const struct candidate *k, uint32_t block, uint32_t value)
{
	const struct ir_value *v = &k->b->ir->values[value];
	const struct reached *now = k->b->l->now;

	return v->reg != IR_NONE && block < now->flow.block_count &&
	       liveness_enters(&now->liveness, block, v->reg);
}

bool candidate_needs(const struct candidate *k, uint32_t value)
{
	return enters(k, k->behind, value);
}

/* Tells whether no other register has the place of @value in all of the loop. */
static bool owns_place(const struct candidate *k, const struct ir_value *value)
{
	const struct reached *now = k->b->l->now;

	return now->liveness.intervals[value->reg].start <= now->flow.blocks[k->head].first;
}

void candidate_writes(struct candidate *k, uint32_t value)
{
	const struct ir_value *v = &k->b->ir->values[value];

	if (!candidate_needs(k, value))
		return;
	k->fits &= (k->chooses ? !v->slot : v->kind == KIND_VECTOR) &&
		   (k->head == IR_NONE || owns_place(k, v));
}

static void visit_called(void *context, uint32_t index, bool write)
{
	struct candidate *k = context;

	if (write)
		candidate_writes(k, k->b->ir->by_register[index]);
}

/* Whether one instruction can be executed by lanes that do not branch alone. */
static void check_insn(struct candidate *k, const struct ir_insn *insn)
{
	const struct body *body = k->b->l->body;

	k->fits &= build_is_partial(k->b, insn) && insn->under == IR_NONE;
	for (unsigned i = 0; i < IR_RESULTS && insn->d[i] != IR_NONE; i++)
		candidate_writes(k, insn->d[i]);
	for (uint32_t i = insn->source;
	     insn->op == IR_CALL && i < insn->source_end && i < body->insn_count; i++)
		insn_registers(body, &body->insns[i], visit_called, k);
}

/* Tells whether block @at begins a loop that has been converted, and goes on with block @behind. */
static bool is_loop_before(const struct ir *ir, uint32_t at, uint32_t behind)
{
	return ir_begins_loop(ir, at) && ir->blocks[at].loop + 1 == behind;
}

/* Tells whether behind block @at is @behind, or a loop before that. */
static bool meets_behind(const struct ir *ir, uint32_t at, uint32_t behind)
{
	return at + 1 == behind || is_loop_before(ir, at + 1, behind);
}

/*
 * Tells whether the branch at the end of block @at goes around a block that fits, or around a loop
 * that has been converted, or around both.
 */
static bool can_convert(struct build *b, uint32_t at, struct candidate *k)
{
	const struct ir *ir = b->ir;
	const struct ir_block *from = &ir->blocks[at], *block = &ir->blocks[at + 1];
	const struct ir_insn *branch = ir_last(ir, at);

	if (!branch || branch->op != IR_BRANCH || !branch->sources || branch->back ||
	    from->loop != IR_NONE || ir->values[branch->a[0]].kind != KIND_VECTOR)
		return false;
	*k = (struct candidate){ b, (uint32_t)branch->imm, IR_NONE, false, true };
	if (is_loop_before(ir, at + 1, k->behind))
		return true;
	if (!meets_behind(ir, at + 1, k->behind) || block->joined ||
	    block->end - block->first > MOST_CONVERTED || block->end == block->first)
		return false;
	for (uint32_t i = block->first; i < block->end && k->fits; i++)
		check_insn(k, &ir->insns[i]);
	return k->fits;
}

void candidate_convert(const struct candidate *k, struct ir_insn *insn)
{
	const uint32_t staying = k->b->ir->staying;

	insn->under = staying;
	insn->whole = (insn->op == IR_LOAD || insn->op == IR_ATOMIC) &&
		      !candidate_needs(k, insn->d[0]);
	insn->guard_negated = false;
	if (ir_accesses(insn) || (insn->op != IR_CALL && insn->op != IR_FENCE &&
				  candidate_needs(k, insn->d[0])))
		insn->guard = staying;
}

int build_converted(struct build *b)
{
	struct ir *ir = b->ir;
	struct candidate k;

	TRY(build_staying(b, &ir->staying));
	build_converted_loops(b);
	for (uint32_t at = 0; at + 2 < ir->block_count; at++) {
		const struct ir_block *block = &ir->blocks[at];

		if (!can_convert(b, at, &k))
			continue;
		ir->insns[block->end - 1].skipped = true;
		if (is_loop_before(ir, at + 1, k.behind))
			continue;
		for (uint32_t i = block[1].first; i < block[1].end; i++)
			candidate_convert(&k, &ir->insns[i]);
	}
	return 0;
}
