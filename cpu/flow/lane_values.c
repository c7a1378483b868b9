/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "lane_values.h"

#include <string.h>

#include "asserts.h"

static int64_t extend_sign(uint64_t value, unsigned bits)
{
	ASSERT(bits && bits <= 64);
	return (int64_t)(value << (64 - bits)) >> (64 - bits);
}

static int64_t step_of(const struct values *a, unsigned lane)
{
	return a->varies ? a->steps[lane] : 0;
}

/* Sets out->varies, after its steps. */
static void note_steps(struct values *out)
{
	uint64_t any = 0;

	for (unsigned l = 0; l < KIND_LANES; l++)
		any |= (uint64_t)out->steps[l];
	out->varies = any != 0;
}

void values_from_lanes(struct values *out, const uint64_t lanes[KIND_LANES], unsigned bits)
{
	values_uniform(out, low_bits(bits), lanes[0]);
	for (unsigned l = 0; l < KIND_LANES; l++)
		out->steps[l] = extend_sign(lanes[l] - lanes[0], bits);
	note_steps(out);
}

/* The bits of x + y + @carry that follow from those that are known. */
static void add_bases(struct values *out, uint64_t known_x, uint64_t x, uint64_t known_y,
		      uint64_t y, bool carry, unsigned bits)
{
	const uint64_t most = (x | ~known_x) + (y | ~known_y) + carry, least = x + y + carry;
	/* A bit is known if it is in both, and the carry into it is the same in both sums. */
	const uint64_t carries_most = most ^ (x | ~known_x) ^ (y | ~known_y);
	const uint64_t carries_least = least ^ x ^ y;

	out->known = known_x & known_y & ~(carries_most ^ carries_least) & low_bits(bits);
	out->base = least & out->known;
}

void values_add(struct values *out, const struct values *a, const struct values *b, bool minus,
		unsigned bits)
{
	const bool varies = a->varies || b->varies;
	const uint64_t flip = minus ? b->known : 0;

	for (unsigned l = 0; varies && l < KIND_LANES; l++) {
		const uint64_t x = (uint64_t)step_of(a, l), y = (uint64_t)step_of(b, l);

		out->steps[l] = extend_sign(minus ? x - y : x + y, bits);
	}
	add_bases(out, a->known, a->base, b->known, b->base ^ flip, minus, bits);
	out->form = VALUES_BASE;
	out->varies = false;
	if (varies)
		note_steps(out);
}

/* How many bits are known, from the lowest on, and how many of them are 0 before the first 1. */
static unsigned known_run(const struct values *a, unsigned *zeros)
{
	const unsigned run = ~a->known ? (unsigned)__builtin_ctzll(~a->known) : 64;

	*zeros = a->base ? (unsigned)__builtin_ctzll(a->base) : 64;
	*zeros = *zeros < run ? *zeros : run;
	return run;
}

/* What is known of the product of two bases. */
static void multiply_bases(struct values *out, const struct values *a, const struct values *b,
			   unsigned bits)
{
	const uint64_t mask = low_bits(bits);
	unsigned zeros_a, zeros_b, run_a = known_run(a, &zeros_a), run_b = known_run(b, &zeros_b);
	const unsigned low_a = run_a + zeros_b, low_b = run_b + zeros_a;
	uint64_t known = low_bits(low_a < low_b ? low_a : low_b), most, base = a->base * b->base;

	if (!__builtin_mul_overflow(a->base | (~a->known & mask), b->base | (~b->known & mask),
				    &most) && most <= mask)
		known |= most ? ~low_bits(64 - (unsigned)__builtin_clzll(most)) : UINT64_MAX;
	/* Bits of the product of the known ones are those of the product only as far as that. */
	base &= low_bits(low_a < low_b ? low_a : low_b);
	out->known = known & mask;
	out->base = base & out->known;
}

void values_multiply(struct values *out, const struct values *a, const struct values *b,
		     unsigned bits)
{
	const struct values *steps = a->varies ? a : b, *factor = a->varies ? b : a;
	const bool varies = steps->varies;
	struct values base = { .form = VALUES_BASE };
	uint64_t lanes[KIND_LANES];

	if (varies && values_constant(a, bits) && values_constant(b, bits)) {
		for (unsigned l = 0; l < KIND_LANES; l++)
			lanes[l] = values_lane(a, l, bits) * values_lane(b, l, bits);
		values_from_lanes(out, lanes, bits);
		return;
	}
	if (varies && (factor->varies || !values_constant(factor, bits))) {
		values_vector(out);
		return;
	}
	multiply_bases(&base, a, b, bits);
	for (unsigned l = 0; varies && l < KIND_LANES; l++)
		base.steps[l] = extend_sign((uint64_t)steps->steps[l] * factor->base, bits);
	if (varies)
		note_steps(&base);
	*out = base;
}

void values_shift_left(struct values *out, const struct values *a, uint64_t amount, unsigned bits)
{
	const uint64_t mask = low_bits(bits);

	if (amount >= bits) {
		values_uniform(out, mask, 0);
		return;
	}
	for (unsigned l = 0; a->varies && l < KIND_LANES; l++)
		out->steps[l] = extend_sign((uint64_t)a->steps[l] << amount, bits);
	out->form = VALUES_BASE;
	out->known = (a->known << amount | low_bits((unsigned)amount)) & mask;
	out->base = a->base << amount & mask;
	out->varies = a->varies;
	if (out->varies)
		note_steps(out);
}

/*
 * The lanes' own bits of @a, where unknown bits of the base are 0. False where they carry into
 * those. *@varied: the bits in which lanes differ.
 */
static bool split_bits(const struct values *a, unsigned bits, uint64_t own[KIND_LANES],
		  uint64_t *varied)
{
	uint64_t all = UINT64_MAX, any = 0;

	for (unsigned l = 0; l < KIND_LANES; l++) {
		own[l] = (a->base + (uint64_t)step_of(a, l)) & low_bits(bits);
		all &= own[l];
		any |= own[l];
	}
	*varied = any & ~all;
	return !(any & ~a->known);
}

/* The result of lanes whose own bits are @own, and whose others are unknown and the same. */
static void from_split(struct values *out, const uint64_t own[KIND_LANES], uint64_t known,
		       unsigned bits)
{
	values_from_lanes(out, own, bits);
	out->known = known & low_bits(bits);
	ASSERT(!(out->base & ~out->known));
}

void values_shift_right(struct values *out, const struct values *a, uint64_t amount, bool sign,
			unsigned bits)
{
	const bool fills = !sign || a->known >> (bits - 1) & 1; /* with bits that are known */
	uint64_t own[KIND_LANES] = { a->base & low_bits(bits) }, varied, known;

	if (amount >= bits && !sign) {
		values_uniform(out, low_bits(bits), 0);
		return;
	}
	if (amount >= bits)
		amount = bits - 1;
	if (a->varies && !split_bits(a, bits, own, &varied)) {
		values_vector(out);
		return;
	}
	known = (a->known & low_bits(bits)) >> amount;
	if (fills)
		known |= low_bits(bits) & ~(low_bits(bits) >> amount);
	for (unsigned l = 0; l < (a->varies ? KIND_LANES : 1); l++) {
		const int64_t wide = sign ? extend_sign(own[l], bits) : (int64_t)own[l];

		own[l] = (sign ? (uint64_t)(wide >> amount) : own[l] >> amount) & low_bits(bits);
	}
	if (a->varies)
		from_split(out, own, known, bits);
	else
		values_uniform(out, known, own[0]);
}

/* The bits of @table's function for operands of which the bits @known are @values. */
static uint64_t logic(const uint64_t known[3], const uint64_t values[3], uint8_t table,
		      uint64_t *result)
{
	uint64_t can[2] = { 0, 0 };

	for (unsigned row = 0; row < 8; row++) {
		uint64_t possible = UINT64_MAX;

		for (unsigned i = 0; i < 3; i++)
			possible &= ~known[i] | (row >> (2 - i) & 1 ? values[i] : ~values[i]);
		can[table >> row & 1] |= possible;
	}
	*result = can[1] & ~can[0];
	return ~(can[0] & can[1]);
}

void values_logic(struct values *out, const struct values *const in[3], uint8_t table,
		  unsigned bits)
{
	const uint64_t known[3] = { in[0]->known, in[1]->known, in[2]->known };
	uint64_t own[3][KIND_LANES], varied[3], result[KIND_LANES];
	uint64_t all = UINT64_MAX, any = 0;

	if (!in[0]->varies && !in[1]->varies && !in[2]->varies) {
		const uint64_t bases[3] = { in[0]->base, in[1]->base, in[2]->base };

		all = logic(known, bases, table, &result[0]);
		values_uniform(out, all & low_bits(bits), result[0]);
		return;
	}
	for (unsigned i = 0; i < 3; i++) {
		if (!split_bits(in[i], bits, own[i], &varied[i])) {
			values_vector(out);
			return;
		}
	}
	for (unsigned l = 0; l < KIND_LANES; l++) {
		const uint64_t values[3] = { own[0][l], own[1][l], own[2][l] };
		const uint64_t now = logic(known, values, table, &result[l]);

		all &= now;
		any |= now;
	}
	/* A bit that is not known in every lane has to be unknown in all, and of equal operands. */
	if (~all & (any | varied[0] | varied[1] | varied[2]) & low_bits(bits)) {
		values_vector(out);
		return;
	}
	for (unsigned l = 0; l < KIND_LANES; l++)
		result[l] &= all & low_bits(bits);
	from_split(out, result, all, bits);
}

void values_narrow(struct values *out, const struct values *a, unsigned bits)
{
	for (unsigned l = 0; a->varies && l < KIND_LANES; l++)
		out->steps[l] = extend_sign((uint64_t)a->steps[l], bits);
	out->form = VALUES_BASE;
	out->known = a->known & low_bits(bits);
	out->base = a->base & low_bits(bits);
	out->varies = a->varies;
	if (out->varies)
		note_steps(out);
}

bool values_range(const struct values *a, bool sign, unsigned bits, uint32_t lanes, int64_t *least,
		  int64_t *most)
{
	const uint64_t mask = low_bits(bits), top = 1ull << (bits - 1);
	uint64_t low = a->base & mask, high = (a->base | ~a->known) & mask;
	int64_t below = 0, above = 0;

	for (unsigned l = 0; a->varies && l < KIND_LANES; l++) {
		if (!(lanes >> l & 1))
			continue;
		below = a->steps[l] < below ? a->steps[l] : below;
		above = a->steps[l] > above ? a->steps[l] : above;
	}
	if (bits > 63)
		return false;
	if (sign && !(a->known & top)) {
		low |= top;
		high &= ~top;
	}
	*least = (sign ? extend_sign(low, bits) : (int64_t)low) + below;
	*most = (sign ? extend_sign(high, bits) : (int64_t)high) + above;
	return *least >= (sign ? -(int64_t)top : 0) && *most <= (int64_t)(sign ? top - 1 : mask);
}

void values_widen(struct values *out, const struct values *a, bool sign, unsigned from,
		  unsigned to, uint32_t lanes, bool *check)
{
	const uint64_t added = low_bits(to) & ~low_bits(from), top = 1ull << (from - 1);
	uint64_t own[KIND_LANES], varied, known = a->known & low_bits(from);
	uint64_t base = a->base & low_bits(from);
	int64_t least, most;

	*check = false;
	if (from >= to) {
		values_narrow(out, a, to);
		return;
	}
	known |= !sign || known & top ? added : 0;
	base |= sign && base & top ? added : 0;
	if (a->varies && !values_range(a, sign, from, lanes, &least, &most)) {
		/* The lanes' own bits do not wrap: their sign is known, or not among them. */
		if (split_bits(a, from, own, &varied)) {
			for (unsigned l = 0; sign && l < KIND_LANES; l++)
				own[l] = (uint64_t)extend_sign(own[l], from) & low_bits(to);
			from_split(out, own, known, to);
			return;
		}
		*check = true;
	}
	if (out != a)
		*out = *a; /* steps are numbers with a sign in any width */
	out->known = known;
	out->base = base;
}

void values_join(struct values *out, const struct values *a, const struct values *b)
{
	const uint64_t known = a->known & b->known & ~(a->base ^ b->base);

	if (a->form == VALUES_NONE || b->form == VALUES_NONE) {
		*out = a->form == VALUES_NONE ? *b : *a;
		return;
	}
	if (a->form == VALUES_VECTOR || b->form == VALUES_VECTOR || a->varies != b->varies ||
	    (a->varies && memcmp(a->steps, b->steps, sizeof(a->steps)) != 0)) {
		values_vector(out);
		return;
	}
	if (out != a)
		*out = *a;
	out->known = known;
	out->base = a->base & known;
}
