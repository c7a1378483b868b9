// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Double-precision functions of the device library.

extern "C" __global__ void functions(const double *in, double *out, int which)
{
	double x = in[threadIdx.x], y;

	switch (which) {
	case 0: y = sin(x); break;
	case 1: y = cos(x); break;
	case 2: y = exp(x); break;
	case 3: y = log(fabs(x)); break;
	case 4: y = pow(fabs(x), 1.5); break;
	case 5: y = sqrt(fabs(x)) / (x + 0.5); break;
	case 6: y = tanh(x); break;
	case 7: y = floor(x) + ceil(x) * 2 + rint(x) * 4 + trunc(x) * 8; break;
	case 8: y = fmod(x, 1.25); break;
	case 9: y = cbrt(x); break;
	default: y = atan2(x, 2.0); break;
	}
	out[threadIdx.x] = y;
}

extern "C" __global__ void functions_f(const float *in, float *out, int which)
{
	float x = in[threadIdx.x], y;

	switch (which) {
	case 0: y = sinf(x); break;
	case 1: y = cosf(x); break;
	case 2: y = expf(x); break;
	case 3: y = logf(fabsf(x)); break;
	case 4: y = powf(fabsf(x), 1.5f); break;
	case 5: y = sqrtf(fabsf(x)) / (x + 0.5f); break;
	case 6: y = tanhf(x); break;
	case 7: y = floorf(x) + ceilf(x) * 2 + rintf(x) * 4 + truncf(x) * 8; break;
	case 8: y = fmodf(x, 1.25f); break;
	case 9: y = cbrtf(x); break;
	default: y = atan2f(x, 2.0f); break;
	}
	out[threadIdx.x] = y;
}
