// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dynamic programs along diagonals: edit distance, local alignment, longest common part.

constexpr int MOST = 128;

// A block per pair of words; thread t has column t.
extern "C" __global__ void distance(const char *a, const char *b, const int *na, const int *nb,
				    int *out)
{
	__shared__ short row[3][MOST + 1];
	int pair = blockIdx.x, n = na[pair], m = nb[pair], j = threadIdx.x;

	a += pair * MOST;
	b += pair * MOST;
	for (int sum = 0; sum <= n + m; sum++) {
		int i = sum - j;
		short *now = row[sum % 3], *before = row[(sum + 2) % 3],
		      *last = row[(sum + 1) % 3];

		if (i >= 0 && i <= n && j <= m) {
			if (i == 0)
				now[j] = j;
			else if (j == 0)
				now[j] = i;
			else
				now[j] = min(min(before[j], before[j - 1]) + 1,
					     last[j - 1] + (a[i - 1] != b[j - 1]));
		}
		__syncthreads();
	}
	if (j == 0)
		out[pair] = row[(n + m) % 3][m];
}

// Smith and Waterman with affine gaps: a warp walks down, a lane per column.
extern "C" __global__ void align(const char *a, const char *b, int n, int m, int *best,
				 int2 *where)
{
	constexpr int OPEN = 5, EXTEND = 1, MATCH = 3, MISMATCH = -2;
	int lane = threadIdx.x, score = 0;
	int2 place = make_int2(0, 0);
	int h = 0, diagonal = 0, e = -1000, f = -1000;
	char mine = lane < m ? b[lane] : 0;

	for (int step = 0; step < n + 31; step++) {
		int i = step - lane;
		int left_h = __shfl_up_sync(~0u, h, 1), left_f = __shfl_up_sync(~0u, f, 1);

		if (lane == 0)
			left_h = 0, left_f = -1000;
		if (i >= 0 && i < n && lane < m) {
			int s = a[i] == mine ? MATCH : MISMATCH;

			e = max(h - OPEN, e - EXTEND);
			f = max(left_h - OPEN, left_f - EXTEND);
			h = max(max(0, diagonal + s), max(e, f));
			if (h > score)
				score = h, place = make_int2(i, lane);
		}
		diagonal = left_h;
	}
	for (int d = 16; d; d /= 2) {
		int other = __shfl_down_sync(~0u, score, d);
		int x = __shfl_down_sync(~0u, place.x, d), y = __shfl_down_sync(~0u, place.y, d);

		if (other > score)
			score = other, place = make_int2(x, y);
	}
	if (lane == 0)
		*best = score, *where = place;
}
