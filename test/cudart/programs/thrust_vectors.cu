// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vectors that grow, are copied and move; iterators of several kinds; a policy with a stream.
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/transform.h>

#include "check.h"

struct product {
	__host__ __device__ int operator()(thrust::tuple<int, int> t) const { return thrust::get<0>(t) * thrust::get<1>(t); }
};

struct twice {
	__host__ __device__ int operator()(int x) const { return 2 * x; }
};

int main()
{
	cudaStream_t stream;
	thrust::device_vector<int> a(100, 3), b, c(100);

	CHECK(cudaStreamCreate(&stream));
	b = a;
	b.push_back(7);
	b.resize(200, 9);
	SAME(7, b[100]);
	SAME(9, b[199]);
	b.resize(100);
	b[5] = 11;
	auto pairs = thrust::make_zip_iterator(thrust::make_tuple(a.begin(), b.begin()));
	thrust::transform(thrust::cuda::par.on(stream), pairs, pairs + 100, c.begin(), product());
	CHECK(cudaStreamSynchronize(stream));
	SAME(33, c[5]);
	auto doubled = thrust::make_transform_iterator(c.begin(), twice());
	SAME(2 * (99 * 9 + 33), thrust::reduce(thrust::device, doubled, doubled + 100));
	thrust::device_vector<int> moved(std::move(c));
	SAME(100, moved.size());
	a.clear();
	a.shrink_to_fit();
	CHECK(cudaStreamDestroy(stream));
	return ok();
}
