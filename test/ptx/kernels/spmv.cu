// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sparse matrix times vector: rows by warps (CSR), by threads (ELL), by entries (COO).
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

extern "C" __global__ void csr(const int *start, const int *column, const double *value,
			       const double *x, double *y, int rows)
{
	auto warp = cg::tiled_partition<32>(cg::this_thread_block());
	int row = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
	double sum = 0;

	if (row >= rows)
		return;
	for (int i = start[row] + warp.thread_rank(); i < start[row + 1]; i += warp.size())
		sum += value[i] * __ldg(&x[column[i]]);
	sum = cg::reduce(warp, sum, cg::plus<double>());
	if (warp.thread_rank() == 0)
		y[row] = sum;
}

// Columns of -1 fill the rows up.
extern "C" __global__ void ell(const short *column, const float *value, const float *x,
			       float *y, int rows, int width)
{
	int row = blockIdx.x * blockDim.x + threadIdx.x;
	float sum = 0;

	if (row >= rows)
		return;
	for (int k = 0; k < width; k++) {
		int c = column[k * rows + row];

		if (c >= 0)
			sum = fmaf(value[k * rows + row], x[c], sum);
	}
	y[row] = sum;
}

// Sorted by row: a segmented scan over the warp, and an atomic addition per segment.
extern "C" __global__ void coo(const int2 *place, const double *value, const double *x,
			       double *y, int entries)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
	int row = i < entries ? place[i].x : -1;
	double sum = i < entries ? value[i] * x[place[i].y] : 0;

	for (int d = 1; d < 32; d *= 2) {
		double other = __shfl_up_sync(~0u, sum, d);
		int whose = __shfl_up_sync(~0u, row, d);

		if (lane >= d && whose == row)
			sum += other;
	}
	int next = __shfl_down_sync(~0u, row, 1);
	if (row >= 0 && (lane == 31 || next != row))
		atomicAdd(&y[row], sum);
}
