/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The floating-point formats of PTX, and their values as MPFR numbers. Formats
 * are constants. None of this is shared with the device under test.
 */
#ifndef MPFR_FORMAT_H
#define MPFR_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#include <mpfr.h>

struct format {
	char name[6];
	unsigned bits;
	unsigned precision; /* of a normal number, the bit in front of the point included
			     */
	uint64_t nan;	    /* what an instruction makes where it says so */
	uint64_t largest;   /* the bits of the largest finite number */
	bool infinite;	    /* has infinities */
};

/* The format that PTX calls by @length bytes of @name, or NULL. */
const struct format *format_find(const char *name, size_t length);

/* An MPFR precision in which every value of every format is exact. */
enum { WIDE_PRECISION = 64 };

uint64_t format_sign(const struct format *format);
uint64_t format_one(const struct format *format);
bool format_is_nan(const struct format *format, uint64_t bits);
bool format_is_subnormal(const struct format *format, uint64_t bits);

/* Subnormal numbers become zeros of their sign. */
uint64_t format_flush(const struct format *format, uint64_t bits);

/* Sets @x, of WIDE_PRECISION, to what @bits stand for. */
void format_value(const struct format *format, uint64_t bits, mpfr_t x);

/*
 * The bits of @x, which has the format's precision and was rounded to it with
 * @ternary in direction @rnd: rounds again where @x is subnormal or too large.
 * *@ternary becomes what MPFR says of the whole. A format without infinities has
 * its largest number for what is too large.
 */
uint64_t format_bits(const struct format *format, mpfr_t x, int *ternary, mpfr_rnd_t rnd);

#endif
