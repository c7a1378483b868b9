/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* op_half.h and op_half2.h: every f16 and bf16 one by one, pairs by chance. */
#include "op_half2.h"

#include "op_reference.h"

enum { PAIRS = 60000 };

static void test_widening(void)
{
	for (u32 h = 0; h < 0x10000; h++) {
		if (is_nan(format_f16, h))
			CHECK_BITS("f16", h, 0, is_nan(format_f32, f32_bits(f16_to_f32((f16)h))), 1);
		else
			CHECK_BITS("f16", h, 0, f32_bits(f16_to_f32((f16)h)),
				   rounded(format_f32, value_of(format_f16, h), ROUND_RN));
		CHECK_BITS("bf16", h, 0, f32_bits(bf16_to_f32((bf16)h)), h << 16);
	}
}

/* Under FTZ and DAZ too: f16 has no part in MXCSR's flushing. */
static void test_widening_ignores_daz(void)
{
	static f32 out[1024];

	set_rounding(ROUND_RN, true);
	for (u32 h = 0; h < 1024; h++)
		out[h] = f16_to_f32((f16)h);
	set_rounding(ROUND_RN, false);
	for (u32 h = 0; h < 1024; h++)
		CHECK(out[h] == (f32)h * 0x1p-24f);
}

#define EACH_HALF(X) X(f16) X(bf16)

#define CHECK_NARROW(H, from, x, mode, value)                                                  \
	CHECK_BITS(#H " of " #from, from##_bits(x), mode, H##_from_##from(x, mode),            \
		   is_nan(format_##from, from##_bits(x)) ? 0x7fff                              \
							 : rounded(format_##H, value, mode))

static void narrow_f32(u32 bits)
{
	f32 x = bits_f32(bits);
	quad value = value_of(format_f32, bits);

	CHECK_NARROW(f16, f32, x, ROUND_RN, value);
	CHECK_NARROW(f16, f32, x, ROUND_RZ, value);
	CHECK_NARROW(f16, f32, x, ROUND_RM, value);
	CHECK_NARROW(f16, f32, x, ROUND_RP, value);
	CHECK_NARROW(bf16, f32, x, ROUND_RN, value);
	CHECK_NARROW(bf16, f32, x, ROUND_RZ, value);
	CHECK_NARROW(bf16, f32, x, ROUND_RM, value);
	CHECK_NARROW(bf16, f32, x, ROUND_RP, value);
}

static void narrow_f64(u64 bits)
{
	f64 x = bits_f64(bits);
	quad value = value_of(format_f64, bits);

	CHECK_NARROW(f16, f64, x, ROUND_RN, value);
	CHECK_NARROW(f16, f64, x, ROUND_RZ, value);
	CHECK_NARROW(f16, f64, x, ROUND_RM, value);
	CHECK_NARROW(f16, f64, x, ROUND_RP, value);
	CHECK_NARROW(bf16, f64, x, ROUND_RN, value);
	CHECK_NARROW(bf16, f64, x, ROUND_RP, value);
}

/* Every half, its neighbours in the wider type, and the ties between halves. */
static void test_narrowing(void)
{
	for (u32 h = 0; h < 0x10000; h += 1 + (h & 6)) {
		u32 wide = f32_bits(f16_to_f32((f16)h)), brain = h << 16;
		u64 twice = f64_bits((f64)f16_to_f32((f16)h));

		for (int step = -1; step <= 1; step++) {
			narrow_f32(wide + step);
			narrow_f32(wide + 0x1000 + step);
			narrow_f32(brain + step);
			narrow_f32(brain + 0x8000 + step);
			narrow_f64(twice + step);
			narrow_f64(twice + (1ull << 41) + step);
		}
	}
	for (u32 tiny = 0x32000000; tiny < 0x39000000; tiny += 0x1357) /* below f16's normals */
		narrow_f32(tiny);
	for (unsigned i = 0; i < PAIRS; i++) {
		narrow_f32((u32)float_operand(format_f32, i));
		narrow_f64(float_operand(format_f64, i));
	}
}

/* NaN, where an operand is; else @exact rounded, flushed before if so asked. */
static u64 want_half(struct format f, const u64 *operands, int count, quad exact, bool ftz)
{
	for (int i = 0; i < count; i++)
		if (is_nan(f, operands[i]))
			return 0x7fff;
	if (exact != exact)
		return 0x7fff;
	if (ftz && exact < power_of_two(format_least(f)) && exact > -power_of_two(format_least(f)))
		return quad_bits(exact) >> 127 ? format_sign(f) : 0;
	return rounded(f, exact, ROUND_RN);
}

static bool any_infinite(quad a, quad b, quad c)
{
	return __builtin_isinf((f64)a) || __builtin_isinf((f64)b) || __builtin_isinf((f64)c);
}

static quad fused(quad a, quad b, quad c)
{
	return any_infinite(a, b, c) ? a * b + c : odd_sum(a * b, c);
}

#define TEST_ARITHMETIC(H)                                                                     \
	static void test_arithmetic_##H(void)                                                  \
	{                                                                                      \
		struct format f = format_##H;                                                  \
		for (unsigned i = 0; i < FLOAT_EDGES * FLOAT_EDGES + PAIRS; i++) {             \
			bool edges = i < FLOAT_EDGES * FLOAT_EDGES;                            \
			u64 v[3] = { float_operand(f, edges ? i / FLOAT_EDGES : i),            \
				     float_operand(f, edges ? i % FLOAT_EDGES : i),            \
				     float_operand(f, edges ? i * 5 % FLOAT_EDGES : i) };      \
			H a = (H)v[0], b = (H)v[1], c = (H)v[2];                               \
			quad x = value_of(f, a), y = value_of(f, b), z = value_of(f, c);       \
			CHECK_BITS("add." #H, a, b, op_add_##H(a, b), want_half(f, v, 2, x + y, false)); \
			CHECK_BITS("sub." #H, a, b, op_sub_##H(a, b), want_half(f, v, 2, x - y, false)); \
			CHECK_BITS("mul." #H, a, b, op_mul_##H(a, b), want_half(f, v, 2, x * y, false)); \
			CHECK_BITS("fma." #H, a, b, op_fma_##H(a, b, c),                       \
				   want_half(f, v, 3, fused(x, y, z), false));                 \
		}                                                                              \
	}
EACH_HALF(TEST_ARITHMETIC)

static void test_ftz(void)
{
	struct format f = format_f16;

	for (unsigned i = 0; i < FLOAT_EDGES * FLOAT_EDGES + PAIRS; i++) {
		bool edges = i < FLOAT_EDGES * FLOAT_EDGES;
		u64 a = float_operand(f, edges ? i / FLOAT_EDGES : i);
		u64 b = float_operand(f, edges ? i % FLOAT_EDGES : i);
		u64 v[2] = { flushed(f, a), flushed(f, b) };
		quad x = value_of(f, v[0]), y = value_of(f, v[1]);

		CHECK_BITS("add.ftz", a, b, op_add_ftz_f16((f16)a, (f16)b), want_half(f, v, 2, x + y, true));
		CHECK_BITS("mul.ftz", a, b, op_mul_ftz_f16((f16)a, (f16)b), want_half(f, v, 2, x * y, true));
	}
	/* Below the least normal number, though it would round up to it. */
	CHECK_INT(op_mul_ftz_f16(0x0400, 0x3bff), 0);
	CHECK_INT(op_fma_ftz_f16(0x3c00, 0x83ff, 0x8000), 0x8000);
	CHECK_INT(op_abs_ftz_f16(0x83ff), 0);
	CHECK_INT(op_neg_ftz_f16(0x03ff), 0x8000);
}

static void test_clamps(void)
{
	CHECK_INT(op_add_sat_f16(0x3c00, 0x3c00), 0x3c00);
	CHECK_INT(op_sub_sat_f16(0x3c00, 0x4000), 0);
	CHECK_INT(op_mul_sat_f16(0x7e00, 0x3c00), 0);
	CHECK_INT(op_fma_sat_f16(0x3800, 0x3800, 0), 0x3400);
	CHECK_INT(op_fma_relu_f16(0x3c00, 0xbc00, 0), 0);
	CHECK_INT(op_fma_relu_f16(0x3c00, 0x3c00, 0x3c00), 0x4000);
	CHECK_INT(op_fma_relu_bf16(0x7fc0, 0x3f80, 0), 0x7fff);
}

static void test_choice_and_signs(void)
{
	CHECK_INT(op_min_f16(0x0000, 0x8000), 0x8000);
	CHECK_INT(op_max_f16(0x8000, 0x0000), 0x0000);
	CHECK_INT(op_min_f16(0x7e00, 0x3c00), 0x3c00);
	CHECK_INT(op_min_nan_f16(0x7e00, 0x3c00), 0x7fff);
	CHECK_INT(op_max_f16(0xfe55, 0x7c01), 0x7fff);
	CHECK_INT(op_max_bf16(0xff80, 0x0001), 0x0001);
	CHECK_INT(op_min_xorsign_abs_f16(0xc000, 0x3c00), 0xbc00);
	CHECK_INT(op_min_xorsign_abs_f16(0x0001, 0xfe55), 0x8001);
	CHECK_INT(op_max_ftz_f16(0x83ff, 0x8001), 0x8000);
	CHECK_INT(op_abs_f16(0xfe55), 0x7fff);
	CHECK_INT(op_neg_bf16(0x7fc0), 0x7fff);
	CHECK_INT(op_neg_f16(0), 0x8000);
}

static void test_pairs(void)
{
	CHECK_INT(op_add_f16x2(0x3c004000, 0x3c003c00), 0x40004200);
	CHECK_INT(op_fma_bf16x2(0x3f804000, 0x40004000, 0x00003f80), 0x400040a0);
	CHECK_INT(op_max_f16x2(0x80003c00, 0x00007e00), 0x00003c00);
	CHECK_INT(op_neg_f16x2(0x3c008000), 0xbc000000);
}

int main(void)
{
	RUN(test_widening);
	RUN(test_widening_ignores_daz);
	RUN(test_narrowing);
	RUN(test_arithmetic_f16);
	RUN(test_arithmetic_bf16);
	RUN(test_ftz);
	RUN(test_clamps);
	RUN(test_choice_and_signs);
	RUN(test_pairs);
	return tap_end();
}
