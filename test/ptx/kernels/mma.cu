// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For: nvcc80 nvcc90 clang
// A product by mma.sync: fragments by ldmatrix from shared memory that is swizzled.
#include <cuda_fp16.h>

constexpr int M = 32, N = 32, K = 32; // of a block, whose four warps have 16 by 16 each

__device__ unsigned shared_address(const void *p)
{
	return (unsigned)__cvta_generic_to_shared(p);
}

// Rows of 32 halves are four chunks of 16 bytes, exchanged by the row.
__device__ int place(int row, int chunk)
{
	return row * K + (chunk ^ (row / 2 & 3)) * 8;
}

__device__ void load4(unsigned r[4], const __half *p)
{
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
		     : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
		     : "r"(shared_address(p)));
}

__device__ void load2_transposed(unsigned r[2], const __half *p)
{
	asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
		     : "=r"(r[0]), "=r"(r[1])
		     : "r"(shared_address(p)));
}

__device__ void multiply(float c[4], const unsigned a[4], const unsigned b[2])
{
	asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
		     "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
		     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
		     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

extern "C" __global__ void __launch_bounds__(128)
	mma_gemm(const uint4 *a, const uint4 *b, float2 *c, int n, int k)
{
	__shared__ __align__(16) __half sa[M * K], sb[K * N];
	int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
	int row = warp / 2 * 16, column = warp % 2 * 16;
	float sum[2][4] = {};

	for (int base = 0; base < k; base += K) {
		int r = threadIdx.x / 4, chunk = threadIdx.x % 4;

		*(uint4 *)&sa[place(r, chunk)] =
			a[((blockIdx.y * M + r) * k + base) / 8 + chunk];
		*(uint4 *)&sb[place(r, chunk)] =
			b[((base + r) * n + blockIdx.x * N) / 8 + chunk];
		__syncthreads();
#pragma unroll
		for (int i = 0; i < K / 16; i++) {
			unsigned fa[4], fb[2];

			load4(fa, &sa[place(row + lane % 16, i * 2 + lane / 16)]);
#pragma unroll
			for (int j = 0; j < 2; j++) {
				load2_transposed(fb, &sb[place(i * 16 + lane % 16,
							       column / 8 + j)]);
				multiply(sum[j], fa, fb);
			}
		}
		__syncthreads();
	}
#pragma unroll
	for (int j = 0; j < 2; j++)
#pragma unroll
		for (int half = 0; half < 2; half++) {
			int y = blockIdx.y * M + row + half * 8 + lane / 4;
			int x = blockIdx.x * N + column + j * 8 + lane % 4 * 2;

			c[(y * n + x) / 2] = make_float2(sum[j][half * 2], sum[j][half * 2 + 1]);
		}
}

// A row of 16 against eight columns in f64, and in bytes with saturation.
extern "C" __global__ void mma_f64(const double *a, const double *b, double2 *c)
{
	int lane = threadIdx.x;
	double2 sum = make_double2(0, 0);

	for (int k = 0; k < 16; k += 4)
		asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 "
			     "{%0, %1}, {%2}, {%3}, {%0, %1};"
			     : "+d"(sum.x), "+d"(sum.y)
			     : "d"(a[lane / 4 * 16 + k + lane % 4]),
			       "d"(b[(k + lane % 4) * 8 + lane / 4]));
	c[lane] = sum;
}

extern "C" __global__ void mma_s8(const unsigned *a, const unsigned *b, int *c)
{
	int lane = threadIdx.x, g = lane / 4, q = lane % 4;
	int sum[4] = { 0x7fff0000, 0, 0, (int)0x80001000 };

	asm volatile("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32 "
		     "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
		     : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
		     : "r"(a[g * 8 + q]), "r"(a[(g + 8) * 8 + q]), "r"(a[g * 8 + q + 4]),
		       "r"(a[(g + 8) * 8 + q + 4]), "r"(b[g * 8 + q]), "r"(b[g * 8 + q + 4]));
	c[g * 8 + q * 2] = sum[0];
	c[g * 8 + q * 2 + 1] = sum[1];
	c[(g + 8) * 8 + q * 2] = sum[2];
	c[(g + 8) * 8 + q * 2 + 1] = sum[3];
}
