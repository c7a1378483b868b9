/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <sys/mman.h>
#include <unistd.h>

#include "arena.h"
#include "cause.h"
#include "cleanup.h"
#include "context.h"
#include "entry.h"
#include "exports.h"
#include "leftover.h"
#include "mempool.h"
#include "pool.h"
#include "task.h"
#include "stream.h"

#define PITCH 512    /* a pitch is a multiple of it */
#define HOST_FLAGS 7 /* flags that cuMemHostAlloc accepts */

static void *pointer(CUdeviceptr address)
{
	return (void *)(uintptr_t)address;
}

static CUresult allocate(uint64_t size, enum block_kind kind, uint64_t *address)
{
	struct err e;

	if (!size)
		return CUDA_ERROR_INVALID_VALUE;
	if (arena_alloc(size, 256, kind, address, &e))
		return cause_set(CUDA_ERROR_OUT_OF_MEMORY, "%s", e.text);
	arena_note(*address, context_owner(context_here()), 0);
	return CUDA_SUCCESS;
}

CUresult cuMemAlloc(CUdeviceptr *address, size_t size)
{
	CLEANUP(leave) struct api_call call = enter(NEED_CONTEXT);
	uint64_t made;

	TRY(call.result);
	if (!address)
		return CUDA_ERROR_INVALID_VALUE;
	TRY(allocate(size, BLOCK_DEVICE, &made));
	*address = made;
	return CUDA_SUCCESS;
}

CUresult cuMemAllocPitch(CUdeviceptr *address, size_t *pitch, size_t width, size_t height,
			 unsigned element)
{
	CLEANUP(leave) struct api_call call = enter(NEED_CONTEXT);
	uint64_t made, row, size;

	TRY(call.result);
	if (!address || !pitch || !width || !height ||
	    (element != 4 && element != 8 && element != 16) ||
	    __builtin_add_overflow(width, PITCH - 1, &row))
		return CUDA_ERROR_INVALID_VALUE;
	row &= ~(uint64_t)(PITCH - 1);
	if (__builtin_mul_overflow(row, height, &size))
		return CUDA_ERROR_OUT_OF_MEMORY;
	TRY(allocate(size, BLOCK_DEVICE, &made));
	*address = made;
	*pitch = row;
	return CUDA_SUCCESS;
}

CUresult cuMemAllocManaged(CUdeviceptr *address, size_t size, unsigned flags)
{
	CLEANUP(leave) struct api_call call = enter(NEED_CONTEXT);
	uint64_t made;

	TRY(call.result);
	if (!address || (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST))
		return CUDA_ERROR_INVALID_VALUE;
	TRY(allocate(size, BLOCK_MANAGED, &made));
	*address = made;
	return CUDA_SUCCESS;
}

CUresult cuMemAllocHost(void **result, size_t size)
{
	return cuMemHostAlloc(result, size, 0);
}

CUresult cuMemHostAlloc(void **result, size_t size, unsigned flags)
{
	CLEANUP(leave) struct api_call call = enter(NEED_CONTEXT);
	uint64_t made;

	TRY(call.result);
	if (!result || flags > HOST_FLAGS)
		return CUDA_ERROR_INVALID_VALUE;
	*result = NULL;
	if (!size)
		return CUDA_SUCCESS;
	TRY(allocate(size, BLOCK_HOST, &made));
	if (!(flags & CU_MEMHOSTALLOC_WRITECOMBINED))
		flags &= ~(unsigned)CU_MEMHOSTALLOC_PORTABLE;
	arena_note(made, context_owner(context_here()), flags | CU_MEMHOSTALLOC_DEVICEMAP);
	*result = pointer(made);
	return CUDA_SUCCESS;
}

/* As from a GPU's driver: all memory is mapped, and all is portable. */
CUresult cuMemHostGetFlags(unsigned *flags, void *p)
{
	CLEANUP(leave) struct api_call call = enter(NEED_CONTEXT);
	struct block block;

	TRY(call.result);
	if (!flags || !arena_find((uintptr_t)p, &block) ||
	    (block.kind != BLOCK_HOST && block.kind != BLOCK_REGISTERED))
		return CUDA_ERROR_INVALID_VALUE;
	*flags = block.flags & HOST_FLAGS;
	return CUDA_SUCCESS;
}

/* Frees the block that starts at @address, of a kind in @kinds, when all work is done. */
static CUresult release(uint64_t address, unsigned kinds)
{
	struct block block;

	if (!arena_find(address, &block) || block.base != address ||
	    !(kinds & 1u << block.kind))
		return cause_set(CUDA_ERROR_INVALID_VALUE, "%#llx is no allocation of this kind",
				 (unsigned long long)address);
	TRY(context_wait());
	leftover_block(address);
	if (arena_free(address, NULL))
		return CUDA_ERROR_INVALID_VALUE;
	mempool_returned(&block);
	/* The program may unmap it then; kernels of other contexts may have found it. */
	if (block.kind == BLOCK_REGISTERED)
		pool_quiesce();
	return CUDA_SUCCESS;
}

CUresult cuMemFree(CUdeviceptr address)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);

	TRY(call.result);
	if (!address)
		return CUDA_SUCCESS;
	return release(address, 1u << BLOCK_DEVICE | 1u << BLOCK_MANAGED);
}

/* From here on no other call can free the block; work that is still in the stream may use it.
 * The lock keeps the operation from running before the block is marked. */
CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);
	CLEANUP(put_task) struct task *task = NULL;
	struct stream *found;
	struct block block;

	TRY(call.result);
	TRY(stream_find(stream, &found));
	if (!address)
		return CUDA_SUCCESS;
	if (!arena_find(address, &block) || block.base != address || block.kind != BLOCK_DEVICE)
		return cause_set(CUDA_ERROR_INVALID_VALUE, "%#llx is no device memory",
				 (unsigned long long)address);
	task = task_new(TASK_FREE);
	if (!task)
		return CUDA_ERROR_OUT_OF_MEMORY;
	task->freed = address;
	TRY(stream_submit(found, task));
	arena_retire(address);
	mempool_returned(&block);
	return CUDA_SUCCESS;
}

CUresult cuMemFreeHost(void *p)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);

	TRY(call.result);
	if (!p)
		return CUDA_SUCCESS;
	return release((uintptr_t)p, 1u << BLOCK_HOST);
}

/* Tells whether every page of @p is mapped. */
static bool mapped(void *p, size_t size)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t start = (uintptr_t)p & ~(page - 1), end;

	return !__builtin_add_overflow((uintptr_t)p, size, &end) &&
	       !msync((void *)start, end - start, MS_ASYNC);
}

CUresult cuMemHostRegister(void *p, size_t size, unsigned flags)
{
	CLEANUP(leave) struct api_call call = enter(NEED_CONTEXT);

	TRY(call.result);
	if (!p || !size || flags > 15 || flags & CU_MEMHOSTREGISTER_IOMEMORY ||
	    arena_owns((uintptr_t)p) || !mapped(p, size))
		return CUDA_ERROR_INVALID_VALUE;
	switch (arena_register(p, size, NULL)) {
	case GPURUN_OK:
		arena_note((uintptr_t)p, context_owner(context_here()),
			   (flags & CU_MEMHOSTALLOC_PORTABLE) | CU_MEMHOSTALLOC_DEVICEMAP);
		return CUDA_SUCCESS;
	case GPURUN_NO_MEMORY:
		return CUDA_ERROR_OUT_OF_MEMORY;
	default:
		return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
	}
}

CUresult cuMemHostUnregister(void *p)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);
	struct block block;

	TRY(call.result);
	if (!p)
		return CUDA_ERROR_INVALID_VALUE;
	if (!arena_find((uintptr_t)p, &block))
		return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
	return release((uintptr_t)p, 1u << BLOCK_REGISTERED);
}

CUresult cuMemHostGetDevicePointer(CUdeviceptr *address, void *p, unsigned flags)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);
	struct block block;

	TRY(call.result);
	if (!address || flags || !arena_find((uintptr_t)p, &block) ||
	    (block.kind != BLOCK_HOST && block.kind != BLOCK_REGISTERED))
		return CUDA_ERROR_INVALID_VALUE;
	*address = (uintptr_t)p;
	return CUDA_SUCCESS;
}

CUresult cuMemGetAddressRange(CUdeviceptr *base, size_t *size, CUdeviceptr address)
{
	CLEANUP(leave) struct api_call call = enter(NEED_CONTEXT);
	struct block block;

	TRY(call.result);
	if (!arena_find(address, &block))
		return CUDA_ERROR_NOT_FOUND;
	if (base)
		*base = block.base;
	if (size)
		*size = block.size;
	return CUDA_SUCCESS;
}

CUresult cuMemGetInfo(size_t *free_bytes, size_t *total)
{
	CLEANUP(leave) struct api_call call = enter(NEED_CONTEXT);
	uint64_t available, limit;

	TRY(call.result);
	arena_usage(&available, &limit);
	if (free_bytes)
		*free_bytes = available;
	if (total)
		*total = limit;
	return CUDA_SUCCESS;
}
