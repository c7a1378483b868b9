// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A double-precision product with 4 by 4 values per thread, and its transposed forms.

constexpr int BLOCK = 32, STEP = 8, EACH = 4;

template <bool TRANSPOSED>
__device__ void gemm(int m, int n, int k, double alpha, const double *a, const double *b,
		     double beta, double *c)
{
	__shared__ double sa[STEP][BLOCK + 1], sb[STEP][BLOCK];
	int x0 = blockIdx.x * BLOCK, y0 = blockIdx.y * BLOCK, t = threadIdx.x;
	int tx = t % (BLOCK / EACH) * EACH, ty = t / (BLOCK / EACH) * EACH;
	double sum[EACH][EACH] = {};

	for (int base = 0; base < k; base += STEP) {
		for (int i = t; i < STEP * BLOCK; i += blockDim.x) {
			int p = i % STEP, r = i / STEP, q = i / BLOCK, s = i % BLOCK;
			bool in_a = y0 + r < m && base + p < k;
			bool in_b = x0 + s < n && base + q < k;

			sa[p][r] = !in_a ? 0 : TRANSPOSED ? a[(base + p) * m + y0 + r] :
							    a[(y0 + r) * k + base + p];
			sb[q][s] = in_b ? b[(base + q) * n + x0 + s] : 0;
		}
		__syncthreads();
#pragma unroll
		for (int p = 0; p < STEP; p++)
#pragma unroll
			for (int i = 0; i < EACH; i++)
#pragma unroll
				for (int j = 0; j < EACH; j++)
					sum[i][j] += sa[p][ty + i] * sb[p][tx + j];
		__syncthreads();
	}
	for (int i = 0; i < EACH; i++)
		for (int j = 0; j < EACH; j++)
			if (y0 + ty + i < m && x0 + tx + j < n) {
				double *to = &c[(y0 + ty + i) * n + x0 + tx + j];

				*to = alpha * sum[i][j] + (beta ? beta * *to : 0);
			}
}

extern "C" __global__ void __launch_bounds__(64)
	dgemm(int m, int n, int k, double alpha, const double *a, const double *b, double beta,
	      double *c)
{
	gemm<false>(m, n, k, alpha, a, b, beta, c);
}

extern "C" __global__ void __launch_bounds__(64)
	dgemm_t(int m, int n, int k, double alpha, const double *a, const double *b,
		double beta, double *c)
{
	gemm<true>(m, n, k, alpha, a, b, beta, c);
}
