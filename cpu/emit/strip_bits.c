/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Selection for strips: bit fields and counts of bits, logic functions of three operands. */
#include "asserts.h"
#include "op_types.h"
#include "strip.h"

#define D w->d

/* Low and high nibbles of source 0, as bytes in free registers. */
static void split_nibbles(struct strip_work *w, struct x86_operand *low, struct x86_operand *high)
{
	*low = strip_temporary(w);
	strip_load(w, *low, 0);
	*high = strip_temporary(w);
	OP(vpsrld, *high, *low, IMM(4));
	OP2(vpand, vpandd, *low, *low, strip_constant32(w, 0x0f0f0f0f));
	OP2(vpand, vpandd, *high, *high, strip_constant32(w, 0x0f0f0f0f));
}

/* How many bits are set in each byte, in a free register. */
static struct x86_operand byte_counts(struct strip_work *w)
{
	static const uint8_t counts[16] = { 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4 };
	struct x86_operand low, high, table;
	uint8_t used;

	split_nibbles(w, &low, &high);
	used = w->s->used;
	table = strip_temporary(w);
	OP(vmovups, table, strip_constant128(w, counts, w->bytes));
	OP(vpshufb, low, table, low);
	OP(vpshufb, high, table, high);
	OP(vpaddb, low, low, high);
	w->s->used = (uint8_t)(used - 1);
	return low;
}

void strip_count(struct strip_work *w)
{
	static const uint8_t bytes[16] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
	static const uint8_t words[16] = { 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0 };
	const struct x86_operand counts = byte_counts(w);

	OP(vpmaddubsw, counts, counts, strip_constant128(w, bytes, w->bytes));
	OP(vpmaddwd, D, counts, strip_constant128(w, words, w->bytes));
}

void strip_count64(struct strip_work *w)
{
	const struct x86_operand counts = byte_counts(w), zero = strip_temporary(w);

	OP2(vpxor, vpxord, zero, zero, zero);
	OP(vpsadbw, counts, counts, zero);
	w->s->used--;
	strip_narrow(w, D, counts, 4, 8);
}

/* The zeros in front of the first bit of 32 of register @a, in another one, @to. */
static void emit_lead(struct strip_work *w, struct x86_operand to, struct x86_operand a)
{
	if (w->isa == X86_AVX512) {
		OP(vplzcntd, to, a);
		return;
	}
	/* Without the second bit no direction of rounding reaches the next power of 2. */
	OP(vpsrld, to, a, IMM(1));
	OP(vpandn, to, to, a);
	OP(vcvtdq2ps, to, to);
	/* Its exponent, below the sign, which is set where the first bit is: then saturation. */
	OP(vpsrld, to, to, IMM(23));
	strip_subtract_from(w, to, 158, X86_vpsubusw);
	OP(vpminud, to, to, strip_constant32(w, 32));
}

void strip_lead(struct strip_work *w)
{
	const struct x86_operand a = strip_register(w, 0);
	const struct x86_operand zeros = strip_same(D, a) ? strip_temporary(w) : D;

	emit_lead(w, zeros, a);
	if (zeros.number != D.number)
		OP(vmovaps, D, zeros);
}

void strip_lead64(struct strip_work *w)
{
	const struct x86_operand zeros = strip_temporary(w);

	OP(vplzcntq, zeros, strip_operand(w, 0));
	OP(vpmovqd, D, zeros);
}

/* bfind: the parameter has STRIP_SIGNED and STRIP_AMOUNT. */
void strip_find(struct strip_work *w)
{
	const struct x86_operand a = strip_copy(w, 0), zeros = strip_temporary(w);

	if (w->parameter & STRIP_SIGNED) {
		OP(vpsrad, zeros, a, IMM(31));
		OP2(vpxor, vpxord, a, a, zeros);
	}
	emit_lead(w, zeros, a);
	if (w->parameter & STRIP_AMOUNT) {
		/* 32 becomes all ones: less than 0 after 5 bits are shifted out of the low 6 */
		OP(vpslld, a, zeros, IMM(26));
		OP(vpsrad, a, a, IMM(31));
		OP2(vpor, vpord, D, zeros, a);
		return;
	}
	strip_subtract_from(w, zeros, 31, X86_vpsubd);
	OP(vmovaps, D, zeros);
}

void strip_reverse(struct strip_work *w)
{
	static const uint8_t nibbles[2][16] = {
		{ 0x00, 0x80, 0x40, 0xc0, 0x20, 0xa0, 0x60, 0xe0,
		  0x10, 0x90, 0x50, 0xd0, 0x30, 0xb0, 0x70, 0xf0 },
		{ 0x0, 0x8, 0x4, 0xc, 0x2, 0xa, 0x6, 0xe, 0x1, 0x9, 0x5, 0xd, 0x3, 0xb, 0x7, 0xf },
	};
	const unsigned size = strip_size(w, 0);
	struct x86_operand low, high, table;
	uint8_t bytes[16];

	for (unsigned i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i ^ (size - 1));
	split_nibbles(w, &low, &high);
	table = strip_temporary(w);
	OP(vmovups, table, strip_constant128(w, nibbles[0], w->bytes));
	OP(vpshufb, low, table, low);
	OP(vmovups, table, strip_constant128(w, nibbles[1], w->bytes));
	OP(vpshufb, high, table, high);
	OP2(vpor, vpord, low, low, high);
	OP(vpshufb, D, low, strip_constant128(w, bytes, w->bytes));
}

/* The low 8 bits of source @i, in a free register. */
static struct x86_operand low_byte(struct strip_work *w, unsigned i)
{
	const struct x86_operand to = strip_copy(w, i);

	OP2(vpand, vpandd, to, to, strip_constant32(w, 0xff));
	return to;
}

/* bfe.u32 */
void strip_field(struct strip_work *w)
{
	const struct x86_operand field = low_byte(w, 1);
	const uint8_t used = w->s->used;
	struct x86_operand above, ones;

	OP(vpsrlvd, field, strip_register(w, 0), field);
	w->s->used = used;
	above = low_byte(w, 2);
	ones = strip_filled32(w, ~0u);
	OP(vpsllvd, above, ones, above);
	OP2(vpandn, vpandnd, D, above, field);
}

/* bfe.s32 */
void strip_field_sign(struct strip_work *w)
{
	const struct x86_operand field = low_byte(w, 1);
	const uint8_t used = w->s->used;
	struct x86_operand above;

	OP(vpsravd, field, strip_register(w, 0), field);
	w->s->used = used;
	above = low_byte(w, 2);
	OP(vpminud, above, above, strip_constant32(w, 32));
	strip_subtract_from(w, above, 32, X86_vpsubd);
	OP(vpsllvd, field, field, above);
	OP(vpsravd, D, field, above);
}

/* bfi.b32 */
void strip_insert(struct strip_work *w)
{
	const struct x86_operand field = low_byte(w, 2), mask = low_byte(w, 3);
	const uint8_t used = w->s->used;
	const struct x86_operand ones = strip_filled32(w, ~0u);

	OP(vpsllvd, mask, ones, mask);
	OP2(vpxor, vpxord, mask, mask, ones);
	OP(vpsllvd, mask, mask, field);
	w->s->used = used;
	OP(vpsllvd, field, strip_register(w, 0), field);
	w->s->used = used;
	OP2(vpand, vpandd, field, field, mask);
	OP2(vpandn, vpandnd, mask, mask, strip_operand(w, 1));
	OP2(vpor, vpord, D, field, mask);
}

/* The function of sources 1 and 2 with the even table @table, into register @to. */
static void emit_two(struct strip_work *w, struct x86_operand to, unsigned table)
{
	const uint8_t used = w->s->used;

	switch (table) {
	case 0: OP(vpxor, to, to, to); break;
	case 2: OP(vpandn, to, strip_register(w, 1), strip_operand(w, 2)); break;
	case 4: OP(vpandn, to, strip_register(w, 2), strip_operand(w, 1)); break;
	case 6: OP(vpxor, to, strip_register(w, 1), strip_operand(w, 2)); break;
	case 8: OP(vpand, to, strip_register(w, 1), strip_operand(w, 2)); break;
	case 10: strip_load(w, to, 2); break;
	case 12: strip_load(w, to, 1); break;
	case 14: OP(vpor, to, strip_register(w, 1), strip_operand(w, 2)); break;
	}
	w->s->used = used;
}

/*
 * lop3, whose table is an immediate. With AVX2 it is f0 ^ a & g, f0 the function of b and c where a
 * is 0, and g where it changes with a; those with an odd table are the complements of others.
 */
void strip_logic3(struct strip_work *w)
{
	const unsigned table = (unsigned)w->a[3].value & 0xff;
	const unsigned f0 = table & 15, g = f0 ^ table >> 4;
	const struct x86_operand a = w->isa == X86_AVX2 ? strip_register(w, 0) : strip_copy(w, 0);
	struct x86_operand result, changes;

	if (w->isa == X86_AVX512) {
		OP(vpternlogd, a, strip_register(w, 1), strip_operand(w, 2), IMM(table));
		OP(vmovaps, D, a);
		return;
	}
	changes = strip_temporary(w);
	emit_two(w, changes, g & 1 ? g ^ 15 : g);
	if (g & 1)
		OP(vpandn, changes, changes, a);
	else
		OP(vpand, changes, changes, a);
	result = strip_is_free(w, a) ? a : strip_temporary(w);
	emit_two(w, result, f0 & 1 ? f0 ^ 15 : f0);
	if (f0 & 1)
		OP(vpxor, changes, changes, strip_constant32(w, ~0u));
	OP(vpxor, D, result, changes);
}

/* prmt, whose selector is an immediate: bytes of both sources, and in some places the sign. */
void strip_permute(struct strip_work *w)
{
	const unsigned selector = (unsigned)w->a[2].value;
	const struct x86_operand bytes = strip_temporary(w), other = strip_temporary(w);
	uint8_t from[2][16], signs[16];
	bool any[3] = { false };

	for (unsigned i = 0; i < 16; i++) {
		const unsigned nibble = selector >> i % 4 * 4, source = nibble >> 2 & 1;

		from[source][i] = (uint8_t)((i & 12) + (nibble & 3));
		from[!source][i] = 0x80;
		signs[i] = nibble & 8 ? 0xff : 0;
		any[source] = true;
		any[2] = any[2] || nibble & 8;
	}
	for (unsigned i = 0; i < 2; i++) {
		const struct x86_operand to = i && any[0] ? other : bytes;
		const uint8_t used = w->s->used;

		if (any[i])
			OP(vpshufb, to, strip_register(w, i),
			   strip_constant128(w, from[i], w->bytes));
		w->s->used = used;
	}
	if (any[0] && any[1])
		OP2(vpor, vpord, bytes, bytes, other);
	if (any[2] && w->isa == X86_AVX512) {
		OP(vpmovb2m, x86_k(SELECT_MASK), bytes);
		OP(vpmovm2b, other, x86_k(SELECT_MASK));
		/* signs ? other : bytes */
		OP(vpternlogd, bytes, other, strip_constant128(w, signs, w->bytes), IMM(0xd8));
	} else if (any[2]) {
		const struct x86_operand chosen = strip_temporary(w);

		OP(vpxor, other, other, other);
		OP(vpcmpgtb, other, other, bytes);
		OP(vmovups, chosen, strip_constant128(w, signs, w->bytes));
		OP(vpblendvb, bytes, bytes, other, chosen);
	}
	OP(vmovaps, D, bytes);
}
