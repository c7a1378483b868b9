/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Numbers in, bits in memory, text out. */
#include "value.h"

#include <math.h>

#include "tap.h"

static const struct {
	const char *type, *text;
	const char *printed; /* NULL: refused */
} numbers[] = {
	{ "i8", "-128", "-128" },
	{ "i8", "127", "127" },
	{ "i8", "128", NULL },
	{ "i8", "-129", NULL },
	{ "i8", "0xff", "-1" },
	{ "i8", "0x100", NULL },
	{ "u8", "255", "255" },
	{ "u8", "-1", NULL },
	{ "i16", "32Ki", NULL },
	{ "i16", "1K", "1000" },
	{ "u16", "0xFFFF", "65535" },
	{ "i32", "1Mi", "1048576" },
	{ "i32", "-2147483648", "-2147483648" },
	{ "i32", "2147483648", NULL },
	{ "i32", "2.0", NULL },
	{ "i32", "1e3", NULL },
	{ "u32", "4G", "4000000000" },
	{ "u32", "4Gi", NULL },
	{ "i64", "-9223372036854775808", "-9223372036854775808" },
	{ "i64", "9223372036854775808", NULL },
	{ "u64", "18446744073709551615", "18446744073709551615" },
	{ "u64", "18446744073709551616", NULL },
	{ "u64", "0xffffffffffffffff", "18446744073709551615" },
	{ "bool", "true", "true" },
	{ "bool", "0", "false" },
	{ "bool", "2", NULL },
	{ "f32", "2", "2" },
	{ "f32", "2.0", "2" },
	{ "f32", "-0.0", "-0" },
	{ "f32", "0.1", "0.1" },
	{ "f32", "16777216", "16777216" },
	{ "f32", "16777217", NULL },
	{ "f32", "16777217.0", "16777216" },
	{ "f32", "1e39", NULL },
	{ "f32", "inf", "inf" },
	{ "f32", "-inf", "-inf" },
	{ "f32", "nan", "nan" },
	{ "f32", "1e-45", "1e-45" },
	{ "f32", "3.4028235e38", "3.4028235e+38" },
	{ "f32", "0x1p-3", "0.125" },
	{ "f32", "123456.79", "123456.79" },
	{ "f32", "1Ki", "1024" },
	{ "f64", "0.1", "0.1" },
	{ "f64", "0.30000000000000004", "0.30000000000000004" },
	{ "f64", "1e15", "1000000000000000" },
	{ "f64", "1e16", "1e+16" },
	{ "f64", "0.00001", "0.00001" },
	{ "f64", "0.000001", "1e-06" },
	{ "f64", "1.5e-7", "1.5e-07" },
	{ "f64", "-12345.678", "-12345.678" },
	{ "f64", "9007199254740993", NULL },
	{ "f64", "5e-324", "5e-324" },
	{ "f16", "1.5", "1.5" },
	{ "f16", "2048", "2048" },
	{ "f16", "2049", NULL },
	{ "f16", "65504", "65504" },
	{ "f16", "65519.0", "65504" },
	{ "f16", "65520.0", NULL },
	{ "f16", "6e-8", "6e-08" },
	{ "f16", "0.1", "0.1" },
	{ "bf16", "1.0", "1" },
	{ "bf16", "256", "256" },
	{ "bf16", "257", NULL },
	{ "bf16", "3.14", "3.14" },
	{ "bf16", "1e38", "1e+38" },
	{ "e4m3", "448", "448" },
	{ "e4m3", "449", NULL },
	{ "e4m3", "17", NULL },
	{ "e4m3", "17.0", "16" },
	{ "e4m3", "19.0", "20" },
	{ "e4m3", "464.0", "448" },
	{ "e4m3", "464.5", NULL },
	{ "e4m3", "-448", "-448" },
	{ "e4m3", "inf", NULL },
	{ "e4m3", "-inf", NULL },
	{ "e4m3", "nan", "nan" },
	{ "e4m3", "-0", "-0" },
	{ "e4m3", "0.1", "0.1" },
	{ "e4m3", "0.002", "0.002" },
	{ "e5m2", "57344", "57344" },
	{ "e5m2", "57345", NULL },
	{ "e5m2", "61439.0", "57344" },
	{ "e5m2", "61440.0", NULL },
	{ "e5m2", "inf", "inf" },
	{ "e5m2", "nan", "nan" },
	{ "e5m2", "3.3", "3.5" },
	{ "c64", "1+2j", "1+2j" },
	{ "c64", "1-2j", "1-2j" },
	{ "c64", "-1.5e-3-2.5e+4j", "-0.0015-25000j" },
	{ "c64", "2j", "0+2j" },
	{ "c64", "-2j", "0-2j" },
	{ "c64", "1e+2j", "0+100j" },
	{ "c64", "0x1e+2j", "30+2j" },
	{ "c64", "0x1p+3+2j", "8+2j" },
	{ "c64", "7", "7+0j" },
	{ "c64", "-0", "-0+0j" },
	{ "c64", "-0-0j", "-0-0j" },
	{ "c64", "nan+infj", "nan+infj" },
	{ "c64", "0.1+0.2j", "0.1+0.2j" },
	{ "c64", "16777217+0j", NULL },
	{ "c64", "16777217j", NULL },
	{ "c64", "1+1e39j", NULL },
	{ "c64", "1+j", NULL },
	{ "c64", "j", NULL },
	{ "c64", "1+2", NULL },
	{ "c64", "1+2j+3j", NULL },
	{ "c64", "1j2", NULL },
	{ "c64", "1+2i", NULL },
	{ "c64", "1 + 2j", NULL },
	{ "c64", "+-2j", NULL },
	{ "c128", "16777217+0.30000000000000004j", "16777217+0.30000000000000004j" },
	{ "c128", "-2.2250738585072014e-308-2.2250738585072014e-308j",
	  "-2.2250738585072014e-308-2.2250738585072014e-308j" },
	{ "f32", "1+2j", NULL },
	{ "i32", "2j", NULL },
	{ "f32", "", NULL },
	{ "f32", "x", NULL },
	{ "f32", "1.", "1" },
	{ "f32", ".5", "0.5" },
	{ "f32", "1.5Ki", NULL },
	{ "f32", " 1.5", NULL },
	{ "f32", "infinity", NULL },
	{ "f32", "1e", NULL },
	{ "i32", "+7", "7" },
	{ "i32", "--7", NULL },
	{ "i32", "0x", NULL },
	{ "i32", "12x", NULL },
};

/* Stores @text as @type and prints it again; false when it is refused. */
static bool round_trip(const char *type_name, const char *text,
		       char printed[VALUE_TEXT_SIZE])
{
	enum value_type type;
	struct number number;
	uint8_t bits[VALUE_MAX_SIZE];

	if (!value_type_find(type_name, strlen(type_name), &type) ||
	    number_parse(text, strlen(text), &number, NULL) ||
	    number_store(&number, type, bits, NULL))
		return false;
	value_format(type, bits, printed);
	return true;
}

/* promise: TYPE is one of */
static void test_numbers(void)
{
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		char printed[VALUE_TEXT_SIZE] = "";
		bool taken = round_trip(numbers[i].type, numbers[i].text, printed);

		if (taken != !!numbers[i].printed ||
		    (taken && strcmp(printed, numbers[i].printed)))
			printf("# %s=%s: %s\n", numbers[i].type, numbers[i].text,
			       taken ? printed : "refused");
		CHECK(taken == !!numbers[i].printed);
		if (taken && numbers[i].printed)
			CHECK_STR(printed, numbers[i].printed);
	}
}

/* Every half and every bfloat16 prints as something that reads back as it was. */
static void check_all_of(enum value_type type)
{
	for (uint32_t bits = 0; bits < 0x10000; bits++) {
		uint16_t in = (uint16_t)bits, out = 0;
		char text[VALUE_TEXT_SIZE];
		struct number number;

		value_format(type, &in, text);
		REQUIRE(!number_parse(text, strlen(text), &number, NULL));
		REQUIRE(!number_store(&number, type, &out, NULL));
		REQUIRE(in == out || !strcmp(text, "nan"));
	}
}

/* What the formats say: a sign, @exponent bits biased by 2^(@exponent-1)-1, the mantissa. */
static double formula(unsigned bits, unsigned exponent, bool *is_nan)
{
	const unsigned mantissa = 7 - exponent, bias = (1u << (exponent - 1)) - 1;
	const unsigned field = bits >> mantissa & ((1u << exponent) - 1);
	const double fraction = (bits & ((1u << mantissa) - 1)) / (double)(1u << mantissa);
	const bool e4m3 = exponent == 4;
	double real = field ? (1 + fraction) * pow(2, (int)field - (int)bias) :
			      fraction * pow(2, 1 - (int)bias);

	*is_nan = e4m3 ? (bits & 0x7f) == 0x7f : field == 31 && fraction > 0;
	if (!e4m3 && field == 31)
		real = HUGE_VAL;
	return bits & 0x80 ? -real : real;
}

/* Every one is what the formula says, reads back as printed, and by its own number. */
static void check_quarters(enum value_type type, unsigned exponent)
{
	for (unsigned bits = 0; bits < 256; bits++) {
		uint8_t in = (uint8_t)bits, out = 0;
		char text[VALUE_TEXT_SIZE];
		struct number number;
		bool is_nan;
		double want = formula(bits, exponent, &is_nan);
		double real = value_load_double(type, &in);

		REQUIRE(is_nan ? isnan(real) : real == want && !signbit(real) == !signbit(want));
		value_format(type, &in, text);
		REQUIRE(!number_parse(text, strlen(text), &number, NULL));
		REQUIRE(!number_store(&number, type, &out, NULL));
		REQUIRE(in == out || is_nan);
		REQUIRE(value_store_double(type, &out, real) && (in == out || is_nan));
	}
}

/* Numbers between two neighbours go to the nearer one, those in the middle to the even. */
static void check_rounding(enum value_type type, unsigned exponent, unsigned most)
{
	for (unsigned bits = 0; bits < most; bits++) {
		bool is_nan;
		double low = formula(bits, exponent, &is_nan);
		double high = formula(bits + 1, exponent, &is_nan), middle = (low + high) / 2;
		uint8_t out;

		value_store_double(type, &out, nextafter(middle, 0));
		REQUIRE(out == bits);
		value_store_double(type, &out, nextafter(middle, HUGE_VAL));
		REQUIRE(out == bits + 1);
		value_store_double(type, &out, -middle);
		REQUIRE(out == (0x80 | ((bits + 1) & ~1u)));
	}
}

/* promise: e4m3 and e5m2 are floats */
static void test_quarters(void)
{
	uint8_t out;

	check_quarters(TYPE_E4M3, 4);
	check_quarters(TYPE_E5M2, 5);
	check_rounding(TYPE_E4M3, 4, 0x7e);
	check_rounding(TYPE_E5M2, 5, 0x7b);
	value_store_double(TYPE_E4M3, &out, 464);
	CHECK_INT(out, 0x7e);
	value_store_double(TYPE_E4M3, &out, 464.1);
	CHECK_INT(out, 0x7f);
	value_store_double(TYPE_E4M3, &out, -1e300);
	CHECK_INT(out, 0xff);
	value_store_double(TYPE_E4M3, &out, HUGE_VAL);
	CHECK_INT(out, 0x7f);
	value_store_double(TYPE_E5M2, &out, 61440);
	CHECK_INT(out, 0x7c);
	value_store_double(TYPE_E5M2, &out, -HUGE_VAL);
	CHECK_INT(out, 0xfc);
}

static void test_halves(void)
{
	check_all_of(TYPE_F16);
	check_all_of(TYPE_BF16);
}

static void test_rounding_to_nearest_even(void)
{
	uint16_t half;

	value_store_double(TYPE_F16, &half, 2049);
	CHECK_INT(half, 0x6800); /* 2048: a tie goes to the even one */
	value_store_double(TYPE_F16, &half, 2051);
	CHECK_INT(half, 0x6802); /* 2052 */
	value_store_double(TYPE_F16, &half, 65519.9);
	CHECK_INT(half, 0x7bff);
	value_store_double(TYPE_F16, &half, 65520);
	CHECK_INT(half, 0x7c00);
	value_store_double(TYPE_F16, &half, 0x1p-25);
	CHECK_INT(half, 0);
	value_store_double(TYPE_F16, &half, 0x1.8p-25);
	CHECK_INT(half, 1);
	value_store_double(TYPE_BF16, &half, 0x1.01p0);
	CHECK_INT(half, 0x3f80);
	value_store_double(TYPE_BF16, &half, 0x1.03p0);
	CHECK_INT(half, 0x3f82);
}

/* promise: SHAPE is */
static void test_sizes(void)
{
	uint64_t size;
	struct err e;

	CHECK(!size_parse("64Ki", 4, &size, NULL) && size == 65536);
	CHECK(!size_parse("2G", 2, &size, NULL) && size == 2000000000);
	CHECK(!size_parse("128x4", 3, &size, NULL) && size == 128);
	CHECK_INT(size_parse("", 0, &size, &e), GPURUN_INVALID);
	CHECK_INT(size_parse("0x10", 4, &size, &e), GPURUN_INVALID);
	CHECK_INT(size_parse("18446744073709551616", 20, &size, &e), GPURUN_INVALID);
	CHECK_INT(size_parse("99999999999Gi", 13, &size, &e), GPURUN_INVALID);
	size = 7;
	CHECK_INT(size_parse("4k", 2, &size, &e), GPURUN_INVALID);
	CHECK_STR(e.text, "'4k' is not a size");
	CHECK_INT(size, 0); /* what is none leaves nothing of the size before */
}

static void test_messages(void)
{
	struct number number;
	uint8_t bits[VALUE_MAX_SIZE];
	struct err e;

	CHECK_INT(number_parse("12x", 3, &number, &e), GPURUN_INVALID);
	CHECK_STR(e.text, "'12x' is not a number");
	REQUIRE(!number_parse("300", 3, &number, NULL));
	CHECK_INT(number_store(&number, TYPE_U8, bits, &e), GPURUN_INVALID);
	CHECK_STR(e.text, "u8 cannot hold 300 exactly");
	REQUIRE(!number_parse("2.5", 3, &number, NULL));
	CHECK_INT(number_store(&number, TYPE_I32, bits, &e), GPURUN_INVALID);
	CHECK_STR(e.text, "2.5 is not an integer, as i32 needs");
	REQUIRE(!number_parse("1e300", 5, &number, NULL));
	CHECK_INT(number_store(&number, TYPE_F32, bits, &e), GPURUN_INVALID);
	CHECK_STR(e.text, "1e300 is too large for f32");
	REQUIRE(!number_parse("449", 3, &number, NULL));
	CHECK_INT(number_store(&number, TYPE_E4M3, bits, &e), GPURUN_INVALID);
	CHECK_STR(e.text, "e4m3 cannot hold 449 exactly");
	REQUIRE(!number_parse("-inf", 4, &number, NULL));
	CHECK_INT(number_store(&number, TYPE_E4M3, bits, &e), GPURUN_INVALID);
	CHECK_STR(e.text, "e4m3 has no infinity");
	REQUIRE(!number_parse("1+2j", 4, &number, NULL));
	CHECK_INT(number_store(&number, TYPE_F32, bits, &e), GPURUN_INVALID);
	CHECK_STR(e.text, "1+2j is complex, f32 is not");
	CHECK_INT(number_store(&number, TYPE_I32, bits, &e), GPURUN_INVALID);
	CHECK_STR(e.text, "1+2j is complex, i32 is not");
}

int main(void)
{
	RUN(test_numbers);
	RUN(test_halves);
	RUN(test_quarters);
	RUN(test_rounding_to_nearest_even);
	RUN(test_sizes);
	RUN(test_messages);
	return tap_end();
}
