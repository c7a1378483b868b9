/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Tensor maps, 128 bytes that describe to the TMA unit the layout of a tensor in
 * memory. A kernel reads its map from device memory. The caller cannot free it, so
 * it is kept: one for each content, until the memory it describes is freed.
 */
#include <stdalign.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "mgpu.h"

enum { MAX_RANK = 5, MAP_SIZE = 128, BUCKETS = 64 };

/* Bytes of an element, by the driver's number of its type. */
static const uint8_t element_sizes[] = { 1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4 };

struct content {
	alignas(64) uint8_t bytes[MAP_SIZE];
};

struct kept {
	struct content content;
	uint64_t device;  /* a handle */
	uint64_t block;   /* start of the block that is described; 0: not one of ours */
	uint64_t address; /* of the copy on the device */
	struct kept *next;
};

static struct kept *buckets[BUCKETS]; /* owned lists; under the lock */
static _Atomic size_t kept_count;

void mgpuTensorMapEncodeTiled(void *map, int type, uint32_t rank, void *address,
			      const uint64_t *dims, const uint64_t *strides,
			      const uint32_t *box, const uint32_t *element_strides,
			      int interleave, int swizzle, int promotion, int fill)
{
	if (mgpu_ready(__func__))
		mgpu_ok(__func__,
			gpurun_tensor_map_encode(map, type, rank, (uintptr_t)address, dims,
						 strides, box, element_strides, interleave,
						 swizzle, promotion, fill));
}

/* ---- Maps on the device ---------------------------------------------------------- */

static struct kept **bucket_of(const struct content *content)
{
	uint32_t hash = 2166136261u;

	for (size_t i = 0; i < MAP_SIZE; i++)
		hash = (hash ^ content->bytes[i]) * 16777619u;
	return &buckets[(hash ^ hash >> 16) % BUCKETS];
}

static struct kept *find_kept_map(const struct content *content, struct gpurun_device device)
{
	struct kept *kept = *bucket_of(content);

	while (kept && (kept->device != device.id ||
			memcmp(&kept->content, content, sizeof(*content)) != 0))
		kept = kept->next;
	return kept;
}

static void free_kept(struct kept **kept)
{
	if (*kept && (*kept)->address)
		mgpu_ok("mgpuMemFree", gpurun_memory_free((*kept)->address));
	free(*kept);
}

static struct kept *kept_new(const char *who)
{
	struct kept *kept = aligned_alloc(alignof(struct kept), sizeof(*kept));

	if (kept)
		memset(kept, 0, sizeof(*kept));
	else
		mgpu_refuse(who, GPURUN_NO_MEMORY, "no memory to keep a tensor map");
	return kept;
}

/* Copies @content to @device; its address, or 0. */
static uint64_t keep(const char *who, const struct content *content,
		     struct gpurun_device device, uint64_t block)
{
	static const struct gpurun_stream at_once;
	CLEANUP(free_kept) struct kept *made = kept_new(who);
	struct kept **bucket = bucket_of(content), *kept = made;

	if (!made ||
	    !mgpu_ok(who, gpurun_memory_alloc(device, MAP_SIZE, GPURUN_MEMORY_DEVICE,
					      &made->address)) ||
	    !mgpu_ok(who, gpurun_memory_keep(made->address)) ||
	    !mgpu_ok(who, gpurun_memory_copy(made->address, (uintptr_t)content, MAP_SIZE,
					     at_once)))
		return 0;
	made = NULL;
	kept->content = *content;
	kept->device = device.id;
	kept->block = block;
	kept->next = *bucket;
	*bucket = kept;
	atomic_fetch_add(&kept_count, 1);
	return kept->address;
}

static void *on_device(const char *who, const struct content *content, uint64_t data)
{
	struct gpurun_device device = mgpu_device();
	struct gpurun_memory_info block = { .struct_size = sizeof(block) };
	struct kept *kept;
	uint64_t address;

	/* Foreign memory: block stays 0, and the copy is kept to the end. */
	gpurun_memory_get_info(data, &block);
	mgpu_lock();
	kept = find_kept_map(content, device);
	address = kept ? kept->address : keep(who, content, device, block.base);
	mgpu_unlock();
	return (void *)(uintptr_t)address;
}

static void forget_in(struct kept **link, uint64_t address)
{
	while (*link) {
		CLEANUP(free_kept) struct kept *gone = NULL;

		if ((*link)->block != address) {
			link = &(*link)->next;
			continue;
		}
		gone = *link;
		*link = gone->next;
		atomic_fetch_sub(&kept_count, 1);
	}
}

void mgpu_tensor_map_forget(uint64_t address)
{
	if (!atomic_load(&kept_count))
		return;
	mgpu_lock();
	for (size_t i = 0; i < BUCKETS; i++)
		forget_in(&buckets[i], address);
	mgpu_unlock();
}

/* ---- Maps of memrefs ---------------------------------------------------------------- */

/* The driver's arguments: the fastest axis first, strides in bytes except that one's. */
struct tiling {
	uint64_t dims[MAX_RANK], strides[MAX_RANK];
	uint32_t box[MAX_RANK], element_strides[MAX_RANK];
};

static bool check(const char *who, int64_t rank, uint32_t type, const int64_t *box)
{
	if (rank < 1 || rank > MAX_RANK)
		return mgpu_refuse(who, GPURUN_INVALID, "a tensor map of rank %lld: it has 1 to %d",
				   (long long)rank, MAX_RANK);
	if (type >= sizeof(element_sizes))
		return mgpu_refuse(who, GPURUN_INVALID, "element type %u: the last is %zu", type,
				   sizeof(element_sizes) - 1);
	return box || mgpu_refuse(who, GPURUN_INVALID, "no box: the pointer is NULL");
}

static bool convert_axis(const char *who, const struct mgpu_memref *memref,
			 const int64_t *box, int axis, struct tiling *tiling)
{
	int i = memref->rank - 1 - axis;

	if (memref->sizes[axis] < 0 || box[axis] < 0 || box[axis] > UINT32_MAX)
		return mgpu_refuse(who, GPURUN_INVALID, "axis %d has size %lld and box %lld", axis,
				   (long long)memref->sizes[axis], (long long)box[axis]);
	tiling->dims[i] = (uint64_t)memref->sizes[axis];
	tiling->box[i] = (uint32_t)box[axis];
	tiling->element_strides[i] = 1;
	return true;
}

/* The stride of an axis of one element does not matter: that of a dense one is used. */
static bool convert_stride(const char *who, const struct mgpu_memref *memref, int axis,
			   int64_t element_size, struct tiling *tiling)
{
	int i = memref->rank - 1 - axis;
	uint64_t dense = i ? tiling->strides[i - 1] * tiling->dims[i - 1] :
			     (uint64_t)element_size;
	int64_t stride = memref->strides[axis], bytes;

	if (memref->sizes[axis] == 1)
		tiling->strides[i] = dense;
	else if (stride < 0 || __builtin_mul_overflow(stride, element_size, &bytes))
		return mgpu_refuse(who, GPURUN_INVALID, "stride %d is %lld", axis,
				   (long long)stride);
	else
		tiling->strides[i] = (uint64_t)bytes;
	if (!i && tiling->strides[0] != (uint64_t)element_size)
		return mgpu_refuse(who, GPURUN_INVALID,
				   "stride %d is %lld: the last axis has to be dense",
				   axis, (long long)stride);
	return true;
}

static bool convert(const char *who, const struct mgpu_memref *memref, const int64_t *box,
		    int64_t element_size, struct tiling *tiling)
{
	for (int axis = memref->rank; axis--;)
		if (!convert_axis(who, memref, box, axis, tiling) ||
		    !convert_stride(who, memref, axis, element_size, tiling))
			return false;
	return true;
}

void *mgpuTensorMapEncodeTiledMemref(int64_t rank, const void *descriptor, int64_t type,
				     int64_t interleave, int64_t swizzle,
				     int64_t promotion, int64_t fill, const int64_t *box)
{
	uint32_t number = (uint32_t)type;
	struct mgpu_memref memref;
	struct tiling tiling;
	struct content content = { { 0 } };

	if (!mgpu_ready(__func__) || !check(__func__, rank, number, box) ||
	    !mgpu_memref_read(__func__, rank, descriptor, element_sizes[number], &memref) ||
	    !convert(__func__, &memref, box, element_sizes[number], &tiling) ||
	    !mgpu_ok(__func__,
		     gpurun_tensor_map_encode(&content, (int)number, (unsigned)rank,
					      (uintptr_t)memref.data, tiling.dims,
					      tiling.strides + 1, tiling.box,
					      tiling.element_strides, (int)interleave,
					      (int)swizzle, (int)promotion, (int)fill)))
		return NULL;
	return on_device(__func__, &content, (uintptr_t)memref.data);
}
