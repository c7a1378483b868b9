// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A matrix turned over in tiles of 16 x 16, rows padded against bank conflicts.

extern "C" __global__ void transpose(const short *in, short *out, int width, int height)
{
	__shared__ short tile[16][17];
	int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;

	if (x < width && y < height)
		tile[threadIdx.y][threadIdx.x] = in[y * width + x];
	__syncthreads();
	x = blockIdx.y * 16 + threadIdx.x;
	y = blockIdx.x * 16 + threadIdx.y;
	if (x < height && y < width)
		out[y * height + x] = tile[threadIdx.x][threadIdx.y];
}
