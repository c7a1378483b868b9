// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pitched memory of two and three dimensions: copies in and out, and fills of a part.
#include "check.h"

int main()
{
	enum { W = 30, H = 5, D = 3 };
	char host[H][W], back[H][W];
	char *data;
	size_t pitch;
	cudaPitchedPtr box;

	for (int y = 0; y < H; y++)
		for (int x = 0; x < W; x++)
			host[y][x] = y * W + x;
	CHECK(cudaMallocPitch(&data, &pitch, W, H));
	EXPECT(pitch >= W && pitch % 16 == 0);
	CHECK(cudaMemcpy2D(data, pitch, host, W, W, H, cudaMemcpyHostToDevice));
	CHECK(cudaMemset2D(data + pitch + 2, pitch, 0x55, 3, 2));
	CHECK(cudaMemcpy2D(back, W, data, pitch, W, H, cudaMemcpyDeviceToHost));
	for (int y = 0; y < H; y++)
		for (int x = 0; x < W; x++)
			SAME(y >= 1 && y <= 2 && x >= 2 && x <= 4 ? 0x55 : host[y][x], back[y][x]);
	GIVES(cudaErrorInvalidPitchValue, cudaMemcpy2D(back, W - 1, data, pitch, W, H, cudaMemcpyDeviceToHost));
	CHECK(cudaMalloc3D(&box, make_cudaExtent(W, H, D)));
	CHECK(cudaMemset3D(box, 7, make_cudaExtent(W, H, D)));
	CHECK(cudaMemset3DAsync(box, 9, make_cudaExtent(W, 2, D), 0));
	cudaMemcpy3DParms copy = {};
	copy.srcPtr = box;
	copy.srcPos = make_cudaPos(0, 0, D - 1);
	copy.dstPtr = make_cudaPitchedPtr(back, W, W, H);
	copy.extent = make_cudaExtent(W, H, 1);
	copy.kind = cudaMemcpyDeviceToHost;
	CHECK(cudaMemcpy3D(&copy));
	SAME(9, back[1][W - 1]);
	SAME(7, back[2][0]);
	CHECK(cudaFree(box.ptr));
	CHECK(cudaFree(data));
	return ok();
}
