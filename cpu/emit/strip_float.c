/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Selection for strips: arithmetic of floating-point numbers. */
#include "asserts.h"
#include "op_types.h"
#include "strip.h"

#define D w->d

static bool is_double(const struct strip_work *w)
{
	return strip_size(w, 0) == 8;
}

static_assert(X86_vfmadd213ps == X86_vfmadd132ps + 4 && X86_vfmadd231ps == X86_vfmadd132ps + 8 &&
	      X86_vfmadd213pd == X86_vfmadd132pd + 4 && X86_vfmadd231pd == X86_vfmadd132pd + 8,
	      "the forms of fma follow each other");

/*
 * Of several NaNs of f64, that of the second factor wins, then that of the first one: as in the
 * handlers. The three forms allow the result in each operand's register.
 */
void strip_fma(struct strip_work *w)
{
	const enum x86_name form132 = w->name, form213 = form132 + 4, form231 = form132 + 8;

	if (strip_same(D, w->a[2])) {
		x86_emit(w->x, form231, D, strip_register(w, 1), strip_operand(w, 0));
		return;
	}
	if (strip_same(D, w->a[0])) {
		x86_emit(w->x, form213, D, strip_register(w, 1), strip_operand(w, 2));
		return;
	}
	if (!strip_same(D, w->a[1])) /* then it is no operand's */
		strip_load(w, D, 1);
	x86_emit(w->x, form132, D, strip_register(w, 2), strip_operand(w, 0));
}

void strip_reciprocal(struct strip_work *w)
{
	const struct x86_operand one = is_double(w) ? strip_filled64(w, f64_bits(1)) :
						      strip_filled32(w, f32_bits(1));

	x86_emit(w->x, w->name, D, one, strip_operand(w, 0));
}

/* Source @i of f32 in a free register, with zeros in the place of subnormal numbers. */
static struct x86_operand flushed(struct strip_work *w, unsigned i)
{
	const struct x86_operand a = strip_copy(w, i);
	const uint8_t used = w->s->used;
	struct x86_operand flags;

	if (w->isa == X86_AVX512) {
		OP(vptestnmd, x86_k(SELECT_MASK), a, strip_constant32(w, 0x7f800000));
		OP(vandps, x86_masked(a, SELECT_MASK), a, strip_constant32(w, 0x80000000));
		return a;
	}
	flags = strip_temporary(w);
	OP(vpand, flags, a, strip_constant32(w, 0x7f800000));
	OP(vpcmpeqd, flags, flags, strip_constant32(w, 0));
	OP(vpsrld, flags, flags, IMM(1)); /* all but the sign */
	OP(vpandn, a, flags, a);
	w->s->used = used;
	return a;
}

/*
 * min and max: for the instruction the second operand is the result of equal ones and with NaNs.
 * Equal ones are the same or two zeros: then their OR (of min) or AND (of max) is the result.
 */
void strip_ordered(struct strip_work *w)
{
	const bool flush = w->parameter & STRIP_FLUSHED, most = w->parameter & STRIP_MOST;
	const enum x86_name compare = is_double(w) ? X86_vcmppd : X86_vcmpps;
	const struct x86_operand a = flush ? flushed(w, 0) : strip_register(w, 0);
	const struct x86_operand b = flush ? flushed(w, 1) : strip_register(w, 1);
	const struct x86_operand equal = strip_temporary(w), chosen = strip_temporary(w);
	/* a, where b is NaN; where NaN wins, b is the result then, and a where that is NaN */
	const struct x86_operand tested = w->parameter & STRIP_NAN ? a : b;
	const struct x86_operand flags = w->isa == X86_AVX512 ? x86_k(SELECT_MASK) : equal;

	if (w->isa == X86_AVX2) {
		/* where equal: the other operand; elsewhere nothing changes */
		x86_emit(w->x, compare, equal, a, b, IMM(most ? 4 : 0));
		x86_emit(w->x, most ? X86_vorps : X86_vandps, equal, equal, a);
		x86_emit(w->x, w->name, chosen, a, b);
		x86_emit(w->x, most ? X86_vandps : X86_vorps, chosen, chosen, equal);
	} else {
		enum x86_name both = most ? X86_vandps : X86_vorps;

		if (is_double(w))
			both = most ? X86_vandpd : X86_vorpd;
		x86_emit(w->x, compare, flags, a, b, IMM(0));
		x86_emit(w->x, w->name, chosen, a, b);
		x86_emit(w->x, both, x86_masked(chosen, SELECT_MASK), chosen, a);
	}
	x86_emit(w->x, compare, flags, tested, tested, IMM(3));
	strip_choose(w, D, flags, a, chosen, strip_size(w, 0));
}

/* abs and neg: the row's instruction changes the sign. */
void strip_sign(struct strip_work *w)
{
	const bool negates = w->name == X86_vxorps || w->name == X86_vxorpd;
	const struct x86_operand a =
		w->parameter & STRIP_FLUSHED ? flushed(w, 0) : strip_register(w, 0);
	const uint64_t sign = (uint64_t)1 << 63;

	x86_emit(w->x, w->name, D, a,
		 is_double(w) ? strip_constant64(w, negates ? sign : sign - 1) :
				strip_constant32(w, negates ? 0x80000000 : 0x7fffffff));
}

/* The sign of source 0 on the value of source 1. */
void strip_copy_sign(struct strip_work *w)
{
	const struct x86_operand sign = strip_copy(w, 0), value = strip_copy(w, 1);
	const uint64_t bit = (uint64_t)1 << 63;

	if (is_double(w)) {
		OP(vandpd, sign, sign, strip_constant64(w, bit));
		OP(vandpd, value, value, strip_constant64(w, bit - 1));
	} else {
		OP(vandps, sign, sign, strip_constant32(w, 0x80000000));
		OP(vandps, value, value, strip_constant32(w, 0x7fffffff));
	}
	OP(vorps, D, sign, value);
}

void strip_flush(struct strip_work *w)
{
	OP(vmovaps, D, flushed(w, 0));
}
