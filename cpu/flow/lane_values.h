/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What is known of a register in the 32 lanes of a warp, and arithmetic on that: a base, which is
 * the value in lane 0, and for each lane a step, what it has more than lane 0. Steps are constants;
 * of the base some bits may be known. All of it is modulo 2 to the power of the register's bits.
 *
 * A value in two parts: where no lane's known bits carry into an unknown one, a lane is the unknown
 * bits of the base, the same for all, and bits of its own. Logic and shifts to the right work on
 * those.
 */
#ifndef CPU_LANE_VALUES_H
#define CPU_LANE_VALUES_H

#include <stdbool.h>
#include <stdint.h>

#include "low_bits.h"

enum { KIND_LANES = 32 };

enum values_form {
	VALUES_NONE,   /* nothing has been computed yet */
	VALUES_BASE,   /* base and steps */
	VALUES_VECTOR, /* any value in each lane */
};

struct values {
	uint8_t form;              /* enum values_form */
	bool varies;               /* some step is not 0; else steps are uninitialised */
	uint64_t known, base;      /* which bits of the base are known, and these; others are 0 */
	int64_t steps[KIND_LANES]; /* sign-extended from the bits of the register; the first is 0 */
};

static inline void values_vector(struct values *out)
{
	out->form = VALUES_VECTOR;
	out->varies = false;
	out->known = out->base = 0;
}

/* The same value in all lanes: the bits @known of it are those of @base. */
static inline void values_uniform(struct values *out, uint64_t known, uint64_t base)
{
	out->form = VALUES_BASE;
	out->varies = false;
	out->known = known;
	out->base = base & known;
}

/* Tells whether the value in each lane is known. */
static inline bool values_constant(const struct values *a, unsigned bits)
{
	return a->form == VALUES_BASE && !(~a->known & low_bits(bits));
}

/* The value of @lane, of a constant. */
static inline uint64_t values_lane(const struct values *a, unsigned lane, unsigned bits)
{
	return (a->base + (a->varies ? (uint64_t)a->steps[lane] : 0)) & low_bits(bits);
}

/*
 * All of the following accept forms of VALUES_BASE alone, and @out may be one of the operands.
 * Operands and results have @bits bits. Where the result is neither base nor steps it is a vector.
 */

/* The constants of all lanes. */
void values_from_lanes(struct values *out, const uint64_t lanes[KIND_LANES], unsigned bits);

/* a + b; with @minus, a - b. */
void values_add(struct values *out, const struct values *a, const struct values *b, bool minus,
		unsigned bits);

/* The lower half of the product. */
void values_multiply(struct values *out, const struct values *a, const struct values *b,
		     unsigned bits);

/* Shifted by @amount, which clamps. */
void values_shift_left(struct values *out, const struct values *a, uint64_t amount, unsigned bits);
void values_shift_right(struct values *out, const struct values *a, uint64_t amount, bool sign,
			unsigned bits);

/* The function of @table, as of lop3: a bit of it for each combination of bits of the operands. */
enum { TABLE_A = 0xf0, TABLE_B = 0xcc, TABLE_C = 0xaa };
void values_logic(struct values *out, const struct values *const in[3], uint8_t table,
		  unsigned bits);

/* Without the bits from @bits on. */
void values_narrow(struct values *out, const struct values *a, unsigned bits);

/*
 * From @from bits to @to, by the sign or with zeros. *@check: the steps stay the same only if
 * base and step do not wrap around in any lane of @lanes, and nothing known of the base excludes
 * that.
 */
void values_widen(struct values *out, const struct values *a, bool sign, unsigned from,
		  unsigned to, uint32_t lanes, bool *check);

/*
 * The least and the greatest number, with a sign or without, that the lanes of @lanes may have.
 * False where they may wrap around, and of 64 bits.
 */
bool values_range(const struct values *a, bool sign, unsigned bits, uint32_t lanes, int64_t *least,
		  int64_t *most);

/* What is true of a and of b. */
void values_join(struct values *out, const struct values *a, const struct values *b);

#endif
