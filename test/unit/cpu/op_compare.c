/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* op_compare.h: every comparison from the four relations that two operands can have. */
#include "op_compare.h"

#include "op_reference.h"

enum relation { LESS, EQUAL, GREATER, UNORDERED };

/* Which relations each comparison is true for, a bit each. */
enum {
	EQ = 1 << EQUAL, NE = 1 << LESS | 1 << GREATER, LT = 1 << LESS, GT = 1 << GREATER,
	LE = LT | EQ, GE = GT | EQ, NAN_ = 1 << UNORDERED, NUM = LT | EQ | GT,
	EQU = EQ | NAN_, NEU = NE | NAN_, LTU = LT | NAN_, LEU = LE | NAN_, GTU = GT | NAN_,
	GEU = GE | NAN_,
};

static enum relation relation_of(struct format f, u64 a, u64 b)
{
	quad x = value_of(f, a), y = value_of(f, b);

	if (is_nan(f, a) || is_nan(f, b))
		return UNORDERED;
	return x < y ? LESS : x == y ? EQUAL : GREATER;
}

#define CHECK_COMPARISON(name, NAME, T, a, b, relation)                                        \
	CHECK_BITS(#name "." #T, a, b, op_##name##_##T(T##_of(a), T##_of(b)), NAME >> (relation) & 1)
#define CHECK_FLOATS(T, a, b, r)                                                               \
	do {                                                                                   \
		CHECK_COMPARISON(eq, EQ, T, a, b, r);                                          \
		CHECK_COMPARISON(ne, NE, T, a, b, r);                                          \
		CHECK_COMPARISON(lt, LT, T, a, b, r);                                          \
		CHECK_COMPARISON(le, LE, T, a, b, r);                                          \
		CHECK_COMPARISON(gt, GT, T, a, b, r);                                          \
		CHECK_COMPARISON(ge, GE, T, a, b, r);                                          \
		CHECK_COMPARISON(equ, EQU, T, a, b, r);                                        \
		CHECK_COMPARISON(neu, NEU, T, a, b, r);                                        \
		CHECK_COMPARISON(ltu, LTU, T, a, b, r);                                        \
		CHECK_COMPARISON(leu, LEU, T, a, b, r);                                        \
		CHECK_COMPARISON(gtu, GTU, T, a, b, r);                                        \
		CHECK_COMPARISON(geu, GEU, T, a, b, r);                                        \
		CHECK_COMPARISON(num, NUM, T, a, b, r);                                        \
		CHECK_COMPARISON(nan, NAN_, T, a, b, r);                                       \
	} while (0)

#define f16_of(bits) ((f16)(bits))
#define bf16_of(bits) ((bf16)(bits))
#define f32_of(bits) bits_f32((u32)(bits))
#define f64_of(bits) bits_f64(bits)

#define TEST_FLOATS(T)                                                                         \
	static void test_##T(void)                                                             \
	{                                                                                      \
		for (unsigned i = 0; i < FLOAT_EDGES * FLOAT_EDGES + 5000; i++) {              \
			bool edges = i < FLOAT_EDGES * FLOAT_EDGES;                            \
			u64 a = float_operand(format_##T, edges ? i / FLOAT_EDGES : i);        \
			u64 b = float_operand(format_##T, edges ? i % FLOAT_EDGES : i);        \
			enum relation r = relation_of(format_##T, a, b);                       \
			CHECK_FLOATS(T, a, b, r);                                              \
		}                                                                              \
	}
TEST_FLOATS(f16)
TEST_FLOATS(bf16)
TEST_FLOATS(f32)
TEST_FLOATS(f64)

/* .ftz compares subnormals as zeros: f32 through MXCSR, f16 in the function. */
static void test_ftz(void)
{
	static volatile u32 tiny = 1;
	static volatile bool equal; /* or the comparison may move out of the mode */

	set_rounding(ROUND_RN, true);
	equal = op_eq_f32(bits_f32(tiny), 0);
	set_rounding(ROUND_RN, false);
	CHECK(equal);
	CHECK(!op_eq_f32(bits_f32(tiny), 0));
	CHECK(op_eq_ftz_f16(0x03ff, 0x8000));
	CHECK(!op_eq_f16(0x03ff, 0x8000));
	CHECK(op_geu_ftz_f16(0x8001, 0x0001));
}

#define CHECK_INTS(T, a, b)                                                                    \
	do {                                                                                   \
		CHECK_BITS("lt." #T, a, b, op_lt_##T((T)a, (T)b), (T)a < (T)b);                \
		CHECK_BITS("le." #T, a, b, op_le_##T((T)a, (T)b), (T)a <= (T)b);               \
		CHECK_BITS("gt." #T, a, b, op_gt_##T((T)a, (T)b), (T)a > (T)b);                \
		CHECK_BITS("ge." #T, a, b, op_ge_##T((T)a, (T)b), (T)a >= (T)b);               \
	} while (0)

static void test_ints(void)
{
	for (unsigned i = 0; i < INT_EDGES * INT_EDGES; i++) {
		u64 a = int_operand(i / INT_EDGES), b = int_operand(i % INT_EDGES);

		CHECK_INTS(s16, a, b);
		CHECK_INTS(u16, a, b);
		CHECK_INTS(s32, a, b);
		CHECK_INTS(u32, a, b);
		CHECK_INTS(s64, a, b);
		CHECK_INTS(u64, a, b);
		CHECK_BITS("eq.b16", a, b, op_eq_b16((b16)a, (b16)b), (b16)a == (b16)b);
		CHECK_BITS("ne.b32", a, b, op_ne_b32((b32)a, (b32)b), (b32)a != (b32)b);
		CHECK_BITS("eq.b64", a, b, op_eq_b64(a, b), a == b);
	}
}

static void test_slct(void)
{
	f32 nan = bits_f32(0x7fc12345);

	CHECK_INT(op_slct_b32_s32(1, 2, 0), 1);
	CHECK_INT(op_slct_b32_s32(1, 2, -1), 2);
	CHECK_INT(op_slct_b64_f32(1, 2, -0.0f), 1);
	CHECK_INT(op_slct_b16_f32(1, 2, nan), 2);
	CHECK_INT(op_slct_b32_f32(1, 2, -1), 2);
	CHECK_INT(f32_bits(op_slct_f32_s32(nan, 0, 1)), 0x7fc12345); /* bits are kept */
}

/* normal is true of zeros, as on hardware. */
static void test_classes(void)
{
	for (unsigned i = 0; i < 5000; i++) {
		u64 bits = float_operand(format_f32, i), infinity = format_infinity(format_f32);
		u64 magnitude = bits & INT32_MAX;
		bool nan = magnitude > infinity, subnormal = is_subnormal(format_f32, bits);
		f32 x = f32_of(bits);

		CHECK_BITS("finite", bits, 0, op_testp_finite_f32(x), magnitude < infinity);
		CHECK_BITS("infinite", bits, 0, op_testp_infinite_f32(x), magnitude == infinity);
		CHECK_BITS("number", bits, 0, op_testp_number_f32(x), !nan);
		CHECK_BITS("notanumber", bits, 0, op_testp_notanumber_f32(x), nan);
		CHECK_BITS("subnormal", bits, 0, op_testp_subnormal_f32(x), subnormal);
		CHECK_BITS("normal", bits, 0, op_testp_normal_f32(x), magnitude < infinity && !subnormal);
	}
	CHECK(op_testp_normal_f64(0) && !op_testp_normal_f64(0x1p-1030));
	CHECK(op_testp_subnormal_f64(-0x1p-1074) && op_testp_infinite_f64(-__builtin_inf()));
}

int main(void)
{
	RUN(test_f16);
	RUN(test_bf16);
	RUN(test_f32);
	RUN(test_f64);
	RUN(test_ftz);
	RUN(test_ints);
	RUN(test_slct);
	RUN(test_classes);
	return tap_end();
}
