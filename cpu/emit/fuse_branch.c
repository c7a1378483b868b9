/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A comparison and the branch by it, where nothing else reads the predicate. Of what lanes share
 * one instruction compares and the next one jumps, without a predicate between them. AVX2, which
 * cannot compare lanes in all ways, compares them in the opposite one where that takes less.
 */
#include "compile.h"

#define EMIT(name, ...) x86_emit(c->x, X86_##name, __VA_ARGS__)

/* How a row of ops_compare.def compares; condition 0 (overflow) stands for none. */
static const struct compare {
	uint16_t handler;
	uint8_t bytes, condition;
} compares[] = {
	// clang-format off
#define EQUALITY(T, size) { HANDLER_setp_eq_##T##_rr, size, X86_E }, { HANDLER_setp_ne_##T##_rr, size, X86_NE },
#define ORDER(T, size, lt, le, gt, ge) \
	{ HANDLER_setp_lt_##T##_rr, size, lt }, { HANDLER_setp_le_##T##_rr, size, le }, \
	{ HANDLER_setp_gt_##T##_rr, size, gt }, { HANDLER_setp_ge_##T##_rr, size, ge },
	EQUALITY(b32, 4) EQUALITY(b64, 8)
	ORDER(s32, 4, X86_L, X86_LE, X86_G, X86_GE) ORDER(u32, 4, X86_B, X86_BE, X86_A, X86_AE)
	ORDER(s64, 8, X86_L, X86_LE, X86_G, X86_GE) ORDER(u64, 8, X86_B, X86_BE, X86_A, X86_AE)
#undef EQUALITY
#undef ORDER
	// clang-format on
};

enum { COMPARES = sizeof(compares) / sizeof(compares[0]) };

static const struct compare *find_compare(const struct ir_insn *insn)
{
	for (size_t i = 0; insn->op == IR_ROW && i < COMPARES; i++)
		if (op_rows[insn->row].forms[0] == compares[i].handler)
			return &compares[i];
	return NULL;
}

/* Tells whether @value is needed at instruction @insn, and where it is in the list. */
static bool find_needed(const struct compile *c, uint32_t insn, uint32_t value, uint32_t *at)
{
	const struct ir_live *live = &c->live.insns[insn];

	for (*at = 0; *at < live->count; ++*at)
		if (c->live.values[live->first + *at] == value)
			return true;
	return false;
}

/* Tells whether branch @index can compare by itself. */
static bool can_fuse(const struct compile *c, uint32_t index)
{
	const struct ir *ir = c->ir;
	const struct ir_insn *insn = &ir->insns[index];
	uint32_t at;

	return insn->op == IR_BRANCH && insn->sources && !insn->skipped &&
	       !in_vectors(c, insn->a[0]) &&
	       c->insn_blocks[index] == c->insn_blocks[index - 1] &&
	       insn[-1].d[0] == insn->a[0] && insn[-1].guard == IR_NONE &&
	       insn[-1].checked == IR_NONE && find_compare(insn - 1) &&
	       !c->insn_labels[index] && !find_needed(c, index + 1, insn->a[0], &at) &&
	       !find_needed(c, ir->blocks[insn->imm].first, insn->a[0], &at);
}

/* What branch @index reads is not what a way out could store. */
static void forget_needed(struct compile *c, uint32_t index)
{
	struct ir_live *live = &c->live.insns[index];
	uint32_t at;

	if (find_needed(c, index, c->ir->insns[index].a[0], &at))
		c->live.values[live->first + at] = c->live.values[live->first + --live->count];
}

static bool reads(const struct ir_insn *insn, uint32_t value)
{
	for (unsigned k = 0; k < insn->sources; k++)
		if (insn->a[k] == value)
			return true;
	return insn->guard == value || insn->under == value;
}

/* The comparison of lanes that branch @index alone reads, with nothing between them that leaves the
 * region; IR_NONE: there is none. */
static uint32_t find_compared(const struct compile *c, uint32_t index)
{
	const struct ir *ir = c->ir;
	const struct ir_insn *branch = &ir->insns[index];
	const uint32_t value = branch->a[0];
	uint32_t at;

	if (branch->op != IR_BRANCH || !branch->sources || !in_vectors(c, value) ||
	    find_needed(c, index + 1, value, &at) ||
	    find_needed(c, ir->blocks[branch->imm].first, value, &at))
		return IR_NONE;
	for (at = index; at-- > ir->blocks[c->insn_blocks[index]].first;) {
		const struct ir_insn *insn = &ir->insns[at];

		if (c->insn_labels[at + 1] || ir_effect(insn) != IR_PURE ||
		    insn->checked != IR_NONE)
			return IR_NONE;
		if (insn->d[0] == value)
			return insn->guard == IR_NONE && find_compare(insn) ? at : IR_NONE;
		if (reads(insn, value))
			return IR_NONE;
	}
	return IR_NONE;
}

/* Tells whether AVX2 needs one instruction more for @compare than for its opposite: it has equal
 * and greater, and of 4 bytes the least and the greatest. */
static bool is_lacking(const struct compare *compare)
{
	switch (compare->condition) {
	case X86_NE:
	case X86_LE:
	case X86_GE:
		return true;
	case X86_B:
	case X86_A:
		return compare->bytes == 4;
	case X86_BE:
	case X86_AE:
		return compare->bytes == 8;
	default:
		return false;
	}
}

/* The index of the row that compares in the opposite way. */
static uint32_t find_opposite(const struct compare *compare)
{
	const struct compare *opposite = compares;
	uint32_t row = 0;

	while (opposite->bytes != compare->bytes ||
	       opposite->condition != (compare->condition ^ 1))
		opposite++;
	while (op_rows[row].forms[0] != opposite->handler)
		row++;
	return row;
}

/* Has the comparison that branch @index reads made the opposite one, where that takes less. */
static void reverse_compared(struct compile *c, uint32_t index)
{
	const uint32_t compared = find_compared(c, index);
	struct ir_insn *insn = &c->ir->insns[compared == IR_NONE ? 0 : compared];

	if (compared == IR_NONE || !is_lacking(find_compare(insn)))
		return;
	insn->row = find_opposite(find_compare(insn));
	c->ir->insns[index].negated ^= true;
	forget_needed(c, index);
}

void fuses_find(struct compile *c)
{
	for (uint32_t i = 1; i < c->ir->insn_count; i++) {
		if (can_fuse(c, i)) {
			c->ir->insns[i - 1].fused = true;
			forget_needed(c, i);
		} else if (c->select.isa == X86_AVX2) {
			reverse_compared(c, i);
		}
	}
}

void fuse_jump(struct compile *c, uint32_t index, uint32_t label, bool taken)
{
	const struct ir_insn *insn = &c->ir->insns[index], *compared = insn - 1;
	const struct compare *compare = find_compare(compared);
	const unsigned bytes = compare->bytes;
	struct x86_operand a = value_source(c, compared->a[0], bytes, X86_RAX);
	struct x86_operand b = value_source(c, compared->a[1], bytes, X86_RCX);
	const bool opposite = insn->negated == taken;

	if (b.kind == X86_IMMEDIATE && bytes == 4)
		b.value = (int32_t)b.value;
	if (b.kind == X86_IMMEDIATE && (b.value > INT32_MAX || b.value < INT32_MIN)) {
		load_number(c, X86_RCX, b.value);
		b = x86_r64(X86_RCX);
	}
	if (a.kind == X86_IMMEDIATE) {
		load_number(c, X86_RAX, a.value);
		a = x86_r64(X86_RAX);
	} else if (a.kind == X86_MEMORY && b.kind == X86_MEMORY) {
		EMIT(mov, x86_r64(X86_RAX), a);
		a = x86_r64(X86_RAX);
	}
	a.bytes = (uint8_t)bytes;
	if (b.kind != X86_IMMEDIATE)
		b.bytes = (uint8_t)bytes;
	EMIT(cmp, a, b);
	/* The condition with its last bit changed is its opposite. */
	x86_emit(c->x, (enum x86_name)(X86_jo + (compare->condition ^ (opposite ? 1 : 0))),
		 x86_to(label));
}
