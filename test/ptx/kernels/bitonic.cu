// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts 512 keys in shared memory.

extern "C" __global__ void bitonic(unsigned *keys)
{
	__shared__ unsigned s[512];

	for (unsigned i = threadIdx.x; i < 512; i += blockDim.x)
		s[i] = keys[i];
	for (unsigned k = 2; k <= 512; k *= 2)
		for (unsigned j = k / 2; j; j /= 2) {
			__syncthreads();
			for (unsigned i = threadIdx.x; i < 512; i += blockDim.x) {
				unsigned l = i ^ j;
				if (l > i && (s[i] > s[l]) == !(i & k)) {
					unsigned t = s[i];
					s[i] = s[l];
					s[l] = t;
				}
			}
		}
	__syncthreads();
	for (unsigned i = threadIdx.x; i < 512; i += blockDim.x)
		keys[i] = s[i];
}
