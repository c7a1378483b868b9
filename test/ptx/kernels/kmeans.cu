// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// k-means: several rounds by one block, sums in shared memory.

constexpr int MOST = 16;

extern "C" __global__ void kmeans(const int2 *points, int n, int2 *centres, int k, int rounds,
				  unsigned char *group, int *moved)
{
	__shared__ int2 centre[MOST];
	__shared__ int sum_x[MOST], sum_y[MOST], count[MOST], changes;

	if (threadIdx.x < k)
		centre[threadIdx.x] = centres[threadIdx.x];
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		group[i] = 255;
	for (int round = 0; round < rounds; round++) {
		if (threadIdx.x < k)
			sum_x[threadIdx.x] = sum_y[threadIdx.x] = count[threadIdx.x] = 0;
		if (threadIdx.x == 0)
			changes = 0;
		__syncthreads();
		for (int i = threadIdx.x; i < n; i += blockDim.x) {
			int2 p = points[i];
			unsigned nearest = ~0u;
			int best = 0;

			for (int c = 0; c < k; c++) {
				int dx = p.x - centre[c].x, dy = p.y - centre[c].y;
				unsigned d = dx * dx + dy * dy;

				if (d < nearest)
					nearest = d, best = c;
			}
			atomicAdd(&sum_x[best], p.x);
			atomicAdd(&sum_y[best], p.y);
			atomicInc((unsigned *)&count[best], ~0u);
			if (group[i] != best) {
				group[i] = best;
				atomicAdd(&changes, 1);
			}
		}
		__syncthreads();
		if (threadIdx.x < k && count[threadIdx.x])
			centre[threadIdx.x] = make_int2(sum_x[threadIdx.x] / count[threadIdx.x],
							sum_y[threadIdx.x] / count[threadIdx.x]);
		if (threadIdx.x == 0)
			moved[round] = changes;
		__syncthreads();
	}
	if (threadIdx.x < k)
		centres[threadIdx.x] = centre[threadIdx.x];
}
