/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Selection for strips: comparisons, and what chooses by one. */
#include "asserts.h"
#include "op_types.h"
#include "strip.h"

#define D w->d

/* By one instruction, which has the parameter as its predicate. */
void strip_compare(struct strip_work *w)
{
	const struct x86_operand a = strip_register(w, 0);

	x86_emit(w->x, w->name, D, a, strip_operand(w, 1), IMM(w->parameter));
}

/* The predicates of AVX-512 for integers. */
enum { EQ, LT, LE, NE = 4, GE, GT };

/* Negates the flags in register @flags, into the result. */
static void negate_flags(struct strip_work *w, struct x86_operand flags)
{
	OP(vpxor, strip_wide(D, flags.bytes), flags, strip_all32(w, UINT32_MAX, flags.bytes));
}

/* Where the flags of elements of 2 bytes become those of 4. */
static void finish_flags(struct strip_work *w, struct x86_operand flags, bool negated)
{
	if (negated)
		negate_flags(w, flags);
	else if (flags.number != D.number)
		OP(vmovaps, strip_wide(D, flags.bytes), flags);
	if (strip_size(w, 0) == 2)
		OP(vpmovsxwd, D, strip_wide(D, 16));
}

/* testp: whether source 0 compares with itself by the parameter. */
void strip_compare_self(struct strip_work *w)
{
	const struct x86_operand a = strip_register(w, 0);

	x86_emit(w->x, w->name, D, a, a, IMM(w->parameter));
}

/* testp: whether the magnitude of source 0 compares with infinity. */
void strip_compare_infinity(struct strip_work *w)
{
	const struct x86_operand a = strip_copy(w, 0);

	if (strip_size(w, 0) == 8) {
		OP(vandpd, a, a, strip_constant64(w, ~((uint64_t)1 << 63)));
		OP(vcmppd, D, a, strip_constant64(w, 0x7ff0000000000000), IMM(w->parameter));
	} else {
		OP(vandps, a, a, strip_constant32(w, 0x7fffffff));
		OP(vcmpps, D, a, strip_constant32(w, 0x7f800000), IMM(w->parameter));
	}
}

/* slct: source 0 where source 2 is not negative, else 1. The parameter: that is f32. */
void strip_choose_sign(struct strip_work *w)
{
	const unsigned size = strip_size(w, 0);
	const struct x86_operand c = strip_copy(w, 2);
	struct x86_operand flags = w->isa == X86_AVX512 ? x86_k(SELECT_MASK) : c;

	if (w->parameter) /* less than 0, or NaN */
		OP(vcmpps, flags, c, strip_all32(w, 0, c.bytes), IMM(0x19));
	else if (w->isa == X86_AVX512)
		OP(vpmovd2m, flags, c);
	if (size == 8 && w->isa == X86_AVX2) {
		flags = strip_wide(c, w->bytes);
		OP(vpmovsxdq, flags, c);
	}
	strip_choose(w, D, flags, strip_operand(w, 1), strip_register(w, 0), size);
}

/* With AVX2: equal, or signed; the row's instruction tells whether the first is greater. */
void strip_compare_signed(struct strip_work *w)
{
	const unsigned size = strip_size(w, 0), predicate = w->parameter;
	const struct x86_operand flags = strip_wide(D, size == 2 ? 16 : 32);
	const bool swap = predicate == LT || predicate == GE;
	const bool negated = predicate == NE || predicate == LE || predicate == GE;

	x86_emit(w->x, w->name, flags, strip_register(w, swap), strip_operand(w, !swap));
	finish_flags(w, flags, negated);
}

/* With AVX2: @name is the least or the greatest, of which one is equal to the first operand. */
void strip_compare_unsigned(struct strip_work *w)
{
	const unsigned size = strip_size(w, 0), predicate = w->parameter;
	const bool most = predicate == GE || predicate == LT;
	const struct x86_operand a = strip_register(w, 0);
	const struct x86_operand chosen = strip_wide(strip_temporary(w), size == 2 ? 16 : 32);
	const struct x86_operand flags = strip_wide(D, chosen.bytes);
	enum x86_name name = most ? X86_vpmaxud : X86_vpminud;

	if (size == 2)
		name = most ? X86_vpmaxuw : X86_vpminuw;
	x86_emit(w->x, name, chosen, a, strip_operand(w, 1));
	x86_emit(w->x, w->name, flags, chosen, a);
	finish_flags(w, flags, predicate == LT || predicate == GT);
}

void strip_compare_unsigned64(struct strip_work *w)
{
	const unsigned predicate = w->parameter;
	const bool swap = predicate == LT || predicate == GE;
	const struct x86_operand a = strip_copy(w, swap), b = strip_copy(w, !swap);
	const struct x86_operand sign = strip_constant64(w, (uint64_t)1 << 63);

	OP(vpxor, a, a, sign);
	OP(vpxor, b, b, sign);
	OP(vpcmpgtq, a, a, b);
	finish_flags(w, a, predicate == LE || predicate == GE);
}
