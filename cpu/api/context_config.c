/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What can be set for the current context, and access to others. */
#include "cleanup.h"
#include "context.h"
#include "entry.h"
#include "exec.h"
#include "exports.h"

#define LIMITS 12 /* numbers of limits in CUDA 13 */

/* Where @limit is stored; *@fixed: a kernel that uses it has been launched. */
static _Atomic uint64_t *limit_of(CUlimit limit, bool *fixed)
{
	struct context *here = context_here();

	*fixed = false;
	switch (limit) {
	case CU_LIMIT_STACK_SIZE:
		return &here->stack;
	case CU_LIMIT_PRINTF_FIFO_SIZE:
		*fixed = here->uses & USES_PRINTF;
		return &here->printf_fifo;
	case CU_LIMIT_MALLOC_HEAP_SIZE:
		*fixed = here->uses & USES_HEAP;
		return &here->heap.most;
	}
	return NULL;
}

CUresult cuCtxGetLimit(size_t *value, CUlimit limit)
{
	CLEANUP(leave) struct api_call call = enter(NEED_CONTEXT);
	_Atomic uint64_t *at;
	bool fixed;

	TRY(call.result);
	if (!value || (int)limit < 0 || (int)limit >= LIMITS)
		return CUDA_ERROR_INVALID_VALUE;
	at = limit_of(limit, &fixed);
	if (!at)
		return CUDA_ERROR_UNSUPPORTED_LIMIT;
	*value = *at;
	return CUDA_SUCCESS;
}

/* Stacks and the output of printf grow as needed: their limits are only stored. */
CUresult cuCtxSetLimit(CUlimit limit, size_t value)
{
	CLEANUP(leave) struct api_call call = enter(NEED_CONTEXT);
	_Atomic uint64_t *at;
	bool fixed;

	TRY(call.result);
	if ((int)limit < 0 || (int)limit >= LIMITS)
		return CUDA_ERROR_INVALID_VALUE;
	at = limit_of(limit, &fixed);
	if (!at)
		return CUDA_ERROR_UNSUPPORTED_LIMIT;
	if (fixed)
		return CUDA_ERROR_INVALID_VALUE;
	*at = value;
	return CUDA_SUCCESS;
}

CUresult cuCtxGetFlags(unsigned *flags)
{
	CLEANUP(leave) struct api_call call = enter(NEED_CONTEXT);

	TRY(call.result);
	if (!flags)
		return CUDA_ERROR_INVALID_VALUE;
	*flags = context_here()->flags;
	return CUDA_SUCCESS;
}

/* Streams have no priorities here: both ends of the range are 0. */
CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
	CLEANUP(leave) struct api_call call = enter(NEED_CONTEXT);

	TRY(call.result);
	if (least)
		*least = 0;
	if (greatest)
		*greatest = 0;
	return CUDA_SUCCESS;
}

/* There are no caches or banks to configure. */
CUresult cuCtxGetCacheConfig(CUfunc_cache *cache)
{
	CLEANUP(leave) struct api_call call = enter(NEED_CONTEXT);

	TRY(call.result);
	if (!cache)
		return CUDA_ERROR_INVALID_VALUE;
	*cache = CU_FUNC_CACHE_PREFER_NONE;
	return CUDA_SUCCESS;
}

CUresult cuCtxSetCacheConfig(CUfunc_cache cache)
{
	CLEANUP(leave) struct api_call call = enter(NEED_CONTEXT);

	TRY(call.result);
	return cache > CU_FUNC_CACHE_PREFER_EQUAL ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
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
