/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "format.h"

#include <string.h>

static const struct format formats[] = {
	{ "f16", 16, 11, 0x7fff, 0x7bff, true },
	{ "bf16", 16, 8, 0x7fff, 0x7f7f, true },
	{ "f32", 32, 24, 0x7fffffff, 0x7f7fffff, true },
	{ "f64", 64, 53, 0x7fffffffffffffff, 0x7fefffffffffffff, true },
	{ "e4m3", 8, 4, 0x7f, 0x7e, false },
	{ "e5m2", 8, 3, 0x7f, 0x7b, true },
	{ "tf32", 19, 11, 0x3ffff, 0x3fbff, true }, /* the upper bits of an f32 */
};

const struct format *format_find(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (strlen(formats[i].name) == length &&
		    !memcmp(formats[i].name, name, length))
			return &formats[i];
	return NULL;
}

static unsigned exponent_bits(const struct format *format)
{
	return format->bits - format->precision;
}

static int bias(const struct format *format)
{
	return (1 << (exponent_bits(format) - 1)) - 1;
}

uint64_t format_sign(const struct format *format)
{
	return 1ull << (format->bits - 1);
}

uint64_t format_one(const struct format *format)
{
	return (uint64_t)bias(format) << (format->precision - 1);
}

static uint64_t magnitude(const struct format *format, uint64_t bits)
{
	return bits & (format_sign(format) - 1);
}

/* The bits of infinity; where there is none, the largest number stands for it. */
static uint64_t infinity(const struct format *format)
{
	return format->infinite
		       ? ((1ull << exponent_bits(format)) - 1) << (format->precision - 1)
		       : format->largest;
}

bool format_is_nan(const struct format *format, uint64_t bits)
{
	return magnitude(format, bits) > infinity(format);
}

bool format_is_subnormal(const struct format *format, uint64_t bits)
{
	uint64_t m = magnitude(format, bits);

	return m && !(m >> (format->precision - 1));
}

uint64_t format_flush(const struct format *format, uint64_t bits)
{
	return format_is_subnormal(format, bits) ? bits & format_sign(format) : bits;
}

void format_value(const struct format *format, uint64_t bits, mpfr_t x)
{
	unsigned fraction_bits = format->precision - 1;
	uint64_t m = magnitude(format, bits), one = 1ull << fraction_bits;
	int exponent = (int)(m >> fraction_bits);

	if (format_is_nan(format, bits)) {
		mpfr_set_nan(x);
	} else if (format->infinite && m == infinity(format)) {
		mpfr_set_inf(x, 1);
	} else {
		uint64_t digits = (m & (one - 1)) | (exponent ? one : 0);

		mpfr_set_ui_2exp(x, digits,
				 (exponent ? exponent : 1) - bias(format) -
					 (int)fraction_bits,
				 MPFR_RNDN);
	}
	mpfr_setsign(x, x, (bits & format_sign(format)) != 0, MPFR_RNDN);
}

/* Rounds @x to what the format's exponents allow. */
static int fit(const struct format *format, mpfr_t x, int ternary, mpfr_rnd_t rnd)
{
	mpfr_exp_t least = mpfr_get_emin(), most = mpfr_get_emax();

	mpfr_set_emin(3 - bias(format) - (int)format->precision);
	mpfr_set_emax(bias(format) + (format->infinite ? 1 : 2));
	ternary = mpfr_check_range(x, ternary, rnd);
	ternary = mpfr_subnormalize(x, ternary, rnd);
	mpfr_set_emin(least);
	mpfr_set_emax(most);
	return ternary;
}

uint64_t format_bits(const struct format *format, mpfr_t x, int *ternary, mpfr_rnd_t rnd)
{
	unsigned fraction_bits = format->precision - 1;
	uint64_t sign, digits, bits;
	mpfr_exp_t exponent;

	*ternary = fit(format, x, *ternary, rnd);
	if (mpfr_nan_p(x))
		return format->nan;
	sign = mpfr_signbit(x) ? format_sign(format) : 0;
	if (mpfr_zero_p(x))
		return sign;
	if (mpfr_inf_p(x))
		return sign | infinity(format);
	exponent = mpfr_get_exp(x) - 1;
	if (exponent < 1 - bias(format))
		exponent = 1 - bias(format);
	mpfr_mul_2si(x, x, (long)fraction_bits - exponent, MPFR_RNDN);
	mpfr_abs(x, x, MPFR_RNDN);
	digits = mpfr_get_ui(x, MPFR_RNDZ);
	if (!(digits >> fraction_bits))
		return sign | digits;
	/* The bit in front of the point is not stored. */
	bits = ((uint64_t)(exponent + bias(format) - 1) << fraction_bits) + digits;
	return sign | (bits < infinity(format) ? bits : infinity(format));
}
