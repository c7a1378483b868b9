/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* op_int.h against 128-bit arithmetic and, for division, the definition. */
#include "op_int.h"

#include <fenv.h>

#include "op_reference.h"

typedef __int128 wide;

enum { ROUNDS = 20000 };

/* Every pair of edges, then random ones. */
#define EACH_PAIR(a, b)                                                                        \
	for (unsigned i = 0; i < INT_EDGES * INT_EDGES + ROUNDS; i++)                          \
		for (u64 a = int_operand(i < INT_EDGES * INT_EDGES ? i / INT_EDGES : i),       \
			 b = int_operand(i < INT_EDGES * INT_EDGES ? i % INT_EDGES : i), once = 1; \
		     once; once = 0)

#define TEST_ARITHMETIC(T)                                                                     \
	static void test_##T(void)                                                             \
	{                                                                                      \
		EACH_PAIR(x, y)                                                                \
		{                                                                              \
			T a = (T)x, b = (T)y, c = (T)(x * 31 + y);                             \
			wide p = (wide)a * b, high = p >> 8 * sizeof(T);                       \
			CHECK_BITS("add_" #T, a, b, op_add_##T(a, b), (T)((wide)a + b));       \
			CHECK_BITS("sub_" #T, a, b, op_sub_##T(a, b), (T)((wide)a - b));       \
			CHECK_BITS("mul_lo_" #T, a, b, op_mul_lo_##T(a, b), (T)p);             \
			CHECK_BITS("mul_hi_" #T, a, b, op_mul_hi_##T(a, b), (T)high);          \
			CHECK_BITS("mad_lo_" #T, a, b, op_mad_lo_##T(a, b, c), (T)((u64)p + (u64)c)); \
			CHECK_BITS("mad_hi_" #T, a, b, op_mad_hi_##T(a, b, c), (T)(high + c)); \
			CHECK_BITS("min_" #T, a, b, op_min_##T(a, b), a < b ? a : b);          \
			CHECK_BITS("max_" #T, a, b, op_max_##T(a, b), a < b ? b : a);          \
			CHECK_BITS("sad_" #T, a, b, op_sad_##T(a, b, c),                       \
				   (T)(c + (a < b ? (wide)b - a : (wide)a - b)));              \
		}                                                                              \
	}
TEST_ARITHMETIC(s16)
TEST_ARITHMETIC(u16)
TEST_ARITHMETIC(s32)
TEST_ARITHMETIC(u32)
TEST_ARITHMETIC(s64)

/* The product of two u64 needs an unsigned type of its own. */
static void test_u64(void)
{
	EACH_PAIR(a, b)
	{
		unsigned __int128 p = (unsigned __int128)a * b;

		CHECK_BITS("mul_hi_u64", a, b, op_mul_hi_u64(a, b), p >> 64);
		CHECK_BITS("mul_lo_u64", a, b, op_mul_lo_u64(a, b), p);
		CHECK_BITS("mad_hi_u64", a, b, op_mad_hi_u64(a, b, 5), (p >> 64) + 5);
		CHECK_BITS("min_u64", a, b, op_min_u64(a, b), a < b ? a : b);
		CHECK_BITS("sad_u64", a, b, op_sad_u64(a, b, 1), (a < b ? b - a : a - b) + 1);
	}
}

#define TEST_WIDE(T, W)                                                                        \
	static void test_wide_##T(void)                                                        \
	{                                                                                      \
		EACH_PAIR(x, y)                                                                \
		{                                                                              \
			T a = (T)x, b = (T)y;                                                  \
			W c = (W)(x ^ y << 7);                                                 \
			CHECK_BITS("mul_wide_" #T, a, b, op_mul_wide_##T(a, b), (W)((wide)a * b)); \
			CHECK_BITS("mad_wide_" #T, a, b, op_mad_wide_##T(a, b, c),             \
				   (W)((wide)a * b + c));                                      \
		}                                                                              \
	}
TEST_WIDE(s16, s32)
TEST_WIDE(u16, u32)
TEST_WIDE(s32, s64)
TEST_WIDE(u32, u64)

/* Also: what would trap on the host (x / 0, INT_MIN / -1) does not. */
#define TEST_DIVISION(T)                                                                       \
	static void test_division_##T(void)                                                    \
	{                                                                                      \
		EACH_PAIR(x, y)                                                                \
		{                                                                              \
			T a = (T)x, b = (T)y;                                                  \
			T quotient = b ? (T)((wide)a / b) : (T)-1;                             \
			T remainder = b ? (T)((wide)a % b) : (T)-1;                            \
			CHECK_BITS("div_" #T, a, b, op_div_##T(a, b), quotient);               \
			CHECK_BITS("rem_" #T, a, b, op_rem_##T(a, b), remainder);              \
		}                                                                              \
	}
TEST_DIVISION(s16)
TEST_DIVISION(u16)
TEST_DIVISION(s32)
TEST_DIVISION(u32)
TEST_DIVISION(s64)
TEST_DIVISION(u64)

/* Quotients just below, at and just above an integer: the f64 must not get there too early. */
static void check_exact(void)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		u32 b = (u32)random_bits() >> random_bits() % 31 | 1, q = (u32)random_bits() / b;
		s32 low = (s32)b < 0 ? 7 : (s32)b;

		for (u32 a = q * b - 1, n = 0; n < 3; n++, a++) {
			CHECK_BITS("div_u32", a, b, op_div_u32(a, b), a / b);
			CHECK_BITS("rem_u32", a, b, op_rem_u32(a, b), a % b);
			CHECK_BITS("div_s32", a, low, op_div_s32((s32)a, low), (s32)a / low);
			CHECK_BITS("div_s32", a, -low, op_div_s32((s32)a, -low),
				   (s32)((wide)(s32)a / -low));
		}
	}
}

/* Handlers of integers leave the rounding as the one before them had it. */
static void test_division_is_exact(void)
{
	static const int modes[] = { FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO, FE_TONEAREST };

	for (unsigned i = 0; i < 4; i++) {
		CHECK_INT(fesetround(modes[i]), 0);
		check_exact();
	}
}

static void test_signs(void)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		s64 a = (s64)int_operand(i);

		CHECK_BITS("neg_s16", a, 0, op_neg_s16((s16)a), (s16)-(wide)(s16)a);
		CHECK_BITS("neg_s64", a, 0, op_neg_s64(a), (s64)-(wide)a);
		CHECK_BITS("abs_s32", a, 0, op_abs_s32((s32)a),
			   (s32)((s32)a < 0 ? -(wide)(s32)a : (wide)(s32)a));
	}
	CHECK_INT(op_abs_s32(INT32_MIN), INT32_MIN);
	CHECK_INT(op_neg_s16(INT16_MIN), INT16_MIN);
}

static s32 clamp32(wide x)
{
	return x < INT32_MIN ? INT32_MIN : x > INT32_MAX ? INT32_MAX : (s32)x;
}

static void test_saturation(void)
{
	EACH_PAIR(x, y)
	{
		s32 a = (s32)x, b = (s32)y, low = (s32)(x << 8) >> 8, high = (s32)(y << 8) >> 8;
		wide p = (wide)low * high;

		CHECK_BITS("add_sat", a, b, op_add_sat_s32(a, b), clamp32((wide)a + b));
		CHECK_BITS("sub_sat", a, b, op_sub_sat_s32(a, b), clamp32((wide)a - b));
		CHECK_BITS("mad_hi_sat", a, b, op_mad_hi_sat_s32(a, b, a),
			   clamp32(((wide)a * b >> 32) + a));
		CHECK_BITS("mad24_hi_sat", a, b, op_mad24_hi_sat_s32(a, b, b),
			   clamp32((s32)(p >> 16) + (wide)b));
		CHECK_BITS("mul24_lo", a, b, op_mul24_lo_s32(a, b), (s32)p);
		CHECK_BITS("mul24_hi", a, b, op_mul24_hi_s32(a, b), (s32)(p >> 16));
		CHECK_BITS("min_relu", a, b, op_min_relu_s32(a, b), a < 0 || b < 0 ? 0 : a < b ? a : b);
	}
	CHECK_INT(op_mul24_lo_u32(0xff000003, 5), 15);
	CHECK_INT(op_mad24_hi_u32(0xffffff, 0xffffff, 1), (0xfffffe000001 >> 16 & 0xffffffff) + 1);
}

static void test_dot(void)
{
	CHECK_INT((s32)op_dp4a_s32_s32(0x80ff017f, 0x80ff017f, 10), 16384 + 1 + 1 + 16129 + 10);
	CHECK_INT((s32)op_dp4a_u32_u32(0x80ff017f, 0x80ff017f, 10), 16384 + 65025 + 1 + 16129 + 10);
	CHECK_INT((s32)op_dp4a_s32_u32(0xff000000, 0xff000000, 0), -255);
	CHECK_INT((s32)op_dp4a_u32_s32(0xff000000, 0xff000000, 0), -255);
	CHECK_INT((s32)op_dp2a_lo_s32_s32(0x8000ffff, 0x7f7fff02, 1), 32768 - 2 + 1);
	CHECK_INT((s32)op_dp2a_hi_s32_s32(0x8000ffff, 0x7f7fff02, 1), -32768 * 127 - 127 + 1);
	CHECK_INT((s32)op_dp2a_hi_u32_s32(0x8000ffff, 0xff7fff02, 1), -32768 + 65535 * 127 + 1);
}

/* A chain over two words is arithmetic on one twice as wide. */
static void test_carry(void)
{
	EACH_PAIR(a, b)
	{
		u32 al = (u32)a, ah = (u32)(a >> 32), bl = (u32)b, bh = (u32)(b >> 32);
		u32 low = op_addc_u32(al, bl, 0), carry = op_addc_carry_u32(al, bl, 0);
		u64 sum = (u64)op_addc_u32(ah, bh, carry) << 32 | low;
		u32 under = op_sub_first_u32(al, bl, 0);
		u32 kept = op_sub_first_carry_u32(al, bl, 0); /* 0 after a borrow */
		u64 difference = (u64)op_subc_u32(ah, bh, kept) << 32 | under;

		CHECK_BITS("add.cc, addc", a, b, sum, a + b);
		CHECK_BITS("addc.cc", a, b, op_addc_carry_u32(ah, bh, carry),
			   ((unsigned __int128)a + b) >> 64);
		CHECK_BITS("sub.cc, subc", a, b, difference, a - b);
		CHECK_BITS("subc.cc", a, b, op_subc_carry_u32(ah, bh, kept), a >= b);
		CHECK_BITS("madc.lo", a, b, op_madc_lo_u32(al, bl, ah, 1), al * bl + ah + 1);
		CHECK_BITS("madc.lo.cc", a, b, op_madc_lo_carry_u32(al, bl, ah, 1),
			   ((u64)(al * bl) + ah + 1) >> 32);
		CHECK_BITS("madc.hi.cc", a, b, op_madc_hi_carry_s32((s32)al, (s32)bl, ah, 1),
			   ((u64)(u32)((s64)(s32)al * (s32)bl >> 32) + ah + 1) >> 32);
	}
	CHECK_INT(op_addc_carry_u64(UINT64_MAX, 0, 1), 1);
	CHECK_INT(op_addc_carry_u64(UINT64_MAX, UINT64_MAX, 1), 1);
	CHECK_INT(op_subc_carry_u64(0, UINT64_MAX, 0), 0);
	CHECK_INT(op_subc_carry_u64(5, 5, 1), 1);
	CHECK_INT(op_subc_carry_u64(5, 5, 0), 0);
}

static void test_halves(void)
{
	CHECK_INT(op_add_u16x2(0xffff0001, 0x0001ffff), 0);
	CHECK_INT(op_min_s16x2(0x8000ffff, 0x00010001), 0x8000ffff);
	CHECK_INT(op_max_u16x2(0x8000ffff, 0x00010001), 0x8000ffff);
	CHECK_INT(op_max_relu_s16x2(0x80007fff, 0xffff0001), 0x00007fff);
	CHECK_INT(op_min_relu_s16x2(0x00057fff, 0x0006ffff), 0x00050000);
}

int main(void)
{
	RUN(test_s16);
	RUN(test_u16);
	RUN(test_s32);
	RUN(test_u32);
	RUN(test_s64);
	RUN(test_u64);
	RUN(test_wide_s16);
	RUN(test_wide_u16);
	RUN(test_wide_s32);
	RUN(test_wide_u32);
	RUN(test_division_s16);
	RUN(test_division_u16);
	RUN(test_division_s32);
	RUN(test_division_u32);
	RUN(test_division_s64);
	RUN(test_division_u64);
	RUN(test_division_is_exact);
	RUN(test_signs);
	RUN(test_saturation);
	RUN(test_dot);
	RUN(test_carry);
	RUN(test_halves);
	return tap_end();
}
