// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An open hash table: keys go in by compare-and-swap, then each is looked up.

__device__ unsigned slot_of(unsigned key)
{
	return (key * 2654435761u) >> 23;
}

extern "C" __global__ void insert(const unsigned *keys, unsigned *table, unsigned *distinct)
{
	unsigned key = keys[blockIdx.x * blockDim.x + threadIdx.x], at = slot_of(key);

	for (;;) {
		unsigned old = atomicCAS(&table[at], 0, key);
		if (old == 0)
			atomicAdd(distinct, 1u);
		if (old == 0 || old == key)
			return;
		at = (at + 1) & 511;
	}
}
