// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Devices that reach each other, and one that has no other.
#include "check.h"

int main()
{
	int count, can = -1, value;

	CHECK(cudaGetDeviceCount(&count));
	CHECK(cudaDeviceCanAccessPeer(&can, 0, 0));
	SAME(0, can);
	GIVES(cudaErrorPeerAccessUnsupported, cudaDeviceEnablePeerAccess(0, 0));
	GIVES(cudaErrorInvalidDevice, cudaDeviceEnablePeerAccess(count, 0));
	GIVES(cudaErrorInvalidDevice, cudaDeviceDisablePeerAccess(count));
	GIVES(cudaErrorInvalidDevice, cudaDeviceCanAccessPeer(&can, 0, count));
	GIVES(cudaErrorInvalidDevice, cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, count));
	cudaGetLastError();
	return ok();
}
