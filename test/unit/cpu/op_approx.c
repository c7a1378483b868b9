/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* op_approx.h: within the ISA's bounds of the error, and exact at the special values. */
#include "op_approx.h"

#include "op_reference.h"

enum { COUNT = 60000 };

typedef long double ld;

static ld unit_of(ld x) /* of the last place, as f32 */
{
	ld magnitude = fabsl(x);

	return magnitude < 0x1p-126L ? 0x1p-149L : ldexpl(1, ilogbl(magnitude) - 23);
}

/* The worst error in units of the last place over a spread of arguments in [low, high]. */
static ld worst(f32 (*fn)(f32), ld (*exact)(ld), f32 low, f32 high)
{
	ld most = 0;

	for (int i = 0; i < COUNT; i++) {
		f32 x = low + (high - low) * ((f32)i / COUNT);
		ld want = exact(x), error = fabsl(fn(x) - want) / unit_of(want);

		most = error > most ? error : most;
	}
	return most;
}

static ld rsqrt_exact(ld x)
{
	return 1 / sqrtl(x);
}

/* Far inside the bounds: of ex2 2 units, lg2 2^-22, sin and cos 2^-20.5, tanh 2^-11,
 * rsqrt 2^-22.9. A half is the nearest number. */
static void test_accuracy(void)
{
	CHECK(worst(op_ex2_approx_f32, exp2l, -126, 127.9f) < 0.5001L);
	CHECK(worst(op_ex2_approx_f32, exp2l, -149, -126) < 0.5001L);
	CHECK(worst(op_ex2_approx_f32, exp2l, -1, 1) < 0.5001L);
	CHECK(worst(op_lg2_approx_f32, log2l, 0.4f, 0.999f) < 0.5001L);
	CHECK(worst(op_lg2_approx_f32, log2l, 1.001f, 2.5f) < 0.5001L);
	CHECK(worst(op_lg2_approx_f32, log2l, 1e-45f, 1e-38f) < 0.5001L);
	CHECK(worst(op_lg2_approx_f32, log2l, 2, 3e38f) < 0.5001L);
	CHECK(worst(op_sin_approx_f32, sinl, -6.3f, 6.3f) < 0.51L);
	CHECK(worst(op_cos_approx_f32, cosl, -6.3f, 6.3f) < 0.51L);
	CHECK(worst(op_sin_approx_f32, sinl, -315, 315) < 0.6L);
	CHECK(worst(op_cos_approx_f32, cosl, -315, 315) < 0.6L);
	CHECK(worst(op_sin_approx_f32, sinl, 1e-38f, 1e-3f) < 0.51L);
	CHECK(worst(op_tanh_approx_f32, tanhl, -9, 9) < 0.51L);
	CHECK(worst(op_tanh_approx_f32, tanhl, -0.02f, 0.02f) < 0.51L);
	CHECK(worst(op_rsqrt_approx_f32, rsqrt_exact, 1e-38f, 1e-37f) < 0.5001L);
	CHECK(worst(op_rsqrt_approx_f32, rsqrt_exact, 0.1f, 9) < 0.5001L);
}

static void test_large_angles(void)
{
	static const f32 angles[] = { 1e4f, 1e5f, 1048576, 4e6f, -7e5f };

	for (unsigned i = 0; i < sizeof(angles) / sizeof(angles[0]); i++) {
		CHECK(fabsl(op_sin_approx_f32(angles[i]) - sinl(angles[i])) < 0x1p-23L);
		CHECK(fabsl(op_cos_approx_f32(angles[i]) - cosl(angles[i])) < 0x1p-23L);
	}
	for (f32 x = 1e7f; x < 3e38f; x *= 7) {
		CHECK(__builtin_fabsf(op_sin_approx_f32(x)) <= 1);
		CHECK(__builtin_fabsf(op_cos_approx_f32(x)) <= 1);
	}
}

struct special {
	f32 (*fn)(f32);
	const char *name;
	u32 x, want;
};

#define NAN_IN 0x7f812345
#define INF 0x7f800000
#define NEG 0x80000000

/* As an H100 answers. */
static const struct special specials[] = {
	{ op_ex2_approx_f32, "ex2", 0, 0x3f800000 },
	{ op_ex2_approx_f32, "ex2", NEG, 0x3f800000 },
	{ op_ex2_approx_f32, "ex2", INF, INF },
	{ op_ex2_approx_f32, "ex2", NEG | INF, 0 },
	{ op_ex2_approx_f32, "ex2", 0x43000000, INF },
	{ op_ex2_approx_f32, "ex2", 0xc3480000, 0 },
	{ op_ex2_approx_f32, "ex2", 1, 0x3f800000 },
	{ op_ex2_approx_f32, "ex2", NAN_IN, F32_NAN },
	{ op_lg2_approx_f32, "lg2", 0, NEG | INF },
	{ op_lg2_approx_f32, "lg2", NEG, NEG | INF },
	{ op_lg2_approx_f32, "lg2", 0x3f800000, 0 },
	{ op_lg2_approx_f32, "lg2", 1, 0xc3150000 },
	{ op_lg2_approx_f32, "lg2", INF, INF },
	{ op_lg2_approx_f32, "lg2", NEG | 1, F32_NAN },
	{ op_lg2_approx_f32, "lg2", NEG | INF, F32_NAN },
	{ op_lg2_approx_f32, "lg2", NAN_IN, F32_NAN },
	{ op_sin_approx_f32, "sin", NEG, NEG },
	{ op_sin_approx_f32, "sin", INF, F32_NAN },
	{ op_sin_approx_f32, "sin", NAN_IN, F32_NAN },
	{ op_cos_approx_f32, "cos", NEG, 0x3f800000 },
	{ op_cos_approx_f32, "cos", NEG | INF, F32_NAN },
	{ op_tanh_approx_f32, "tanh", NEG, NEG },
	{ op_tanh_approx_f32, "tanh", INF, 0x3f800000 },
	{ op_tanh_approx_f32, "tanh", NEG | INF, 0xbf800000 },
	{ op_tanh_approx_f32, "tanh", 1, 1 },
	{ op_tanh_approx_f32, "tanh", NAN_IN, F32_NAN },
	{ op_rsqrt_approx_f32, "rsqrt", 0, INF },
	{ op_rsqrt_approx_f32, "rsqrt", NEG, NEG | INF },
	{ op_rsqrt_approx_f32, "rsqrt", INF, 0 },
	{ op_rsqrt_approx_f32, "rsqrt", 0xbf800000, F32_NAN },
};

static void test_special_values(void)
{
	for (unsigned i = 0; i < sizeof(specials) / sizeof(specials[0]); i++) {
		const struct special *s = &specials[i];

		CHECK_BITS(s->name, s->x, 0, f32_bits(s->fn(bits_f32(s->x))), s->want);
	}
}

/* Subnormal operands and results, under .ftz. */
static void test_ftz(void)
{
	static const struct special flushing[] = {
		{ op_lg2_approx_f32, "lg2.ftz", 0x007fffff, NEG | INF },
		{ op_lg2_approx_f32, "lg2.ftz", NEG | 1, NEG | INF },
		{ op_ex2_approx_f32, "ex2.ftz", 0xc2ff0000, 0 },
		{ op_ex2_approx_f32, "ex2.ftz", NEG | 1, 0x3f800000 },
		{ op_sin_approx_f32, "sin.ftz", NEG | 0x007fffff, NEG },
		{ op_rsqrt_approx_f32, "rsqrt.ftz", NEG | 1, NEG | INF },
	};
	u32 got[sizeof(flushing) / sizeof(flushing[0])];

	set_rounding(ROUND_RN, true);
	for (unsigned i = 0; i < sizeof(got) / sizeof(got[0]); i++) {
		volatile u32 x = flushing[i].x; /* not for the compiler to compute with */

		got[i] = f32_bits(flushing[i].fn(bits_f32(x)));
	}
	set_rounding(ROUND_RN, false);
	for (unsigned i = 0; i < sizeof(got) / sizeof(got[0]); i++)
		CHECK_BITS(flushing[i].name, flushing[i].x, 0, got[i], flushing[i].want);
}

/* Large divisors: 0, or NaN under infinity. */
static void test_division(void)
{
	f32 inf = __builtin_inff();

	CHECK(op_div_approx_f32(1, 3) == 1.0f / 3);
	CHECK_INT(f32_bits(op_div_approx_f32(0x1p127f, 0x1.8p126f)), 0);
	CHECK_INT(f32_bits(op_div_approx_f32(1, -0x1p127f)), NEG);
	CHECK_INT(f32_bits(op_div_approx_f32(inf, 0x1p127f)), F32_NAN);
	CHECK_INT(f32_bits(op_div_approx_f32(inf, inf)), F32_NAN);
	CHECK_INT(f32_bits(op_div_approx_f32(1, 0)), INF);
	CHECK(op_div_approx_f32(1, 0x1p126f) == 0x1p-126f);
	CHECK(op_div_f32(0x1p127f, 0x1.8p126f) == 2.0f / 1.5f);
}

/* Only the high word goes in and comes out. */
static void test_high_words(void)
{
	static const u64 rows[][2] = {
		{ 0x3ff8000000000000, 0x3fe5555500000000 }, { 0, 0x7ff0000000000000 },
		{ 0x8000000000000001, 0xfff0000000000000 }, { 0x7fefffffffffffff, 0 },
		{ 0x7ff0000000000001, 0 },                  { 0x7ff8000000000000, 0x7fffffff00000000 },
		{ 0x3ff0000012345678, 0x3ff0000000000000 }, { 0xc004000000000000, 0xbfd9999900000000 },
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		CHECK_BITS("rcp.approx.ftz.f64", rows[i][0], 0,
			   f64_bits(op_rcp_approx_ftz_f64(bits_f64(rows[i][0]))), rows[i][1]);
	CHECK_INT(f64_bits(op_rsqrt_approx_ftz_f64(0.5)), 0x3ff6a09e00000000);
	CHECK_INT(f64_bits(op_rsqrt_approx_ftz_f64(-1)), 0x7fffffff00000000);
	CHECK(op_rsqrt_approx_f64(4) == 0.5);
}

static void test_halves(void)
{
	for (u32 h = 0; h < 0x10000; h++) {
		f32 x = f16_to_f32((f16)h), y = bf16_to_f32((bf16)h);

		if (x == x) {
			CHECK_BITS("ex2.f16", h, 0, op_ex2_approx_f16((f16)h),
				   rounded(format_f16, (quad)exp2l(x), ROUND_RN));
			CHECK_BITS("tanh.f16", h, 0, op_tanh_approx_f16((f16)h),
				   rounded(format_f16, (quad)tanhl(x), ROUND_RN));
		}
		if (y == y)
			CHECK_BITS("tanh.bf16", h, 0, op_tanh_approx_bf16((bf16)h),
				   rounded(format_bf16, (quad)tanhl(y), ROUND_RN));
	}
	CHECK_INT(op_ex2_approx_f16(0x7c01), 0x7fff);
	CHECK_INT(op_ex2_approx_ftz_bf16(0xc300), 0); /* 2^-128 */
	CHECK_INT(op_ex2_approx_bf16(0xc300), 0x0020);
}

int main(void)
{
	RUN(test_accuracy);
	RUN(test_large_angles);
	RUN(test_special_values);
	RUN(test_ftz);
	RUN(test_division);
	RUN(test_high_words);
	RUN(test_halves);
	return tap_end();
}
