// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constant and device variables of every shape, with initial values and without.
#include "check.h"

struct record {
	float scale;
	int table[4];
};
__constant__ record fixed = { 1.5f, { 1, 2, 3, 4 } };
__constant__ int empty[8];
__device__ double value = 0.25;
__device__ int matrix[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };
__device__ static int hidden = 9;

__global__ void run(double *out)
{
	out[0] = fixed.scale * fixed.table[3];
	out[1] = empty[5];
	out[2] = value + matrix[1][2] + hidden;
	hidden = 10;
}

int main()
{
	double *out = zeroed<double>(3), *got;
	int filled[8] = { 0, 1, 2, 3, 4, 55, 6, 7 }, back;
	record other = { 2.0f, { 0, 0, 0, 8 } };
	size_t size;

	run<<<1, 1>>>(out);
	got = fetched(out, 3);
	SAME(6, got[0]);
	SAME(0, got[1]);
	SAME(15.25, got[2]);
	CHECK(cudaMemcpyToSymbol(fixed, &other, sizeof(other)));
	CHECK(cudaMemcpyToSymbol(empty, filled + 5, sizeof(int), 5 * sizeof(int)));
	run<<<1, 1>>>(out);
	got = fetched(out, 3);
	SAME(16, got[0]);
	SAME(55, got[1]);
	SAME(16.25, got[2]);
	CHECK(cudaMemcpyFromSymbol(&back, matrix, sizeof(int), 4 * sizeof(int)));
	SAME(5, back);
	CHECK(cudaGetSymbolSize(&size, matrix));
	SAME(24, size);
	return ok();
}
