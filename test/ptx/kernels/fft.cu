// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stockham radix-2 FFT of one block's points in shared memory, and a convolution with it.
#include <cuComplex.h>

constexpr int POINTS = 256;

__device__ cuFloatComplex twiddle(int k, int n, float sign)
{
	float s, c;

	sincospif(sign * 2.0f * k / n, &s, &c);
	return make_cuFloatComplex(c, s);
}

// The transform lands in the buffer that it returns.
__device__ cuFloatComplex *transform(cuFloatComplex *from, cuFloatComplex *to, float sign)
{
	for (int half = POINTS / 2, stride = 1; half; half /= 2, stride *= 2) {
		for (int i = threadIdx.x; i < POINTS / 2; i += blockDim.x) {
			int p = i / stride, q = i % stride;
			cuFloatComplex a = from[q + stride * p];
			cuFloatComplex b = from[q + stride * (p + half)];

			to[q + stride * 2 * p] = cuCaddf(a, b);
			to[q + stride * (2 * p + 1)] =
				cuCmulf(cuCsubf(a, b), twiddle(p, half * 2, sign));
		}
		__syncthreads();
		cuFloatComplex *t = from;
		from = to;
		to = t;
	}
	return from;
}

extern "C" __global__ void fft(const cuFloatComplex *in, cuFloatComplex *out)
{
	__shared__ cuFloatComplex a[POINTS], b[POINTS];

	for (int i = threadIdx.x; i < POINTS; i += blockDim.x)
		a[i] = in[blockIdx.x * POINTS + i];
	__syncthreads();
	cuFloatComplex *r = transform(a, b, -1.0f);
	for (int i = threadIdx.x; i < POINTS; i += blockDim.x)
		out[blockIdx.x * POINTS + i] = r[i];
}

// The circular convolution of two real signals that share one complex transform.
extern "C" __global__ void convolve(const float *x, const float *y, float *out)
{
	__shared__ cuFloatComplex a[POINTS], b[POINTS];

	for (int i = threadIdx.x; i < POINTS; i += blockDim.x)
		a[i] = make_cuFloatComplex(x[i], y[i]);
	__syncthreads();
	cuFloatComplex *f = transform(a, b, -1.0f), *g = f == a ? b : a;
	for (int i = threadIdx.x; i < POINTS; i += blockDim.x) {
		cuFloatComplex u = f[i], v = cuConjf(f[(POINTS - i) % POINTS]);
		cuFloatComplex even = cuCaddf(u, v), odd = cuCsubf(u, v);
		cuFloatComplex p = cuCmulf(even, odd);

		g[i] = make_cuFloatComplex(p.y / 4, -p.x / 4);
	}
	__syncthreads();
	cuFloatComplex *r = transform(g, f, 1.0f);
	for (int i = threadIdx.x; i < POINTS; i += blockDim.x)
		out[i] = r[i].x / POINTS;
}
