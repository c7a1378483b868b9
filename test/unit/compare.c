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

int main(void)
{
	RUN(test_exact);
	RUN(test_tolerances);
	RUN(test_differences);
	return tap_end();
}
