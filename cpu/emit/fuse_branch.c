/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A comparison of what lanes share and the branch by it: one instruction compares and the next one
 * jumps, without a predicate between them. Only where nothing else reads that.
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

static const struct compare *find_compare(const struct ir_insn *insn)
{
	for (size_t i = 0; insn->op == IR_ROW && i < sizeof(compares) / sizeof(compares[0]); i++)
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

void fuses_find(struct compile *c)
{
	for (uint32_t i = 1; i < c->ir->insn_count; i++) {
		struct ir_live *live = &c->live.insns[i];
		uint32_t at;

		if (!can_fuse(c, i))
			continue;
		c->ir->insns[i - 1].fused = true;
		/* Nothing is computed that a way out could store. */
		if (find_needed(c, i, c->ir->insns[i].a[0], &at))
			c->live.values[live->first + at] =
				c->live.values[live->first + --live->count];
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
