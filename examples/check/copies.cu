// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bugs with asynchronous copies, and with waiting in shared memory, that `gpurun --check`
// finds, each beside the same kernel without it: NAME_bad and NAME_good. A GPU often hides
// the first ones: the copy is mostly done when it is needed.

#include <cuda_awbarrier_primitives.h>
#include <cuda_pipeline.h>

#define KERNEL extern "C" __global__ void

// Each block of 64 threads turns its piece of from around.

// ---- race: a copy that no thread has waited for

KERNEL early_bad(const int *from, int *to)
{
	__shared__ int tile[64];

	__pipeline_memcpy_async(&tile[threadIdx.x], &from[threadIdx.x], sizeof(int));
	__pipeline_commit();
	__syncthreads();
	to[threadIdx.x] = tile[63 - threadIdx.x];
}

KERNEL early_good(const int *from, int *to)
{
	__shared__ int tile[64];

	__pipeline_memcpy_async(&tile[threadIdx.x], &from[threadIdx.x], sizeof(int));
	__pipeline_commit();
	__pipeline_wait_prior(0);
	__syncthreads();
	to[threadIdx.x] = tile[63 - threadIdx.x];
}

// ---- race: each thread waits for its own copies only, and after the barrier

KERNEL order_bad(const int *from, int *to)
{
	__shared__ int tile[64];

	__pipeline_memcpy_async(&tile[threadIdx.x], &from[threadIdx.x], sizeof(int));
	__pipeline_commit();
	__syncthreads();
	__pipeline_wait_prior(0);
	to[threadIdx.x] = tile[63 - threadIdx.x];
}

KERNEL order_good(const int *from, int *to)
{
	__shared__ int tile[64];

	__pipeline_memcpy_async(&tile[threadIdx.x], &from[threadIdx.x], sizeof(int));
	__pipeline_commit();
	__pipeline_wait_prior(0);
	__syncthreads();
	to[threadIdx.x] = tile[63 - threadIdx.x];
}

// ---- race: of two stages, the last is not waited for

template <bool right> __device__ void stages(const int *from, int *to, int count)
{
	__shared__ int tiles[2][64];
	int sum = 0;

	__pipeline_memcpy_async(&tiles[0][threadIdx.x], &from[threadIdx.x], sizeof(int));
	__pipeline_commit();
	for (int i = 0; i < count; i++) {
		if (i + 1 < count) {
			__pipeline_memcpy_async(&tiles[(i + 1) % 2][threadIdx.x],
						&from[64 * (i + 1) + threadIdx.x], sizeof(int));
			__pipeline_commit();
			__pipeline_wait_prior(1);
		} else if (right) {
			__pipeline_wait_prior(0);
		}
		__syncthreads();
		sum += tiles[i % 2][63 - threadIdx.x];
		__syncthreads();
	}
	to[threadIdx.x] = sum;
}

KERNEL stages_bad(const int *from, int *to, int count)
{
	stages<false>(from, to, count);
}

KERNEL stages_good(const int *from, int *to, int count)
{
	stages<true>(from, to, count);
}

// ---- sync: a phase that never ends, since one of those that arrive is missing

template <bool right> __device__ void phase(const int *from, int *to)
{
	__shared__ __mbarrier_t barrier;
	__shared__ int tile[64];
	__mbarrier_token_t token;

	if (threadIdx.x == 0)
		__mbarrier_init(&barrier, 64);
	__syncthreads();
	tile[threadIdx.x] = from[threadIdx.x];
	if (!right && threadIdx.x == 63)
		return;
	token = __mbarrier_arrive(&barrier);
	while (!__mbarrier_test_wait(&barrier, token))
		;
	to[threadIdx.x] = tile[63 - threadIdx.x];
}

KERNEL phase_bad(const int *from, int *to)
{
	phase<false>(from, to);
}

KERNEL phase_good(const int *from, int *to)
{
	phase<true>(from, to);
}

// ---- sync: a word that no thread writes; the other threads wait at a barrier meanwhile

template <bool right> __device__ void word(const int *from, int *to)
{
	__shared__ volatile int ready;

	if (threadIdx.x == 0)
		ready = 0;
	__syncthreads();
	if (threadIdx.x == 32 && right)
		ready = 1;
	if (threadIdx.x == 0)
		while (!ready)
			;
	__syncthreads();
	to[threadIdx.x] = from[63 - threadIdx.x];
}

KERNEL word_bad(const int *from, int *to)
{
	word<false>(from, to);
}

KERNEL word_good(const int *from, int *to)
{
	word<true>(from, to);
}
