/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Addresses in lanes' own memory: that of a block's lanes follows each other. */
#include "compile.h"
#include "state.h"

#define EMIT(name, ...) x86_emit(c->x, X86_##name, __VA_ARGS__)
#define WARP(member) x86_at(AT_WARP, offsetof(struct warp, member))

/* rdx = where the memory of lane 0 begins. */
static void load_base(struct compile *c, const struct ir_insn *insn)
{
	const struct x86_operand rcx = x86_r64(X86_RCX), rdx = x86_r64(X86_RDX);

	load_number(c, X86_RDX, LANES * insn->imm);
	EMIT(mov, x86_r32(X86_RCX), WARP(index));
	EMIT(imul, rdx, rcx);
	EMIT(mov, rcx, WARP(cta));
	EMIT(add, rdx, x86_at(X86_RCX, offsetof(struct cta, local)));
}

void local_value(struct compile *c, const struct ir_insn *insn, struct x86_operand result)
{
	struct x86_operand from;

	load_base(c, insn);
	from = value_source(c, insn->a[0], 8, X86_RCX);
	if (from.kind == X86_IMMEDIATE) {
		load_number(c, X86_RCX, from.value);
		from = x86_r64(X86_RCX);
	}
	EMIT(add, x86_r64(X86_RDX), from);
	EMIT(mov, result, x86_r64(X86_RDX));
}

void local_strip(struct compile *c, const struct ir_insn *insn, unsigned strip,
		 struct strip result)
{
	const struct x86_operand base = scratch_vector(c, c->vector, 0);
	const struct x86_operand lanes = scratch_vector(c, c->vector, 1);
	const struct strip from = strip_source(c, insn->a[0], 8, strip);
	const unsigned free = scratch_vector(c, 16, 2).number;

	load_base(c, insn);
	EMIT(vmovq, x86_xmm(base.number), x86_r64(X86_RDX));
	EMIT(vpbroadcastq, base, x86_xmm(base.number));
	for (unsigned part = 0; part < 2; part++) {
		EMIT(vpaddq, lanes, base, steps_constant(c, (uint16_t)insn->row, 8, strip, part));
		EMIT(vpaddq, result.part[part], lanes,
		     part_register(c, from.part[part], 8, free));
	}
}
