// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Depth-first searches: a sudoku per thread, and queens whose first rows tell the thread.

constexpr unsigned ALL = 0x3fe;

struct Board {
	unsigned row[9], column[9], box[9];

	__device__ unsigned free(int cell) const
	{
		int r = cell / 9, c = cell % 9;

		return ALL & ~(row[r] | column[c] | box[r / 3 * 3 + c / 3]);
	}

	__device__ void flip(int cell, unsigned bit)
	{
		int r = cell / 9, c = cell % 9;

		row[r] ^= bit;
		column[c] ^= bit;
		box[r / 3 * 3 + c / 3] ^= bit;
	}
};

extern "C" __global__ void sudoku(const char *puzzles, char *solved, int count, int *steps)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x, depth = 0, tried = 0;
	unsigned char cell[81];
	unsigned short choice[81];
	char digit[81];
	Board board = {};

	if (t >= count)
		return;
	int open = 0;
	for (int i = 0; i < 81; i++) {
		digit[i] = puzzles[t * 81 + i] - '0';
		if (digit[i])
			board.flip(i, 1u << digit[i]);
		else
			cell[open++] = i;
	}
	if (open)
		choice[0] = board.free(cell[0]);
	while (depth < open) {
		int at = cell[depth];

		if (digit[at])
			board.flip(at, 1u << digit[at]);
		digit[at] = 0;
		if (!choice[depth]) {
			if (--depth < 0)
				break;
			continue;
		}
		int bit = __ffs(choice[depth]) - 1;
		choice[depth] &= choice[depth] - 1;
		digit[at] = bit;
		board.flip(at, 1u << bit);
		tried++;
		if (++depth < open)
			choice[depth] = board.free(cell[depth]);
	}
	for (int i = 0; i < 81; i++)
		solved[t * 81 + i] = digit[i] + '0';
	steps[t] = tried;
}

__device__ int place(int n, unsigned columns, unsigned left, unsigned right)
{
	unsigned all = (1u << n) - 1, open = all & ~(columns | left | right);
	int found = 0;

	if (columns == all)
		return 1;
	for (; open; open &= open - 1) {
		unsigned bit = open & -open;

		found += place(n, columns | bit, (left | bit) << 1, (right | bit) >> 1);
	}
	return found;
}

extern "C" __global__ void queens(int n, int *solutions)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned a = 1u << t / n, b = 1u << t % n;

	if (t >= n * n)
		return;
	if (b & (a | a << 1 | a >> 1))
		return;
	int found = place(n, a | b, (a << 1 | b) << 1, (a >> 1 | b) >> 1);
	atomicAdd(solutions, found);
}
