// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Boxes of memory: parts of them copied between places, to the host and back, and in streams.
#include "check.h"

int main()
{
	enum { W = 20, H = 6, D = 4 };
	static unsigned char host[D][H][W], back[D][H][W];
	cudaPitchedPtr box, other;
	cudaExtent whole = make_cudaExtent(W, H, D);
	cudaMemcpy3DParms copy = {};
	cudaMemcpy3DPeerParms peer = {};

	for (int i = 0; i < W * H * D; i++)
		(&host[0][0][0])[i] = i;
	CHECK(cudaMalloc3D(&box, whole));
	CHECK(cudaMalloc3D(&other, whole));
	CHECK(cudaMemset3D(other, 0xee, whole));
	copy.srcPtr = make_cudaPitchedPtr(host, W, W, H);
	copy.dstPtr = box;
	copy.extent = whole;
	copy.kind = cudaMemcpyHostToDevice;
	CHECK(cudaMemcpy3D(&copy));
	/* A part of it goes to another place. */
	copy.srcPtr = box;
	copy.srcPos = make_cudaPos(4, 1, 1);
	copy.dstPtr = other;
	copy.dstPos = make_cudaPos(1, 2, 0);
	copy.extent = make_cudaExtent(8, 3, 2);
	copy.kind = cudaMemcpyDeviceToDevice;
	CHECK(cudaMemcpy3DAsync(&copy, 0));
	peer.srcPtr = other;
	peer.dstPtr = box;
	peer.extent = whole;
	CHECK(cudaMemcpy3DPeer(&peer));
	copy = {};
	copy.srcPtr = box;
	copy.dstPtr = make_cudaPitchedPtr(back, W, W, H);
	copy.extent = whole;
	copy.kind = cudaMemcpyDefault;
	CHECK(cudaMemcpy3D(&copy));
	for (int z = 0; z < D; z++)
		for (int y = 0; y < H; y++)
			for (int x = 0; x < W; x++)
				SAME(z < 2 && y >= 2 && y < 5 && x >= 1 && x < 9 ? host[z + 1][y - 1][x + 3] : 0xee, back[z][y][x]);
	CHECK(cudaFree(box.ptr));
	CHECK(cudaFree(other.ptr));
	GIVES(cudaErrorInvalidValue, cudaMemcpy3D(NULL));
	return ok();
}
