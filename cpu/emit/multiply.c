/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Products by a number next to a power of two: a shift and a sum, which take 2 cycles, where a
 * product of 4 bytes takes 10 and one of 8 takes 15 or more.
 */
#include "asserts.h"
#include "compile.h"

#define EMIT(name, ...) x86_emit(c->x, X86_##name, __VA_ARGS__)

/* number = 2^shift + 1, or - 1. */
struct near {
	unsigned shift;
	bool less;
};

static bool find_near(uint64_t number, unsigned bytes, struct near *near)
{
	const uint64_t most = bytes == 8 ? UINT64_MAX : UINT32_MAX;
	const uint64_t below = (number - 1) & most, above = (number + 1) & most;

	near->less = !(below > 1 && !(below & (below - 1)));
	if (near->less && (above <= 4 || above & (above - 1)))
		return false;
	near->shift = (unsigned)__builtin_ctzll(near->less ? above : below);
	return true;
}

/* The bytes of an element where @insn is a product, or one with a sum; else 0. */
static unsigned product_bytes(const struct ir_insn *insn)
{
	switch (op_rows[insn->row].forms[0]) {
	case HANDLER_mul_lo_u32_rr:
	case HANDLER_mad_lo_u32_rrr:
		return 4;
	case HANDLER_mul_lo_u64_rr:
	case HANDLER_mad_lo_u64_rrr:
		return 8;
	default:
		return 0;
	}
}

/* Which of the factors of @insn is such a number, as @near; insn->sources: none. */
static unsigned find_factor(const struct compile *c, const struct ir_insn *insn, struct near *near)
{
	const unsigned bytes = product_bytes(insn);

	for (unsigned i = 0; i < 2 && bytes; i++) {
		const struct ir_value *by = value_of(c, insn->a[i]);

		if (by->known && find_near(by->number, bytes, near))
			return i;
	}
	return insn->sources;
}

bool multiply_is_near(const struct compile *c, const struct ir_insn *insn)
{
	struct near near;

	return insn->op == IR_ROW && find_factor(c, insn, &near) < insn->sources;
}

void multiply_near(struct compile *c, const struct ir_insn *insn, unsigned strip,
		   struct strip result)
{
	const unsigned bytes = product_bytes(insn), first = scratch_vector(c, 16, 0).number;
	const uint16_t add = bytes == 8 ? X86_vpaddq : X86_vpaddd;
	const uint16_t subtract = bytes == 8 ? X86_vpsubq : X86_vpsubd;
	const struct x86_operand sum = x86_vector(c->vector, first + 1);
	struct strip of, to = { { { 0 } } };
	struct near near;
	const unsigned factor = find_factor(c, insn, &near);

	ASSERT(factor < 2);
	of = exact_source(c, insn->a[!factor], bytes, strip, 0);
	if (insn->sources == 3)
		to = exact_source(c, insn->a[2], bytes, strip, 1);
	for (unsigned part = 0; part < part_count(bytes); part++) {
		const struct x86_operand x = part_register(c, of.part[part], bytes, first);
		const struct x86_operand product = insn->sources == 3 ? sum : result.part[part];

		if (near.shift == 1)
			x86_emit(c->x, add, sum, x, x);
		else
			x86_emit(c->x, bytes == 8 ? X86_vpsllq : X86_vpslld, sum, x,
				 x86_immediate(near.shift));
		x86_emit(c->x, near.less ? subtract : add, product, sum, x);
		if (insn->sources == 3)
			x86_emit(c->x, add, result.part[part], sum,
				 part_operand(c, to.part[part], bytes, first + 2));
	}
}
