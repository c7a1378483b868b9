// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Structures as kernel parameters, as arguments and as results.

struct vec {
	float x, y, z;
	short tag[3];
	double w;
};

__device__ __noinline__ vec scaled(vec v, float by)
{
	v.x *= by, v.y *= by, v.z *= by;
	v.w += v.tag[1];
	v.tag[0]++;
	return v;
}

extern "C" __global__ void byvalue(vec v, const int *pick, double *out)
{
	int i = threadIdx.x;
	vec r = scaled(v, float(i));
	const short *tags = v.tag;

	out[i] = r.x + r.y * 10 + r.z * 100 + r.w + r.tag[0] + tags[pick[i]];
}
