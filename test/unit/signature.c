/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What C++ signatures tell of parameters. */
#include "signature.h"
#include "tap.h"

/* "float const* -> *f32", or "" where nothing is told. */
static const char *told(const char *signature, size_t index, size_t count)
{
	static char text[128];
	struct signature_param param;

	if (!signature_param(signature, index, count, &param))
		return "";
	snprintf(text, sizeof(text), "%.*s -> %s%s", (int)param.length, param.text,
		 param.pointer ? "*" : "", value_info(param.type)->name);
	return text;
}

static void test_types(void)
{
	const char *vadd = "math::vadd<float, 3>(float const*, double*, int, unsigned long long)";

	CHECK_STR(told(vadd, 0, 4), "float const* -> *f32");
	CHECK_STR(told(vadd, 1, 4), "double* -> *f64");
	CHECK_STR(told(vadd, 2, 4), "int -> i32");
	CHECK_STR(told(vadd, 3, 4), "unsigned long long -> u64");
	CHECK_STR(told("k(__half*)", 0, 1), "__half* -> *f16");
	CHECK_STR(told("k(pair<int, long>, bool)", 1, 2), "bool -> bool");
	CHECK_STR(told("k(int (*)(float, int), char const*)", 1, 2), "char const* -> *i8");
}

static void test_nothing(void)
{
	CHECK_STR(told("vadd", 0, 1), "");
	CHECK_STR(told("", 0, 1), "");
	CHECK_STR(told(")", 0, 1), "");
	CHECK_STR(told("k()", 0, 0), "");
	CHECK_STR(told("k(float*)", 0, 2), "");
	CHECK_STR(told("k(float*)", 1, 1), "");
	CHECK_STR(told("k(void*)", 0, 1), "");
	CHECK_STR(told("k(float4*)", 0, 1), "");
	CHECK_STR(told("k(float**)", 0, 1), "");
	CHECK_STR(told("k(float* const*)", 0, 1), "");
	CHECK_STR(told("k(pair<int, long>)", 0, 1), "");
	CHECK_STR(told("k(a<(1", 0, 1), "");
	CHECK_STR(told("k(>>>)", 0, 1), "");
}

static void test_takes(void)
{
	CHECK(signature_takes(TYPE_I32, TYPE_U32) && signature_takes(TYPE_BOOL, TYPE_U8));
	CHECK(!signature_takes(TYPE_F32, TYPE_I32) && !signature_takes(TYPE_I32, TYPE_F32));
	CHECK(!signature_takes(TYPE_F16, TYPE_BF16) && !signature_takes(TYPE_F32, TYPE_F64));
	CHECK(!signature_takes(TYPE_I32, TYPE_I64) && signature_takes(TYPE_F64, TYPE_F64));
}

int main(void)
{
	RUN(test_types);
	RUN(test_nothing);
	RUN(test_takes);
	return tap_end();
}
