/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What passes a comparison, exact and with tolerances. */
#include "compare.h"

#include <math.h>

#include "tap.h"

static struct comparison floats(float got, float want, double rtol, double atol,
				uint64_t ulp)
{
	struct tolerance tolerance = { rtol, atol, ulp };
	struct comparison out;

	compare_values(TYPE_F32, &got, &want, 1, &tolerance, &out);
	return out;
}

/* promise: Equal values are asked */
static void test_exact(void)
{
	CHECK_INT(floats(1, 1, 0, 0, 0).bad, 0);
	CHECK_INT(floats(-0.0f, 0, 0, 0, 0).bad, 0);
	CHECK_INT(floats(NAN, -NAN, 0, 0, 0).bad, 0);
	CHECK_INT(floats(INFINITY, INFINITY, 0, 0, 0).bad, 0);
	CHECK_INT(floats(nextafterf(1, 2), 1, 0, 0, 0).bad, 1);
	CHECK_INT(floats(NAN, 1, 1, 1e30, UINT64_MAX).bad, 1);
	CHECK_INT(floats(1, NAN, 1, 1e30, UINT64_MAX).bad, 1);
	CHECK_INT(floats(INFINITY, -INFINITY, 1, 1e30, 0).bad, 1);
}

/* promise: An element passes within R times */
/* promise: The absolute part */
/* promise: An element passes within N units */
static void test_tolerances(void)
{
	CHECK_INT(floats(1.5f, 1, 0, 0.5, 0).bad, 0);
	CHECK_INT(floats(1.5f, 1, 0, 0.25, 0).bad, 1);
	CHECK_INT(floats(3, 2, 0.5, 0, 0).bad, 0);
	CHECK_INT(floats(3, 2, 0.25, 0, 0).bad, 1);
	CHECK_INT(floats(3, 2, 0.25, 0.5, 0).bad, 0);
	CHECK_INT(floats(nextafterf(1, 2), 1, 0, 0, 1).bad, 0);
	CHECK_INT(floats(nextafterf(nextafterf(1, 2), 2), 1, 0, 0, 1).bad, 1);
	/* The smallest numbers on both sides of zero are two units apart. */
	CHECK_INT(floats(0x1p-149f, -0x1p-149f, 0, 0, 1).bad, 1);
	CHECK_INT(floats(0x1p-149f, -0x1p-149f, 0, 0, 2).bad, 0);
}

static void test_differences(void)
{
	const int32_t got[4] = { 1, 2, 30, -4 }, want[4] = { 1, 2, 3, 4 };
	struct comparison out;

	compare_values(TYPE_I32, got, want, 4, &(struct tolerance){ 0 }, &out);
	CHECK_INT(out.count, 4);
	CHECK_INT(out.bad, 2);
	CHECK_INT(out.first, 2);
	CHECK(out.max_abs == 27 && out.max_rel == 9);
	CHECK_INT(out.max_ulp, 27);
	compare_values(TYPE_I32, got, want, 4, &(struct tolerance){ .ulp = 8 }, &out);
	CHECK_INT(out.bad, 1);
	CHECK(isinf(floats(1, 0, 0, 0, 0).max_rel));
	CHECK_INT(floats(2, 1, 0, 0, 0).max_ulp, 8388608);
	compare_values(TYPE_I32, got, got, 0, &(struct tolerance){ 0 }, &out);
	CHECK_INT(out.bad, 0);
}

static void test_small_floats(void)
{
	const uint8_t got[3] = { 0x38, 0x7e, 0x7f }, want[3] = { 0x39, 0x7e, 0x7f };
	struct comparison out;

	compare_values(TYPE_E4M3, got, want, 3, &(struct tolerance){ 0 }, &out);
	CHECK(out.bad == 1 && out.first == 0 && out.max_abs == 0.125 && out.max_ulp == 1);
	compare_values(TYPE_E4M3, got, want, 3, &(struct tolerance){ .ulp = 1 }, &out);
	CHECK_INT(out.bad, 0);
	compare_values(TYPE_E4M3, got + 2, want + 1, 1, &(struct tolerance){ 1, 1e9, 200 }, &out);
	CHECK_INT(out.bad, 1);
}

/* Part by part: a large real part excuses no wrong imaginary one. */
/* promise: Tolerances hold for each part */
static void test_complex(void)
{
	const float got[6] = { 1, 2, 1000, 1, 5, -0.0f }, want[6] = { 1, 2, 1000, 2, 5, 0 };
	struct comparison out;

	compare_values(TYPE_C64, got, want, 3, &(struct tolerance){ 0 }, &out);
	CHECK(out.count == 3 && out.bad == 1 && out.first == 1);
	CHECK(out.max_abs == 1 && out.max_rel == 0.5 && out.max_ulp == 8388608);
	compare_values(TYPE_C64, got, want, 3, &(struct tolerance){ .rtol = 0.1 }, &out);
	CHECK_INT(out.bad, 1);
	compare_values(TYPE_C64, got, want, 3, &(struct tolerance){ .rtol = 0.5 }, &out);
	CHECK_INT(out.bad, 0);
	compare_values(TYPE_C64, (const float[2]){ NAN, 1 }, (const float[2]){ 1, NAN }, 1,
		       &(struct tolerance){ 1, 1e30, 1 }, &out);
	CHECK_INT(out.bad, 1);
}

int main(void)
{
	RUN(test_exact);
	RUN(test_tolerances);
	RUN(test_differences);
	RUN(test_small_floats);
	RUN(test_complex);
	return tap_end();
}
