// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Barriers of the whole grid: sweeps of Jacobi's method and a reduction behind them.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void jacobi(float *a, float *b, int n, int sweeps, float *largest)
{
	cg::grid_group grid = cg::this_grid();

	for (int s = 0; s < sweeps; s++) {
		for (int i = grid.thread_rank(); i < n; i += grid.size()) {
			float left = i ? a[i - 1] : 0, right = i + 1 < n ? a[i + 1] : 0;

			b[i] = (left + right) * 0.5f;
		}
		grid.sync();
		float *t = a;
		a = b;
		b = t;
	}
	float most = 0;
	for (int i = grid.thread_rank(); i < n; i += grid.size())
		most = fmaxf(most, a[i]);
	atomicMax((int *)largest, __float_as_int(most));
}

// Sums of blocks, then of all by the first block, which then tells everyone.
extern "C" __global__ void normalise(int *data, int n, int *part)
{
	cg::grid_group grid = cg::this_grid();
	cg::thread_block block = cg::this_thread_block();
	__shared__ int sum;
	int own = 0;

	if (block.thread_rank() == 0)
		sum = 0;
	block.sync();
	for (int i = grid.thread_rank(); i < n; i += grid.size())
		own += data[i];
	atomicAdd(&sum, own);
	block.sync();
	if (block.thread_rank() == 0)
		part[blockIdx.x] = sum;
	grid.sync();
	if (grid.thread_rank() == 0) {
		int all = 0;

		for (int i = 0; i < gridDim.x; i++)
			all += part[i];
		part[0] = all;
	}
	grid.sync();
	for (int i = grid.thread_rank(); i < n; i += grid.size())
		data[i] = data[i] * 1000 / part[0];
}
