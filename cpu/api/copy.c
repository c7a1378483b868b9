/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Copies and fills. No device address is an address of the host's own memory, so that one copy
 * serves all directions: either side may be either. What is in the reserved range has to be in one
 * block; every other address is host memory.
 *
 * A copy for which the caller has to wait (to or from pageable memory, or a call
 * that is not asynchronous) runs in the caller's thread when it may start: that
 * saves a switch of threads.
 */
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "cause.h"
#include "cleanup.h"
#include "context.h"
#include "copy.h"
#include "entry.h"
#include "exports.h"
#include "task.h"
#include "stream.h"

/* Up to this size the caller's thread does the work when there is nothing to wait for. */
#define SMALL ((size_t)64 << 10)

/* Below this no memory of a program is: vm.mmap_min_addr. */
#define UNMAPPED ((CUdeviceptr)64 << 10)

/* Adjacent mappings are one range. */
static enum place mapped_on(uint64_t address, uint64_t size)
{
	struct block block;

	while (arena_find(address, &block) && block.kind == BLOCK_MAPPED) {
		if (size <= block.size)
			return PLACE_DEVICE;
		address += block.size;
		size -= block.size;
	}
	return PLACE_INVALID;
}

/* What is wrong with @size bytes at @address, for reports. */
static void explain(CUdeviceptr address, size_t size)
{
	const unsigned long long at = address, bytes = size;
	struct block block;

	if (!address)
		cause_set(0, "%llu bytes at a null pointer", bytes);
	else if (!arena_find(address, &block))
		cause_set(0, "%llu bytes at %#llx, which is no device memory", bytes, at);
	else if (address == block.base)
		cause_set(0, "%llu bytes at %#llx, to an allocation of %llu", bytes, at,
			  (unsigned long long)block.size);
	else
		cause_set(0, "%llu bytes at %#llx, %llu bytes into an allocation of %llu", bytes,
			  at, at - block.base, (unsigned long long)block.size);
}

static enum place find_place(CUdeviceptr address, size_t size)
{
	struct block block;

	if (arena_find(address, &block)) {
		uint64_t here = block.size - (address - block.base);

		if (size <= here)
			return PLACE_DEVICE;
		if (block.kind == BLOCK_MAPPED)
			return mapped_on(address + here, size - here);
		return block.kind == BLOCK_REGISTERED ? PLACE_PAGEABLE : PLACE_INVALID;
	}
	return address < UNMAPPED || arena_owns(address) ? PLACE_INVALID : PLACE_PAGEABLE;
}

enum place place_of(CUdeviceptr address, size_t size)
{
	const enum place place = find_place(address, size);

	if (place == PLACE_INVALID)
		explain(address, size);
	return place;
}

bool place_is_device(CUdeviceptr address, size_t size)
{
	if (find_place(address, size) == PLACE_DEVICE)
		return true;
	explain(address, size);
	return false;
}

/*
 * Copies pageable bytes to a staging buffer, without the gaps between rows, so that the caller may
 * change them. Without memory for that the caller has to wait. Without the lock.
 */
static void stage(struct task *task)
{
	struct task_copy *copy = &task->copy, staging = *copy;

	copy->staged = malloc(copy->size * copy->rows * copy->slices);
	if (!copy->staged) {
		task->by_caller = true;
		return;
	}
	staging.dst = (uintptr_t)copy->staged;
	staging.dst_pitch = copy->size;
	staging.dst_slice = copy->size * copy->rows;
	task_copy(&staging);
	copy->src = staging.dst;
	copy->src_pitch = staging.dst_pitch;
	copy->src_slice = staging.dst_slice;
}

/* Submits a copy or fill of @size bytes; returns when it is done if @wait. */
static CUresult run(struct task *task, CUstream handle, size_t size, bool pageable, bool wait)
{
	struct stream *stream;

	TRY(stream_find(handle, &stream));
	task->awaited = wait;
	task->by_caller = wait || (size <= SMALL && stream_idle(stream));
	if (pageable && !task->by_caller) {
		driver_unlock();
		stage(task);
		driver_lock();
		TRY(stream_find(handle, &stream));
	}
	TRY(stream_submit(stream, task));
	if (!task->by_caller)
		return CUDA_SUCCESS;
	TRY(task_run(task));
	return context_here()->domain.fault;
}

CUresult copy_submit(const struct task_copy *what, enum place to, enum place from,
		     CUstream stream, bool wait)
{
	CLEANUP(put_task) struct task *task = NULL;
	const size_t size = what->size * what->rows * what->slices;

	if (!size)
		return CUDA_SUCCESS;
	if (to == PLACE_INVALID || from == PLACE_INVALID)
		return CUDA_ERROR_INVALID_VALUE;
	task = task_new(TASK_COPY);
	if (!task)
		return CUDA_ERROR_OUT_OF_MEMORY;
	task->copy = *what;
	return run(task, stream, size, from == PLACE_PAGEABLE, wait || to == PLACE_PAGEABLE);
}

static CUresult copy(CUdeviceptr dst, CUdeviceptr src, size_t size, CUstream stream, bool wait)
{
	const struct task_copy what = {
		.dst = dst,
		.src = src,
		.size = size,
		.rows = 1,
		.slices = 1,
	};

	return copy_submit(&what, place_of(dst, size), place_of(src, size), stream, wait);
}

CUresult cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t size)
{
	CLEANUP(leave) struct api_call call = enter(NEED_CONTEXT);

	TRY(call.result);
	return copy(dst, src, size, NULL, true);
}

/* Copies in the order of @stream; @to and @from say where the addresses have to be. */
static CUresult copy_async(CUdeviceptr dst, enum place to, CUdeviceptr src, enum place from,
			   size_t size, CUstream stream)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);
	struct stream *found;

	TRY(call.result);
	TRY(stream_find(stream, &found));
	if (size && ((to == PLACE_DEVICE && !place_is_device(dst, size)) ||
		     (from == PLACE_DEVICE && !place_is_device(src, size))))
		return CUDA_ERROR_INVALID_VALUE;
	return copy(dst, src, size, stream, false);
}

CUresult cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t size, CUstream stream)
{
	return copy_async(dst, PLACE_ANY, src, PLACE_ANY, size, stream);
}

CUresult cuMemcpyHtoD(CUdeviceptr dst, const void *src, size_t size)
{
	CLEANUP(leave) struct api_call call = enter(NEED_CONTEXT);

	TRY(call.result);
	if (size && !place_is_device(dst, size))
		return CUDA_ERROR_INVALID_VALUE;
	return copy(dst, (uintptr_t)src, size, NULL, true);
}

CUresult cuMemcpyDtoH(void *dst, CUdeviceptr src, size_t size)
{
	CLEANUP(leave) struct api_call call = enter(NEED_CONTEXT);

	TRY(call.result);
	if (size && !place_is_device(src, size))
		return CUDA_ERROR_INVALID_VALUE;
	return copy((uintptr_t)dst, src, size, NULL, true);
}

/* From device to device memory it does not wait: it comes before what is submitted later. */
CUresult cuMemcpyDtoD(CUdeviceptr dst, CUdeviceptr src, size_t size)
{
	return copy_async(dst, PLACE_DEVICE, src, PLACE_DEVICE, size, NULL);
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr dst, CUdeviceptr src, size_t size, CUstream stream)
{
	return copy_async(dst, PLACE_DEVICE, src, PLACE_DEVICE, size, stream);
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr dst, const void *src, size_t size, CUstream stream)
{
	return copy_async(dst, PLACE_DEVICE, (uintptr_t)src, PLACE_ANY, size, stream);
}

CUresult cuMemcpyDtoHAsync(void *dst, CUdeviceptr src, size_t size, CUstream stream)
{
	return copy_async((uintptr_t)dst, PLACE_ANY, src, PLACE_DEVICE, size, stream);
}

CUresult cuMemcpyPeerAsync(CUdeviceptr dst, CUcontext to, CUdeviceptr src, CUcontext from,
			   size_t size, CUstream stream)
{
	if (!context_known(to) || !context_known(from))
		return CUDA_ERROR_INVALID_CONTEXT;
	return copy_async(dst, PLACE_DEVICE, src, PLACE_DEVICE, size, stream);
}

CUresult cuMemcpyPeer(CUdeviceptr dst, CUcontext to, CUdeviceptr src, CUcontext from, size_t size)
{
	return cuMemcpyPeerAsync(dst, to, src, from, size, NULL);
}

/* How many bytes from the first to the last that @f fills; 0 when there are none. */
static CUresult extent_of(const struct task_fill *f, uint64_t *bytes)
{
	uint64_t row, before;

	*bytes = 0;
	if (f->dst % f->width || __builtin_mul_overflow(f->count, f->width, &row))
		return CUDA_ERROR_INVALID_VALUE;
	if (f->rows > 1 && (f->pitch % f->width || f->pitch < row))
		return CUDA_ERROR_INVALID_VALUE;
	if (!row || !f->rows)
		return CUDA_SUCCESS;
	if (__builtin_mul_overflow(f->pitch, f->rows - 1, &before) ||
	    __builtin_add_overflow(before, row, bytes))
		return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}

static CUresult fill(struct task_fill what, CUstream stream)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);
	CLEANUP(put_task) struct task *task = NULL;
	struct stream *found;
	uint64_t size;

	TRY(call.result);
	TRY(stream_find(stream, &found));
	TRY(extent_of(&what, &size));
	if (!size)
		return CUDA_SUCCESS;
	if (!place_is_device(what.dst, size))
		return CUDA_ERROR_INVALID_VALUE;
	task = task_new(TASK_FILL);
	if (!task)
		return CUDA_ERROR_OUT_OF_MEMORY;
	task->fill = what;
	return run(task, stream, size, false, false);
}

static CUresult fill_row(CUdeviceptr dst, uint32_t value, unsigned width, size_t count,
			 CUstream stream)
{
	return fill((struct task_fill){ dst, value, width, count, 1, 0 }, stream);
}

CUresult cuMemsetD8(CUdeviceptr dst, unsigned char value, size_t count)
{
	return fill_row(dst, value, 1, count, NULL);
}

CUresult cuMemsetD8Async(CUdeviceptr dst, unsigned char value, size_t count,
			 CUstream stream)
{
	return fill_row(dst, value, 1, count, stream);
}

CUresult cuMemsetD16(CUdeviceptr dst, unsigned short value, size_t count)
{
	return fill_row(dst, value, 2, count, NULL);
}

CUresult cuMemsetD16Async(CUdeviceptr dst, unsigned short value, size_t count,
			  CUstream stream)
{
	return fill_row(dst, value, 2, count, stream);
}

CUresult cuMemsetD32(CUdeviceptr dst, unsigned value, size_t count)
{
	return fill_row(dst, value, 4, count, NULL);
}

CUresult cuMemsetD32Async(CUdeviceptr dst, unsigned value, size_t count, CUstream stream)
{
	return fill_row(dst, value, 4, count, stream);
}

CUresult cuMemsetD2D8Async(CUdeviceptr dst, size_t pitch, unsigned char value,
			   size_t width, size_t height, CUstream stream)
{
	return fill((struct task_fill){ dst, value, 1, width, height, pitch }, stream);
}

CUresult cuMemsetD2D16Async(CUdeviceptr dst, size_t pitch, unsigned short value,
			    size_t width, size_t height, CUstream stream)
{
	return fill((struct task_fill){ dst, value, 2, width, height, pitch }, stream);
}

CUresult cuMemsetD2D32Async(CUdeviceptr dst, size_t pitch, unsigned value, size_t width,
			    size_t height, CUstream stream)
{
	return fill((struct task_fill){ dst, value, 4, width, height, pitch }, stream);
}

CUresult cuMemsetD2D8(CUdeviceptr dst, size_t pitch, unsigned char value, size_t width,
		      size_t height)
{
	return cuMemsetD2D8Async(dst, pitch, value, width, height, NULL);
}

CUresult cuMemsetD2D16(CUdeviceptr dst, size_t pitch, unsigned short value, size_t width,
		       size_t height)
{
	return cuMemsetD2D16Async(dst, pitch, value, width, height, NULL);
}

CUresult cuMemsetD2D32(CUdeviceptr dst, size_t pitch, unsigned value, size_t width,
		       size_t height)
{
	return cuMemsetD2D32Async(dst, pitch, value, width, height, NULL);
}
