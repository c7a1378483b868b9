/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Loops that lanes leave one after the other: those that have left wait behind the loop, the others
 * (ir->staying) execute all of its blocks. A loop is one block, or several that follow each other
 * and have no other way out than to the block behind the last one. There may be guards in it.
 *
 * What lanes that wait need, and the loop writes, has to be a vector. Kinds say what lanes have
 * that run together, a counter is the same in all of them; so loops are chosen before kinds are
 * final (build_loops()). Lanes that wait keep it in its place in the row file, too, where the
 * region is left: liveness_find() makes sure that no other register has that place in the loop.
 */
#include "array.h"
#include "convert.h"

/* Tells whether data say what @branch does: few lanes leave the loop together. */
static bool depends_on_data(const struct ir *ir, const struct ir_insn *branch, uint32_t first)
{
	const struct ir_insn *insn = branch;

	while (insn > &ir->insns[first] && insn[-1].d[0] != branch->a[0])
		insn--;
	for (unsigned k = 0; insn > &ir->insns[first] && k < insn[-1].sources; k++)
		if (ir->values[insn[-1].a[k]].kind == KIND_VECTOR)
			return true;
	return false;
}

/* Tells whether some lanes may leave the loop that @head begins and @last ends, by data. */
static bool leaves_by_data(const struct ir *ir, uint32_t head, uint32_t last)
{
	for (uint32_t i = head; i <= last; i++) {
		const struct ir_insn *branch = ir_last(ir, i);

		if (ir->values[branch->a[0]].kind == KIND_VECTOR &&
		    depends_on_data(ir, branch, ir->blocks[i].first))
			return true;
	}
	return false;
}

/* Where the loop begins that block @last ends; IR_NONE: there is none, or it has other ways out. */
static uint32_t find_head(const struct build *b, uint32_t last)
{
	const struct ir *ir = b->ir;
	const struct flow *flow = &b->l->now->flow;
	const struct ir_insn *back = ir_last(ir, last);
	const uint32_t head = last < flow->block_count ? flow_short_loop(flow, last) : UINT32_MAX;

	if (!back || back->op != IR_BRANCH || !back->sources || !back->back || back->imm != head ||
	    ir->blocks[last + 1].op != back->end ||
	    flow->joined[flow->blocks[head].first] & FLOW_AWAITS ||
	    ir->blocks[last].end - ir->blocks[head].first > MOST_CONVERTED)
		return IR_NONE;
	for (uint32_t i = head; i < last; i++) {
		const struct ir_insn *branch = ir_last(ir, i);

		if (!branch || branch->op != IR_BRANCH || !branch->sources || branch->back ||
		    branch->imm != last + 1 || ir->blocks[i + 1].joined)
			return IR_NONE;
	}
	return head;
}

/* Tells whether some lanes can execute @insn, which is behind a guard or not. */
static bool can_be_partial(const struct candidate *k, const struct ir_insn *insn)
{
	return insn->op != IR_CALL && build_is_known(k->b, insn) && build_is_partial(k->b, insn);
}

/* Tells whether guard @at is one that lanes in the loop may differ in. */
static bool can_guard(const struct candidate *k, uint32_t at)
{
	const struct ir *ir = k->b->ir;
	const struct ir_insn *guard = &ir->insns[at];

	return ir->values[guard->a[0]].kind == KIND_UNIFORM ||
	       (k->chooses ? build_guard_fits(k->b, at) : guard->skipped);
}

static bool check_loop(struct candidate *k, uint32_t last)
{
	const struct ir *ir = k->b->ir;

	for (uint32_t i = ir->blocks[k->head].first; k->fits && i < ir->blocks[last].end; i++) {
		const struct ir_insn *insn = &ir->insns[i];

		if (insn->op == IR_BRANCH)
			continue;
		k->fits &= insn->op == IR_GUARD ? can_guard(k, i) : can_be_partial(k, insn);
		for (unsigned d = 0; d < IR_RESULTS && insn->d[d] != IR_NONE; d++)
			candidate_writes(k, insn->d[d]);
	}
	return k->fits;
}

/* Tells whether @k writes what others need and is no vector. @makes: it becomes one. */
static bool needs_vectors(const struct candidate *k, uint32_t last, bool makes)
{
	struct ir *ir = k->b->ir;
	bool found = false;

	for (uint32_t i = ir->blocks[k->head].first; i < ir->blocks[last].end; i++)
		for (unsigned d = 0; d < IR_RESULTS && ir->insns[i].d[d] != IR_NONE; d++) {
			struct ir_value *value = &ir->values[ir->insns[i].d[d]];

			if (value->kind == KIND_VECTOR || !candidate_needs(k, ir->insns[i].d[d]))
				continue;
			if (makes)
				value->kind = KIND_VECTOR;
			found = true;
		}
	return found;
}

/* Tells whether an address has become a vector, which was of kind @kinds. */
static bool scatters(const struct ir *ir, const uint8_t *kinds)
{
	for (size_t i = 0; i < ir->insn_count; i++) {
		const struct ir_insn *insn = &ir->insns[i];

		if (ir_accesses(insn) && kinds[insn->a[0]] != KIND_VECTOR &&
		    ir->values[insn->a[0]].kind == KIND_VECTOR)
			return true;
	}
	return false;
}

/*
 * Lets the kinds be what lanes need that leave @k. False, and nothing has changed: memory would be
 * accessed lane by lane for that, which is slow where lanes are together most of the time.
 * @kinds has room for those of all values; @trials: how often that may be tried.
 */
static bool can_be_vectors(const struct candidate *k, uint32_t last, uint8_t *kinds,
			   unsigned *trials)
{
	struct ir *ir = k->b->ir;

	if (!needs_vectors(k, last, false))
		return true;
	if (!*trials)
		return false;
	--*trials;
	for (size_t v = 0; v < ir->value_count; v++)
		kinds[v] = ir->values[v].kind;
	needs_vectors(k, last, true);
	build_demote(k->b);
	if (!scatters(ir, kinds))
		return true;
	for (size_t v = 0; v < ir->value_count; v++)
		ir->values[v].kind = kinds[v];
	return false;
}

/* Of an entry with many loops, so many have kinds of their own: each time all are found again. */
enum { MOST_TRIALS = 16 };

int build_loops(struct build *b)
{
	struct ir *ir = b->ir;
	CLEANUP(free_pointer) uint8_t *kinds = calloc(ir->value_count + 1, 1);
	unsigned trials = MOST_TRIALS;

	if (!kinds)
		return build_full(b);
	for (uint32_t last = 0; last + 1 < ir->block_count; last++) {
		struct candidate k = { b, last + 1, find_head(b, last), true, true };

		if (k.head == IR_NONE || !leaves_by_data(ir, k.head, last) ||
		    !check_loop(&k, last) || !can_be_vectors(&k, last, kinds, &trials))
			continue;
		for (uint32_t i = k.head; i <= last; i++)
			ir->blocks[i].loop = last;
	}
	return 0;
}

/* What is behind guard @at in a loop is for lanes that stay, too: where that matters. */
static void convert_guarded(const struct candidate *k, uint32_t at)
{
	struct ir_insn *guard = &k->b->ir->insns[at];

	for (uint32_t i = at + 1; i < (uint32_t)guard->imm; i++) {
		struct ir_insn *insn = &k->b->ir->insns[i];
		const bool needed = insn->d[0] != IR_NONE && candidate_needs(k, insn->d[0]);

		insn->stays = needed || ir_effect(insn) != IR_PURE || insn->checked != IR_NONE;
		insn->whole &= !needed;
		if (needed)
			insn->guard = guard->a[0];
		guard->stays |= insn->stays;
	}
}

static void convert_loop(const struct candidate *k, uint32_t last)
{
	struct ir *ir = k->b->ir;

	for (uint32_t i = ir->blocks[k->head].first; i < ir->blocks[last].end; i++) {
		struct ir_insn *insn = &ir->insns[i];

		if (insn->op == IR_BRANCH) {
			insn->skipped = insn->back || ir->values[insn->a[0]].kind == KIND_VECTOR;
		} else if (insn->op != IR_GUARD) {
			candidate_convert(k, insn);
		} else {
			insn->under = ir->staying;
			if (!insn->skipped)
				continue;
			convert_guarded(k, i);
			i = (uint32_t)insn->imm - 1;
		}
	}
}

void build_converted_loops(struct build *b)
{
	struct ir *ir = b->ir;

	for (uint32_t at = 0; at + 1 < ir->block_count; at++) {
		const uint32_t last = ir->blocks[at].loop;
		struct candidate k = { b, last + 1, at, false, true };

		if (!ir_begins_loop(ir, at))
			continue;
		if (check_loop(&k, last)) {
			convert_loop(&k, last);
			continue;
		}
		for (uint32_t i = at; i <= last; i++)
			ir->blocks[i].loop = IR_NONE;
	}
}
