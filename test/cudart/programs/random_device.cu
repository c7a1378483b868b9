// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The random numbers of curand_kernel.h: known sequences, and what their mean and spread are.
#include <curand_kernel.h>
#include <math.h>

#include "check.h"

__global__ void run(unsigned *first, float *sums)
{
	curandStatePhilox4_32_10_t philox;
	curandStateXORWOW_t xorwow;
	int i = thread_index();

	curand_init(1234, i, 0, &philox);
	curand_init(1234, i, 0, &xorwow);
	if (!i) {
		first[0] = curand(&philox);
		first[1] = curand(&xorwow);
	}
	for (int n = 0; n < 64; n++) {
		float u = curand_uniform(&xorwow), g = curand_normal(&philox);

		atomicAdd(sums, u);
		atomicAdd(sums + 1, g);
		atomicAdd(sums + 2, g * g);
		if (!(u > 0 && u <= 1))
			atomicAdd(sums + 3, 1);
	}
}

int main()
{
	unsigned *first = zeroed<unsigned>(2), one, two;
	float *sums = zeroed<float>(4), *got;

	run<<<4, 64>>>(first, sums);
	got = fetched(sums, 4);
	SAME(0, got[3]);
	EXPECT(fabs(got[0] / 16384 - 0.5) < 0.02);
	EXPECT(fabs(got[1] / 16384) < 0.05);
	EXPECT(fabs(got[2] / 16384 - 1) < 0.1);
	one = fetched(first, 2)[0];
	two = fetched(first, 2)[1];
	run<<<4, 64>>>(first, sums);
	EXPECT(fetched(first, 2)[0] == one && fetched(first, 2)[1] == two && one != two);
	return ok();
}
