/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "compare.h"

#include <math.h>
#include <string.h>

#include "asserts.h"

struct difference {
	double absolute, relative;
	uint64_t ulp;
};

/* The bits of a float as an integer that is ordered as the floats are. */
static int64_t ordered(enum value_type type, const void *at)
{
	unsigned size = value_info(type)->size;
	uint64_t bits = 0, sign = 1ull << (8 * size - 1);

	ASSERT(size <= sizeof(bits) && value_info(type)->is_float);
	memcpy(&bits, at, size);
	return bits & sign ? -(int64_t)(bits & ~sign) : (int64_t)bits;
}

static double relative(double absolute, double want)
{
	if (absolute == 0)
		return 0;
	return want != 0 ? absolute / fabs(want) : (double)INFINITY;
}

static struct difference differ_float(enum value_type type, const void *got,
				      const void *want)
{
	double g = value_load_double(type, got), w = value_load_double(type, want);
	int64_t a, b;

	if (g == w || (isnan(g) && isnan(w)))
		return (struct difference){ 0, 0, 0 };
	if (isnan(g) || isnan(w))
		return (struct difference){ NAN, NAN, UINT64_MAX };
	a = ordered(type, got);
	b = ordered(type, want);
	return (struct difference){ fabs(g - w), relative(fabs(g - w), w),
				    a > b ? (uint64_t)a - (uint64_t)b
					  : (uint64_t)b - (uint64_t)a };
}

static struct difference differ_integer(enum value_type type, const void *got,
					const void *want)
{
	wide g = value_load_integer(type, got), w = value_load_integer(type, want);
	wide distance = g > w ? g - w : w - g;

	return (struct difference){ (double)distance,
				    relative((double)distance, (double)w),
				    (uint64_t)distance };
}

static bool passes(const struct difference *difference, double want,
		   const struct tolerance *tolerance)
{
	if (difference->ulp == 0 || difference->ulp <= tolerance->ulp)
		return difference->ulp != UINT64_MAX;
	if (isnan(difference->absolute) || isinf(difference->absolute))
		return false;
	return difference->absolute <= tolerance->atol + tolerance->rtol * fabs(want);
}

static void widen(struct comparison *out, const struct difference *difference)
{
	if (difference->absolute > out->max_abs)
		out->max_abs = difference->absolute;
	if (difference->relative > out->max_rel)
		out->max_rel = difference->relative;
	if (difference->ulp > out->max_ulp)
		out->max_ulp = difference->ulp;
}

/* Tells whether one number, no complex one, passes; notes the difference in @out. */
static bool compare_one(enum value_type type, const uint8_t *got, const uint8_t *want,
			const struct tolerance *tolerance, struct comparison *out)
{
	bool is_float = value_info(type)->is_float;
	struct difference difference;

	if (!memcmp(got, want, value_info(type)->size))
		return true;
	difference = is_float ? differ_float(type, got, want) : differ_integer(type, got, want);
	widen(out, &difference);
	return passes(&difference,
		      is_float ? value_load_double(type, want) :
				 (double)value_load_integer(type, want),
		      tolerance);
}

void compare_values(enum value_type type, const void *got, const void *want,
		    uint64_t count, const struct tolerance *tolerance,
		    struct comparison *out)
{
	const struct value_info *info = value_info(type);
	const unsigned size = value_info(info->part)->size;
	const uint8_t *g = got, *w = want;

	*out = (struct comparison){ .count = count };
	if (!count || !memcmp(got, want, count * info->size))
		return;
	for (uint64_t i = 0; i < count; i++) {
		bool good = true;

		for (unsigned part = 0; part < info->parts; part++, g += size, w += size)
			good &= compare_one(info->part, g, w, tolerance, out);
		if (!good && !out->bad++)
			out->first = i;
	}
}
