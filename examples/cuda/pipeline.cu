// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two stages for two streams: consume reads what produce wrote, so it has to
// start after it. produce takes its time: without the wait, out is not all ones.
extern "C" __global__ void produce(float *t)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float value = t[i];

	for (int round = 0; round < 200; round++)
		value += 0.01f;
	t[i] = value > 1.5f ? 2 : 0;
}

extern "C" __global__ void consume(const float *t, float *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	out[i] = t[i] - 1;
}
