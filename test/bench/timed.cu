// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of scripts/check-bench: some take a known time, some try to look faster than they are.
// nvcc -O2 -arch=compute_80 -ptx timed.cu -o timed.ptx
#define CACHED 65536

// Moves COUNT floats.
extern "C" __global__ void copy(const float *from, float *to, unsigned count)
{
	for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
		to[i] = from[i] + 1;
}

static __device__ float spin_for(float value, unsigned times)
{
	for (unsigned i = 0; i < times; i++)
		value = value * 0.999f + 0.5f;
	return value;
}

// A chain of TIMES operations that wait for each other, in every thread.
extern "C" __global__ void spin(float *to, unsigned times)
{
	const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;

	to[at] = spin_for((float)at, times);
}

// The same with a part of its time added: 3 percent.
extern "C" __global__ void spin_longer(float *to, unsigned times)
{
	const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
	float more = spin_for((float)at, times * 3 / 100);

	to[at] = spin_for((float)at, times) + (more == -1 ? 1 : 0);
}

// Another result in each half of a second: right in a checked run, and wrong later.
extern "C" __global__ void late(float *to, unsigned count)
{
	const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned long long now;

	asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
	if (at < count)
		to[at] = now >> 29 & 1;
}

// ---- five that look faster than they are, each beside honest ----

static __device__ void work(const float *from, float *to, unsigned times)
{
	const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;

	to[at] = spin_for(from[at], times);
}

extern "C" __global__ void honest(const float *from, float *to, unsigned times)
{
	work(from, to, times);
}

__device__ const float *known;
__device__ float results[CACHED];

// Keeps the result for an address.
extern "C" __global__ void by_address(const float *from, float *to, unsigned times)
{
	const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;

	if (known == from) {
		to[at] = results[at % CACHED];
		return;
	}
	work(from, to, times);
	results[at % CACHED] = to[at];
	if (at == gridDim.x * blockDim.x - 1)
		known = from;
}

// Does nothing where its result is still there.
extern "C" __global__ void kept(const float *from, float *to, unsigned times)
{
	const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;

	if (to[at] == 0)
		work(from, to, times);
}

__device__ unsigned long long last_launch;

// Works only where its last launch is long ago: who times launches it again and again.
extern "C" __global__ void by_clock(const float *from, float *to, unsigned times)
{
	unsigned long long now;

	asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
	if (now - last_launch > 1000000000ull)
		work(from, to, times);
	last_launch = now;
}

// Nothing: what is computed is computed by another launch, on another stream.
extern "C" __global__ void elsewhere(const float *from, float *to, unsigned times)
{
}

// Reads COUNT floats.
extern "C" __global__ void honest_read(const float *from, float *to, unsigned count)
{
	float sum = 0;

	for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
		sum += from[i];
	to[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Asks the L2 cache to keep what it has read; as honest_read else.
extern "C" __global__ void persisting(const float *from, float *to, unsigned count)
{
	unsigned long long policy;
	float sum = 0, value;

	asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
	for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
	     i += gridDim.x * blockDim.x) {
		asm volatile("ld.global.L2::cache_hint.f32 %0, [%1], %2;"
			     : "=f"(value) : "l"(from + i), "l"(policy));
		sum += value;
	}
	to[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
