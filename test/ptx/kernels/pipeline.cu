// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For: nvcc80 nvcc90
// Tiles copied while others are worked on: memcpy_async with pipelines and barriers.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
namespace cg = cooperative_groups;

constexpr int TILE = 64, STAGES = 3;

// Sums of windows of four, over tiles that arrive one behind the other.
extern "C" __global__ void windows(const int *in, int *out, int tiles)
{
	__shared__ int room[STAGES][TILE];
	__shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
	cg::thread_block block = cg::this_thread_block();
	auto pipe = cuda::make_pipeline(block, &state);
	int t = block.thread_rank();

	for (int tile = 0, ahead = 0; tile < tiles; tile++) {
		for (; ahead < tiles && ahead < tile + STAGES; ahead++) {
			pipe.producer_acquire();
			cuda::memcpy_async(block, room[ahead % STAGES], in + ahead * TILE,
					   cuda::aligned_size_t<16>(TILE * sizeof(int)), pipe);
			pipe.producer_commit();
		}
		pipe.consumer_wait();
		int *now = room[tile % STAGES], sum = 0;

		for (int k = 0; k < 4; k++)
			sum += now[(t + k) % TILE];
		out[tile * TILE + t] = sum;
		pipe.consumer_release();
	}
}

// Each thread has a pipeline of its own and copies what it will use itself.
extern "C" __global__ void scale(const float4 *in, float4 *out, int n, float factor)
{
	__shared__ float4 room[2][TILE];
	auto pipe = cuda::make_pipeline();
	int t = threadIdx.x, rounds = (n + TILE - 1) / TILE;

	for (int r = 0; r <= rounds; r++) {
		if (r < rounds) {
			pipe.producer_acquire();
			if (r * TILE + t < n)
				cuda::memcpy_async(&room[r % 2][t], &in[r * TILE + t],
						   sizeof(float4), pipe);
			pipe.producer_commit();
		}
		if (r == 0)
			continue;
		if (r < rounds)
			cuda::pipeline_consumer_wait_prior<1>(pipe);
		else
			cuda::pipeline_consumer_wait_prior<0>(pipe);
		int i = (r - 1) * TILE + t;
		if (i < n) {
			float4 x = room[(r - 1) % 2][t];

			out[i] = make_float4(x.x * factor, x.y * factor, x.z * factor,
					     x.w * factor);
		}
		pipe.consumer_release();
	}
}

// Half of the warps produce, the others consume; two barriers hand the buffer over.
extern "C" __global__ void handover(const int *in, long long *sum, int rounds)
{
	using barrier = cuda::barrier<cuda::thread_scope_block>;
	__shared__ int buffer[TILE];
	__shared__ long long total;
	__shared__ barrier full, empty;
	int t = threadIdx.x;

	if (t == 0) {
		init(&full, 2 * TILE);
		init(&empty, 2 * TILE);
		total = 0;
	}
	__syncthreads();
	if (t < TILE) {
		for (int r = 0; r < rounds; r++) {
			empty.arrive_and_wait();
			buffer[t] = in[r * TILE + t];
			barrier::arrival_token token = full.arrive();
			(void)token;
		}
	} else {
		barrier::arrival_token ready = empty.arrive();
		(void)ready;
		for (int r = 0; r < rounds; r++) {
			full.arrive_and_wait();
			atomicAdd((unsigned long long *)&total,
				  (unsigned long long)(buffer[(t * 5 + r) % TILE] * (r + 1ll)));
			if (r + 1 < rounds)
				(void)empty.arrive();
		}
	}
	__syncthreads();
	if (t == 0)
		*sum = total;
}
