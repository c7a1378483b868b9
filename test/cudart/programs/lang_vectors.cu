// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vector types, their alignment, and loads of 16 bytes.
#include "check.h"

struct __align__(16) pair {
	double a, b;
};

__global__ void run(float4 *in, float4 *out, pair *pairs, uchar4 *bytes, int3 *odd)
{
	int i = thread_index();
	float4 v = in[i];

	out[i] = make_float4(v.w, v.z, v.y, v.x);
	pairs[i].a += i;
	pairs[i].b -= i;
	bytes[i] = make_uchar4(i, i + 1, i + 2, i + 3);
	odd[i] = make_int3(i, -i, 2 * i);
}

int main()
{
	float4 *in = zeroed<float4>(64), *out = zeroed<float4>(64), host[64];
	pair *pairs = zeroed<pair>(64);
	uchar4 *bytes = zeroed<uchar4>(64);
	int3 *odd = zeroed<int3>(64);

	for (int i = 0; i < 64; i++)
		host[i] = make_float4(i, i + .25f, i + .5f, i + .75f);
	CHECK(cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice));
	run<<<2, 32>>>(in, out, pairs, bytes, odd);
	float4 *got = fetched(out, 64);
	for (int i = 0; i < 64; i++) {
		SAME(i + .75f, got[i].x);
		SAME(i, got[i].w);
	}
	SAME(-63, fetched(pairs, 64)[63].b);
	SAME(13, fetched(bytes, 64)[10].w);
	SAME(126, fetched(odd, 64)[63].z);
	return ok();
}
