// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Spheres and a plane, with shadows and mirrors: rays that bounce, all in f32.

struct Sphere {
	float3 centre;
	float radius, mirror;
	unsigned colour;
};

__constant__ Sphere spheres[4];

__device__ float3 operator+(float3 a, float3 b)
{
	return make_float3(a.x + b.x, a.y + b.y, a.z + b.z);
}

__device__ float3 operator-(float3 a, float3 b)
{
	return make_float3(a.x - b.x, a.y - b.y, a.z - b.z);
}

__device__ float3 operator*(float3 a, float s)
{
	return make_float3(a.x * s, a.y * s, a.z * s);
}

__device__ float dot(float3 a, float3 b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

__device__ float3 unit(float3 a)
{
	return a * rsqrtf(dot(a, a));
}

__device__ int nearest(float3 from, float3 way, int count, float *distance)
{
	int found = -1;

	*distance = 1e30f;
	for (int i = 0; i < count; i++) {
		float3 to = spheres[i].centre - from;
		float b = dot(to, way), d = b * b - dot(to, to) +
					    spheres[i].radius * spheres[i].radius;

		if (d < 0)
			continue;
		float t = b - sqrtf(d);
		if (t > 1e-3f && t < *distance) {
			*distance = t;
			found = i;
		}
	}
	return found;
}

// The brightness and the number of bounces of each pixel.
extern "C" __global__ void trace(float *light, unsigned char *bounces, int w, int h, int count)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	const float3 sun = unit(make_float3(1, 2, -1.5f));
	float sum = 0, weight = 1, t;
	int n = 0;

	if (x >= w || y >= h)
		return;
	float3 from = make_float3(0, 0, -4);
	float3 way = unit(make_float3((x - w * 0.5f + 0.25f) / h, (h * 0.5f - y - 0.25f) / h, 1));
	for (; n < 5; n++) {
		int hit = nearest(from, way, count, &t);

		if (hit < 0) {
			sum += weight * (0.5f + 0.5f * way.y);
			break;
		}
		float3 at = from + way * t, normal = unit(at - spheres[hit].centre);
		float shade = fmaxf(dot(normal, sun), 0.0f), far;

		if (nearest(at, sun, count, &far) >= 0)
			shade = 0;
		sum += weight * (1 - spheres[hit].mirror) * (0.1f + shade) *
		       (spheres[hit].colour & 255) / 255.0f;
		weight *= spheres[hit].mirror;
		if (weight == 0)
			break;
		way = way - normal * (2 * dot(way, normal));
		from = at;
	}
	light[y * w + x] = sum;
	bounces[y * w + x] = n;
}
