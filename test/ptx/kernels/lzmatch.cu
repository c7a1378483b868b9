// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LZ77: the longest match behind every position, then a greedy parse and its inverse.

constexpr int WINDOW = 64, LONGEST = 15;

extern "C" __global__ void matches(const char *__restrict__ text, int size, uchar2 *best)
{
	__shared__ char room[128 + WINDOW + LONGEST];
	int base = blockIdx.x * blockDim.x, at = base + threadIdx.x;

	for (int i = threadIdx.x; i < blockDim.x + WINDOW + LONGEST; i += blockDim.x) {
		int p = base - WINDOW + i;

		room[i] = p >= 0 && p < size ? text[p] : 0;
	}
	__syncthreads();
	if (at >= size)
		return;

	const char *here = room + WINDOW + threadIdx.x;
	int limit = min(LONGEST, size - at);
	uchar2 found = make_uchar2(0, 0);

	for (int distance = 1; distance <= min(WINDOW, at); distance++) {
		int length = 0;

		while (length < limit && here[length] == here[length - distance])
			length++;
		if (length > found.y)
			found = make_uchar2(distance, length);
	}
	best[at] = found;
}

struct Token {
	unsigned char distance, length;
	char next;
	unsigned char pad;
};

// One thread: tokens of (copy, then a literal), and their number.
extern "C" __global__ void parse(const char *text, int size, const uchar2 *best,
				 Token *tokens, int *count)
{
	int n = 0;

	for (int at = 0; at < size; n++) {
		uchar2 m = best[at];
		Token token = { 0, 0, 0, 0 };

		if (m.y >= 3 && at + m.y < size)
			token.distance = m.x, token.length = m.y;
		at += token.length;
		token.next = text[at++];
		tokens[n] = token;
	}
	*count = n;
}

// A block per text: each token's copy is spread over the lanes of one warp.
extern "C" __global__ void expand(const Token *tokens, int count, volatile char *out)
{
	int at = 0, lane = threadIdx.x;

	for (int i = 0; i < count; i++) {
		Token t = tokens[i];

		if (lane < t.length)
			out[at + lane] = out[at + lane % t.distance - t.distance];
		if (lane == t.length)
			out[at + lane] = t.next;
		at += t.length + 1;
		__syncwarp();
	}
}
