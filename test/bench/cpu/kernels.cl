/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What kernels.cu has, in OpenCL C. */
kernel void saxpy(int n, float a, global const float *restrict x, global float *restrict y)
{
	int stride = get_global_size(0);

	for (int i = get_global_id(0); i < n; i += stride)
		y[i] = a * x[i] + y[i];
}

kernel void inthash(uint rounds, global uint *out)
{
	uint t = get_global_id(0);
	uint x = t * 2654435761u + 1u, sum = 0;

	for (uint k = 0; k < rounds; k++) {
		x ^= x << 13;
		x ^= x >> 17;
		x ^= x << 5;
		sum += x * 1664525u + 1013904223u;
		sum ^= (sum >> 7) & x;
	}
	out[t] = sum;
}

kernel void collatz(uint n, global uint *out)
{
	uint t = get_global_id(0);
	uint x = t + 1, steps = 0;

	if (t >= n)
		return;
	while (x != 1) {
		if (x & 1) {
			x = 3 * x + 1;
			steps += 2;
		} else {
			x >>= 1;
			steps += 1;
		}
		if (steps > 400)
			break;
	}
	out[t] = steps;
}

kernel void gemm(int n, global const float *restrict a, global const float *restrict b,
		 global float *c)
{
	int j = get_global_id(0), i = get_global_id(1);
	float sum = 0;

	if (i >= n || j >= n)
		return;
	for (int k = 0; k < n; k++)
		sum += a[i * n + k] * b[k * n + j];
	c[i * n + j] = sum;
}

kernel void reduce(int n, global const float *restrict x, global float *out)
{
	local float part[256];
	uint t = get_local_id(0);
	float sum = 0;

	for (int i = get_global_id(0); i < n; i += get_global_size(0))
		sum += x[i];
	part[t] = sum;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint width = 128; width > 0; width >>= 1) {
		if (t < width)
			part[t] += part[t + width];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (t == 0)
		out[get_group_id(0)] = part[0];
}

/* C = A B in tiles of T by T; n is a multiple of T. Warps are several rows of a tile. */
#define MATMUL(T)                                                                          \
	kernel void matmul##T(int n, global const float *restrict a,                       \
			      global const float *restrict b, global float *c)             \
	{                                                                                  \
		local float sa[T][T], sb[T][T];                                            \
		int u = get_local_id(0), v = get_local_id(1);                              \
		int j = get_global_id(0), i = get_global_id(1);                            \
		float sum = 0;                                                             \
                                                                                           \
		for (int t = 0; t < n; t += T) {                                           \
			sa[v][u] = a[i * n + t + u];                                       \
			sb[v][u] = b[(t + v) * n + j];                                     \
			barrier(CLK_LOCAL_MEM_FENCE);                                      \
			for (int k = 0; k < T; k++)                                        \
				sum += sa[v][k] * sb[k][u];                                \
			barrier(CLK_LOCAL_MEM_FENCE);                                      \
		}                                                                          \
		c[i * n + j] = sum;                                                        \
	}
MATMUL(16)
MATMUL(8)
