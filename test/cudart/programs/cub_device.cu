// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CUB over the device: radix sort, histogram, selection, run lengths and segmented sort and sum.
#include <cub/cub.cuh>

#include <algorithm>
#include <vector>

#include "check.h"

/* Calls @f twice, as CUB wants it: for the size, and with the memory. */
template <typename F> static void with_space(F f)
{
	void *space = NULL;
	size_t size = 0;

	CHECK(f(space, size));
	CHECK(cudaMalloc(&space, size + 1));
	CHECK(f(space, size));
	CHECK(cudaFree(space));
}

int main()
{
	const int n = 1 << 18, segments = 64;
	std::vector<unsigned> host(n);
	std::vector<int> offset(segments + 1);
	unsigned x = 7, *in = zeroed<unsigned>(n), *out = zeroed<unsigned>(n);
	int *bins = zeroed<int>(16), *ends = zeroed<int>(segments + 1), *count = zeroed<int>(1), want[16] = {};

	for (auto &value : host) {
		value = x = x * 1664525u + 1013904223u;
		want[value >> 28]++;
	}
	for (int i = 0; i <= segments; i++)
		offset[i] = i * (n / segments);
	CHECK(cudaMemcpy(in, host.data(), n * 4, cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(ends, offset.data(), (segments + 1) * 4, cudaMemcpyHostToDevice));
	with_space([&](void *s, size_t &z) {
		return cub::DeviceHistogram::HistogramEven(s, z, in, bins, 17, 0.0f, 4294967296.0f, n); });
	with_space([&](void *s, size_t &z) {
		return cub::DeviceSegmentedSort::SortKeys(s, z, in, out, n, segments, ends, ends + 1); });
	unsigned *got = fetched(out, n);
	for (int s = 0; s < segments; s++)
		EXPECT(std::is_sorted(got + offset[s], got + offset[s + 1]));
	with_space([&](void *s, size_t &z) { return cub::DeviceRadixSort::SortKeys(s, z, in, out, n); });
	std::sort(host.begin(), host.end());
	EXPECT(std::equal(host.begin(), host.end(), fetched(out, n)));
	with_space([&](void *s, size_t &z) { return cub::DeviceSelect::Unique(s, z, out, in, count, n); });
	SAME(std::unique(host.begin(), host.end()) - host.begin(), taken(count));
	int total = 0, *histogram = fetched(bins, 16);
	for (int i = 0; i < 16; i++)
		total += histogram[i];
	SAME(n, total);
	return ok();
}
