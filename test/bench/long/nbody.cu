// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bodies that attract each other, in tiles in shared memory.
#include "long.h"

enum { BODIES = 16384, BLOCK = 256 };

__global__ void accelerate(const float4 *body, float4 *velocity, float step)
{
	__shared__ float4 tile[BLOCK];
	const int i = blockIdx.x * BLOCK + threadIdx.x;
	const float4 self = body[i];
	float3 sum = { 0, 0, 0 };

	for (int at = 0; at < BODIES; at += BLOCK) {
		tile[threadIdx.x] = body[at + threadIdx.x];
		__syncthreads();
		for (int k = 0; k < BLOCK; k++) {
			const float x = tile[k].x - self.x, y = tile[k].y - self.y, z = tile[k].z - self.z;
			const float near = rsqrtf(x * x + y * y + z * z + 1e-3f);
			const float force = tile[k].w * near * near * near;

			sum.x += x * force;
			sum.y += y * force;
			sum.z += z * force;
		}
		__syncthreads();
	}
	velocity[i].x += sum.x * step;
	velocity[i].y += sum.y * step;
	velocity[i].z += sum.z * step;
}

__global__ void move(float4 *body, const float4 *velocity, float step)
{
	const int i = blockIdx.x * BLOCK + threadIdx.x;

	body[i].x += velocity[i].x * step;
	body[i].y += velocity[i].y * step;
	body[i].z += velocity[i].z * step;
}

int main(int argc, char **argv)
{
	std::vector<float4> body(BODIES), still(BODIES, float4{ 0, 0, 0, 0 });
	double want[3] = { 0, 0, 0 };

	for (int i = 0; i < BODIES; i++)
		body[i] = { random_part(4 * i), random_part(4 * i + 1), random_part(4 * i + 2),
			    random_part(4 * i + 3) / BODIES };
	float4 *at = device(body), *velocity = device(still), *first = device(still);
	accelerate<<<BODIES / BLOCK, BLOCK>>>(at, first, 1);
	const float4 got = host(first, 8)[7];
	for (int k = 0; k < BODIES; k++) {
		const double x = body[k].x - body[7].x, y = body[k].y - body[7].y, z = body[k].z - body[7].z;
		const double force = body[k].w * pow(x * x + y * y + z * z + 1e-3, -1.5);

		want[0] += x * force;
		want[1] += y * force;
		want[2] += z * force;
	}
	expect(got.x, want[0], 1e-4, "nbody, x");
	expect(got.y, want[1], 1e-4, "nbody, y");
	expect(got.z, want[2], 1e-4, "nbody, z");
	timed("nbody", argc, argv, [&] {
		accelerate<<<BODIES / BLOCK, BLOCK>>>(at, velocity, 1e-3f);
		move<<<BODIES / BLOCK, BLOCK>>>(at, velocity, 1e-3f);
	});
}
