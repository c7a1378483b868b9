// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gravitation among all bodies: tiles of them in shared memory, and one leapfrog step.

__device__ float3 attract(float3 a, float4 me, float4 other, float soft)
{
	float3 d = make_float3(other.x - me.x, other.y - me.y, other.z - me.z);
	float r2 = d.x * d.x + d.y * d.y + d.z * d.z + soft;
	float r = rsqrtf(r2), s = other.w * (r * r * r);

	return make_float3(a.x + d.x * s, a.y + d.y * s, a.z + d.z * s);
}

extern "C" __global__ void nbody(const float4 *body, float4 *moved, float4 *velocity, int n,
				 float soft, float dt)
{
	extern __shared__ float4 tile[];
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float4 me = body[min(i, n - 1)];
	float3 a = make_float3(0, 0, 0);

	for (int base = 0; base < n; base += blockDim.x) {
		int j = base + threadIdx.x;

		tile[threadIdx.x] = j < n ? body[j] : make_float4(0, 0, 0, 0);
		__syncthreads();
#pragma unroll 4
		for (int k = 0; k < blockDim.x; k++)
			a = attract(a, me, tile[k], soft);
		__syncthreads();
	}
	if (i >= n)
		return;
	float4 v = velocity[i];
	v = make_float4(v.x + a.x * dt, v.y + a.y * dt, v.z + a.z * dt, v.w);
	velocity[i] = v;
	moved[i] = make_float4(me.x + v.x * dt, me.y + v.y * dt, me.z + v.z * dt, me.w);
}

// Potential energy in double precision, by a tree of the block.
extern "C" __global__ void energy(const float4 *body, int n, double soft, double *sum)
{
	__shared__ double part[64];
	double e = 0;

	for (int i = threadIdx.x; i < n; i += blockDim.x)
		for (int j = 0; j < i; j++) {
			double x = (double)body[i].x - body[j].x;
			double y = (double)body[i].y - body[j].y;
			double z = (double)body[i].z - body[j].z;

			e -= (double)body[i].w * body[j].w / sqrt(x * x + y * y + z * z + soft);
		}
	part[threadIdx.x] = e;
	for (int d = blockDim.x / 2; d; d /= 2) {
		__syncthreads();
		if (threadIdx.x < d)
			part[threadIdx.x] += part[threadIdx.x + d];
	}
	if (threadIdx.x == 0)
		*sum = part[0];
}
