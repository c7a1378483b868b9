// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A cuckoo hash table of 64-bit entries, and a filter of bits in front of it.

constexpr unsigned SLOTS = 256;
typedef unsigned long long Entry; // the key above, the value below; 0 is empty

__device__ unsigned hash(unsigned key, int which)
{
	const unsigned factor[] = { 0x9e3779b1, 0x85ebca77, 0xc2b2ae3d };

	key ^= key >> 15;
	key *= factor[which];
	return (key ^ key >> 13) % SLOTS;
}

__device__ bool insert(Entry *table, Entry entry)
{
	int which = 0;

	for (int tries = 0; tries < 64; tries++) {
		unsigned at = hash(entry >> 32, which);

		entry = atomicExch(&table[at], entry);
		if (!entry)
			return true;
		// What was there goes to its next place.
		unsigned key = entry >> 32;
		which = at == hash(key, 0) ? 1 : at == hash(key, 1) ? 2 : 0;
	}
	return false;
}

__device__ int look_up(const Entry *table, unsigned key)
{
	for (int which = 0; which < 3; which++) {
		Entry e = table[hash(key, which)];

		if (e >> 32 == key)
			return (int)e;
	}
	return -1;
}

extern "C" __global__ void cuckoo(const uint2 *pairs, int count, Entry *table,
				  const unsigned *queries, int asked, int *answers, int *lost)
{
	__shared__ unsigned filter[SLOTS / 8];
	int t = threadIdx.x;

	for (int i = t; i < SLOTS / 8; i += blockDim.x)
		filter[i] = 0;
	__syncthreads();
	for (int i = t; i < count; i += blockDim.x) {
		unsigned key = pairs[i].x, bit = hash(key, 2) ^ 0x55;

		atomicOr(&filter[bit / 32], 1u << bit % 32);
		if (!insert(table, (Entry)key << 32 | pairs[i].y))
			atomicAdd(lost, 1);
	}
	__threadfence_block();
	__syncthreads();
	for (int i = t; i < asked; i += blockDim.x) {
		unsigned key = queries[i], bit = hash(key, 2) ^ 0x55;
		bool may = filter[bit / 32] >> bit % 32 & 1;

		answers[i] = may ? look_up(table, key) : -1;
	}
}
