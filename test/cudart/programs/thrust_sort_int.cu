// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorting of 2^18 values of int: plain, by key and stable, and downwards.
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/sort.h>

#include <algorithm>
#include <vector>

#include "check.h"

int main()
{
	const int n = 1 << 18;
	std::vector<int> host(n), got(n);
	std::vector<int> order(n);
	unsigned x = 1;

	for (int i = 0; i < n; i++) {
		x = x * 1664525u + 1013904223u;
		host[i] = (int)(x >> 4) - (1 << 26);
		order[i] = i;
	}
	thrust::device_vector<int> values(host.begin(), host.end());
	thrust::device_vector<int> places(order.begin(), order.end());
	thrust::stable_sort_by_key(values.begin(), values.end(), places.begin());
	thrust::copy(values.begin(), values.end(), got.begin());
	thrust::copy(places.begin(), places.end(), order.begin());
	for (int i = 0; i < n; i++)
		EXPECT(got[i] == host[order[i]] && (!i || got[i - 1] <= got[i]));
	std::sort(host.begin(), host.end(), std::greater<int>());
	thrust::sort(values.begin(), values.end(), thrust::greater<int>());
	thrust::copy(values.begin(), values.end(), got.begin());
	EXPECT(got == host);
	return ok();
}
