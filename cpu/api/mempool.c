/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "mempool.h"

#include <stdlib.h>
#include <string.h>

#include "asserts.h"
#include "cleanup.h"
#include "config.h"
#include "entry.h"
#include "exports.h"
#include "handle.h"
#include "stream.h"

#define ATTRIBUTES ((int)CU_MEMPOOL_ATTR_USED_MEM_HIGH + 1)

struct mempool {
	void *handle;                  /* NULL before it was asked for, and after destruction */
	size_t most;                   /* limit in bytes */
	uint64_t attributes[ATTRIBUTES]; /* by attribute; those of memory in use among them */
	struct mempool *next;
};

/* The device's default pool, which always exists. */
static struct mempool standard = {
	.most = SIZE_MAX,
	.attributes = {
		[CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES] = 1,
		[CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC] = 1,
		[CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES] = 1,
	},
};
static struct mempool *pools;              /* owned; those that programs made */
static struct mempool *current = &standard;

static CUresult handle_of(struct mempool *pool, CUmemoryPool *out)
{
	if (!pool->handle)
		pool->handle = handle_new(HANDLE_POOL, pool);
	*out = pool->handle;
	return *out ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult mempool_find(CUmemoryPool handle, struct mempool **out)
{
	*out = handle_object(handle, HANDLE_POOL);
	return *out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static uint64_t *used(struct mempool *pool)
{
	return &pool->attributes[CU_MEMPOOL_ATTR_USED_MEM_CURRENT];
}

/* A pool reserves what it has allocated; the highest values of both are stored. */
static void account(struct mempool *pool, uint64_t now)
{
	static const int high[] = { CU_MEMPOOL_ATTR_USED_MEM_HIGH,
				    CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH };

	ASSERT(now <= pool->most);
	*used(pool) = now;
	pool->attributes[CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT] = now;
	for (int i = 0; i < 2; i++)
		if (pool->attributes[high[i]] < now)
			pool->attributes[high[i]] = now;
}

void mempool_returned(const struct block *block)
{
	struct mempool *pool = handle_object((void *)(uintptr_t)block->owner, HANDLE_POOL);

	ASSERT(!pool || *used(pool) >= block->size);
	if (pool)
		account(pool, *used(pool) - block->size);
}

/* ---- Allocation ------------------------------------------------------------ */

/* Allocates immediately, earlier than the stream's order demands. The caller holds the lock. */
static CUresult allocate(struct mempool *pool, CUdeviceptr *address, size_t size,
			 CUstream stream)
{
	struct stream *found;
	CUmemoryPool handle;
	uint64_t made;

	TRY(stream_find(stream, &found));
	*address = 0;
	if (!size)
		return CUDA_SUCCESS;
	if (size > pool->most - *used(pool))
		return CUDA_ERROR_OUT_OF_MEMORY;
	TRY(handle_of(pool, &handle));
	if (arena_alloc(size, 256, BLOCK_DEVICE, &made, NULL))
		return CUDA_ERROR_OUT_OF_MEMORY;
	arena_note(made, (uintptr_t)handle, 0);
	account(pool, *used(pool) + size);
	*address = made;
	return CUDA_SUCCESS;
}

CUresult cuMemAllocAsync(CUdeviceptr *address, size_t size, CUstream stream)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);

	TRY(call.result);
	if (!address)
		return CUDA_ERROR_INVALID_VALUE;
	return allocate(current, address, size, stream);
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr *address, size_t size, CUmemoryPool pool,
				 CUstream stream)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);
	struct mempool *found;

	TRY(call.result);
	if (!address)
		return CUDA_ERROR_INVALID_VALUE;
	TRY(mempool_find(pool, &found));
	return allocate(found, address, size, stream);
}

/* ---- Pools ------------------------------------------------------------------- */

static CUresult check_location(const CUmemLocation *location)
{
	if (location->type != CU_MEM_LOCATION_TYPE_DEVICE)
		return CUDA_ERROR_INVALID_VALUE;
	return location->id ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS;
}

/* Memory of pools stays in the process: there are no handles to share it by. */
CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *props)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);
	CLEANUP(free_pointer) struct mempool *made = NULL;

	TRY(call.result);
	if (!pool || !props || props->allocType != CU_MEM_ALLOCATION_TYPE_PINNED)
		return CUDA_ERROR_INVALID_VALUE;
	if (check_location(&props->location))
		return CUDA_ERROR_INVALID_VALUE;
	if (props->handleTypes)
		return CUDA_ERROR_NOT_SUPPORTED;
	made = calloc(1, sizeof(*made));
	if (!made)
		return CUDA_ERROR_OUT_OF_MEMORY;
	memcpy(made->attributes, standard.attributes,
	       sizeof(made->attributes[0]) * CU_MEMPOOL_ATTR_RELEASE_THRESHOLD);
	made->most = props->maxSize ? props->maxSize : SIZE_MAX;
	TRY(handle_of(made, pool));
	made->next = pools;
	pools = STEAL(made);
	return CUDA_SUCCESS;
}

/* What it has allocated stays until it is freed. */
CUresult cuMemPoolDestroy(CUmemoryPool pool)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);
	struct mempool *found, **link = &pools;

	TRY(call.result);
	TRY(mempool_find(pool, &found));
	if (found == &standard)
		return CUDA_ERROR_INVALID_VALUE;
	if (current == found)
		current = &standard;
	while (*link != found)
		link = &(*link)->next;
	*link = found->next;
	handle_free(found->handle);
	free(found);
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice dev)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);

	TRY(call.result);
	if (!pool)
		return CUDA_ERROR_INVALID_VALUE;
	return dev ? CUDA_ERROR_INVALID_DEVICE : handle_of(&standard, pool);
}

CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice dev)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);

	TRY(call.result);
	if (!pool)
		return CUDA_ERROR_INVALID_VALUE;
	return dev ? CUDA_ERROR_INVALID_VALUE : handle_of(current, pool);
}

CUresult cuDeviceSetMemPool(CUdevice dev, CUmemoryPool pool)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);
	struct mempool *found;

	TRY(call.result);
	TRY(mempool_find(pool, &found));
	if (dev)
		return CUDA_ERROR_INVALID_VALUE;
	current = found;
	return CUDA_SUCCESS;
}

/* In CUDA 13 each place has a pool; that of the device is the default one. */
static CUresult check_place(const CUmemLocation *location, CUmemAllocationType type)
{
	if (!location)
		return CUDA_ERROR_INVALID_VALUE;
	TRY(check_location(location));
	return type == CU_MEM_ALLOCATION_TYPE_PINNED ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuMemGetDefaultMemPool(CUmemoryPool *pool, CUmemLocation *location,
				CUmemAllocationType type)
{
	TRY(check_place(location, type));
	return cuDeviceGetDefaultMemPool(pool, location->id);
}

CUresult cuMemGetMemPool(CUmemoryPool *pool, CUmemLocation *location, CUmemAllocationType type)
{
	TRY(check_place(location, type));
	return cuDeviceGetMemPool(pool, location->id);
}

CUresult cuMemSetMemPool(CUmemLocation *location, CUmemAllocationType type, CUmemoryPool pool)
{
	TRY(check_place(location, type));
	return cuDeviceSetMemPool(location->id, pool);
}

/* ---- Attributes --------------------------------------------------------------- */

/* The first three are ints, the others of 64 bits. */
static bool is_int(CUmemPool_attribute attrib)
{
	return attrib < CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
}

static CUresult find_for_query(CUmemoryPool pool, CUmemPool_attribute attrib, const void *value,
			       struct mempool **found)
{
	TRY(mempool_find(pool, found));
	return !value || (int)attrib < 1 || (int)attrib >= ATTRIBUTES ? CUDA_ERROR_INVALID_VALUE :
									CUDA_SUCCESS;
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attrib, void *value)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);
	struct mempool *found;

	TRY(call.result);
	TRY(find_for_query(pool, attrib, value, &found));
	if (is_int(attrib))
		*(int *)value = (int)found->attributes[attrib];
	else
		*(uint64_t *)value = found->attributes[attrib];
	return CUDA_SUCCESS;
}

/* Of the attributes of memory in use only the highest values can be set, to 0. */
CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attrib, void *value)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);
	struct mempool *found;

	TRY(call.result);
	TRY(find_for_query(pool, attrib, value, &found));
	switch (attrib) {
	case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
	case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
		return CUDA_ERROR_INVALID_VALUE;
	case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
	case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
		if (*(uint64_t *)value)
			return CUDA_ERROR_INVALID_VALUE;
		found->attributes[attrib] = *used(found);
		return CUDA_SUCCESS;
	default:
		found->attributes[attrib] = is_int(attrib) ? (uint64_t)(*(int *)value != 0) :
							     *(uint64_t *)value;
		return CUDA_SUCCESS;
	}
}

/* There is no cached memory to release. */
CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t keep)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);
	struct mempool *found;

	(void)keep;
	TRY(call.result);
	return mempool_find(pool, &found);
}

/* The one device can always access its own pools, to read and to write. */
static CUresult check_access(CUmemAccess_flags flags)
{
	switch (flags) {
	case CU_MEM_ACCESS_FLAGS_PROT_READWRITE:
		return CUDA_SUCCESS;
	case CU_MEM_ACCESS_FLAGS_PROT_NONE:
		return CUDA_ERROR_INVALID_DEVICE;
	case CU_MEM_ACCESS_FLAGS_PROT_READ:
		return CUDA_ERROR_NOT_SUPPORTED;
	}
	return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *access, size_t count)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);
	struct mempool *found;

	TRY(call.result);
	TRY(mempool_find(pool, &found));
	if (count && !access)
		return CUDA_ERROR_INVALID_VALUE;
	for (size_t i = 0; i < count; i++) {
		TRY(check_location(&access[i].location));
		TRY(check_access(access[i].flags));
	}
	return CUDA_SUCCESS;
}

CUresult cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool pool, CUmemLocation *location)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);
	struct mempool *found;

	TRY(call.result);
	TRY(mempool_find(pool, &found));
	if (!flags || !location)
		return CUDA_ERROR_INVALID_VALUE;
	TRY(check_location(location));
	*flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
	return CUDA_SUCCESS;
}
