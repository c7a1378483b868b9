/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* op_cvt.h: every pair of types, against quads cut, rounded and clamped here. */
#include "op_cvt.h"

#include "op_reference.h"

enum { ROUNDS = 6000 };

typedef __int128 wide;

#define LEAST(T) ((T)-1 < (T)1 ? -((wide)1 << (8 * sizeof(T) - 1)) : 0)
#define GREATEST(T) (LEAST(T) + ((wide)1 << 8 * sizeof(T)) - 1)

static wide clamped(wide x, wide least, wide greatest)
{
	return x < least ? least : x > greatest ? greatest : x;
}

#define INT_TYPES_(X, ...)                                                                     \
	X(s8, __VA_ARGS__) X(u8, __VA_ARGS__) X(s16, __VA_ARGS__) X(u16, __VA_ARGS__)          \
	X(s32, __VA_ARGS__) X(u32, __VA_ARGS__) X(s64, __VA_ARGS__) X(u64, __VA_ARGS__)

#define CHECK_INT_INT(T, S)                                                                    \
	CHECK_BITS("cvt." #T "." #S, (S)x, 0, op_cvt_##T##_##S((S)x), (T)(S)x);                \
	CHECK_BITS("cvt.sat." #T "." #S, (S)x, 0, op_cvt_sat_##T##_##S((S)x),                  \
		   (T)clamped((S)x, LEAST(T), GREATEST(T)));
#define TEST_INT_INT(S)                                                                        \
	static void test_int_##S(void)                                                         \
	{                                                                                      \
		for (unsigned i = 0; i < ROUNDS; i++) {                                        \
			u64 x = int_operand(i);                                                \
			INT_TYPES_(CHECK_INT_INT, S)                                           \
		}                                                                              \
	}
TEST_INT_INT(s8)
TEST_INT_INT(u8)
TEST_INT_INT(s16)
TEST_INT_INT(u16)
TEST_INT_INT(s32)
TEST_INT_INT(u32)
TEST_INT_INT(s64)
TEST_INT_INT(u64)

enum direction { RNI, RZI, RMI, RPI };

/* The integer that @x becomes, saturated to what 128 bits hold. */
static wide integral(quad x, enum direction direction)
{
	quad bound = power_of_two(100), rest;
	wide whole;

	if (x > bound || x < -bound)
		return x > 0 ? (wide)1 << 100 : -((wide)1 << 100);
	whole = (wide)x;
	rest = x - (quad)whole;
	switch (direction) {
	case RZI: return whole;
	case RMI: return whole - (rest < 0);
	case RPI: return whole + (rest > 0);
	case RNI: break;
	}
	if (rest > 0.5 || (rest == 0.5 && (whole & 1)))
		whole++;
	return whole - (rest < -0.5 || (rest == -0.5 && (whole & 1)));
}

/* NaN: 0, but the top bit where the source is f64 or the destination has 64 bits. */
static wide nan_as(size_t size, struct format f)
{
	return f.bits == 64 || size == 8 ? (wide)1 << (8 * size - 1) : 0;
}

#define CHECK_ONE(T, S, mode, MODE)                                                            \
	CHECK_BITS("cvt." #mode "." #T "." #S, bits, 0, op_cvt_##mode##_##T##_##S(S##_of(bits)), \
		   (T)(is_nan(format_##S, bits)                                                \
			       ? nan_as(sizeof(T), format_##S)                                 \
			       : clamped(integral(value_of(format_##S, bits), MODE), LEAST(T), \
					 GREATEST(T))));
#define CHECK_TO_INT(T, S)                                                                     \
	CHECK_ONE(T, S, rni, RNI) CHECK_ONE(T, S, rzi, RZI) CHECK_ONE(T, S, rmi, RMI)          \
	CHECK_ONE(T, S, rpi, RPI)

#define f16_of(bits) ((f16)(bits))
#define bf16_of(bits) ((bf16)(bits))
#define f32_of(bits) bits_f32((u32)(bits))
#define f64_of(bits) bits_f64(bits)

/* Around every limit, with fractions; halves: all of them. */
#define TEST_TO_INT(S, T)                                                                      \
	static void test_##T##_from_##S(void)                                                  \
	{                                                                                      \
		struct format f = format_##S;                                                  \
		for (unsigned i = 0; i < ROUNDS; i++) {                                        \
			u64 bits = float_operand(f, i);                                        \
			CHECK_TO_INT(T, S)                                                     \
		}                                                                              \
		for (int e = -2; e < 66; e++)                                                  \
			for (int step = 0; step < 24; step++) {                                \
				quad x = power_of_two(e) + (quad)(step % 12 - 6) / 4;          \
				u64 bits = rounded(f, step < 12 ? x : -x, ROUND_RN);           \
				CHECK_TO_INT(T, S)                                             \
			}                                                                      \
	}
#define TEST_TO_INTS(T) TEST_TO_INT(f32, T) TEST_TO_INT(f64, T) TEST_TO_INT(f16, T) TEST_TO_INT(bf16, T)
TEST_TO_INTS(s8)
TEST_TO_INTS(u8)
TEST_TO_INTS(s16)
TEST_TO_INTS(u16)
TEST_TO_INTS(s32)
TEST_TO_INTS(u32)
TEST_TO_INTS(s64)
TEST_TO_INTS(u64)

/* Rounded by MXCSR: computed as a row, so that nothing moves out of the mode. */
#define TEST_FROM_INT(T)                                                                       \
	static void from_##T(enum rounding mode)                                               \
	{                                                                                      \
		static T x[ROUNDS];                                                            \
		static f32 narrow[ROUNDS];                                                     \
		static f64 double_[ROUNDS];                                                    \
		for (unsigned i = 0; i < ROUNDS; i++)                                          \
			x[i] = (T)int_operand(i);                                              \
		set_rounding(mode, false);                                                     \
		for (unsigned i = 0; i < ROUNDS; i++) {                                        \
			narrow[i] = op_cvt_f32_##T(x[i]);                                      \
			double_[i] = op_cvt_f64_##T(x[i]);                                     \
		}                                                                              \
		set_rounding(ROUND_RN, false);                                                 \
		for (unsigned i = 0; i < ROUNDS; i++) {                                        \
			CHECK_BITS("cvt.f32." #T, x[i], mode, f32_bits(narrow[i]),             \
				   rounded(format_f32, (quad)x[i], mode));                     \
			CHECK_BITS("cvt.f64." #T, x[i], mode, f64_bits(double_[i]),            \
				   rounded(format_f64, (quad)x[i], mode));                     \
		}                                                                              \
	}                                                                                      \
	static void test_from_##T(void)                                                        \
	{                                                                                      \
		for (enum rounding mode = ROUND_RN; mode <= ROUND_RP; mode++)                  \
			from_##T(mode);                                                        \
		for (unsigned i = 0; i < ROUNDS; i++) {                                        \
			T a = (T)int_operand(i);                                               \
			quad x = (quad)a;                                                      \
			CHECK_BITS("rn.f16", a, 0, op_cvt_rn_f16_##T(a), rounded(format_f16, x, ROUND_RN)); \
			CHECK_BITS("rz.f16", a, 0, op_cvt_rz_f16_##T(a), rounded(format_f16, x, ROUND_RZ)); \
			CHECK_BITS("rm.f16", a, 0, op_cvt_rm_f16_##T(a), rounded(format_f16, x, ROUND_RM)); \
			CHECK_BITS("rp.f16", a, 0, op_cvt_rp_f16_##T(a), rounded(format_f16, x, ROUND_RP)); \
			CHECK_BITS("rn.bf16", a, 0, op_cvt_rn_bf16_##T(a), rounded(format_bf16, x, ROUND_RN)); \
			CHECK_BITS("rz.bf16", a, 0, op_cvt_rz_bf16_##T(a), rounded(format_bf16, x, ROUND_RZ)); \
			CHECK_BITS("rp.bf16", a, 0, op_cvt_rp_bf16_##T(a), rounded(format_bf16, x, ROUND_RP)); \
		}                                                                              \
	}
TEST_FROM_INT(s8)
TEST_FROM_INT(u8)
TEST_FROM_INT(s16)
TEST_FROM_INT(u16)
TEST_FROM_INT(s32)
TEST_FROM_INT(u32)
TEST_FROM_INT(s64)
TEST_FROM_INT(u64)

/* The sign of a result that is zero is that of the source. */
static u64 integral_bits(struct format f, u64 bits, enum direction direction)
{
	quad x = value_of(f, bits);
	wide whole = integral(x, direction);

	if (is_nan(f, bits) || x > power_of_two(60) || x < -power_of_two(60))
		return bits;
	return whole ? rounded(f, (quad)whole, ROUND_RN) : bits & format_sign(f);
}

#define CHECK_INTEGRAL(S, mode, MODE)                                                          \
	CHECK_FLOAT(format_##S, "cvt." #mode "." #S, bits, 0,                                  \
		    (u64)S##_raw(op_cvt_##mode##_##S##_##S(S##_of(bits))),                     \
		    integral_bits(format_##S, bits, MODE));
#define f16_raw(x) (x)
#define f32_raw(x) f32_bits(x)
#define f64_raw(x) f64_bits(x)
#define TEST_INTEGRAL(S)                                                                       \
	static void test_integral_##S(void)                                                    \
	{                                                                                      \
		for (unsigned i = 0; i < 4 * ROUNDS; i++) {                                    \
			u64 bits = float_operand(format_##S, i);                               \
			CHECK_INTEGRAL(S, rni, RNI)                                            \
			CHECK_INTEGRAL(S, rzi, RZI)                                            \
			CHECK_INTEGRAL(S, rmi, RMI)                                            \
			CHECK_INTEGRAL(S, rpi, RPI)                                            \
		}                                                                              \
	}
TEST_INTEGRAL(f16)
TEST_INTEGRAL(f32)
TEST_INTEGRAL(f64)

static void test_narrowing_f64(void)
{
	static f64 x[ROUNDS];
	static f32 got[ROUNDS];

	for (enum rounding mode = ROUND_RN; mode <= ROUND_RP; mode++) {
		for (unsigned i = 0; i < ROUNDS; i++)
			x[i] = bits_f64(float_operand(format_f64, i));
		set_rounding(mode, false);
		for (unsigned i = 0; i < ROUNDS; i++)
			got[i] = op_cvt_f32_f64(x[i]);
		set_rounding(ROUND_RN, false);
		for (unsigned i = 0; i < ROUNDS; i++)
			CHECK_FLOAT(format_f32, "cvt.f32.f64", f64_bits(x[i]), (u64)mode, (u64)f32_bits(got[i]),
				    is_nan(format_f64, f64_bits(x[i]))
					    ? F32_NAN
					    : rounded(format_f32, (quad)x[i], mode));
	}
}

/* f32's .ftz does not reach f16 results, but does bf16's. */
static void test_subnormals(void)
{
	CHECK_INT(op_cvt_rp_f16_f32(bits_f32(1)), 1);
	CHECK_INT(op_cvt_rp_bf16_f32(bits_f32(1)), 1);
	CHECK_INT(op_cvt_rp_ftz_bf16_f32(bits_f32(1)), 0);
	CHECK_INT(f32_bits(op_cvt_ftz_f32_f32(bits_f32(0x80000001))), 0x80000000);
	CHECK_INT(f32_bits(op_cvt_ftz_f32_bf16(0x8001)), 0x80000000);
	CHECK_INT(f32_bits(op_cvt_f32_bf16(0x8001)), 0x80010000);
	CHECK(op_cvt_f32_f16(0x8001) == -0x1p-24f);
}

static void test_clamps(void)
{
	f32 nan = __builtin_nanf("");

	CHECK_INT(f32_bits(op_cvt_sat_f32_f32(nan)), 0);
	CHECK(op_cvt_sat_f32_s32(-7) == 0 && op_cvt_sat_f32_u64(7) == 1);
	CHECK(op_cvt_sat_f64_f64(-0.5) == 0 && op_cvt_sat_f64_f32(0.5f) == 0.5);
	CHECK_INT(op_cvt_rn_sat_f16_f32(2), 0x3c00);
	CHECK_INT(op_cvt_rn_sat_f16_f64((f64)nan), 0);
	CHECK_INT(op_cvt_rn_relu_f16_f32(-1), 0);
	CHECK_INT(op_cvt_rn_relu_f16_f32(nan), 0x7fff);
	CHECK_INT(op_cvt_rn_f16_f32(65520), 0x7c00);
	CHECK_INT(op_cvt_rn_satfinite_f16_f32(65520), 0x7bff);
	CHECK_INT(op_cvt_rn_satfinite_bf16_f32(-__builtin_inff()), 0xff7f);
	CHECK_INT(op_cvt_rn_relu_satfinite_f16_f32(-__builtin_inff()), 0);
	CHECK_INT(op_cvt_rz_f16_f32(1e9f), 0x7bff);
}

/* The first operand is the upper half. */
static void test_pairs(void)
{
	CHECK_INT(op_cvt_rn_f16x2_f32(1, 2), 0x3c004000);
	CHECK_INT(op_cvt_rn_bf16x2_f32(1, 2), 0x3f804000);
	CHECK_INT(op_cvt_rn_relu_f16x2_f32(-1, 2), 0x00004000);
	CHECK_INT(op_cvt_pack_sat_u16_s32(70000, -1), 0xffff0000);
	CHECK_INT(op_cvt_pack_sat_s16_s32(-40000, 5), 0x80000005);
	CHECK_INT(op_cvt_pack_sat_u8_s32_b32(300, 7, 0xabcd1234), 0x1234ff07);
	CHECK_INT(op_cvt_pack_sat_s4_s32_b32(-9, 9, 1), 0x187);
}

static void test_tf32(void)
{
	CHECK_INT(op_cvt_rna_tf32_f32(bits_f32(0x3f801000)), 0x3f802000);
	CHECK_INT(op_cvt_rn_tf32_f32(bits_f32(0x3f801000)), 0x3f800000);
	CHECK_INT(op_cvt_rn_tf32_f32(bits_f32(0x3f803000)), 0x3f804000);
	CHECK_INT(op_cvt_rz_tf32_f32(bits_f32(0x3f801fff)), 0x3f800000);
	CHECK_INT(op_cvt_rna_tf32_f32(__builtin_inff()), 0x7f800000);
	CHECK_INT(op_cvt_rz_relu_tf32_f32(-1), 0);
}

#define RUN_TO_INT(T, ...)                                                                     \
	RUN(test_##T##_from_f16);                                                              \
	RUN(test_##T##_from_bf16);                                                             \
	RUN(test_##T##_from_f32);                                                              \
	RUN(test_##T##_from_f64);
#define RUN_INT(T, ...)                                                                        \
	RUN(test_int_##T);                                                                     \
	RUN(test_from_##T);

int main(void)
{
	INT_TYPES_(RUN_INT, )
	INT_TYPES_(RUN_TO_INT, )
	RUN(test_integral_f16);
	RUN(test_integral_f32);
	RUN(test_integral_f64);
	RUN(test_narrowing_f64);
	RUN(test_subnormals);
	RUN(test_clamps);
	RUN(test_pairs);
	RUN(test_tf32);
	return tap_end();
}
