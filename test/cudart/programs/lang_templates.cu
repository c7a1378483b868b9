// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Templates of every kind as kernels: types, values, packs, members of classes, and specialisations.
#include "check.h"

template <typename T, int N> __global__ void repeat(T *out, T value)
{
	for (int i = 0; i < N; i++)
		out[i] = value + (T)i;
}

template <typename... T> __device__ double sum_of(T... values)
{
	double sum = 0;

	((sum += values), ...);
	return sum;
}

template <typename... T> __global__ void add(double *out, T... values) { *out = sum_of(values...); }

template <typename T> struct trait {
	static constexpr int value = 1;
};
template <> struct trait<float> {
	static constexpr int value = 2;
};
template <typename T> __global__ void which(int *out) { *out = trait<T>::value; }

int main()
{
	float *floats = zeroed<float>(4);
	short *shorts = zeroed<short>(7);
	double *sum = zeroed<double>(1);
	int *kind = zeroed<int>(2);

	repeat<float, 4><<<1, 1>>>(floats, 1.5f);
	repeat<short, 7><<<1, 1>>>(shorts, 3);
	add<<<1, 1>>>(sum, 1, 2.5f, 3.25, (char)4, true);
	which<float><<<1, 1>>>(kind);
	which<long><<<1, 1>>>(kind + 1);
	SAME(4.5, fetched(floats, 4)[3]);
	SAME(9, fetched(shorts, 7)[6]);
	SAME(11.75, taken(sum));
	SAME(2, fetched(kind, 2)[0]);
	SAME(1, fetched(kind, 2)[1]);
	return ok();
}
