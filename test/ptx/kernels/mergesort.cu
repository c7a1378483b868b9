// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Merge sort: insertion sort per thread, then merges in parallel along diagonals. Stable.

constexpr int PER_THREAD = 8;

struct Pair {
	short key, value;
};

// How many of the first @diagonal outputs come from a.
__device__ int split(const Pair *a, int na, const Pair *b, int nb, int diagonal)
{
	int low = max(0, diagonal - nb), high = min(diagonal, na);

	while (low < high) {
		int middle = (low + high) / 2;

		if (a[middle].key <= b[diagonal - 1 - middle].key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

__device__ void merge(const Pair *a, int na, const Pair *b, int nb, int diagonal, Pair *to)
{
	int i = split(a, na, b, nb, diagonal), j = diagonal - i;

	for (int k = 0; k < PER_THREAD && i + j < na + nb; k++) {
		bool first = j >= nb || (i < na && a[i].key <= b[j].key);

		to[diagonal + k] = first ? a[i++] : b[j++];
	}
}

extern "C" __global__ void mergesort(Pair *data, int n)
{
	extern __shared__ Pair room[];
	int size = blockDim.x * PER_THREAD, first = threadIdx.x * PER_THREAD;
	Pair *from = room, *to = room + size, own[PER_THREAD];

	for (int k = 0; k < PER_THREAD; k++)
		own[k] = first + k < n ? data[first + k] : Pair{ 0x7fff, 0 };
	for (int k = 1; k < PER_THREAD; k++) {
		Pair x = own[k];
		int at = k;

		for (; at && own[at - 1].key > x.key; at--)
			own[at] = own[at - 1];
		own[at] = x;
	}
	for (int k = 0; k < PER_THREAD; k++)
		from[first + k] = own[k];
	__syncthreads();
	for (int run = PER_THREAD; run < size; run *= 2) {
		int pair = first / (2 * run) * (2 * run);
		int na = min(run, size - pair), nb = min(run, size - pair - na);

		merge(from + pair, na, from + pair + na, nb, first - pair, to + pair);
		__syncthreads();
		Pair *t = from;
		from = to;
		to = t;
	}
	for (int k = threadIdx.x; k < n; k += blockDim.x)
		data[k] = from[k];
}
