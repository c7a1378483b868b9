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

static void test_small_and_complex_types(void)
{
	CHECK_STR(told("k(__nv_fp8_e4m3*)", 0, 1), "__nv_fp8_e4m3* -> *e4m3");
	CHECK_STR(told("k(__nv_fp8_e5m2 const*)", 0, 1), "__nv_fp8_e5m2 const* -> *e5m2");
	CHECK_STR(told("k(float2)", 0, 1), "float2 -> c64");
	CHECK_STR(told("k(double2*)", 0, 1), "double2* -> *c128");
	CHECK_STR(told("k(float _Complex*)", 0, 1), "float _Complex* -> *c64");
	CHECK_STR(told("k(std::complex<double>*)", 0, 1), "std::complex<double>* -> *c128");
	CHECK_STR(told("k(thrust::complex<float>*)", 0, 1), "thrust::complex<float>* -> *c64");
	CHECK_STR(told("k(cuda::std::__4::complex<float>, int)", 0, 2),
		  "cuda::std::__4::complex<float> -> c64");
	CHECK_STR(told("k(std::complex<int>*)", 0, 1), "");
	CHECK_STR(told("k(std::vector<std::complex<float>>*)", 0, 1), "");
	CHECK_STR(told("k(std::a<x::complex<float>)", 0, 1), "");
	CHECK_STR(told("k(std::xcomplex<float>)", 0, 1), "");
	CHECK_STR(told("k(my::complex<float>)", 0, 1), "");
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
	CHECK(signature_takes(TYPE_C64, TYPE_F32) && signature_takes(TYPE_C64, TYPE_C64));
	CHECK(!signature_takes(TYPE_F32, TYPE_C64) && !signature_takes(TYPE_C64, TYPE_F64));
	CHECK(!signature_takes(TYPE_U8, TYPE_E4M3) && !signature_takes(TYPE_E5M2, TYPE_E4M3));
	CHECK(!signature_takes(TYPE_I32, TYPE_I64) && signature_takes(TYPE_F64, TYPE_F64));
}

int main(void)
{
	RUN(test_types);
	RUN(test_small_and_complex_types);
	RUN(test_nothing);
	RUN(test_takes);
	return tap_end();
}
