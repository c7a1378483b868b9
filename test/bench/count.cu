// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel of the comparison of calls: three parameters, no variables, and a result.
// nvcc -O2 -gencode arch=compute_75,code=compute_75 -gencode arch=compute_90,code=sm_90 -fatbin count.cu -o count.fatbin
extern "C" __global__ void count(unsigned *out, unsigned step, unsigned limit)
{
	if (*out < limit)
		*out += step;
}
