/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What kernels call: recursion, pointers to functions, libm, the heap, strings, wide integers. */
#include <complex.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"

#pragma omp declare target
typedef int operation(int, int);
static int add(int a, int b) { return a + b; }
static int multiply(int a, int b) { return a * b; }
static int ackermann(int m, int n)
{
	return !m ? n + 1 : !n ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
__attribute__((noinline)) static int fold(operation *op, const int *values, int count)
{
	int result = values[0];

	for (int i = 1; i < count; i++)
		result = op(result, values[i]);
	return result;
}
static int upward(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}
#pragma omp end declare target

static double near(double got, double want)
{
	return fabs(got - want) <= 4e-15 * fabs(want);
}

static void test_calls(void)
{
	int values[] = { 7, 3, 9, 2, 5 }, results[5];

#pragma omp target map(to : values) map(from : results)
	{
		int array[values[0]];

		for (int i = 0; i < values[0]; i++)
			array[i] = i;
		results[0] = fold(add, values, 5);
		results[1] = fold(values[0] > 5 ? multiply : add, values, 5);
		results[2] = ackermann(2, 3);
		results[3] = array[values[0] - 1];
		results[4] = __builtin_popcount(values[2]) + __builtin_clz(values[3]) + __builtin_ffs(8);
	}
	expect("a sum through a pointer", results[0], 26);
	expect("a product through a pointer", results[1], 1890);
	expect("ackermann(2, 3)", results[2], 9);
	expect("an array of variable length", results[3], 6);
	expect("bits", results[4], 2 + 30 + 4);
}

static void test_math(void)
{
	double math[12], x = 1.25;

#pragma omp target map(from : math) map(to : x)
	{
		double all[] = { sin(x), cos(x), tan(x), exp(x), log(x), pow(x, 3.5), sqrt(x), atan2(x, 2),
				 sinh(x), cbrt(x), fmod(7.5, x), floor(-x) };

		memcpy(math, all, sizeof(all));
	}
	{
		double want[] = { sin(x), cos(x), tan(x), exp(x), log(x), pow(x, 3.5), sqrt(x),
				  atan2(x, 2), sinh(x), cbrt(x), fmod(7.5, x), floor(-x) };

		for (int i = 0; i < 12; i++)
			expect("libm near", near(math[i], want[i]) ? want[i] : math[i], want[i]);
	}
}

static void test_library(void)
{
	int sorted[] = { 7, 3, 9, 2, 5 }, heap = 0;
	size_t length = 0;
	char text[32] = "";

#pragma omp target map(tofrom : heap)
#pragma omp parallel for reduction(+ : heap)
	for (int i = 1; i <= 32; i++) {
		int *mine = malloc(i * sizeof(*mine));

		for (int k = 0; k < i; k++)
			mine[k] = k + 1;
		heap += mine[i - 1];
		free(mine);
	}
	expect("heap", heap, 528);

#pragma omp target map(tofrom : sorted, text, length)
	{
		qsort(sorted, 5, sizeof(sorted[0]), upward);
		strcpy(text, "from the ");
		strcat(text, "device");
		length = strlen(text);
	}
	expect("sorted[0]", sorted[0], 2);
	expect("sorted[4]", sorted[4], 9);
	expect("text", strcmp(text, "from the device"), 0);
	expect("length", length, 15);
}

static void test_wide(void)
{
	unsigned long long high, low, divided;
	double real, imaginary, x = 1.25;

#pragma omp target map(from : real, imaginary, high, low, divided) map(to : x)
	{
		double _Complex z = x + 2 * I;
		unsigned __int128 wide = (unsigned __int128)0xfedcba9876543210ULL * 0x123456789abcdefULL;

		z = z * z / (1 - I);
		real = creal(z);
		imaginary = cimag(z);
		high = wide >> 64;
		low = wide;
		divided = wide / 1000000007;
	}
	{
		double _Complex z = x + 2 * I;
		unsigned __int128 wide = (unsigned __int128)0xfedcba9876543210ULL * 0x123456789abcdefULL;

		z = z * z / (1 - I);
		expect("real", real, creal(z));
		expect("imaginary", imaginary, cimag(z));
		expect("high", high == (unsigned long long)(wide >> 64), 1);
		expect("low", low == (unsigned long long)wide, 1);
		expect("divided", divided == (unsigned long long)(wide / 1000000007), 1);
	}
}

int main(void)
{
	test_calls();
	test_math();
	test_library();
	test_wide();
	return expect_end();
}
