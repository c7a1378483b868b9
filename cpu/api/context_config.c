/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What can be set for the current context, and access to others. */
#include "cleanup.h"
#include "config.h"
#include "context.h"
#include "entry.h"
#include "exec.h"
#include "exports.h"
#include "stream.h"

#define LIMITS       10          /* numbers of limits in CUDA 13 */
#define LARGEST      SIZE_MAX
#define MOST_STACK   (512 << 10) /* of a thread: less than this */
#define LEAST_FIFO   (512 << 10)
#define LEAST_HEAP   (4 << 20)
#define MOST_FETCHED 128

/* Rounds @value up to a multiple of @unit, a power of 2, and to @least. */
static size_t rounded(size_t value, size_t unit, size_t least)
{
	if (value < least)
		return least;
	return value > LARGEST - unit ? value : (value + unit - 1) & ~(unit - 1);
}

CUresult cuCtxGetLimit(size_t *value, CUlimit limit)
{
	CLEANUP(leave) struct api_call call = enter(NEED_CONTEXT);
	struct context *here = context_here();

	TRY(call.result);
	if (!value || (int)limit < 0 || (int)limit >= LIMITS)
		return CUDA_ERROR_INVALID_VALUE;
	switch (limit) {
	case CU_LIMIT_STACK_SIZE:
		*value = here->stack;
		return CUDA_SUCCESS;
	case CU_LIMIT_PRINTF_FIFO_SIZE:
		*value = here->printf_fifo;
		return CUDA_SUCCESS;
	case CU_LIMIT_MALLOC_HEAP_SIZE:
		*value = here->heap.most;
		return CUDA_SUCCESS;
	case CU_LIMIT_MAX_L2_FETCH_GRANULARITY:
		*value = here->fetch;
		return CUDA_SUCCESS;
	case CU_LIMIT_SHMEM_SIZE:
		*value = config.shared;
		return CUDA_SUCCESS;
	case CU_LIMIT_CIG_ENABLED:
		*value = 0;
		return CUDA_SUCCESS;
	}
	return CUDA_ERROR_UNSUPPORTED_LIMIT;
}

/*
 * Values are rounded as a GPU's driver does. Stacks and the output of printf grow as needed: their
 * limits, and that of the fetches of a cache, are only stored. A heap or an output that a kernel
 * uses, once it is launched, is fixed.
 */
CUresult cuCtxSetLimit(CUlimit limit, size_t value)
{
	CLEANUP(leave) struct api_call call = enter(NEED_CONTEXT);
	struct context *here = context_here();

	TRY(call.result);
	if ((int)limit < 0 || (int)limit >= LIMITS)
		return CUDA_ERROR_INVALID_VALUE;
	switch (limit) {
	case CU_LIMIT_STACK_SIZE:
		if (value >= MOST_STACK)
			return CUDA_ERROR_INVALID_VALUE;
		here->stack = rounded(value, 16, 0);
		return CUDA_SUCCESS;
	case CU_LIMIT_PRINTF_FIFO_SIZE:
		if (here->uses & USES_PRINTF)
			return CUDA_ERROR_INVALID_VALUE;
		here->printf_fifo = rounded(value, 256, LEAST_FIFO);
		return CUDA_SUCCESS;
	case CU_LIMIT_MALLOC_HEAP_SIZE:
		if (here->uses & USES_HEAP)
			return CUDA_ERROR_INVALID_VALUE;
		here->heap.most = rounded(value, 64 << 10, LEAST_HEAP);
		return CUDA_SUCCESS;
	case CU_LIMIT_MAX_L2_FETCH_GRANULARITY:
		if (value > MOST_FETCHED)
			return CUDA_ERROR_INVALID_VALUE;
		here->fetch = (unsigned)value;
		return CUDA_SUCCESS;
	case CU_LIMIT_SHMEM_SIZE:
	case CU_LIMIT_CIG_ENABLED:
		return CUDA_ERROR_NOT_PERMITTED;
	}
	return CUDA_ERROR_UNSUPPORTED_LIMIT;
}

CUresult cuCtxGetFlags(unsigned *flags)
{
	CLEANUP(leave) struct api_call call = enter(NEED_CONTEXT);

	TRY(call.result);
	if (!flags)
		return CUDA_ERROR_INVALID_VALUE;
	*flags = context_flags(context_here());
	return CUDA_SUCCESS;
}

/* Priorities are a hint, which is stored; its range is that of an H100. */
CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
	CLEANUP(leave) struct api_call call = enter(NEED_CONTEXT);

	TRY(call.result);
	if (least)
		*least = 0;
	if (greatest)
		*greatest = STREAM_GREATEST_PRIORITY;
	return CUDA_SUCCESS;
}

/* There are no caches or banks to configure: what is preferred is only stored. */
CUresult cuCtxGetCacheConfig(CUfunc_cache *cache)
{
	CLEANUP(leave) struct api_call call = enter(NEED_CONTEXT);

	TRY(call.result);
	if (!cache)
		return CUDA_ERROR_INVALID_VALUE;
	*cache = (CUfunc_cache)context_here()->cache;
	return CUDA_SUCCESS;
}

CUresult cuCtxSetCacheConfig(CUfunc_cache cache)
{
	CLEANUP(leave) struct api_call call = enter(NEED_CONTEXT);

	TRY(call.result);
	if (cache > CU_FUNC_CACHE_PREFER_EQUAL)
		return CUDA_ERROR_INVALID_VALUE;
	context_here()->cache = cache;
	return CUDA_SUCCESS;
}

CUresult cuCtxGetSharedMemConfig(CUsharedconfig *banks)
{
	CLEANUP(leave) struct api_call call = enter(NEED_CONTEXT);

	TRY(call.result);
	if (!banks)
		return CUDA_ERROR_INVALID_VALUE;
	*banks = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
	return CUDA_SUCCESS;
}

CUresult cuCtxSetSharedMemConfig(CUsharedconfig banks)
{
	CLEANUP(leave) struct api_call call = enter(NEED_CONTEXT);

	TRY(call.result);
	return banks > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE ? CUDA_ERROR_INVALID_VALUE :
								   CUDA_SUCCESS;
}

CUresult cuCtxResetPersistingL2Cache(void)
{
	CLEANUP(leave) struct api_call call = enter(NEED_CONTEXT);

	return call.result;
}

static CUresult peer_find(CUcontext handle)
{
	struct context *peer;

	return context_find(handle, &peer) ? CUDA_ERROR_INVALID_CONTEXT : CUDA_SUCCESS;
}

/*
 * There is one device: no context of it is the peer of another. Nor is one its own peer; the
 * result for that is that of drivers: CUDA's manual says CUDA_ERROR_INVALID_CONTEXT.
 */
CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags)
{
	CLEANUP(leave) struct api_call call = enter(NEED_CONTEXT);

	TRY(call.result);
	TRY(peer_find(peer));
	return flags ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
}

CUresult cuCtxDisablePeerAccess(CUcontext peer)
{
	CLEANUP(leave) struct api_call call = enter(NEED_CONTEXT);

	TRY(call.result);
	TRY(peer_find(peer));
	return CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
}

/* There is no profiler. */
CUresult cuProfilerStart(void)
{
	CLEANUP(leave) struct api_call call = enter(NEED_CONTEXT);

	return call.result;
}

CUresult cuProfilerStop(void)
{
	CLEANUP(leave) struct api_call call = enter(NEED_CONTEXT);

	return call.result;
}
