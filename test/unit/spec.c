/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The grammar of buffers and arguments, and what buffers are filled with. */
#include "spec.h"

#include "fill.h"
#include "tap.h"

/* Parses @text, fills and prints: "1 2 3", or the error's text. */
static const char *made(const char *text)
{
	static char out[512];
	struct spec spec;
	struct err e;
	uint8_t data[256];
	size_t at = 0;

	out[0] = '\0';
	if (spec_parse(text, &spec, &e) ||
	    init_fill(&spec.init, spec.type, spec.shape.count, 1, 0, data, &e)) {
		snprintf(out, sizeof(out), "%s", e.text);
		return out;
	}
	for (uint64_t i = 0; i < spec.shape.count; i++) {
		char value[VALUE_TEXT_SIZE];

		value_format(spec.type, data + i * value_info(spec.type)->size, value);
		at += (size_t)snprintf(out + at, sizeof(out) - at, "%s%s", i ? " " : "",
				       value);
	}
	return out;
}

/* promise: INIT is */
static void test_fill(void)
{
	CHECK_STR(made("i32:4"), "0 0 0 0");
	CHECK_STR(made("i32:4:zero"), "0 0 0 0");
	CHECK_STR(made("u16:2:poison"), "65535 65535");
	CHECK_STR(made("f32:2x2:fill=0.1"), "0.1 0.1 0.1 0.1");
	CHECK_STR(made("f32:4:iota"), "0 1 2 3");
	CHECK_STR(made("i8:4:iota=-2"), "-2 -1 0 1");
	CHECK_STR(made("u64:3:iota=10,-5"), "10 5 0");
	CHECK_STR(made("f64:3:iota=0.5,0.25"), "0.5 0.75 1");
	CHECK_STR(made("u64:2:iota=18446744073709551614"),
		  "18446744073709551614 18446744073709551615");
	CHECK_STR(made("i16:3:list=1,-2,0x10"), "1 -2 16");
	CHECK_STR(made("bool:2:list=true,false"), "true false");
	CHECK_STR(made("u8:4:text=hi"), "104 105 0 0");
	CHECK_STR(made("f32:0"), "");
	CHECK_STR(made("f32:0:fill=1"), "");
	CHECK_STR(made("f32:0:iota"), "");
}

static void test_small_floats(void)
{
	CHECK_STR(made("e4m3:4:iota=14"), "iota=14: e4m3 cannot hold element 3 exactly");
	CHECK_STR(made("e4m3:3:list=-448,0.5,nan"), "-448 0.5 nan");
	CHECK_STR(made("e5m2:2:fill=0.1"), "0.09 0.09");
	CHECK_STR(made("e4m3:2:fill=17"), "e4m3 cannot hold 17 exactly");
	CHECK_STR(made("e4m3:2:list=1,inf"), "list, value 1: e4m3 has no infinity");
	CHECK_STR(made("e4m3:3:iota=0.5,400"), "iota=0.5,400: element 2 is too large for e4m3");
	CHECK_STR(made("f16:3:iota=0.5,40000"), "iota=0.5,40000: element 2 is too large for f16");
	CHECK_STR(made("e5m2:2:randn=100000.0,1"),
		  "randn=100000.0,1: element 0 is too large for e5m2");
	CHECK_STR(made("e4m3:2:rand=1000,1001"),
		  "rand=1000,1001: element 0 is too large for e4m3");
	CHECK_STR(made("e4m3:2:text=a"), "text needs i8 or u8, not e4m3");
	CHECK_STR(made("e4m3:1:poison"), "nan");
}

/* promise: c64 and c128 are complex */
/* promise: Of complex numbers the imaginary part */
static void test_complex(void)
{
	CHECK_STR(made("c64:2:fill=1-2j"), "1-2j 1-2j");
	CHECK_STR(made("c64:3"), "0+0j 0+0j 0+0j");
	CHECK_STR(made("c64:list=1,2j,0.5+infj"), "1+0j 0+2j 0.5+infj");
	CHECK_STR(made("c128:3:iota"), "0+0j 1+0j 2+0j");
	CHECK_STR(made("c64:3:iota=1+1j,2-1j"), "1+1j 3+0j 5-1j");
	CHECK_STR(made("c64:3:iota=0.5,0.5j"), "0.5+0j 0.5+0.5j 0.5+1j");
	CHECK_STR(made("c64:4:iota=0,1+2j,3"), "0+0j 1+2j 2+1j 0+0j");
	CHECK_STR(made("c64:2:iota=16777216"), "iota=16777216: f32 cannot hold element 1 exactly");
	CHECK_STR(made("c64:2:iota=0,1,3j"), "iota=0,1,3j: a modulus needs integers");
	CHECK_STR(made("f32:2:iota=1j"), "iota=1j: f32 is not complex");
	CHECK_STR(made("i32:2:rand=0,1j"), "rand=0,1j: i32 is not complex");
	CHECK_STR(made("c64:2:rand=0,1j"), "rand=0,1j: there is nothing between the two");
	CHECK_STR(made("c64:1:randn=1+2j,0"), "1+2j");
	CHECK_STR(made("c64:list=1,x"), "list, value 1: 'x' is not a number");
	CHECK_STR(made("i32:list=1,2j"), "list, value 1: 2j is complex, i32 is not");
}

static void test_fill_refuses(void)
{
	CHECK_STR(made("u8:300:iota"), "iota: u8 cannot hold element 256 exactly");
	CHECK_STR(made("u8:3:iota=1,-1"), "iota=1,-1: u8 cannot hold element 2 exactly");
	CHECK_STR(made("i32:2:iota=0.5"), "iota=0.5: i32 needs integers");
	CHECK_STR(made("u64:2:iota=18446744073709551615"),
		  "iota=18446744073709551615: u64 cannot hold element 1 exactly");
	CHECK_STR(made("u8:2:fill=256"), "u8 cannot hold 256 exactly");
	CHECK_STR(made("f32:2:list=1"), "list=1: 1 values for 2 elements");
	CHECK_STR(made("f32:2:list=1,x"), "list, value 1: 'x' is not a number");
	CHECK_STR(made("u8:2:text=abc"), "text of 3 bytes for 2 elements");
	CHECK_STR(made("f32:2:text=a"), "text needs i8 or u8, not f32");
	CHECK_STR(made("i32:2:randn"), "randn: i32 is not a float type");
	CHECK_STR(made("f32:2:rand=1,1"), "rand=1,1: there is nothing between the two");
	CHECK_STR(made("i32:2:rand=3,1"), "rand=3,1: there is nothing between the two");
	CHECK_STR(made("i32:2:rand=0,1.5"), "rand=0,1.5: i32 needs integers");
	CHECK_STR(made("u8:2:rand=0,256"), "rand=0,256: u8 cannot hold that");
}

/* promise: SHAPE is */
static void test_spec_refuses(void)
{
	CHECK_STR(made("f33:4"), "unknown type 'f33'");
	CHECK_STR(made("f32"), "'f32' says no shape");
	CHECK_STR(made("f32:"), "f32:: '' is not a size");
	CHECK_STR(made("f32:4x"), "f32:4x: '' is not a size");
	CHECK_STR(made("f32:1x1x1x1x1x1x1x1x1"),
		  "f32:1x1x1x1x1x1x1x1x1: more than 8 dimensions");
	CHECK_STR(made("f32:8Gi:8"), "'8' is no way to fill a buffer");
	CHECK_STR(made("f32:99999999999999999x99999999999"),
		  "f32:99999999999999999x99999999999: 99999999999999999x99999999999 "
		  "elements are "
		  "too many");
	CHECK_STR(made("f32:4:ones"), "'ones' is no way to fill a buffer");
	CHECK_STR(made("f32:4:fill"), "fill needs a value: fill=...");
	CHECK_STR(made("f32:4:fill=1,2"), "fill=1,2: more than 1 value");
	CHECK_STR(made("f32:4:iota=1,2,3,4"), "iota=1,2,3,4: more than 3 values");
	CHECK_STR(made("i32:6:iota=0,1,4"), "0 1 2 3 0 1");
	CHECK_STR(made("i8:4:iota=-1,-3,7"), "6 3 0 4");
	CHECK_STR(made("f32:3:iota=1,7,10"), "1 8 5");
	CHECK_STR(made("i32:3:iota=0,1,0"), "iota=0,1,0: the modulus is not positive");
	CHECK_STR(made("i32:3:iota=0,1,-4"), "iota=0,1,-4: the modulus is not positive");
	CHECK_STR(made("f32:3:iota=0,0.5,2"), "iota=0,0.5,2: a modulus needs integers");
	CHECK_STR(made("u8:3:iota=255,1,1000"), "iota=255,1,1000: u8 cannot hold element 1 exactly");
	CHECK_STR(made("i32:list=4,5"), "4 5");
	CHECK_STR(made("u8:text=AB"), "65 66");
	CHECK_STR(made("f32:4:rand=1"), "rand=1: two values are needed");
	CHECK_STR(made("f32:4:zero=1"), "zero=1: more than 0 values");
	CHECK_STR(made("f32:4:@"), "@ without a file name");
	CHECK_STR(made("@"), "@ without a file name");
}

/* promise: INIT is */
static void test_random(void)
{
	uint8_t first[64], again[64], other[64];
	struct init init;
	float values[64];

	REQUIRE(!init_parse("rand", &init, NULL));
	REQUIRE(!init_fill(&init, TYPE_U8, 64, 1, 0, first, NULL));
	REQUIRE(!init_fill(&init, TYPE_U8, 64, 1, 0, again, NULL));
	CHECK(!memcmp(first, again, 64));
	REQUIRE(!init_fill(&init, TYPE_U8, 64, 2, 0, other, NULL));
	CHECK(memcmp(first, other, 64));
	REQUIRE(!init_fill(&init, TYPE_U8, 64, 1, 1, other, NULL));
	CHECK(memcmp(first, other, 64));
	/* Written down: the generator is part of what a command line means. */
	CHECK_INT(random_bits(1, 0, 0), (long long)0xb18a02f46d8d86c3);
	REQUIRE(!init_parse("rand=-1,1", &init, NULL));
	REQUIRE(!init_fill(&init, TYPE_F32, 64, 1, 0, values, NULL));
	for (int i = 0; i < 64; i++)
		CHECK(values[i] >= -1 && values[i] < 1);
	REQUIRE(!init_parse("rand=3,5", &init, NULL));
	REQUIRE(!init_fill(&init, TYPE_U8, 64, 1, 0, first, NULL));
	for (int i = 0; i < 64; i++)
		CHECK(first[i] >= 3 && first[i] <= 5);
}

/* Both parts lie between the bounds, and differ; of two bounds each has its own. */
/* promise: Of complex numbers the imaginary part */
static void test_random_complex(void)
{
	struct init init;
	float values[128];

	REQUIRE(!init_parse("rand=-1,1", &init, NULL));
	REQUIRE(!init_fill(&init, TYPE_C64, 64, 1, 0, values, NULL));
	for (int i = 0; i < 128; i++)
		CHECK(values[i] >= -1 && values[i] < 1 && (!i || values[i] != values[i - 1]));
	REQUIRE(!init_parse("rand=5j,1+6j", &init, NULL));
	REQUIRE(!init_fill(&init, TYPE_C64, 64, 1, 0, values, NULL));
	for (int i = 0; i < 128; i++)
		CHECK(values[i] >= 5 * (i % 2) && values[i] < 5 * (i % 2) + 1);
}

/* promise: INIT is */
static void test_normal(void)
{
	static double values[4096];
	double sum = 0, squares = 0;
	struct init init;

	REQUIRE(!init_parse("randn=10,2", &init, NULL));
	REQUIRE(!init_fill(&init, TYPE_F64, 4096, 1, 0, values, NULL));
	for (int i = 0; i < 4096; i++) {
		sum += values[i];
		squares += (values[i] - 10) * (values[i] - 10);
	}
	CHECK(sum / 4096 > 9.8 && sum / 4096 < 10.2);
	CHECK(squares / 4096 > 3.6 && squares / 4096 < 4.4);
}

// clang-format off
static const struct {
	const char *text;
	int kind; /* -1: refused */
} arguments[] = {
	{ "i32=1024", ARG_SCALAR },     { "f32=2.0", ARG_SCALAR },
	{ "2.0", ARG_LITERAL },         { "-3", ARG_LITERAL },
	{ "0xff", ARG_LITERAL },        { "inf", ARG_LITERAL },
	{ "true", ARG_LITERAL },        { "x", ARG_BUFFER },
	{ "x+256", ARG_BUFFER },        { "x=f32:4", ARG_DECLARE },
	{ "f32:4:iota", ARG_DECLARE },  { "@x.npy", ARG_DECLARE },
	{ "x=@x.npy", ARG_DECLARE },    { "len:x", ARG_LENGTH },
	{ "sym:count", ARG_SYMBOL },    { "raw:00ff", ARG_RAW },
	{ "raw:@x.bin", ARG_RAW_FILE }, { "null", ARG_NULL },
	{ "memref:x", ARG_BUFFER },     { "memref:x=f32:4", ARG_DECLARE },
	{ "struct:p,i32=1", ARG_STRUCT }, { "ptrs:a,b", ARG_POINTERS },
	{ "pad:4", ARG_PAD },
	{ "memref:f32:4", ARG_DECLARE },
	{ "", -1 },        { "x+", -1 },      { "x+1.5", -1 },   { "x:4", -1 },
	{ "i32=", -1 },    { "i32", -1 },     { "len:", -1 },    { "len:f32", -1 },
	{ "sym:", -1 },    { "raw:0", -1 },   { "raw:xy", -1 },  { "raw:", -1 },
	{ "raw:@", -1 },   { "memref:", -1 }, { "memref:x+4", -1 }, { "iota=f32:4", -1 },
	{ "f16=f32:4", -1 }, { "e4m3:4", ARG_DECLARE }, { "x-4", -1 },    { "1.5.5", -1 },
};
// clang-format on

/* promise: A scalar: */
static void test_arguments(void)
{
	for (size_t i = 0; i < sizeof(arguments) / sizeof(arguments[0]); i++) {
		struct arg arg;
		int status = arg_parse(arguments[i].text, &arg, NULL);

		if ((status ? -1 : (int)arg.kind) != arguments[i].kind)
			printf("# '%s'\n", arguments[i].text);
		CHECK_INT(status ? -1 : (int)arg.kind, arguments[i].kind);
	}
}

/* 63 letters and digits. */
#define LONG "a23456789a23456789a23456789a23456789a23456789a23456789a23456789"

/* promise: Declare a buffer and pass it. */
static void test_declarations(void)
{
	char name[NAME_SIZE];
	struct spec spec;
	struct err e;

	CHECK(!declaration_parse("x=f32:2x3:iota", name, &spec, NULL));
	CHECK_STR(name, "x");
	CHECK_INT(spec.shape.rank, 2);
	CHECK_INT(declaration_parse("f32:4", name, &spec, &e), GPURUN_INVALID);
	CHECK_STR(e.text, "'f32:4' is not NAME=SPEC");
	CHECK_INT(declaration_parse("iota=f32:4", name, &spec, &e), GPURUN_INVALID);
	CHECK_STR(e.text, "'iota' has a meaning of its own and is no name");
	CHECK_INT(declaration_parse("1x=f32:4", name, &spec, &e), GPURUN_INVALID);
	CHECK_STR(e.text, "'1x' is not a name");
	CHECK_INT(declaration_parse(LONG "=f32:4", name, &spec, NULL), 0);
	CHECK_INT(declaration_parse(LONG "a=f32:4", name, &spec, NULL), GPURUN_INVALID);
}

int main(void)
{
	RUN(test_fill);
	RUN(test_small_floats);
	RUN(test_complex);
	RUN(test_fill_refuses);
	RUN(test_spec_refuses);
	RUN(test_random);
	RUN(test_random_complex);
	RUN(test_normal);
	RUN(test_arguments);
	RUN(test_declarations);
	return tap_end();
}
