// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shortest paths: all pairs in blocks of a matrix, and from one vertex by relaxation.
#include <cuda/atomic>

constexpr int FAR = 1 << 20;

// One block, a matrix of at most 32 by 32 in shared memory; also what comes next.
extern "C" __global__ void floyd(const int *weight, int *distance, signed char *next, int n)
{
	__shared__ int d[32][33];
	__shared__ signed char hop[32][32];
	int i = threadIdx.y, j = threadIdx.x;

	if (i < n && j < n) {
		int w = weight[i * n + j];

		d[i][j] = i == j ? 0 : w ? w : FAR;
		hop[i][j] = i == j || w ? j : -1;
	}
	for (int k = 0; k < n; k++) {
		__syncthreads();
		if (i >= n || j >= n || i == k || j == k)
			continue;
		int through = d[i][k] + d[k][j];

		if (through < d[i][j]) {
			d[i][j] = through;
			hop[i][j] = hop[i][k];
		}
	}
	if (i < n && j < n) {
		distance[i * n + j] = d[i][j];
		next[i * n + j] = hop[i][j];
	}
}

// Bellman and Ford: edges over all threads until a round changes nothing.
extern "C" __global__ void relax(const int3 *edges, int count, int *distance, int *rounds)
{
	__shared__ int changed;
	int n = 0;

	do {
		__syncthreads();
		if (threadIdx.x == 0)
			changed = 0;
		__syncthreads();
		for (int e = threadIdx.x; e < count; e += blockDim.x) {
			cuda::atomic_ref<int, cuda::thread_scope_block> from(distance[edges[e].x]);
			cuda::atomic_ref<int, cuda::thread_scope_block> to(distance[edges[e].y]);
			int through = from.load(cuda::memory_order_relaxed) + edges[e].z;

			if (through < to.fetch_min(through, cuda::memory_order_relaxed))
				atomicExch(&changed, 1);
		}
		__syncthreads();
		n++;
	} while (changed && n < 1000);
	if (threadIdx.x == 0)
		*rounds = changed;
}
