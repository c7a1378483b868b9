// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Escape times in fixed point: loops whose length differs from lane to lane.

extern "C" __global__ void mandelbrot(unsigned char *out, int width, int height)
{
	int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
	int cx = (px * 3 << 16) / width - (2 << 16), cy = (py * 2 << 16) / height - (1 << 16);
	long long x = 0, y = 0;
	int n = 0;

	if (px >= width || py >= height)
		return;
	while (n < 100 && x * x + y * y < 4ll << 32) {
		long long t = ((x * x - y * y) >> 16) + cx;
		y = ((x * y) >> 15) + cy;
		x = t;
		n++;
	}
	out[py * width + px] = n;
}
