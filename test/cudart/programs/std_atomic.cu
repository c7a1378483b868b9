// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cuda::atomic and atomic_ref with orders and scopes, and a lock made of one.
#include <cuda/atomic>

#include "check.h"

__device__ cuda::atomic<int, cuda::thread_scope_device> total;
__device__ cuda::atomic<int, cuda::thread_scope_device> lock_word;

__global__ void run(int *data, unsigned long long *wide)
{
	cuda::atomic_ref<int, cuda::thread_scope_device> ref(data[0]);
	cuda::atomic_ref<unsigned long long, cuda::thread_scope_system> ref64(*wide);

	total.fetch_add(2, cuda::memory_order_relaxed);
	ref.fetch_max(thread_index());
	ref64.fetch_add(1ull << 33);
	if (threadIdx.x % 32 == 0) {
		while (lock_word.exchange(1, cuda::memory_order_acquire))
			;
		data[1] += 1;
		lock_word.store(0, cuda::memory_order_release);
	}
	int expected = 0;
	if (cuda::atomic_ref<int>(data[2]).compare_exchange_strong(expected, 5))
		data[3] = 1;
}

__global__ void report(int *out) { *out = total.load(); }

int main()
{
	int *data = zeroed<int>(5), *got;
	unsigned long long *wide = zeroed<unsigned long long>(1);

	run<<<4, 64>>>(data, wide);
	report<<<1, 1>>>(data + 4);
	got = fetched(data, 5);
	SAME(255, got[0]);
	SAME(8, got[1]);
	SAME(5, got[2]);
	SAME(1, got[3]);
	SAME(512, got[4]);
	EXPECT(taken(wide) == 256ull << 33);
	return ok();
}
