// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix product of bytes by dp4a, scaled and rounded back to bytes; dp2a for shorts.

constexpr int TILE = 16;

extern "C" __global__ void int8gemm(const int *a, const int *b, signed char *c, int m, int n,
				    int k4, const float *scale)
{
	__shared__ int sa[TILE][TILE + 1], sb[TILE][TILE + 1];
	int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y, sum = 0;

	// b comes transposed: a row of it is a column of the factor.
	for (int base = 0; base < k4; base += TILE) {
		int column = base + threadIdx.x, row = blockIdx.x * TILE + threadIdx.y;

		sa[threadIdx.y][threadIdx.x] = y < m && column < k4 ? a[y * k4 + column] : 0;
		sb[threadIdx.y][threadIdx.x] = row < n && column < k4 ? b[row * k4 + column] : 0;
		__syncthreads();
#pragma unroll
		for (int k = 0; k < TILE; k++)
			sum = __dp4a(sa[threadIdx.y][k], sb[threadIdx.x][k], sum);
		__syncthreads();
	}
	if (x < n && y < m)
		c[y * n + x] = max(-128, min(127, __float2int_rn(sum * scale[x])));
}

// Unsigned pixels with signed weights: pairs of shorts against pairs of bytes.
extern "C" __global__ void filter(const short2 *samples, const char4 *weights, int *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;

	if (i >= n)
		return;
	for (int k = 0; k < 4; k++) {
		sum = __dp2a_lo(samples[i + 2 * k], weights[k], sum);
		sum = __dp2a_hi(samples[i + 2 * k + 1], weights[k], sum);
	}
	out[i] = sum;
}
