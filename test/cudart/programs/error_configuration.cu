// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches within the arguments of launches, and one that is refused in between.
#include "check.h"

__global__ void add(int *data, int value) { *data += value; }

static int *data;

static int launched(int value)
{
	add<<<1, 1>>>(data, value);
	return value;
}

static int refused()
{
	add<<<1, 4096>>>(data, 1);
	return 1;
}

int main()
{
	data = zeroed<int>(1);
	add<<<1, launched(1)>>>(data, launched(10));
	CHECK(cudaGetLastError());
	add<<<refused(), 1>>>(data, 100);
	GIVES(cudaErrorInvalidValue, cudaGetLastError());
	add<<<1, 1>>>(data, 1000);
	CHECK(cudaGetLastError());
	SAME(1 + 10 + 10 + 100 + 1000, taken(data));
	return ok();
}
