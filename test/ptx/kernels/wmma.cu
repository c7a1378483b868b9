// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A product of f16 matrices by warp-wide fragments, with a scale and a bias; f16 sums too.
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

constexpr int T = 16, WARPS = 4;

// c = alpha * a * b + bias of the column. Each warp has a tile; b is column-major.
extern "C" __global__ void gemm(const __half *a, const __half *b, const float *bias, float *c,
				int n, int k, float alpha)
{
	__shared__ float stage[WARPS][T * T];
	int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
	int row = blockIdx.y * T, column = (blockIdx.x * WARPS + warp) * T;
	wmma::fragment<wmma::matrix_a, T, T, T, __half, wmma::row_major> fa;
	wmma::fragment<wmma::matrix_b, T, T, T, __half, wmma::col_major> fb;
	wmma::fragment<wmma::accumulator, T, T, T, float> sum;

	if (column >= n)
		return;
	wmma::fill_fragment(sum, 0.0f);
	for (int i = 0; i < k; i += T) {
		wmma::load_matrix_sync(fa, a + row * k + i, k);
		wmma::load_matrix_sync(fb, b + column * k + i, k);
		wmma::mma_sync(sum, fa, fb, sum);
	}
	for (int i = 0; i < sum.num_elements; i++)
		sum.x[i] *= alpha;
	wmma::store_matrix_sync(stage[warp], sum, T, wmma::mem_row_major);
	__syncwarp();
	for (int i = lane; i < T * T; i += 32)
		c[(row + i / T) * n + column + i % T] = stage[warp][i] + bias[column + i % T];
}

// Tiles of 32 by 8 and of 8 by 32, summed in f16, with what was there before.
template <int M, int N>
__device__ void add_product(const __half *a, const __half *b, __half *c)
{
	wmma::fragment<wmma::matrix_a, M, N, 16, __half, wmma::col_major> fa;
	wmma::fragment<wmma::matrix_b, M, N, 16, __half, wmma::row_major> fb;
	wmma::fragment<wmma::accumulator, M, N, 16, __half> sum;

	wmma::load_matrix_sync(fa, a, M);
	wmma::load_matrix_sync(fb, b, N);
	wmma::load_matrix_sync(sum, c, N, wmma::mem_row_major);
	wmma::mma_sync(sum, fa, fb, sum);
	for (int i = 0; i < sum.num_elements; i++)
		sum.x[i] = __hmax(sum.x[i], __float2half(0.0f));
	wmma::store_matrix_sync(c, sum, M, wmma::mem_col_major);
}

extern "C" __global__ void tall(const __half *a, const __half *b, __half *c)
{
	add_product<32, 8>(a, b, c);
}

extern "C" __global__ void wide(const __half *a, const __half *b, __half *c)
{
	add_product<8, 32>(a, b, c);
}

// Bytes: sums are exact in 32 bits.
extern "C" __global__ void bytes(const signed char *a, const signed char *b, int *c, int k)
{
	wmma::fragment<wmma::matrix_a, T, T, T, signed char, wmma::row_major> fa;
	wmma::fragment<wmma::matrix_b, T, T, T, signed char, wmma::col_major> fb;
	wmma::fragment<wmma::accumulator, T, T, T, int> sum;

	wmma::fill_fragment(sum, 0);
	for (int i = 0; i < k; i += T) {
		wmma::load_matrix_sync(fa, a + i, k);
		wmma::load_matrix_sync(fb, b + i, k);
		wmma::mma_sync(sum, fa, fb, sum);
	}
	wmma::store_matrix_sync(c, sum, T, wmma::mem_row_major);
}
