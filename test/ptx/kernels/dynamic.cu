// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dynamic shared memory cut into two arrays of different types.

extern __shared__ unsigned char room[];

extern "C" __global__ void dynamic(const double *in, const short *index, double *out)
{
	int i = threadIdx.x, n = blockDim.x;
	double *values = (double *)room;
	short *places = (short *)(values + n);

	values[i] = in[i];
	places[i] = index[i];
	__syncthreads();
	out[i] = values[places[n - 1 - i]] * 2;
}
