// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Linear equations by Gauss with pivots: a warp per system, a row per lane, all by shuffles.

constexpr int N = 10;

extern "C" __global__ void __launch_bounds__(128)
	solve(const float *matrix, const float *right, float *x, float *determinant)
{
	int lane = threadIdx.x % 32, system = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
	float row[N + 1], det = 1;
	bool used = lane >= N;
	int mine = -1;

#pragma unroll
	for (int j = 0; j < N; j++)
		row[j] = used ? 0 : matrix[(system * N + lane) * N + j];
	row[N] = used ? 0 : right[system * N + lane];
#pragma unroll
	for (int k = 0; k < N; k++) {
		float best = used ? -1 : fabsf(row[k]);
		int who = lane;

		for (int d = 16; d; d /= 2) {
			float other = __shfl_xor_sync(~0u, best, d);
			int whose = __shfl_xor_sync(~0u, who, d);

			if (other > best || (other == best && whose < who))
				best = other, who = whose;
		}
		float pivot = __shfl_sync(~0u, row[k], who);
		float factor = lane == who ? 0 : __fdividef(row[k], pivot);

		// The sign changes with each pair of rows that is out of order.
		unsigned passed = __ballot_sync(~0u, used) & ((1u << who) - 1);
		det *= (who - __popc(passed)) & 1 ? -pivot : pivot;
		if (lane == who)
			used = true, mine = k;
#pragma unroll
		for (int j = k; j <= N; j++)
			row[j] -= factor * __shfl_sync(~0u, row[j], who);
	}
#pragma unroll
	for (int k = 0; k < N; k++)
		if (mine == k)
			x[system * N + k] = row[N] / row[k];
	if (lane == 0)
		determinant[system] = det;
}
