// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cudaMemcpy in each direction, the direction found out, and directions that are none.
#include "check.h"

int main()
{
	int host[100], back[100], *one = zeroed<int>(100), *two = zeroed<int>(100);

	for (int i = 0; i < 100; i++)
		host[i] = i * i;
	CHECK(cudaMemcpy(one, host, sizeof(host), cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(two, one, sizeof(host), cudaMemcpyDeviceToDevice));
	CHECK(cudaMemcpy(back, two, sizeof(host), cudaMemcpyDeviceToHost));
	for (int i = 0; i < 100; i++)
		SAME(i * i, back[i]);
	CHECK(cudaMemcpy(back, host + 50, 50 * sizeof(int), cudaMemcpyHostToHost));
	SAME(2500, back[0]);
	CHECK(cudaMemset(two, 0xff, sizeof(host)));
	CHECK(cudaMemcpy(two, host, 40, cudaMemcpyDefault));
	CHECK(cudaMemcpy(back, two, sizeof(host), cudaMemcpyDefault));
	SAME(81, back[9]);
	SAME(-1, back[10]);
	CHECK(cudaMemcpy(one, two, 0, cudaMemcpyDeviceToDevice));
	CHECK(cudaMemcpyPeer(one, 0, two, 0, sizeof(host)));
	CHECK(cudaMemcpyPeerAsync(one, 0, two, 0, sizeof(host), 0));
	GIVES(cudaErrorInvalidMemcpyDirection, cudaMemcpy(one, host, 4, (cudaMemcpyKind)5));
	GIVES(cudaErrorInvalidValue, cudaMemcpy(NULL, host, 4, cudaMemcpyHostToDevice));
	GIVES(cudaErrorInvalidValue, cudaMemcpy(one, NULL, 4, cudaMemcpyHostToDevice));
	GIVES(cudaErrorInvalidValue, cudaMemcpy(back, host, 4, cudaMemcpyDeviceToHost));
	return ok();
}
