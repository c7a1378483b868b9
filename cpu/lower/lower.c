/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lowering of a function: each of its instructions becomes ops, by its row of bases.def. */
#include "asserts.h"
#include "lower_check.h"

typedef int lower_fn(struct lowering *l);

static lower_fn *lowering_of(const struct insn *insn)
{
	static lower_fn *const lowerings[] = {
#define BASE(id, spelling, lowering, ...) lower_##lowering,
#include "bases.def"
	};

	static_assert(sizeof(lowerings) / sizeof(lowerings[0]) == INSN_BASES, "one for each");
	ASSERT(insn->base < INSN_BASES);
	return lowerings[insn->base];
}

static int lower_instruction(struct lowering *l)
{
	lower_fn *const lower = lowering_of(l->insn);
	const bool parks = insn_parks(l->insn);

	ASSERT((uint64_t)l->insn->operand + l->insn->count <= l->body->operand_count);
	l->operands = insn_operands(l->body, l->insn);
	l->scratch = (struct scratch){ 0 };
	if (!opcode_parse(l->insn->opcode, &l->opcode))
		return lower_unsupported(l);
	check_order(l);
	if (lower != lower_video)
		TRY(check_registers(l));
	TRY(check_numbers(l));
	TRY(check_guard(l));
	if (l->insn->guard != NO_GUARD && lower != lower_branch)
		return lower_guarded(l, lower, parks);
	return parks ? lower_parking(l, lower) : lower_one(l, lower);
}

/* Fills in the targets of the function's branches. */
static void patch_branches(struct lowering *l)
{
	for (size_t i = 0; i < l->branch_count; i++) {
		const struct fixup *fixup = &l->branches[i];

		ASSERT(fixup->op < l->code->op_count && fixup->target <= l->body->insn_count);
		l->code->ops[fixup->op].imm =
			(int64_t)l->insn_ops[fixup->target] - (int64_t)fixup->op;
	}
	free(l->branches);
	l->branches = NULL;
	l->branch_count = 0;
}

_Static_assert(MOST_VARIANTS <= 64, "the imm of a leader has a bit for each slot");

/*
 * A bit for each variant slot that nothing needs from instruction @index on, a joined one.
 * A function has no slots itself and cannot know which ones its callers need.
 */
static int64_t unneeded_slots(const struct reached *reached, uint32_t index)
{
	uint64_t needed = 0;

	if (!reached->homes) /* what the entry needs afterwards is not known here */
		return 0;
	for (uint32_t i = 0; index < reached->body->insn_count && i < reached->variant_count; i++) {
		uint32_t r = reached->variants[i];
		int32_t at = reached->places.offsets[r] - reached->places.variants;

		ASSERT(at >= 0 && at % 8 == 0 && at / 8 < MOST_VARIANTS);
		if (liveness_enters(&reached->liveness, reached->flow.block_of[index], r))
			needed |= 1ull << at / 8;
	}
	return (int64_t)~needed;
}

/* Lowers instruction @i, after a leader if others join there; @i may be the end. */
static int lower_next(struct lowering *l, const struct reached *reached, uint32_t i)
{
	const bool end = i == l->body->insn_count;

	l->index = i;
	TRY(lower_guard_end(l, i));
	l->insn_ops[i] = l->code->op_count;
	if (!end)
		l->insn = &l->body->insns[i];
	/* One that sleeps ends its slice, in or out of a loop. */
	l->code->awaits |= (reached->flow.joined[i] & FLOW_AWAITS) != 0 ||
			   (!end && l->insn->base == INSN_NANOSLEEP);
	if (reached->flow.joined[i])
		TRY(emit(l, HANDLER_leader, 0, reached->flow.joined[i] & FLOW_AWAITS, 0, 0,
			 unneeded_slots(reached, i)));
	return end || (reached->hoisted && reached->hoisted[i]) ? 0 : lower_instruction(l);
}

/* What runs first; warps that reuse a row file begin after it. */
static int lower_hoisted(struct lowering *l, const struct reached *reached)
{
	for (uint32_t i = 0; reached->hoisted && i < l->body->insn_count; i++) {
		l->insn = &l->body->insns[i];
		if (reached->hoisted[i])
			TRY(lower_instruction(l));
	}
	l->code->again = l->code->op_count;
	return 0;
}

/* What precedes the instructions: registers that are parameters, or what is hoisted. */
static int lower_begin(struct lowering *l, const struct reached *reached)
{
	if (l->body->function->entry)
		return lower_hoisted(l, reached);
	TRY(emit(l, HANDLER_leader, 0, 0, 0, 0, 0));
	return lower_registers(l, SYMBOL_PARAM);
}

int lower_function(struct lowering *l, struct reached *reached)
{
	size_t count = reached->body->insn_count;

	/* It is analysed, and what is of one function is not that of the one before. */
	ASSERT(reached->places.offsets && reached->frame_offsets);
	ASSERT(!l->branch_count && !l->guard_op);
	l->now = reached;
	l->body = reached->body;
	l->insn = NULL;
	reached->start = l->code->op_count;
	free(l->insn_ops);
	l->insn_ops = calloc(count + 1, sizeof(*l->insn_ops));
	if (!l->insn_ops)
		return err_set(l->e, GPURUN_NO_MEMORY, "no memory for %zu instructions", count);
	TRY(lower_begin(l, reached));
	TRY(check_frame_begin(l));
	TRY(check_registers_begin(l));
	for (uint32_t i = 0; i <= count; i++)
		TRY(lower_next(l, reached, i));
	if (!l->body->function->entry)
		TRY(lower_registers(l, SYMBOL_RETURN));
	TRY(emit(l, l->body->function->entry ? HANDLER_exit : HANDLER_ret, 0, 0, 0, 0, 0));
	ASSERT(!l->guard_op);
	patch_branches(l);
	return 0;
}
