/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A memref's descriptor: { allocated, aligned, offset, sizes[rank],
 * strides[rank] }, all 64 bits wide. The first element is at aligned + offset,
 * and offset and strides count elements.
 */
#include "mgpu.h"

struct descriptor {
	void *allocated;
	char *aligned;
	int64_t offset;
	int64_t sizes_and_strides[];
};

bool mgpu_memref_read(const char *who, int64_t rank, const void *descriptor,
		      int64_t element_size, struct mgpu_memref *memref)
{
	const struct descriptor *d = descriptor;
	int64_t offset;

	if (!d)
		return mgpu_refuse(who, GPURUN_INVALID, "no memref: the descriptor is NULL");
	if (rank < 0 || rank > MGPU_MAX_RANK)
		return mgpu_refuse(who, GPURUN_INVALID, "a memref of rank %lld: it has 0 to %d",
				   (long long)rank, MGPU_MAX_RANK);
	if (element_size <= 0 ||
	    __builtin_mul_overflow(d->offset, element_size, &offset))
		return mgpu_refuse(who, GPURUN_INVALID,
				   "a memref with offset %lld of elements of %lld bytes",
				   (long long)d->offset, (long long)element_size);
	memref->rank = (int)rank;
	memref->data = (char *)((uintptr_t)d->aligned + (uint64_t)offset); /* may be NULL */
	memref->sizes = d->sizes_and_strides;
	memref->strides = d->sizes_and_strides + rank;
	return true;
}

/* The stride of an axis of one element does not matter. */
static bool is_dense(const struct mgpu_memref *memref, int axis, int64_t dense)
{
	return memref->sizes[axis] == 1 || memref->strides[axis] == dense;
}

static bool is_empty(const struct mgpu_memref *memref)
{
	for (int i = 0; i < memref->rank; i++)
		if (!memref->sizes[i])
			return true;
	return false;
}

bool mgpu_memref_bytes(const char *who, const struct mgpu_memref *memref,
		       int64_t element_size, uint64_t *bytes)
{
	int64_t dense = 1, all;

	*bytes = 0;
	if (is_empty(memref))
		return true;
	for (int i = memref->rank; i--;) {
		int64_t size = memref->sizes[i];

		if (!is_dense(memref, i, dense))
			return mgpu_refuse(who, GPURUN_INVALID,
					   "the memref has gaps: stride %d is %lld, not "
					   "%lld; hint: register the buffer it is a part of",
					   i, (long long)memref->strides[i],
					   (long long)dense);
		if (size < 0 || __builtin_mul_overflow(dense, size, &dense))
			return mgpu_refuse(who, GPURUN_INVALID,
					   "size %d of the memref is %lld: too much", i,
					   (long long)size);
	}
	if (__builtin_mul_overflow(dense, element_size, &all))
		return mgpu_refuse(who, GPURUN_INVALID,
				   "a memref of %lld elements of %lld bytes: too much",
				   (long long)dense, (long long)element_size);
	*bytes = (uint64_t)all;
	return true;
}
