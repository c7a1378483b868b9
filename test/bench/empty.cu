// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The trivial kernel of the process-time comparison.
// nvcc -O2 -gencode arch=compute_75,code=compute_75 -gencode arch=compute_90,code=sm_90 -fatbin empty.cu -o empty.fatbin
extern "C" __global__ void empty()
{
}
