// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Image filters: a separable one through shared memory, Sobel's, and a median of nine.

__constant__ short weight[7];

__device__ int clamp(int x, int n)
{
	return max(0, min(x, n - 1));
}

// Rows, then columns, of one tile; edges are repeated.
extern "C" __global__ void blur(const uchar4 *in, uchar4 *out, int w, int h)
{
	constexpr int R = 3, TX = 16, TY = 8;
	__shared__ int3 across[TY + 2 * R][TX];
	int x = blockIdx.x * TX + threadIdx.x, y0 = blockIdx.y * TY - R;

	for (int r = threadIdx.y; r < TY + 2 * R; r += TY) {
		int3 sum = make_int3(0, 0, 0);

		for (int k = -R; k <= R; k++) {
			uchar4 p = in[clamp(y0 + r, h) * w + clamp(x + k, w)];
			int q = weight[k + R];

			sum = make_int3(sum.x + p.x * q, sum.y + p.y * q, sum.z + p.z * q);
		}
		across[r][threadIdx.x] = sum;
	}
	__syncthreads();
	int y = y0 + R + threadIdx.y;
	int3 sum = make_int3(1 << 15, 1 << 15, 1 << 15);

	for (int k = 0; k <= 2 * R; k++) {
		int3 p = across[threadIdx.y + k][threadIdx.x];
		int q = weight[k];

		sum = make_int3(sum.x + p.x * q, sum.y + p.y * q, sum.z + p.z * q);
	}
	if (x < w && y < h)
		out[y * w + x] = make_uchar4(clamp(sum.x >> 16, 256), clamp(sum.y >> 16, 256),
					     clamp(sum.z >> 16, 256), in[y * w + x].w);
}

extern "C" __global__ void sobel(const unsigned char *in, unsigned char *out, int w, int h)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;
	auto at = [=](int dx, int dy) {
		return (int)__ldg(&in[clamp(y + dy, h) * w + clamp(x + dx, w)]);
	};

	if (x >= w || y >= h)
		return;
	int gx = at(1, -1) + 2 * at(1, 0) + at(1, 1) - at(-1, -1) - 2 * at(-1, 0) - at(-1, 1);
	int gy = at(-1, 1) + 2 * at(0, 1) + at(1, 1) - at(-1, -1) - 2 * at(0, -1) - at(1, -1);
	out[y * w + x] = min(255, (int)(sqrtf(gx * gx + gy * gy) + 0.5f));
}

extern "C" __global__ void median(const unsigned char *in, unsigned char *out, int w, int h)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;
	unsigned char v[9];

	if (x >= w || y >= h)
		return;
	for (int i = 0; i < 9; i++)
		v[i] = in[clamp(y + i / 3 - 1, h) * w + clamp(x + i % 3 - 1, w)];
#pragma unroll
	for (int i = 0; i < 5; i++)
#pragma unroll
		for (int j = i + 1; j < 9; j++) {
			unsigned char low = min(v[i], v[j]), high = max(v[i], v[j]);

			v[i] = low;
			v[j] = high;
		}
	out[y * w + x] = v[4];
}
