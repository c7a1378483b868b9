/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "context.h"

#include <stddef.h>

#include "arena.h"
#include "cleanup.h"
#include "entry.h"
#include "event.h"
#include "exports.h"
#include "heap.h"
#include "mempool.h"
#include "module.h"
#include "op.h"
#include "pool.h"
#include "report.h"
#include "stream.h"

#define LIMITS 12         /* numbers of limits that CUDA 13 knows */
#define CONTEXT_FLAGS 0xffu /* flags of a context that it knows */

static struct CUctx_st {
	unsigned retained;   /* retains not released: it lives while there are any */
	unsigned flags;      /* stay the same through further lives */
	uint64_t life;       /* lives so far */
	CUresult fault;
	bool reported;       /* the report of the fault is there */
	size_t stack, printf_fifo, heap; /* limits, in bytes */
} context;

/*
 * Entries of the calling thread's stack of contexts. There is only one context,
 * so that the stack is its depth.
 */
static __thread unsigned depth;

CUcontext context_handle(void)
{
	return &context;
}

bool context_is_current(void)
{
	return depth > 0;
}

uint64_t context_life(void)
{
	return context.life;
}

CUresult context_fault(void)
{
	return context.fault;
}

CUresult context_result(bool current)
{
	if (current && !depth)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (!context.retained)
		return context.life ? CUDA_ERROR_CONTEXT_IS_DESTROYED :
				      CUDA_ERROR_INVALID_CONTEXT;
	return context.fault;
}

void context_fail(CUresult code)
{
	if (context.fault)
		return;
	context.fault = code;
	context.reported = false;
	pool_stop();
}

void context_report(const char *text)
{
	if (!context_report_pending())
		return;
	context.reported = true;
	report_set("%s", text);
	driver_changed();
}

bool context_report_pending(void)
{
	return context.fault && !context.reported;
}

CUresult context_wait(void)
{
	CLEANUP(put_op) struct op *op = op_new(OP_MARK);

	if (!op)
		return CUDA_ERROR_OUT_OF_MEMORY;
	TRY(op_submit_after_all(op));
	TRY(op_wait(op));
	return context.fault;
}

/* Begins a life of the context, with the limits that each has at first. */
static void begin(void)
{
	context.life++;
	context.stack = 1024;
	context.printf_fifo = 1 << 20;
	context.heap = 8 << 20;
	heap_set_limit(context.heap);
}

/* Ends the context's life; nothing is pending. */
static void clear(void)
{
	event_clear();
	stream_clear();
	module_clear();
	arena_clear();
	heap_forget();
	mempool_clear();
	report_clear();
	context.fault = 0;
	context.reported = false;
}

static CUresult check_device(CUdevice dev)
{
	return dev ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *ctx, CUdevice dev)
{
	CLEANUP(leave) struct entry entry = enter(NEED_INIT);

	TRY(entry.result);
	TRY(check_device(dev));
	if (!ctx)
		return CUDA_ERROR_INVALID_VALUE;
	if (!context.retained++)
		begin();
	*ctx = &context;
	return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice dev)
{
	CLEANUP(leave) struct entry entry = enter(NEED_INIT);
	CUresult result = CUDA_SUCCESS;

	TRY(entry.result);
	TRY(check_device(dev));
	if (!context.retained)
		return CUDA_ERROR_INVALID_CONTEXT;
	/* Its work is waited for, as by a real driver; another thread may retain meanwhile. */
	if (context.retained == 1)
		result = context_wait();
	if (result && result != context.fault)
		return result;
	if (!context.retained || --context.retained)
		return CUDA_SUCCESS;
	clear();
	return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice dev, unsigned *flags, int *active)
{
	CLEANUP(leave) struct entry entry = enter(NEED_INIT);

	TRY(entry.result);
	TRY(check_device(dev));
	if (!flags || !active)
		return CUDA_ERROR_INVALID_VALUE;
	*flags = context.flags;
	*active = context.retained != 0;
	return CUDA_SUCCESS;
}

/* Remembered only: a thread that waits always sleeps. */
CUresult cuDevicePrimaryCtxSetFlags(CUdevice dev, unsigned flags)
{
	CLEANUP(leave) struct entry entry = enter(NEED_INIT);
	const unsigned schedule = flags & CU_CTX_SCHED_MASK;

	TRY(entry.result);
	TRY(check_device(dev));
	/* At most one way to wait. */
	if (flags & ~CONTEXT_FLAGS || schedule & (schedule - 1))
		return CUDA_ERROR_INVALID_VALUE;
	context.flags = flags;
	return CUDA_SUCCESS;
}

/* There is no other context that could be the peer. */
CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags)
{
	CLEANUP(leave) struct entry entry = enter(NEED_CONTEXT);

	TRY(entry.result);
	if (!peer)
		return CUDA_ERROR_INVALID_CONTEXT;
	return flags ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
}

CUresult cuCtxGetCurrent(CUcontext *ctx)
{
	CLEANUP(leave) struct entry entry = enter(NEED_INIT);

	TRY(entry.result);
	if (!ctx)
		return CUDA_ERROR_INVALID_VALUE;
	*ctx = depth ? &context : NULL;
	return CUDA_SUCCESS;
}

/*
 * NULL takes the current context off; another one takes its place. One that does
 * not live is taken too: calls then answer 709 until it lives again.
 */
CUresult cuCtxSetCurrent(CUcontext ctx)
{
	CLEANUP(leave) struct entry entry = enter(NEED_INIT);

	TRY(entry.result);
	if (!ctx) {
		depth -= depth > 0;
		return CUDA_SUCCESS;
	}
	if (ctx != &context)
		return CUDA_ERROR_INVALID_CONTEXT;
	depth += depth == 0;
	return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent(CUcontext ctx)
{
	CLEANUP(leave) struct entry entry = enter(NEED_INIT);

	TRY(entry.result);
	if (!ctx)
		return CUDA_ERROR_INVALID_VALUE;
	if (ctx != &context)
		return CUDA_ERROR_INVALID_CONTEXT;
	depth++;
	return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent(CUcontext *ctx)
{
	CLEANUP(leave) struct entry entry = enter(NEED_INIT);

	TRY(entry.result);
	if (!depth)
		return CUDA_ERROR_INVALID_CONTEXT;
	depth--;
	if (ctx)
		*ctx = &context;
	return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *dev)
{
	CLEANUP(leave) struct entry entry = enter(NEED_INIT);

	TRY(entry.result);
	if (!depth)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (!dev)
		return CUDA_ERROR_INVALID_VALUE;
	*dev = 0;
	return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize(void)
{
	CLEANUP(leave) struct entry entry = enter(NEED_CONTEXT);

	TRY(entry.result);
	return context_wait();
}

static size_t *limit_of(CUlimit limit)
{
	switch (limit) {
	case CU_LIMIT_STACK_SIZE:
		return &context.stack;
	case CU_LIMIT_PRINTF_FIFO_SIZE:
		return &context.printf_fifo;
	case CU_LIMIT_MALLOC_HEAP_SIZE:
		return &context.heap;
	}
	return NULL;
}

CUresult cuCtxGetLimit(size_t *value, CUlimit limit)
{
	CLEANUP(leave) struct entry entry = enter(NEED_CONTEXT);

	TRY(entry.result);
	if (!value || (int)limit < 0 || (int)limit >= LIMITS)
		return CUDA_ERROR_INVALID_VALUE;
	if (!limit_of(limit))
		return CUDA_ERROR_UNSUPPORTED_LIMIT;
	*value = *limit_of(limit);
	return CUDA_SUCCESS;
}

/* Stacks and the output of printf grow as they need to: their limits are remembered only. */
CUresult cuCtxSetLimit(CUlimit limit, size_t value)
{
	CLEANUP(leave) struct entry entry = enter(NEED_CONTEXT);

	TRY(entry.result);
	if ((int)limit < 0 || (int)limit >= LIMITS)
		return CUDA_ERROR_INVALID_VALUE;
	if (!limit_of(limit))
		return CUDA_ERROR_UNSUPPORTED_LIMIT;
	*limit_of(limit) = value;
	if (limit == CU_LIMIT_MALLOC_HEAP_SIZE)
		heap_set_limit(value);
	return CUDA_SUCCESS;
}
