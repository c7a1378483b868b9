// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CUB's and Thrust's algorithms leave what those of the host do, whatever images the program has.
#include <cub/cub.cuh>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>
//: images 75 80 86 89 90

#include <algorithm>
#include <numeric>
#include <vector>

#include "check.h"

/* None, one, a part of a tile, one tile and more, many tiles. */
static const int sizes[] = { 0, 1, 31, 1025, 20011 };

static int all_wrong;

/* Adds up what is wrong with one algorithm, and says it when the last size is done. */
struct tally {
	const char *name;
	int wrong;

	explicit tally(const char *name) : name(name), wrong(0) {}
	~tally()
	{
		printf("%s: %d wrong\n", name, wrong);
		all_wrong += wrong;
	}
	template <typename T> void same(const std::vector<T> &want, const std::vector<T> &got)
	{
		wrong += abs((int)(want.size() - got.size()));
		for (size_t i = 0; i < want.size() && i < got.size(); i++)
			wrong += !(want[i] == got[i]);
	}
	template <typename T> void one(T want, T got) { wrong += !(want == got); }
};

/* Three words, of which the first decides. */
struct wide {
	int key, place, more;

	__host__ __device__ bool operator==(const wide &o) const
	{
		return key == o.key && place == o.place && more == o.more;
	}
};

struct by_key {
	__host__ __device__ bool operator()(const wide &a, const wide &b) const { return a.key < b.key; }
};

struct is_third {
	__host__ __device__ bool operator()(int x) const { return x % 3 == 0; }
};

struct square {
	__host__ __device__ long long operator()(int x) const { return (long long)x * x; }
};

struct maximum {
	template <typename T> __host__ __device__ T operator()(T a, T b) const { return a < b ? b : a; }
};

static unsigned random_next()
{
	static unsigned x = 7;

	x = x * 1664525u + 1013904223u;
	return x >> 3;
}

/* @n values, of whole numbers in [-@range, @range] where T has them. */
template <typename T> static std::vector<T> random_values(int n, int range)
{
	std::vector<T> values(n);

	for (auto &value : values)
		value = (T)((int)(random_next() % (2u * range + 1)) - range);
	return values;
}

/* Memory of the device: a vector of the host goes there and comes back. */
template <typename T> struct there {
	T *at = NULL;
	size_t size;

	explicit there(size_t n) : size(n) { CHECK(cudaMalloc((void **)&at, n * sizeof(T) + 1)); }
	explicit there(const std::vector<T> &host) : there(host.size())
	{
		CHECK(cudaMemcpy(at, host.data(), size * sizeof(T), cudaMemcpyHostToDevice));
	}
	~there() { CHECK(cudaFree(at)); }
	std::vector<T> back(size_t n) const
	{
		std::vector<T> host(n);

		EXPECT(n <= size);
		CHECK(cudaMemcpy(host.data(), at, n * sizeof(T), cudaMemcpyDeviceToHost));
		return host;
	}
	std::vector<T> back() const { return back(size); }
	T first() const { return back(1)[0]; }
};

/* Calls @f twice, as CUB wants it: for the size, and with the memory. */
template <typename F> static void with_space(F f)
{
	size_t size = 0;

	CHECK(f((void *)NULL, size));
	there<char> space(size);
	CHECK(f((void *)space.at, size));
}

template <typename T> static void radix_keys(const char *name, int range)
{
	tally t(name);

	for (int n : sizes) {
		std::vector<T> host = random_values<T>(n, range);
		there<T> in(host), out(n);

		with_space([&](void *s, size_t &z) { return cub::DeviceRadixSort::SortKeys(s, z, in.at, out.at, n); });
		std::sort(host.begin(), host.end());
		t.same(host, out.back());
	}
}

template <typename K, typename V> static void radix_pairs(const char *name)
{
	tally t(name);

	for (int n : sizes) {
		std::vector<K> keys = random_values<K>(n, 100), want;
		std::vector<V> values(n), order;

		std::iota(values.begin(), values.end(), (V)0);
		there<K> in(keys), out(n);
		there<V> from(values), to(n);
		with_space([&](void *s, size_t &z) {
			return cub::DeviceRadixSort::SortPairsDescending(s, z, in.at, out.at, from.at, to.at, n); });
		order = values;
		std::stable_sort(order.begin(), order.end(), [&](V a, V b) { return keys[(int)b] < keys[(int)a]; });
		for (V place : order)
			want.push_back(keys[(int)place]);
		t.same(want, out.back());
		t.same(order, to.back());
	}
}

static std::vector<wide> wide_values(int n)
{
	std::vector<wide> values(n);

	for (int i = 0; i < n; i++)
		values[i] = { (int)(random_next() % 500), i, ~i };
	return values;
}

static void merge_sort()
{
	tally t("DeviceMergeSort::StableSortKeys of 12 bytes");

	for (int n : sizes) {
		std::vector<wide> host = wide_values(n);
		there<wide> in(host);

		with_space([&](void *s, size_t &z) {
			return cub::DeviceMergeSort::StableSortKeys(s, z, in.at, n, by_key()); });
		std::stable_sort(host.begin(), host.end(), by_key());
		t.same(host, in.back());
	}
}

template <typename T> static void scan(const char *name)
{
	tally t(name);

	for (int n : sizes) {
		std::vector<T> host = random_values<T>(n, 100), want(n);
		there<T> in(host), out(n);

		with_space([&](void *s, size_t &z) {
			return cub::DeviceScan::InclusiveSum(s, z, in.at, out.at, n); });
		std::inclusive_scan(host.begin(), host.end(), want.begin());
		t.same(want, out.back());
		with_space([&](void *s, size_t &z) {
			return cub::DeviceScan::ExclusiveScan(s, z, in.at, out.at, maximum(), (T)-7, n); });
		std::exclusive_scan(host.begin(), host.end(), want.begin(), (T)-7, maximum());
		t.same(want, out.back());
	}
}

template <typename T> static void reduce(const char *name)
{
	tally t(name);

	for (int n : sizes) {
		std::vector<T> host = random_values<T>(n, 100);
		there<T> in(host), out(1);

		with_space([&](void *s, size_t &z) { return cub::DeviceReduce::Sum(s, z, in.at, out.at, n); });
		t.one(std::accumulate(host.begin(), host.end(), (T)0), out.first());
	}
}

/* Keys in runs of one to many, and a value for each. */
static std::vector<int> runs(int n)
{
	std::vector<int> keys(n);

	for (int i = 0, key = 0; i < n; i++)
		keys[i] = key += random_next() % 5 == 0;
	return keys;
}

static void reduced(const std::vector<int> &keys, const std::vector<int> &values, std::vector<int> *unique,
		    std::vector<int> *sums)
{
	for (size_t i = 0; i < keys.size(); i++) {
		if (!i || keys[i] != keys[i - 1]) {
			unique->push_back(keys[i]);
			sums->push_back(0);
		}
		sums->back() += values[i];
	}
}

static void reduce_by_key()
{
	tally t("DeviceReduce::ReduceByKey"), e("DeviceRunLengthEncode::Encode");

	for (int n : sizes) {
		std::vector<int> keys = runs(n), values = random_values<int>(n, 100), unique, sums, once, lengths;
		there<int> in(keys), from(values), out(n), to(n), count(1);

		reduced(keys, values, &unique, &sums);
		with_space([&](void *s, size_t &z) {
			return cub::DeviceReduce::ReduceByKey(s, z, in.at, out.at, from.at, to.at, count.at,
							      cuda::std::plus<int>(), n); });
		t.one((int)unique.size(), count.first());
		t.same(unique, out.back(unique.size()));
		t.same(sums, to.back(sums.size()));
		reduced(keys, std::vector<int>(n, 1), &once, &lengths);
		with_space([&](void *s, size_t &z) {
			return cub::DeviceRunLengthEncode::Encode(s, z, in.at, out.at, to.at, count.at, n); });
		e.one((int)once.size(), count.first());
		e.same(once, out.back(once.size()));
		e.same(lengths, to.back(lengths.size()));
	}
}

template <typename T> static void select(const char *name)
{
	tally t(name), u("DeviceSelect::Unique");

	for (int n : sizes) {
		std::vector<T> host = random_values<T>(n, 3), want;
		there<T> in(host), out(n);
		there<int> count(1);

		with_space([&](void *s, size_t &z) {
			return cub::DeviceSelect::If(s, z, in.at, out.at, count.at, n, is_third()); });
		std::copy_if(host.begin(), host.end(), std::back_inserter(want), is_third());
		t.one((int)want.size(), count.first());
		t.same(want, out.back(want.size()));
		with_space([&](void *s, size_t &z) {
			return cub::DeviceSelect::Unique(s, z, in.at, out.at, count.at, n); });
		host.erase(std::unique(host.begin(), host.end()), host.end());
		u.one((int)host.size(), count.first());
		u.same(host, out.back(host.size()));
	}
}

static void histogram()
{
	tally t("DeviceHistogram::HistogramEven"), r("DeviceHistogram::HistogramRange");
	const std::vector<float> bounds = { -50, -20, 0, 1, 60 };

	for (int n : sizes) {
		std::vector<unsigned char> bytes = random_values<unsigned char>(n, 120);
		std::vector<float> values = random_values<float>(n, 70);
		std::vector<int> even(256), range(4);
		there<unsigned char> in(bytes);
		there<float> from(values), ends(bounds);
		there<int> bins(256);

		for (unsigned char byte : bytes)
			even[byte]++;
		with_space([&](void *s, size_t &z) {
			return cub::DeviceHistogram::HistogramEven(s, z, in.at, bins.at, 257, 0, 256, n); });
		t.same(even, bins.back());
		for (float value : values)
			if (value >= bounds.front() && value < bounds.back())
				range[std::upper_bound(bounds.begin(), bounds.end(), value) - bounds.begin() - 1]++;
		with_space([&](void *s, size_t &z) {
			return cub::DeviceHistogram::HistogramRange(s, z, from.at, bins.at, 5, ends.at, n); });
		r.same(range, bins.back(4));
	}
}

template <typename T> static std::vector<T> back(const thrust::device_vector<T> &there, size_t n)
{
	std::vector<T> host(n);

	thrust::copy(there.begin(), there.begin() + n, host.begin());
	return host;
}

static void thrust_sorts()
{
	tally t("thrust::sort"), m("thrust::stable_sort by a comparison");

	for (int n : sizes) {
		std::vector<int> host = random_values<int>(n, 1 << 20);
		std::vector<wide> wides = wide_values(n);
		thrust::device_vector<int> there(host.begin(), host.end());
		thrust::device_vector<wide> others(wides.begin(), wides.end());

		thrust::sort(there.begin(), there.end());
		std::sort(host.begin(), host.end());
		t.same(host, back(there, n));
		thrust::stable_sort(others.begin(), others.end(), by_key());
		std::stable_sort(wides.begin(), wides.end(), by_key());
		m.same(wides, back(others, n));
	}
}

static void thrust_others()
{
	tally c("thrust::copy_if"), u("thrust::unique"), k("thrust::reduce_by_key"), s("thrust::inclusive_scan"),
		r("thrust::transform_reduce");

	for (int n : sizes) {
		std::vector<int> host = random_values<int>(n, 3), keys = runs(n), want, unique, sums;
		thrust::device_vector<int> in(host.begin(), host.end()), key(keys.begin(), keys.end()), out(n), to(n);

		std::copy_if(host.begin(), host.end(), std::back_inserter(want), is_third());
		size_t count = thrust::copy_if(in.begin(), in.end(), out.begin(), is_third()) - out.begin();
		c.same(want, back(out, count));
		reduced(keys, host, &unique, &sums);
		auto ends = thrust::reduce_by_key(key.begin(), key.end(), in.begin(), out.begin(), to.begin());
		k.same(unique, back(out, ends.first - out.begin()));
		k.same(sums, back(to, ends.second - to.begin()));
		thrust::inclusive_scan(in.begin(), in.end(), out.begin());
		want.resize(n);
		std::inclusive_scan(host.begin(), host.end(), want.begin());
		s.same(want, back(out, n));
		r.one(std::transform_reduce(host.begin(), host.end(), 0ll, std::plus<long long>(), square()),
		      thrust::transform_reduce(in.begin(), in.end(), square(), 0ll, thrust::plus<long long>()));
		count = thrust::unique(in.begin(), in.end()) - in.begin();
		host.erase(std::unique(host.begin(), host.end()), host.end());
		u.same(host, back(in, count));
	}
}

#ifdef __CUDA_ARCH_LIST__
#define ARCHES __CUDA_ARCH_LIST__
#endif

__global__ void which(int *arch)
{
#ifdef __CUDA_ARCH__
	*arch = __CUDA_ARCH__;
#endif
}

/* The newest image that is not newer than the device runs, and is the one that all name: CUB and Thrust choose by it. */
static void image()
{
	tally t("the image");
	cudaFuncAttributes attributes;
	there<int> arch(1);
	int want = 0, got = 0, major, minor, blocks = 0;

	CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
	CHECK(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0));
#ifdef ARCHES
	for (int one : { ARCHES })
		if (one <= major * 100 + minor * 10 && one > want)
			want = one;
#endif
	which<<<1, 1>>>(arch.at);
	t.one(want, arch.first());
	CHECK(cudaFuncGetAttributes(&attributes, which));
	t.one(want, attributes.ptxVersion * 10);
	t.one(major * 10 + minor, attributes.binaryVersion);
	CHECK(cub::PtxVersion(got));
	t.one(want, got);
	CHECK(cub::SmVersion(got));
	t.one(major * 100 + minor * 10, got);
	CHECK(cub::MaxSmOccupancy(blocks, which, 256));
	int threads = 0;
	CHECK(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, 0));
	t.one(threads / 256, blocks);
}

int main()
{
	image();
	radix_keys<int>("DeviceRadixSort::SortKeys of int", 1 << 25);
	radix_keys<unsigned char>("DeviceRadixSort::SortKeys of bytes", 120);
	radix_keys<double>("DeviceRadixSort::SortKeys of double", 1 << 25);
	radix_pairs<short, int>("DeviceRadixSort::SortPairsDescending of short and int");
	radix_pairs<long long, double>("DeviceRadixSort::SortPairsDescending of long long and double");
	merge_sort();
	scan<int>("DeviceScan of int");
	scan<double>("DeviceScan of double");
	reduce<float>("DeviceReduce::Sum of float");
	reduce<long long>("DeviceReduce::Sum of long long");
	reduce_by_key();
	select<short>("DeviceSelect::If of short");
	histogram();
	thrust_sorts();
	thrust_others();
	if (all_wrong)
		return 1;
	return ok();
}
