/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* op_float.h against __float128 rounded once, in every direction, flushed and not. */
#include "op_float.h"

#include "op_reference.h"

enum { COUNT = FLOAT_EDGES * FLOAT_EDGES + 20000 };

/* Operands, as arrays so that arithmetic on them happens where it stands. */
static u64 xs[COUNT], ys[COUNT], zs[COUNT], got[COUNT];

static void operands(struct format f)
{
	for (unsigned i = 0; i < COUNT; i++) {
		bool edges = i < FLOAT_EDGES * FLOAT_EDGES;

		xs[i] = float_operand(f, edges ? i / FLOAT_EDGES : i);
		ys[i] = float_operand(f, edges ? i % FLOAT_EDGES : i);
		zs[i] = float_operand(f, edges ? i * 7 % FLOAT_EDGES : i);
	}
}

/* got[i] = @expr of the operands x, y, z of type T, under @mode. */
#define COMPUTE(T, mode, ftz, expr)                                                            \
	do {                                                                                   \
		set_rounding(mode, ftz);                                                       \
		for (unsigned i = 0; i < COUNT; i++) {                                         \
			T x TAP_UNUSED = T##_of(xs[i]), y TAP_UNUSED = T##_of(ys[i]),          \
			  z TAP_UNUSED = T##_of(zs[i]);                                        \
			got[i] = T##_bits(expr);                                               \
		}                                                                              \
		set_rounding(ROUND_RN, false);                                                 \
	} while (0)

static f32 f32_of(u64 bits)
{
	return bits_f32((u32)bits);
}

static f64 f64_of(u64 bits)
{
	return bits_f64(bits);
}

enum operation { ADD, SUB, MUL, DIV, FMA, RCP };
static const char *const names[] = { "add", "sub", "mul", "div", "fma", "rcp" };

static bool invalid(enum operation op, quad x, quad y, quad z)
{
	bool x_infinite = __builtin_isinf((f64)x), y_infinite = __builtin_isinf((f64)y);

	switch (op) {
	case ADD: return x_infinite && y_infinite && x != y;
	case SUB: return x_infinite && y_infinite && x == y;
	case MUL: return (x_infinite && y == 0) || (y_infinite && x == 0);
	case DIV: return (x_infinite && y_infinite) || (x == 0 && y == 0);
	case FMA: return invalid(MUL, x, y, 0) ||
			 ((x_infinite || y_infinite) && invalid(ADD, x * y, z, 0));
	case RCP: return false;
	}
	return false;
}

static quad sum_of(quad x, quad y)
{
	return __builtin_isinf((f64)x) || __builtin_isinf((f64)y) ? x + y : odd_sum(x, y);
}

static quad exact(enum operation op, quad x, quad y, quad z)
{
	switch (op) {
	case ADD: return sum_of(x, y);
	case SUB: return sum_of(x, -y);
	case MUL: return x * y;
	case DIV: return x / y;
	case FMA: return sum_of(x * y, z);
	case RCP: return 1 / x;
	}
	return 0;
}

/* x - x is +0, rounding down -0; but -0 + -0 is -0. */
static u64 want_bits(struct format f, enum operation op, unsigned i, enum rounding mode, bool ftz)
{
	u64 a = ftz ? flushed(f, xs[i]) : xs[i], b = ftz ? flushed(f, ys[i]) : ys[i];
	u64 c = ftz ? flushed(f, zs[i]) : zs[i], bits;
	quad x = value_of(f, a), y = value_of(f, b), z = value_of(f, c), result;
	bool sum = op == ADD || op == SUB || op == FMA, signs_differ;

	if (is_nan(f, a) || (op != RCP && is_nan(f, b)) || (op == FMA && is_nan(f, c)) ||
	    invalid(op, x, y, z))
		return format_sign(f) - 1;
	result = exact(op, x, y, z);
	bits = rounded(f, result, mode);
	signs_differ = op == ADD ? (a ^ b) & format_sign(f)
		     : op == SUB ? !((a ^ b) & format_sign(f))
				 : (a ^ b ^ c) & format_sign(f);
	if (sum && result == 0 && signs_differ)
		bits = mode == ROUND_RM ? format_sign(f) : 0;
	return ftz ? flushed(f, bits) : bits;
}

static void check_all(struct format f, enum operation op, enum rounding mode, bool ftz)
{
	for (unsigned i = 0; i < COUNT; i++) {
		u64 want = want_bits(f, op, i, mode, ftz);

		/* Where the result rounds up to the least normal number, either is right. */
		if (ftz && (want & (format_sign(f) - 1)) == 1ull << f.fraction &&
		    !(got[i] & (format_sign(f) - 1)))
			continue;
		if (f.bits == 32 && is_nan(f, want))
			CHECK_BITS(names[op], xs[i], ys[i], got[i], F32_NAN);
		else
			CHECK_FLOAT(f, names[op], xs[i], ys[i], got[i], want);
	}
}

#define EACH_MODE(mode) for (enum rounding mode = ROUND_RN; mode <= ROUND_RP; mode++)

static void test_f32(void)
{
	operands(format_f32);
	for (int ftz = 0; ftz < 2; ftz++)
		EACH_MODE(mode)
		{
			COMPUTE(f32, mode, ftz, op_add_f32(x, y));
			check_all(format_f32, ADD, mode, ftz);
			COMPUTE(f32, mode, ftz, op_sub_f32(x, y));
			check_all(format_f32, SUB, mode, ftz);
			COMPUTE(f32, mode, ftz, op_mul_f32(x, y));
			check_all(format_f32, MUL, mode, ftz);
			COMPUTE(f32, mode, ftz, op_div_f32(x, y));
			check_all(format_f32, DIV, mode, ftz);
			COMPUTE(f32, mode, ftz, op_rcp_f32(x));
			check_all(format_f32, RCP, mode, ftz);
			COMPUTE(f32, mode, ftz, op_fma_f32(x, y, z));
			check_all(format_f32, FMA, mode, ftz);
		}
}

static void test_f64(void)
{
	operands(format_f64);
	EACH_MODE(mode)
	{
		COMPUTE(f64, mode, false, op_add_f64(x, y));
		check_all(format_f64, ADD, mode, false);
		COMPUTE(f64, mode, false, op_mul_f64(x, y));
		check_all(format_f64, MUL, mode, false);
		COMPUTE(f64, mode, false, op_div_f64(x, y));
		check_all(format_f64, DIV, mode, false);
		COMPUTE(f64, mode, false, op_fma_f64(x, y, z));
		check_all(format_f64, FMA, mode, false);
	}
}

/* Roots are bracketed: the halves between neighbours are exact in a quad, so are squares. */
static void test_sqrt(void)
{
	operands(format_f64);
	COMPUTE(f64, ROUND_RN, false, op_sqrt_f64(x));
	for (unsigned i = 0; i < COUNT; i++) {
		quad x = value_of(format_f64, xs[i]), low, high;

		if (is_nan(format_f64, xs[i]) || x < 0 || __builtin_isinf((f64)x) || x == 0)
			continue;
		low = (value_of(format_f64, got[i] - 1) + value_of(format_f64, got[i])) / 2;
		high = (value_of(format_f64, got[i] + 1) + value_of(format_f64, got[i])) / 2;
		CHECK_BITS("sqrt", xs[i], got[i], low * low < x && x < high * high, 1);
	}
	CHECK_INT(f32_bits(op_sqrt_f32(bits_f32(0x80000000))), 0x80000000);
	CHECK_INT(f32_bits(op_sqrt_f32(-1)), F32_NAN);
	CHECK(op_sqrt_f32(2) == 0x1.6a09e6p0f);
}

/* f32 fma by way of f64 rounds twice; mul and add in a row are not an fma. */
static void test_fma_rounds_once(void)
{
	volatile f32 one = 1, tiny = 0x1p-60f, a = 0x1.000002p0f, half = 0x1p-24f;

	CHECK(op_fma_f32(one, 0x1.000002p0f, half) == 0x1.000004p0f);
	CHECK(op_fma_f32(one, half, one) == 1);
	CHECK(op_fma_f32(half, one + 0x1p-23f, one) == 0x1.000002p0f);
	CHECK(op_fma_f32(one + tiny, half, one) == 1);
	CHECK(op_fma_f32(a, a, -0x1.000004p0f) == 0x1p-46f);
	CHECK(op_add_f32(op_mul_f32(a, a), -0x1.000004p0f) == 0);
	/* 1 + 2^-24 + 2^-60: an f64 holds no 2^-60, and the tie goes to even. */
	CHECK(op_fma_f32(0x1.0p-12f, 0x1.000001p-12f + 0x1p-35f, one) == 0x1.000002p0f);
}

static void test_sat(void)
{
	CHECK_INT(f32_bits(op_add_sat_f32(1, 1)), 0x3f800000);
	CHECK_INT(f32_bits(op_add_sat_f32(-1, -1)), 0);
	CHECK_INT(f32_bits(op_add_sat_f32(__builtin_nanf(""), 1)), 0);
	CHECK_INT(f32_bits(op_mul_sat_f32(-0.0f, 1)), 0);
	CHECK_INT(f32_bits(op_fma_sat_f32(0.5f, 0.5f, 0.5f)), 0x3f400000);
	CHECK_INT(f32_bits(op_sub_sat_f32(__builtin_inff(), 1)), 0x3f800000);
}

/* Numbers win over NaN, -0 is below +0; not minps, which takes the second operand. */
static u64 want_choice(struct format f, u64 a, u64 b, bool max)
{
	quad x = value_of(f, a), y = value_of(f, b);
	bool first;

	if (is_nan(f, a) || is_nan(f, b))
		return is_nan(f, a) ? is_nan(f, b) ? format_sign(f) - 1 : b : a;
	first = x == y ? (a & format_sign(f)) != 0 : x < y;
	return first != max ? a : b;
}

static void test_min_max(void)
{
	operands(format_f32);
	for (unsigned i = 0; i < COUNT; i++) {
		u32 a = (u32)xs[i], b = (u32)ys[i], sign = (a ^ b) & 0x80000000;
		u32 fa = (u32)flushed(format_f32, a), fb = (u32)flushed(format_f32, b);
		bool nan = is_nan(format_f32, a) || is_nan(format_f32, b);
		u64 least = want_choice(format_f32, a, b, false), most = want_choice(format_f32, a, b, true);
		u64 small = want_choice(format_f32, a & INT32_MAX, b & INT32_MAX, false);
		f32 x = bits_f32(a), y = bits_f32(b);

		CHECK_BITS("min", a, b, f32_bits(op_min_f32(x, y)), least);
		CHECK_BITS("max", a, b, f32_bits(op_max_f32(x, y)), most);
		CHECK_BITS("min.NaN", a, b, f32_bits(op_min_nan_f32(x, y)), nan ? F32_NAN : least);
		CHECK_BITS("max.NaN", a, b, f32_bits(op_max_nan_f32(x, y)), nan ? F32_NAN : most);
		CHECK_BITS("min.ftz", a, b, f32_bits(op_min_ftz_f32(x, y)),
			   want_choice(format_f32, fa, fb, false));
		CHECK_BITS("min.xorsign.abs", a, b, f32_bits(op_min_xorsign_abs_f32(x, y)),
			   is_nan(format_f32, small) ? F32_NAN : small | sign);
		CHECK_BITS("max.ftz.NaN.xorsign.abs", a, b, f32_bits(op_max_ftz_nan_xorsign_abs_f32(x, y)),
			   nan ? F32_NAN : want_choice(format_f32, fa & INT32_MAX, fb & INT32_MAX, true) | sign);
	}
	operands(format_f64);
	for (unsigned i = 0; i < COUNT; i++) {
		u64 low = f64_bits(op_min_f64(bits_f64(xs[i]), bits_f64(ys[i])));
		u64 high = f64_bits(op_max_f64(bits_f64(xs[i]), bits_f64(ys[i])));

		CHECK_FLOAT(format_f64, "min", xs[i], ys[i], low, want_choice(format_f64, xs[i], ys[i], false));
		CHECK_FLOAT(format_f64, "max", xs[i], ys[i], high, want_choice(format_f64, xs[i], ys[i], true));
	}
}

static void test_signs(void)
{
	CHECK_INT(f32_bits(op_abs_f32(-0.0f)), 0);
	CHECK_INT(f32_bits(op_neg_f32(0)), 0x80000000);
	CHECK_INT(f32_bits(op_neg_f32(bits_f32(0xffc12345))), F32_NAN);
	CHECK_INT(f32_bits(op_abs_f32(bits_f32(0xff800001))), F32_NAN);
	CHECK_INT(f32_bits(op_neg_ftz_f32(bits_f32(0x807fffff))), 0);
	CHECK_INT(f32_bits(op_abs_ftz_f32(bits_f32(0x007fffff))), 0);
	CHECK_INT(f32_bits(op_neg_f32(bits_f32(1))), 0x80000001);
	CHECK_INT(f32_bits(op_copysign_f32(-1, 2)), 0xc0000000);
	CHECK(op_copysign_f64(1, -2) == 2);
	CHECK(op_abs_f64(-3) == 3);
	CHECK(op_neg_f64(-3) == 3);
}

int main(void)
{
	RUN(test_f32);
	RUN(test_f64);
	RUN(test_sqrt);
	RUN(test_fma_rounds_once);
	RUN(test_sat);
	RUN(test_min_max);
	RUN(test_signs);
	return tap_end();
}
