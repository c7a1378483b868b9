// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two files, linked by nvlink: functions and variables of the device across them.
//: nvcc -rdc=true
//: with rdc_functions_b.cu
#include "check.h"

extern __device__ int twice(int);
extern __device__ int counter;
extern __constant__ int offset;
extern void set_counter(int);

__global__ void use(int *out)
{
	atomicAdd(&counter, twice(thread_index()) + offset);
	__syncthreads();
	if (!threadIdx.x)
		*out = counter;
}

int main()
{
	int *out = zeroed<int>(1);

	set_counter(100);
	use<<<1, 32>>>(out);
	SAME(100 + 32 * 31 + 32 * 7, taken(out));
	return ok();
}
