/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Arithmetic on bases and steps, of 8 bits: what it says is compared with the results of every base
 * that the operands may have, in every lane.
 */
#include "lane_values.h"
#include "tap.h"

enum { BITS = 8, MASK = 0xff, ROUNDS = 1500 };

static uint64_t state = 1;

static uint32_t draw(uint32_t below)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33) % below;
}

/* Some of all that there are: often with aligned bases and regular steps, as in kernels. */
static void draw_values(struct values *v)
{
	const unsigned kind = draw(6), shift = draw(8);
	const uint64_t known = kind == 0 ? MASK : kind == 1 ? draw(256) : low_bits(draw(9));
	uint64_t lanes[KIND_LANES];

	values_uniform(v, known, draw(256));
	if (draw(2))
		v->base = 0;
	if (draw(3) == 0)
		return;
	for (unsigned l = 0; l < KIND_LANES; l++)
		lanes[l] = !draw(8) ? draw(256) : kind & 1 ? l << shift : l % (1u << (shift & 3));
	lanes[0] = 0;
	values_from_lanes(v, lanes, BITS);
	v->known = known;
	v->base &= known;
}

static uint64_t lane_of(const struct values *v, uint64_t base, unsigned lane)
{
	return (base + (v->varies ? (uint64_t)v->steps[lane] : 0)) & MASK;
}

/* The next base after @base that @v allows; 0 after the last: those bits count that are unknown. */
static uint64_t next_base(const struct values *v, uint64_t base)
{
	const uint64_t unknown = ~v->known & MASK;

	return (((base | v->known) + 1) & unknown) | v->base;
}

/* Tells whether @out allows @lanes, of @bits bits. */
static bool allows(const struct values *out, const uint64_t lanes[KIND_LANES], unsigned bits)
{
	bool good = !((lanes[0] ^ out->base) & out->known & low_bits(bits));

	if (out->form == VALUES_VECTOR)
		return true;
	for (unsigned l = 0; l < KIND_LANES; l++)
		good &= ((lanes[l] - lanes[0]) & low_bits(bits)) ==
			((out->varies ? (uint64_t)out->steps[l] : 0) & low_bits(bits));
	return good && (!out->varies || out->steps[0] == 0);
}

/* What is tested: what is said of the result, and the result. */
struct operation {
	const char *name;
	void (*say)(struct values *out, const struct values *a, const struct values *b);
	uint64_t (*compute)(uint64_t a, uint64_t b);
};

static uint8_t table;
static unsigned amount;
static const struct values zero = { .form = VALUES_BASE, .known = UINT64_MAX };

#define OPERATION(name, statement, expression)                                             \
	static void say_##name(struct values *out, const struct values *a, const struct values *b) \
	{                                                                                  \
		(void)b;                                                                   \
		statement;                                                                 \
	}                                                                                  \
	static uint64_t compute_##name(uint64_t a, uint64_t b)                             \
	{                                                                                  \
		(void)b;                                                                   \
		return expression;                                                         \
	}
OPERATION(add, values_add(out, a, b, false, BITS), a + b)
OPERATION(sub, values_add(out, a, b, true, BITS), a - b)
OPERATION(mul, values_multiply(out, a, b, BITS), a *b)
OPERATION(shl, values_shift_left(out, a, amount, BITS), amount < BITS ? a << amount : 0)
OPERATION(shr, values_shift_right(out, a, amount, false, BITS), amount < BITS ? a >> amount : 0)
OPERATION(sar, values_shift_right(out, a, amount, true, BITS),
	  (uint64_t)((int8_t)a >> (amount < BITS ? amount : BITS - 1)))
OPERATION(logic, values_logic(out, ((const struct values *const[3]){ a, b, &zero }), table, BITS),
	  ((table >> 6 & 1 ? a & b : 0) | (table >> 4 & 1 ? a & ~b : 0) |
	   (table >> 2 & 1 ? ~a & b : 0) | (table & 1 ? ~a & ~b : 0)))

static const struct operation operations[] = {
#define ROW(name) { #name, say_##name, compute_##name }
	ROW(add), ROW(sub), ROW(mul), ROW(shl), ROW(shr), ROW(sar), ROW(logic),
};

/* How many results were vectors. */
static bool test_one(const struct operation *operation, unsigned *vectors)
{
	struct values a, b, out;
	uint64_t x, y, lanes[KIND_LANES];
	bool good = true;

	draw_values(&a);
	draw_values(&b);
	table = (uint8_t)draw(256);
	amount = draw(10);
	operation->say(&out, &a, &b);
	*vectors += out.form == VALUES_VECTOR;
	x = a.base;
	do {
		y = b.base;
		do {
			for (unsigned l = 0; l < KIND_LANES; l++)
				lanes[l] = MASK & operation->compute(lane_of(&a, x, l),
								     lane_of(&b, y, l));
			good &= allows(&out, lanes, BITS);
			y = next_base(&b, y);
		} while (y != b.base && good);
		x = next_base(&a, x);
	} while (x != a.base && good);
	return good;
}

static void test_operations(void)
{
	for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
		unsigned vectors = 0, round = 0;

		while (round < ROUNDS && test_one(&operations[i], &vectors))
			round++;
		if (!CHECK_INT(round, ROUNDS))
			printf("#   %s, table %#x, amount %u\n", operations[i].name, table, amount);
		CHECK(vectors < ROUNDS * 9 / 10); /* and what is said is more than that */
	}
}

enum { EXISTING = 0x00ffffff };

/* What test_widening() asks of one operand. */
struct widened {
	struct values a, out;
	int64_t least, most;
	bool sign, check, range;
};

/* Tells whether what is said is right of the lanes that have base @base. */
static bool widens(const struct widened *w, uint64_t base)
{
	const int64_t first = w->sign ? (int8_t)base : (int64_t)base;
	uint64_t lanes[KIND_LANES];
	bool wraps = false, within = true;

	for (unsigned l = 0; l < KIND_LANES; l++) {
		const uint64_t lane = lane_of(&w->a, base, l);
		const int64_t value = w->sign ? (int8_t)lane : (int64_t)lane;
		const int64_t step = w->a.varies ? w->a.steps[l] : 0;
		const bool exists = EXISTING >> l & 1;

		lanes[l] = (uint64_t)value & 0xffff;
		within &= !exists || (value >= w->least && value <= w->most);
		wraps |= exists && value - first != step;
		if (!exists) /* what is said of it cannot be wrong */
			lanes[l] = lanes[0] + (w->out.varies ? (uint64_t)w->out.steps[l] : 0);
	}
	if (w->range && (!within || wraps))
		return false;
	return (w->check && wraps) || allows(&w->out, lanes, 16);
}

/* To 16 bits: what is said is right of the bases for which the check holds, and all without one. */
static void test_widening(void)
{
	unsigned checked = 0, right = 0;

	for (unsigned round = 0; round < ROUNDS; round++) {
		struct widened w = { .sign = draw(2) };
		bool good = true;
		uint64_t base;

		draw_values(&w.a);
		w.range = values_range(&w.a, w.sign, BITS, EXISTING, &w.least, &w.most);
		values_widen(&w.out, &w.a, w.sign, BITS, 16, EXISTING, &w.check);
		checked += w.check;
		base = w.a.base;
		do {
			good &= widens(&w, base);
			base = next_base(&w.a, base);
		} while (base != w.a.base && good);
		right += good;
	}
	CHECK_INT(right, ROUNDS);
	CHECK(checked > ROUNDS / 20 && checked < ROUNDS / 2);
}

/* What is true of either is true of what is known of both. */
static void test_joining(void)
{
	struct values a, b, out;
	unsigned right = 0;

	for (unsigned round = 0; round < ROUNDS; round++) {
		uint64_t lanes[KIND_LANES], x;
		bool good = true;

		draw_values(&a);
		draw_values(&b);
		if (draw(2) && a.varies) { /* the same steps */
			b.varies = true;
			memcpy(b.steps, a.steps, sizeof(a.steps));
		}
		values_join(&out, &a, &b);
		for (unsigned i = 0; i < 2; i++) {
			const struct values *v = i ? &a : &b;

			x = v->base;
			do {
				for (unsigned l = 0; l < KIND_LANES; l++)
					lanes[l] = lane_of(v, x, l);
				good &= allows(&out, lanes, BITS);
				x = next_base(v, x);
			} while (x != v->base);
		}
		right += good;
	}
	CHECK_INT(right, ROUNDS);
}

int main(void)
{
	RUN(test_operations);
	RUN(test_widening);
	RUN(test_joining);
	return tap_end();
}
