// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks of 8 by 8 pixels: cosine transform, quantisation, zigzag runs; and back again.

__constant__ unsigned char zigzag[64] = {
	0,  1,	8,  16, 9,  2,	3,  10, 17, 24, 32, 25, 18, 11, 4,  5,	12, 19, 26, 33, 40, 48,
	41, 34, 27, 20, 13, 6,	7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23,
	30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
};

__device__ float basis(int x, int u)
{
	return cospif((2 * x + 1) * u / 16.0f) * (u ? 0.5f : 0.35355339f);
}

// Multiplies by the matrix of the transform, or its transpose, on both sides.
__device__ float both_sides(float value, float (*room)[9], const float (*matrix)[9], bool back)
{
	int x = threadIdx.x, y = threadIdx.y;
	float sum = 0;

	room[y][x] = value;
	__syncthreads();
	for (int k = 0; k < 8; k++)
		sum += room[y][k] * (back ? matrix[x][k] : matrix[k][x]);
	__syncthreads();
	room[y][x] = sum;
	__syncthreads();
	sum = 0;
	for (int k = 0; k < 8; k++)
		sum += room[k][x] * (back ? matrix[y][k] : matrix[k][y]);
	__syncthreads();
	return sum;
}

extern "C" __global__ void forward(const unsigned char *image, int width, short *out,
				   int quality)
{
	__shared__ float room[8][9], matrix[8][9];
	__shared__ short coefficient[64];
	int x = threadIdx.x, y = threadIdx.y, t = y * 8 + x;
	int block = blockIdx.y * gridDim.x + blockIdx.x;

	matrix[y][x] = basis(y, x);
	float pixel = image[(blockIdx.y * 8 + y) * width + blockIdx.x * 8 + x];
	float c = both_sides(pixel - 128.0f, room, matrix, false);

	coefficient[t] = (short)rintf(c / (1 + (1 + x + y) * quality));
	__syncthreads();
	out[block * 64 + t] = coefficient[zigzag[t]];
}

extern "C" __global__ void inverse(const short *in, unsigned char *image, int width, int quality)
{
	__shared__ float room[8][9], matrix[8][9];
	__shared__ short coefficient[64];
	int x = threadIdx.x, y = threadIdx.y, t = y * 8 + x;
	int block = blockIdx.y * gridDim.x + blockIdx.x;

	matrix[y][x] = basis(y, x);
	coefficient[zigzag[t]] = in[block * 64 + t];
	__syncthreads();
	float c = coefficient[t] * (1 + (1 + x + y) * quality);
	float pixel = both_sides(c, room, matrix, true) + 128.0f;

	image[(blockIdx.y * 8 + y) * width + blockIdx.x * 8 + x] =
		(unsigned char)fminf(fmaxf(rintf(pixel), 0.0f), 255.0f);
}

// Runs of zeros in front of each value, by ballots; the end is told by 0, 0.
extern "C" __global__ void runs(const short *in, short2 *out, int *count)
{
	int lane = threadIdx.x, n = 0, before = -1;

	for (int half = 0; half < 2; half++) {
		short v = in[blockIdx.x * 64 + half * 32 + lane];
		unsigned set = __ballot_sync(~0u, v != 0), below = set & ((1u << lane) - 1);
		int last = below ? half * 32 + 31 - __clz(below) : before;

		if (v)
			out[blockIdx.x * 65 + n + __popc(below)] =
				make_short2(half * 32 + lane - last - 1, v);
		n += __popc(set);
		before = set ? half * 32 + 31 - __clz(set) : before;
	}
	if (lane == 0) {
		out[blockIdx.x * 65 + n] = make_short2(0, 0);
		count[blockIdx.x] = n;
	}
}
