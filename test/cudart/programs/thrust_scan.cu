// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans, reductions, unique and reductions by key of 2^18 values.
#include <thrust/device_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>

#include <vector>

#include "check.h"

struct square {
	__host__ __device__ double operator()(int x) const { return (double)x * x; }
};

int main()
{
	const int n = 1 << 18;
	std::vector<int> host(n), got(n);
	int keys = 0, sum = 0;
	double squares = 0;

	for (int i = 0; i < n; i++)
		host[i] = i / 3 % 1000;
	thrust::device_vector<int> in(host.begin(), host.end()), out(n), key(n), total(n);
	thrust::exclusive_scan(in.begin(), in.end(), out.begin(), 5);
	thrust::copy(out.begin(), out.end(), got.begin());
	for (int i = 0, at = 5; i < n; at += host[i++])
		EXPECT(got[i] == at);
	thrust::inclusive_scan(in.begin(), in.end(), out.begin(), thrust::maximum<int>());
	SAME(999, out[n - 1]);
	for (int i = 0; i < n; i++) {
		sum += host[i];
		squares += (double)host[i] * host[i];
		keys += !i || host[i] != host[i - 1];
	}
	SAME(sum, thrust::reduce(in.begin(), in.end()));
	SAME(squares, thrust::transform_reduce(in.begin(), in.end(), square(), 0.0, thrust::plus<double>()));
	auto ends = thrust::reduce_by_key(in.begin(), in.end(), thrust::counting_iterator<int>(0), key.begin(), total.begin());
	SAME(keys, ends.first - key.begin());
	SAME(0 + 1 + 2, total[0]);
	SAME(3 + 4 + 5, total[1]);
	SAME(keys, thrust::unique_copy(in.begin(), in.end(), out.begin()) - out.begin());
	return ok();
}
