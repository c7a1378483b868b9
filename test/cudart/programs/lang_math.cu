// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mathematical functions, within a few units of the host's.
#include <math.h>

#include "check.h"

#define FUNCTIONS(F) F(sin) F(cos) F(tan) F(exp) F(log) F(sqrt) F(cbrt) F(atan) F(sinh) F(tanh) F(erf) F(lgamma) \
	F(log2) F(exp2) F(log1p) F(expm1) F(rsqrt) F(floor) F(rint)

static double host_rsqrt(double x) { return 1 / sqrt(x); }

__global__ void run(double *out, float *single, double x)
{
	int n = 0;
#define F(name) single[n] = name##f((float)x); out[n++] = name(x);
	FUNCTIONS(F)
#undef F
	out[n++] = pow(x, 2.5) + hypot(x, 3.0) + fma(x, 2.0, 1.0) + fmod(7.5, x) + copysign(x, -1.0);
}

static void near(double want, double got, double units, double unit)
{
	if (fabs(want - got) > units * unit * fmax(fabs(want), 1e-3))
		SAME(want, got);
}

int main()
{
	double *out = zeroed<double>(32), x = 1.375;
	float *single = zeroed<float>(32);
	int n = 0;

	run<<<1, 1>>>(out, single, x);
	double *got = fetched(out, 32);
	float *gotf = fetched(single, 32);
#define rsqrt host_rsqrt
#define F(name) near(name(x), got[n], 4, 2.3e-16); near(name(x), gotf[n++], 8, 1.2e-7);
	FUNCTIONS(F)
	near(pow(x, 2.5) + hypot(x, 3.0) + fma(x, 2.0, 1.0) + fmod(7.5, x) - x, got[n], 4, 2.3e-16);
	return ok();
}
