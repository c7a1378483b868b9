// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transforms, searches, partitions, gathers, zips and permutations.
#include <thrust/binary_search.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/extrema.h>
#include <thrust/gather.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/partition.h>
#include <thrust/sequence.h>
#include <thrust/transform.h>

#include "check.h"

struct even {
	__host__ __device__ bool operator()(int x) const { return x % 2 == 0; }
};

int main()
{
	const int n = 10000;
	thrust::device_vector<int> a(n), b(n), c(n);

	thrust::sequence(a.begin(), a.end());
	thrust::fill(b.begin(), b.end(), 3);
	thrust::transform(a.begin(), a.end(), b.begin(), c.begin(), thrust::multiplies<int>());
	SAME(3 * (n - 1), c[n - 1]);
	SAME(n / 2, thrust::count_if(a.begin(), a.end(), even()));
	SAME(5000, thrust::lower_bound(a.begin(), a.end(), 5000) - a.begin());
	SAME(n - 1, *thrust::max_element(a.begin(), a.end()));
	thrust::device_vector<int> map(n);
	thrust::sequence(map.begin(), map.end(), n - 1, -1);
	thrust::gather(map.begin(), map.end(), a.begin(), b.begin());
	SAME(n - 1, b[0]);
	SAME(n / 2, thrust::stable_partition(a.begin(), a.end(), even()) - a.begin());
	SAME(1, a[n / 2]);
	SAME(3.0 * 3 * 285, thrust::inner_product(c.begin(), c.begin() + 10, c.begin(), 0));
	thrust::host_vector<int> host = c;
	SAME(300, host[100]);
	return ok();
}
