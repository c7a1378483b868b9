/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * One instruction with the ops around its own: those of the checker, of trace= and of count=, and
 * those of its predicate. Predicated instructions that follow each other under one predicate share
 * a guard, and those under its opposite that follow them invert it. With the checker, whose ops
 * are between them, each has its own.
 */
#include "asserts.h"
#include "config.h"
#include "lower_check.h"
#include "lower_count.h"
#include "lower_trace.h"

/* Tells whether control never continues after the ops of @insn. */
static bool flow_ends(const struct insn *insn)
{
	const enum flow_kind kind = flow_kind(insn);

	return kind != FLOW_NEXT && kind != FLOW_CALL;
}

int lower_one(struct lowering *l, int (*lower)(struct lowering *))
{
	if (l->traced)
		TRY(trace_before(l));
	TRY(count_before(l));
	TRY(check_reads(l));
	TRY(lower(l));
	TRY(check_done(l));
	return l->traced && !flow_ends(l->insn) ? trace_after(l) : 0;
}

int lower_parking(struct lowering *l, int (*lower)(struct lowering *))
{
	TRY(lower_one(l, lower));
	return l->code->variant_count ? emit(l, HANDLER_split, 0, 0, 0, 0, 0) : 0;
}

/* Ends the present guard, if there is one, before the next op. */
static int end_guard(struct lowering *l)
{
	uint32_t at = l->guard_op;

	if (!at)
		return 0;
	l->guard_op = 0;
	ASSERT(at < l->code->op_count && !l->code->ops[at].imm);
	TRY(emit(l, HANDLER_guard_end, 0, 0, 0, 0, 0));
	l->code->ops[at].imm = l->code->op_count - at;
	return 0;
}

int lower_guard_end(struct lowering *l, uint32_t index)
{
	const struct insn *insn;

	if (!l->guard_op)
		return 0;
	insn = &l->body->insns[index];
	if (index == l->body->insn_count || l->now->flow.joined[index] ||
	    insn->guard != insn[-1].guard || flow_kind(insn) != FLOW_NEXT || insn_parks(insn) ||
	    insn_writes(l->body, insn - 1, insn->guard))
		return end_guard(l);
	return 0;
}

/* Begins the present instruction's guard, or continues that of the one before. */
static int begin_guard(struct lowering *l)
{
	const struct insn *insn = l->insn;
	int32_t p = register_at(l, insn->guard);
	uint32_t at = l->guard_op;

	/* lower_guard_end() has ended one that is not of the instruction before. */
	ASSERT(!at || (l->index && insn[-1].guard == insn->guard));
	if (at && insn->guard_negated == insn[-1].guard_negated)
		return 0;
	l->guard_op = l->code->op_count;
	if (!at)
		return emit(l, insn->guard_negated ? HANDLER_guard_unless : HANDLER_guard_if, 0, p,
			    0, 0, 0);
	l->code->ops[at].imm = l->guard_op - at;
	return emit(l, insn->guard_negated ? HANDLER_guard_else_unless : HANDLER_guard_else_if, 0,
		    p, 0, 0, 0);
}

int lower_guarded(struct lowering *l, int (*lower)(struct lowering *), bool parks)
{
	int32_t p = register_at(l, l->insn->guard);
	bool negated = l->insn->guard_negated;
	uint32_t at = l->code->op_count;

	if (parks) {
		TRY(emit(l, negated ? HANDLER_bra_if : HANDLER_bra_unless, 0, p, 0, 0, 0));
		TRY(lower_parking(l, lower));
		l->code->ops[at].imm = l->code->op_count - at;
		return emit(l, HANDLER_leader, 0, 0, 0, 0, 0);
	}
	TRY(begin_guard(l));
	TRY(lower_one(l, lower));
	return config.check & CHECK_KERNELS ? end_guard(l) : 0;
}
