// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Huffman's code: counts, a tree, canonical codes, packed bits, and back.

constexpr int SYMBOLS = 16;

struct Code {
	unsigned bits, length;
};

// One thread makes the tree; lengths give a canonical code.
__device__ void make_code(const unsigned *count, Code *code)
{
	unsigned weight[2 * SYMBOLS];
	unsigned char parent[2 * SYMBOLS], depth[2 * SYMBOLS];
	int nodes = SYMBOLS;
	unsigned used = 0, live = 0;

	for (int i = 0; i < SYMBOLS; i++) {
		weight[i] = count[i];
		live |= (count[i] > 0) << i;
	}
	used = live;
	while (__popc(live) > 1) {
		int pick[2];

		for (int k = 0; k < 2; k++) {
			int best = -1;

			for (unsigned m = live; m; m &= m - 1) {
				int i = __ffs(m) - 1;

				if (best < 0 || weight[i] < weight[best])
					best = i;
			}
			pick[k] = best;
			live &= ~(1u << best);
		}
		weight[nodes] = weight[pick[0]] + weight[pick[1]];
		parent[pick[0]] = parent[pick[1]] = nodes;
		live |= 1u << nodes++;
	}
	depth[nodes - 1] = 0;
	for (int i = nodes - 2; i >= 0; i--)
		if (i >= SYMBOLS || used >> i & 1)
			depth[i] = depth[parent[i]] + 1;
	unsigned next = 0;
	for (int length = 1, last = 0; length < SYMBOLS; length++)
		for (int i = 0; i < SYMBOLS; i++) {
			if (i == 0)
				next <<= 1;
			if (!(used >> i & 1) || depth[i] != length)
				continue;
			code[i] = { next++, (unsigned)length };
			last = length;
		}
	for (int i = 0; i < SYMBOLS; i++)
		if (!(used >> i & 1))
			code[i] = { 0, 0 };
}

__device__ unsigned prefix(unsigned x, unsigned *sums, unsigned *total)
{
	int t = threadIdx.x;

	sums[t] = x;
	__syncthreads();
	for (int d = 1; d < blockDim.x; d *= 2) {
		unsigned other = t >= d ? sums[t - d] : 0;

		__syncthreads();
		sums[t] += other;
		__syncthreads();
	}
	*total = sums[blockDim.x - 1];
	return sums[t] - x;
}

// One block; thread t has symbols 4t to 4t + 3. Bits come first at a word's top.
extern "C" __global__ void encode(const unsigned char *text, int n, unsigned *words,
				  unsigned *lengths, unsigned *size)
{
	__shared__ unsigned count[SYMBOLS], sums[256];
	__shared__ Code code[SYMBOLS];
	int t = threadIdx.x;
	unsigned own = 0, total;

	if (t < SYMBOLS)
		count[t] = 0;
	__syncthreads();
	for (int i = t; i < n; i += blockDim.x)
		atomicAdd(&count[text[i]], 1);
	__syncthreads();
	if (t == 0)
		make_code(count, code);
	__syncthreads();
	for (int i = 4 * t; i < min(4 * t + 4, n); i++)
		own += code[text[i]].length;
	unsigned at = prefix(own, sums, &total);
	for (int i = 4 * t; i < min(4 * t + 4, n); i++) {
		Code c = code[text[i]];
		unsigned long long bits = (unsigned long long)c.bits << (64 - c.length - at % 32);

		atomicOr(&words[at / 32], (unsigned)(bits >> 32));
		if ((unsigned)bits)
			atomicOr(&words[at / 32 + 1], (unsigned)bits);
		at += c.length;
	}
	if (t < SYMBOLS)
		lengths[t] = code[t].length;
	if (t == 0)
		*size = total;
}

// One thread walks the bits, a table of the whole block tells symbol and length.
extern "C" __global__ void decode(const unsigned *words, unsigned size, const unsigned *lengths,
				  unsigned char *text, int *symbols)
{
	__shared__ uchar2 table[256];
	unsigned next = 0;

	for (int length = 1; length <= 8; length++) {
		next <<= 1;
		for (int i = 0; i < SYMBOLS; i++) {
			if (lengths[i] != length)
				continue;
			unsigned from = next << (8 - length), to = (next + 1) << (8 - length);

			for (unsigned k = from + threadIdx.x; k < to; k += blockDim.x)
				table[k] = make_uchar2(i, length);
			next++;
		}
	}
	__syncthreads();
	if (threadIdx.x)
		return;
	int n = 0;
	for (unsigned at = 0; at < size;) {
		unsigned low = at / 32 + 1 < (size + 31) / 32 ? words[at / 32 + 1] : 0;
		uchar2 e = table[__funnelshift_l(low, words[at / 32], at % 32) >> 24];

		text[n++] = e.x;
		at += e.y;
	}
	*symbols = n;
}
