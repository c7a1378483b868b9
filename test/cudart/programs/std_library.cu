// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The standard library on the device: tuples, optional, arrays, limits, spans, complex numbers, chrono.
#include <cuda/std/array>
#include <cuda/std/chrono>
#include <cuda/std/complex>
#include <cuda/std/limits>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/utility>

#include "check.h"

__device__ cuda::std::optional<int> halved(int x)
{
	if (x & 1)
		return cuda::std::nullopt;
	return x / 2;
}

__global__ void run(double *out)
{
	cuda::std::array<int, 4> list = { 4, 3, 2, 1 };
	cuda::std::tuple<int, double> pair(3, 0.5);
	cuda::std::complex<double> z(1, 2), w = z * z;
	int sum = 0;

	for (int x : cuda::std::span<int>(list.data(), 3))
		sum += x;
	out[0] = sum;
	out[1] = cuda::std::get<0>(pair) + cuda::std::get<1>(pair);
	out[2] = w.real() + w.imag();
	out[3] = halved(6).value_or(-1) + halved(5).value_or(-1);
	out[4] = cuda::std::numeric_limits<short>::max();
	auto begin = cuda::std::chrono::system_clock::now();
	out[5] = cuda::std::chrono::system_clock::now() >= begin;
}

int main()
{
	double *out = zeroed<double>(6), *got;

	run<<<1, 1>>>(out);
	got = fetched(out, 6);
	SAME(9, got[0]);
	SAME(3.5, got[1]);
	SAME(1, got[2]);
	SAME(2, got[3]);
	SAME(32767, got[4]);
	SAME(1, got[5]);
	return ok();
}
