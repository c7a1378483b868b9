// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomics of a warp put together: by key with match, by a ballot, and for filters.

// One addition per key that occurs in the warp.
extern "C" __global__ void by_key(const int *key, const int *value, int *sums, int *visits,
				  int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	bool real = i < n;
	int k = real ? key[i] : -1, v = real ? value[i] : 0;
	unsigned same = __match_any_sync(~0u, k), lane = threadIdx.x % 32;
	int sum = 0;

	for (unsigned rest = same; __any_sync(~0u, rest); rest &= rest - 1) {
		int from = rest ? __ffs(rest) - 1 : lane;
		int other = __shfl_sync(~0u, v, from);

		sum += rest ? other : 0;
	}
	if (real && __ffs(same) - 1 == lane) {
		atomicAdd(&sums[k], sum);
		atomicAdd(&visits[k], 1);
	}
}

// True for the warps whose lanes all have one key.
extern "C" __global__ void uniform_warps(const int *key, int *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, all;
	unsigned mask = __match_all_sync(~0u, (long long)key[i] << 33, &all);

	if (threadIdx.x % 32 == 0)
		out[i / 32] = all ? (mask == ~0u) : -1;
}

// Keeps what is above the limit, in order within a block, by two levels of counts.
extern "C" __global__ void compact(const float *in, int n, float limit, float *out, int *count)
{
	__shared__ int base, part[32];
	int i = blockIdx.x * blockDim.x + threadIdx.x, warp = threadIdx.x / 32;
	unsigned lane = threadIdx.x % 32;
	bool keep = i < n && in[i] > limit;
	unsigned votes = __ballot_sync(~0u, keep);

	if (lane == 0)
		part[warp] = __popc(votes);
	__syncthreads();
	if (threadIdx.x == 0) {
		int sum = 0;

		for (int w = 0; w < blockDim.x / 32; w++) {
			int own = part[w];

			part[w] = sum;
			sum += own;
		}
		base = atomicAdd(count, sum);
	}
	__syncthreads();
	if (keep)
		out[base + part[warp] + __popc(votes & ((1u << lane) - 1))] = in[i];
}

// The masks of lanes, as the hardware tells them and as arithmetic does.
extern "C" __global__ void masks(int *wrong)
{
	unsigned lane, eq, lt, le, gt, ge;

	asm("mov.u32 %0, %%laneid;" : "=r"(lane));
	asm("mov.u32 %0, %%lanemask_eq;" : "=r"(eq));
	asm("mov.u32 %0, %%lanemask_lt;" : "=r"(lt));
	asm("mov.u32 %0, %%lanemask_le;" : "=r"(le));
	asm("mov.u32 %0, %%lanemask_gt;" : "=r"(gt));
	asm("mov.u32 %0, %%lanemask_ge;" : "=r"(ge));
	if (eq != 1u << lane || lt != eq - 1 || le != (lt | eq) || gt != ~le || ge != ~lt)
		atomicOr(wrong, eq);
}
