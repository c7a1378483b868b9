// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conway's game: 32 cells per word, neighbours counted by full adders; a torus.

struct Row {
	unsigned left, here, right;
};

__device__ Row row(const unsigned *world, int width, int height, int x, int y)
{
	const unsigned *line = world + (y + height) % height * width;
	unsigned before = line[(x + width - 1) % width], after = line[(x + 1) % width];
	unsigned here = line[x];

	return { __funnelshift_l(before, here, 1), here, __funnelshift_r(here, after, 1) };
}

__device__ unsigned step(Row a, Row b, Row c)
{
	unsigned a0 = a.left ^ a.here ^ a.right;
	unsigned a1 = (a.left & a.here) | (a.right & (a.left ^ a.here));
	unsigned b0 = b.left ^ b.right, b1 = b.left & b.right;
	unsigned c0 = c.left ^ c.here ^ c.right;
	unsigned c1 = (c.left & c.here) | (c.right & (c.left ^ c.here));
	unsigned ones = a0 ^ b0 ^ c0, carry = (a0 & b0) | (c0 & (a0 ^ b0));
	unsigned twos = a1 ^ b1 ^ c1 ^ carry;
	unsigned fours = (a1 & b1) | (c1 & carry) | ((a1 ^ b1) & (c1 ^ carry));

	return twos & ~fours & (ones | b.here);
}

extern "C" __global__ void life(unsigned *world, int width, int height, int rounds,
				int *living)
{
	extern __shared__ unsigned room[];
	unsigned *now = room, *next = room + width * height;
	int t = threadIdx.y * blockDim.x + threadIdx.x, threads = blockDim.x * blockDim.y;

	for (int i = t; i < width * height; i += threads)
		now[i] = world[i];
	__syncthreads();
	for (int r = 0; r < rounds; r++) {
		for (int i = t; i < width * height; i += threads) {
			int x = i % width, y = i / width;

			next[i] = step(row(now, width, height, x, y - 1),
				       row(now, width, height, x, y),
				       row(now, width, height, x, y + 1));
		}
		__syncthreads();
		unsigned *s = now;
		now = next;
		next = s;
	}
	for (int i = t; i < width * height; i += threads) {
		world[i] = now[i];
		atomicAdd(living, __popc(now[i]));
	}
}
