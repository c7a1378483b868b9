/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <string.h>

#include "advice.h"
#include "arena.h"
#include "batch.h"
#include "block_flags.h"
#include "cleanup.h"
#include "context.h"
#include "entry.h"
#include "exports.h"
#include "task.h"
#include "stream.h"

/* Finds the managed allocation that has to contain all @size bytes at @address. */
static CUresult find_managed(CUdeviceptr address, size_t size, struct block *block)
{
	if (!size || !arena_find(address, block) || !managed_is(block) ||
	    size > block->size - (address - block->base))
		return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}

/* The host by any of its names, or the device. */
static CUresult is_host(const CUmemLocation *location, bool *host)
{
	switch (location->type) {
	case CU_MEM_LOCATION_TYPE_DEVICE:
		*host = false;
		return location->id ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS;
	case CU_MEM_LOCATION_TYPE_HOST:
	case CU_MEM_LOCATION_TYPE_HOST_NUMA:
	case CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT:
		*host = true;
		return CUDA_SUCCESS;
	case CU_MEM_LOCATION_TYPE_INVALID:
		break;
	}
	return CUDA_ERROR_INVALID_VALUE;
}

static CUmemLocation location_of(CUdevice dev)
{
	if (dev == CU_DEVICE_CPU)
		return (CUmemLocation){ CU_MEM_LOCATION_TYPE_HOST, 0 };
	return (CUmemLocation){ CU_MEM_LOCATION_TYPE_DEVICE, dev };
}

static CUresult note_prefetch(const struct block *block, uint64_t address, size_t size, bool host)
{
	return advice_change(block, address, size, BLOCK_PREFETCHED_DEVICE | BLOCK_PREFETCHED_HOST,
			     host ? BLOCK_PREFETCHED_HOST : BLOCK_PREFETCHED_DEVICE);
}

/* Nothing is moved: both reach the memory where it is. */
CUresult cuMemPrefetchAsync(CUdeviceptr address, size_t count, CUmemLocation location,
			    unsigned flags, CUstream stream)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);
	struct stream *found;
	struct block block;
	bool host;

	TRY(call.result);
	if (flags)
		return CUDA_ERROR_INVALID_VALUE;
	TRY(stream_find(stream, &found));
	TRY(find_managed(address, count, &block));
	TRY(is_host(&location, &host));
	return note_prefetch(&block, address, count, host);
}

CUresult cuMemPrefetchAsync_v1(CUdeviceptr address, size_t count, CUdevice dst, CUstream stream)
{
	return cuMemPrefetchAsync(address, count, location_of(dst), 0, stream);
}

/* ---- Batches ------------------------------------------------------------------ */

static CUresult check_ranges(const CUdeviceptr *addresses, const size_t *sizes, size_t count,
			     unsigned long long flags, CUstream stream)
{
	struct block block;

	if (!addresses || !sizes || !count || flags)
		return CUDA_ERROR_INVALID_VALUE;
	TRY(batch_stream(stream));
	for (size_t i = 0; i < count; i++)
		TRY(find_managed(addresses[i], sizes[i], &block));
	return CUDA_SUCCESS;
}

/* Discarded bytes may have any value: here they are unchanged. */
CUresult cuMemDiscardBatchAsync(CUdeviceptr *addresses, size_t *sizes, size_t count,
				unsigned long long flags, CUstream stream)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);

	TRY(call.result);
	return check_ranges(addresses, sizes, count, flags, stream);
}

CUresult cuMemPrefetchBatchAsync(CUdeviceptr *addresses, size_t *sizes, size_t count,
				 CUmemLocation *locations, size_t *firsts, size_t number,
				 unsigned long long flags, CUstream stream)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);
	struct block block;
	size_t group = 0;
	bool host;

	TRY(call.result);
	TRY(check_ranges(addresses, sizes, count, flags, stream));
	if (!locations || !batch_divides(firsts, number, count))
		return CUDA_ERROR_INVALID_VALUE;
	for (size_t i = 0; i < number; i++)
		TRY(is_host(&locations[i], &host));
	for (size_t i = 0; i < count; i++) {
		group = batch_group(firsts, number, group, i);
		TRY(find_managed(addresses[i], sizes[i], &block));
		TRY(is_host(&locations[group], &host));
		TRY(note_prefetch(&block, addresses[i], sizes[i], host));
	}
	return CUDA_SUCCESS;
}

CUresult cuMemDiscardAndPrefetchBatchAsync(CUdeviceptr *addresses, size_t *sizes, size_t count,
					   CUmemLocation *locations, size_t *firsts,
					   size_t number, unsigned long long flags,
					   CUstream stream)
{
	return cuMemPrefetchBatchAsync(addresses, sizes, count, locations, firsts, number, flags,
				       stream);
}

/* ---- Advice and attributes of a range --------------------------------------------- */

/* The flags that @advice clears and, unless it unsets something, then sets. */
static CUresult flags_of(CUmem_advise advice, bool host, uint32_t *cleared, uint32_t *set)
{
	const uint32_t by = host ? BLOCK_BY_HOST : BLOCK_BY_DEVICE;

	*cleared = *set = 0;
	switch (advice) {
	case CU_MEM_ADVISE_SET_READ_MOSTLY:
		*set = BLOCK_READ_MOSTLY;
		return CUDA_SUCCESS;
	case CU_MEM_ADVISE_UNSET_READ_MOSTLY:
		*cleared = BLOCK_READ_MOSTLY;
		return CUDA_SUCCESS;
	case CU_MEM_ADVISE_SET_PREFERRED_LOCATION:
		*cleared = BLOCK_PREFERRED_DEVICE | BLOCK_PREFERRED_HOST;
		*set = host ? BLOCK_PREFERRED_HOST : BLOCK_PREFERRED_DEVICE;
		return CUDA_SUCCESS;
	case CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION:
		*cleared = BLOCK_PREFERRED_DEVICE | BLOCK_PREFERRED_HOST;
		return CUDA_SUCCESS;
	case CU_MEM_ADVISE_SET_ACCESSED_BY:
		*set = by;
		return CUDA_SUCCESS;
	case CU_MEM_ADVISE_UNSET_ACCESSED_BY:
		*cleared = by;
		return CUDA_SUCCESS;
	}
	return CUDA_ERROR_INVALID_VALUE;
}

/* Advice that has no place ignores which one is passed, but it has to be one. */
static bool names_place(CUmem_advise advice)
{
	return advice == CU_MEM_ADVISE_SET_PREFERRED_LOCATION ||
	       advice == CU_MEM_ADVISE_SET_ACCESSED_BY ||
	       advice == CU_MEM_ADVISE_UNSET_ACCESSED_BY;
}

/* *@host: what @advice is about. A node of the host accesses nothing; no number is negative. */
static CUresult read_place(CUmem_advise advice, const CUmemLocation *location, bool *host)
{
	const bool node = location->type == CU_MEM_LOCATION_TYPE_HOST_NUMA;

	if (!names_place(advice))
		return location->type < CU_MEM_LOCATION_TYPE_DEVICE ||
				       location->type > CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT ?
			       CUDA_ERROR_INVALID_VALUE :
			       CUDA_SUCCESS;
	if (is_host(location, host))
		return CUDA_ERROR_INVALID_VALUE;
	if (advice == CU_MEM_ADVISE_SET_PREFERRED_LOCATION)
		return node && location->id < 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
	return node || location->type == CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT ?
		       CUDA_ERROR_INVALID_VALUE :
		       CUDA_SUCCESS;
}

CUresult cuMemAdvise(CUdeviceptr address, size_t count, CUmem_advise advice,
		     CUmemLocation location)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);
	uint32_t cleared, set;
	struct block block;
	bool host = false;

	TRY(call.result);
	TRY(find_managed(address, count, &block));
	TRY(read_place(advice, &location, &host));
	TRY(flags_of(advice, host, &cleared, &set));
	return advice_change(&block, address, count, cleared, set);
}

/* Without a type of place, only a number: a bad one is a bad device. */
CUresult cuMemAdvise_v1(CUdeviceptr address, size_t count, CUmem_advise advice, CUdevice dev)
{
	if (names_place(advice) && dev && dev != CU_DEVICE_CPU)
		return CUDA_ERROR_INVALID_DEVICE;
	return cuMemAdvise(address, count, advice, location_of(dev));
}

static int place(uint32_t flags, uint32_t device, uint32_t host)
{
	if (flags & host)
		return CU_DEVICE_CPU;
	return flags & device ? 0 : CU_DEVICE_INVALID;
}

static int type_of(int place)
{
	if (place == CU_DEVICE_CPU)
		return CU_MEM_LOCATION_TYPE_HOST;
	return place == CU_DEVICE_INVALID ? CU_MEM_LOCATION_TYPE_INVALID :
					    CU_MEM_LOCATION_TYPE_DEVICE;
}

/* Writes the devices that access it, then CU_DEVICE_INVALID for the rest of @count numbers. */
static void write_accessors(uint32_t flags, int *out, size_t count)
{
	size_t used = 0;

	if (flags & BLOCK_BY_DEVICE && used < count)
		out[used++] = 0;
	if (flags & BLOCK_BY_HOST && used < count)
		out[used++] = CU_DEVICE_CPU;
	while (used < count)
		out[used++] = CU_DEVICE_INVALID;
}

static CUresult write_attribute(void *data, size_t size, CUmem_range_attribute attrib,
				uint32_t flags)
{
	int preferred, prefetched;

	if (!data || size < sizeof(int) || size % sizeof(int) ||
	    (size > sizeof(int) && attrib != CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY))
		return CUDA_ERROR_INVALID_VALUE;
	preferred = place(flags, BLOCK_PREFERRED_DEVICE, BLOCK_PREFERRED_HOST);
	prefetched = place(flags, BLOCK_PREFETCHED_DEVICE, BLOCK_PREFETCHED_HOST);
	switch (attrib) {
	case CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY:
		*(int *)data = (flags & BLOCK_READ_MOSTLY) != 0;
		return CUDA_SUCCESS;
	case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION:
		*(int *)data = preferred;
		return CUDA_SUCCESS;
	case CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY:
		write_accessors(flags, data, size / sizeof(int));
		return CUDA_SUCCESS;
	case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION:
		*(int *)data = prefetched;
		return CUDA_SUCCESS;
	case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE:
		*(int *)data = type_of(preferred);
		return CUDA_SUCCESS;
	case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE:
		*(int *)data = type_of(prefetched);
		return CUDA_SUCCESS;
	case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID:
	case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID:
		*(int *)data = 0; /* of the one device; of no other place it means anything */
		return CUDA_SUCCESS;
	}
	return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemRangeGetAttribute(void *data, size_t size, CUmem_range_attribute attrib,
				CUdeviceptr address, size_t count)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);
	struct block block;

	TRY(call.result);
	TRY(find_managed(address, count, &block));
	return write_attribute(data, size, attrib, advice_of(&block, address, count));
}

CUresult cuMemRangeGetAttributes(void **data, size_t *sizes, CUmem_range_attribute *attributes,
				 size_t number, CUdeviceptr address, size_t count)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);
	struct block block;

	TRY(call.result);
	if (!data || !sizes || !attributes || !number)
		return CUDA_ERROR_INVALID_VALUE;
	TRY(find_managed(address, count, &block));
	for (size_t i = 0; i < number; i++)
		TRY(write_attribute(data[i], sizes[i], attributes[i],
				    advice_of(&block, address, count)));
	return CUDA_SUCCESS;
}

/* Every stream can access it, whatever it is attached to. */
CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr address, size_t length,
				unsigned flags)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);
	struct stream *found;
	struct block block;

	TRY(call.result);
	TRY(stream_find(stream, &found));
	if (!arena_find(address, &block) || !managed_is(&block) ||
	    block.base != address || (length && length != block.size) ||
	    (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST &&
	     flags != CU_MEM_ATTACH_SINGLE))
		return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}
