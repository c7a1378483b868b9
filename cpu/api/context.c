/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "context.h"

#include <stddef.h>
#include <stdlib.h>

#include "arena.h"
#include "asserts.h"
#include "cause.h"
#include "cleanup.h"
#include "config.h"
#include "entry.h"
#include "event.h"
#include "exports.h"
#include "failed.h"
#include "handle.h"
#include "lock.h"
#include "module.h"
#include "outcome.h"
#include "task.h"
#include "pool.h"
#include "report.h"
#include "stream.h"
#include "value_wait.h"

#define CONTEXT_FLAGS 0xffu /* flags of a context in CUDA 13 */
#define KEPT_FLAGS (CU_CTX_SCHED_MASK | CU_CTX_LMEM_RESIZE_TO_MAX) /* that cuCtxSetFlags stores */
#define STACK 64            /* contexts that a thread may have pushed */

static struct context primary = { .handle = &primary };
static struct context *contexts; /* owned; created by programs */
static uint64_t lives;           /* of all contexts, so far */

/* The calling thread's stack of contexts, as handles: some may be destroyed. */
static __thread CUcontext stack[STACK];
static __thread unsigned depth;

CUresult context_find(CUcontext handle, struct context **out)
{
	*out = handle == primary.handle ? &primary : handle_object(handle, HANDLE_CONTEXT);
	if (*out)
		return CUDA_SUCCESS;
	return handle_kind(handle) == HANDLE_CONTEXT ? CUDA_ERROR_CONTEXT_IS_DESTROYED :
						       CUDA_ERROR_INVALID_CONTEXT;
}

bool context_known(CUcontext handle)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);
	struct context *found;

	return !call.result && !context_find(handle, &found);
}

struct context *context_here(void)
{
	struct context *found;

	return depth && !context_find(stack[depth - 1], &found) ? found : &primary;
}

bool context_is_current(void)
{
	return depth > 0;
}

CUcontext context_handle(void)
{
	return context_here()->handle;
}

uint64_t context_owner(const struct context *context)
{
	return context == &primary ? 0 : (uintptr_t)context->handle;
}

CUcontext context_of_owner(uint64_t owner)
{
	void *handle = (void *)(uintptr_t)owner;

	return handle_kind(handle) == HANDLE_CONTEXT ? handle : primary.handle;
}

bool context_is_in(uint64_t life)
{
	return context_here()->domain.life == life;
}

bool context_faulted(void)
{
	bool faulted = primary.domain.fault;

	for (const struct context *c = contexts; c && !faulted; c = c->next)
		faulted = c->domain.fault;
	return faulted;
}

CUresult context_result(bool current)
{
	struct context *found = &primary;

	if (current && !depth)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (depth)
		TRY(context_find(stack[depth - 1], &found));
	if (!found->retained)
		return found->domain.life ? CUDA_ERROR_CONTEXT_IS_DESTROYED :
					    CUDA_ERROR_INVALID_CONTEXT;
	return found->domain.fault;
}

bool context_report_pending(void)
{
	return domain_report_pending(&context_here()->domain);
}

/* The context may end while this waits. */
static CUresult wait_for(struct context *context)
{
	CLEANUP(put_task) struct task *task = task_new(TASK_MARK);
	const uint64_t life = context->domain.life;
	const CUcontext handle = context->handle;

	if (!task)
		return CUDA_ERROR_OUT_OF_MEMORY;
	TRY(stream_submit_after_all(task, context));
	TRY(task_wait(task));
	TRY(context_find(handle, &context));
	return context->domain.life == life ? context->domain.fault : CUDA_SUCCESS;
}

CUresult context_wait(void)
{
	return wait_for(context_here());
}

CUresult context_wait_all(void)
{
	CLEANUP(put_task) struct task *task = task_new(TASK_MARK);
	CUresult ordered = CUDA_SUCCESS, submitted;

	if (!task)
		return CUDA_ERROR_OUT_OF_MEMORY;
	for (struct context *context = contexts; context && !ordered; context = context->next)
		ordered = stream_order_all(task, context);
	submitted = stream_submit_after_all(task, &primary);
	TRY(ordered);
	TRY(submitted);
	return task_wait_quiet(task, NULL);
}

/* The same for what was submitted to @context alone; @task: a new mark, or NULL. */
static CUresult wait_for_all_of(struct context *context, struct task *task)
{
	if (!task)
		return CUDA_ERROR_OUT_OF_MEMORY;
	TRY(stream_submit_after_all(task, context));
	return task_wait_quiet(task, &context->domain);
}

static void context_free(struct domain *domain)
{
	ASSERT(domain != &primary.domain && !domain->pending && !domain->begun);
	free(domain);
}

_Static_assert(offsetof(struct context, domain) == 0, "a domain is freed as its context");

/* ---- Lives ------------------------------------------------------------------ */

/* Begins a life of the context, with the initial limits. */
static void begin(struct context *context)
{
	ASSERT(lock_is_held(LOCK_DRIVER) && context->retained == 1 && !context->domain.fault);
	context->domain.life = ++lives;
	context->stack = 1024;
	context->printf_fifo = 1 << 20;
	context->uses = 0;
	context->cache = CU_FUNC_CACHE_PREFER_NONE;
	context->fetch = 64;
	heap_init(&context->heap, context_owner(context));
}

/* Memory that ends with the primary context: all that is of no other context and of no pool. */
static bool is_primary(uint64_t owner, uint64_t ending)
{
	const enum handle_kind kind = handle_kind((void *)(uintptr_t)owner);

	(void)ending;
	return kind != HANDLE_CONTEXT && kind != HANDLE_POOL;
}

static bool is_same(uint64_t owner, uint64_t ending)
{
	return owner == ending;
}

void context_report_leaks(const struct context *context)
{
	bool (*ends)(uint64_t, uint64_t) = !context		 ? NULL :
					   context == &primary ? is_primary : is_same;

	arena_report_leaks(LEAKING, ends, context ? (uintptr_t)context->handle : 0);
	stream_report_leaks(context);
	event_report_leaks(context);
	module_report_leaks(context);
}

/* Ends the context's life; what is left of its work after wait_for_all_of() is lost. What it had
 * registered may be unmapped after pool_quiesce(): kernels of other contexts may have found it. */
static void clear(struct context *context)
{
	bool (*ends)(uint64_t, uint64_t) = context == &primary ? is_primary : is_same;
	const uint64_t owner = (uintptr_t)context->handle;

	ASSERT(lock_is_held(LOCK_DRIVER) && (context != &primary || !context->retained));
	context->domain.life = ++lives;
	value_poll();
	if (config.check & CHECK_LEAK && !context->domain.fault)
		context_report_leaks(context);
	event_clear(context);
	stream_clear(context);
	module_clear(context);
	arena_clear(ends, owner);
	/* Not what a library of ours does at its end. */
	if (context->domain.fault && !failed_caller_is_ours(cause_caller))
		outcome_recovered();
	if (context->domain.fault || context == &primary)
		report_clear();
	context->domain.fault = 0;
	context->domain.reported = false;
}

static CUresult check_device(CUdevice dev)
{
	return dev ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS;
}

/* At most one way to wait; it is only stored: a thread that waits always sleeps. */
static CUresult check_flags(unsigned flags)
{
	const unsigned schedule = flags & CU_CTX_SCHED_MASK;

	return flags & ~CONTEXT_FLAGS || schedule & (schedule - 1) ? CUDA_ERROR_INVALID_VALUE :
								     CUDA_SUCCESS;
}

unsigned context_flags(const struct context *context)
{
	return context == &primary ? (primary.flags & KEPT_FLAGS) | CU_CTX_MAP_HOST :
				     context->flags;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *ctx, CUdevice dev)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);

	TRY(call.result);
	TRY(check_device(dev));
	if (!ctx)
		return CUDA_ERROR_INVALID_VALUE;
	if (!primary.retained++)
		begin(&primary);
	*ctx = primary.handle;
	return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice dev)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);
	CLEANUP(put_task) struct task *task = NULL;

	TRY(call.result);
	TRY(check_device(dev));
	if (!primary.retained)
		return CUDA_ERROR_INVALID_CONTEXT;
	/* A real driver waits for its work, too; another thread may retain meanwhile. */
	if (primary.retained == 1) {
		task = task_new(TASK_MARK);
		TRY(wait_for_all_of(&primary, task));
	}
	if (!primary.retained || --primary.retained)
		return CUDA_SUCCESS;
	clear(&primary);
	pool_quiesce();
	return CUDA_SUCCESS;
}

/* The next retain begins a new life. */
CUresult cuDevicePrimaryCtxReset(CUdevice dev)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);
	CLEANUP(put_task) struct task *task = NULL;

	TRY(call.result);
	TRY(check_device(dev));
	if (!primary.retained)
		return CUDA_SUCCESS;
	task = task_new(TASK_MARK);
	TRY(wait_for_all_of(&primary, task));
	primary.retained = 0;
	clear(&primary);
	pool_quiesce();
	return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice dev, unsigned *flags, int *active)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);

	TRY(call.result);
	TRY(check_device(dev));
	if (!flags || !active)
		return CUDA_ERROR_INVALID_VALUE;
	*flags = primary.flags;
	*active = primary.retained != 0;
	return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxSetFlags(CUdevice dev, unsigned flags)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);

	TRY(call.result);
	TRY(check_device(dev));
	TRY(check_flags(flags));
	if (flags & CU_CTX_MAP_HOST)
		return CUDA_ERROR_INVALID_VALUE; /* it is always so */
	primary.flags = flags;
	return CUDA_SUCCESS;
}

/* ---- Contexts that programs create --------------------------------------------- */

static CUresult push(CUcontext handle)
{
	ASSERT(handle && depth <= STACK);
	if (depth == STACK)
		return CUDA_ERROR_OUT_OF_MEMORY;
	stack[depth++] = handle;
	return CUDA_SUCCESS;
}

static CUresult context_new(CUcontext *ctx, unsigned flags, CUdevice dev)
{
	CLEANUP(free_pointer) struct context *made = NULL;

	TRY(check_device(dev));
	TRY(check_flags(flags));
	if (!ctx)
		return CUDA_ERROR_INVALID_VALUE;
	made = calloc(1, sizeof(*made));
	if (!made)
		return CUDA_ERROR_OUT_OF_MEMORY;
	made->handle = handle_new(HANDLE_CONTEXT, made);
	if (!made->handle || push(made->handle)) {
		handle_free(made->handle);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	made->flags = flags;
	made->retained = 1;
	begin(made);
	made->next = contexts;
	*ctx = made->handle;
	contexts = STEAL(made);
	return CUDA_SUCCESS;
}

/* No share of the device can be asked for. */
static CUresult check_share(const CUexecAffinityParam *params, int count)
{
	if (count < 0 || (count && !params))
		return CUDA_ERROR_INVALID_VALUE;
	return count ? CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY : CUDA_SUCCESS;
}

/* CUDA 13's driver samples pass parameters that are all zero: they ask for nothing. */
CUresult cuCtxCreate(CUcontext *ctx, CUctxCreateParams *params, unsigned flags, CUdevice dev)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);

	TRY(call.result);
	if (params && params->cigParams)
		return params->execAffinityParams ? CUDA_ERROR_INVALID_VALUE :
						    CUDA_ERROR_NOT_SUPPORTED;
	if (params)
		TRY(check_share(params->execAffinityParams, params->numExecAffinityParams));
	return context_new(ctx, flags, dev);
}

CUresult cuCtxCreate_v3(CUcontext *ctx, CUexecAffinityParam *params, int count, unsigned flags,
			CUdevice dev)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);

	TRY(call.result);
	TRY(check_share(params, count));
	return context_new(ctx, flags, dev);
}

CUresult cuCtxCreate_v2(CUcontext *ctx, unsigned flags, CUdevice dev)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);

	TRY(call.result);
	return context_new(ctx, flags, dev);
}

/*
 * Pops it from the calling thread if it is current there; for other threads it is destroyed. Waits
 * for its work; its handle and its streams are invalid before that, so that other threads cannot
 * submit more.
 */
CUresult cuCtxDestroy(CUcontext ctx)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);
	CLEANUP(put_task) struct task *task = NULL;
	struct context *found, **link = &contexts;

	TRY(call.result);
	TRY(context_find(ctx, &found));
	if (found == &primary)
		return CUDA_ERROR_INVALID_CONTEXT;
	task = task_new(TASK_MARK);
	if (!task)
		return CUDA_ERROR_OUT_OF_MEMORY;
	/* What may fail is done first: the context could not be destroyed again. */
	TRY(stream_submit_after_all(task, found));
	handle_free(found->handle);
	stream_close(found);
	TRY(task_wait_quiet(task, &found->domain));
	clear(found);
	while (*link != found)
		link = &(*link)->next;
	*link = found->next;
	if (found->domain.pending)
		found->domain.idle = context_free;
	else
		context_free(&found->domain);
	depth -= depth && stack[depth - 1] == ctx;
	pool_quiesce();
	return CUDA_SUCCESS;
}

/* ---- The stack of the calling thread -------------------------------------------- */

CUresult cuCtxGetCurrent(CUcontext *ctx)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);

	TRY(call.result);
	if (!ctx)
		return CUDA_ERROR_INVALID_VALUE;
	*ctx = depth ? stack[depth - 1] : NULL;
	return CUDA_SUCCESS;
}

/*
 * NULL pops the current context; another one replaces it. The primary one is
 * accepted even while it does not live: calls then return 709 until it does.
 */
CUresult cuCtxSetCurrent(CUcontext ctx)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);
	struct context *found;

	TRY(call.result);
	if (!ctx) {
		depth -= depth > 0;
		return CUDA_SUCCESS;
	}
	TRY(context_find(ctx, &found));
	depth -= depth > 0;
	return push(ctx);
}

CUresult cuCtxPushCurrent(CUcontext ctx)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);
	struct context *found;

	TRY(call.result);
	if (!ctx)
		return CUDA_ERROR_INVALID_VALUE;
	TRY(context_find(ctx, &found));
	return push(ctx);
}

CUresult cuCtxPopCurrent(CUcontext *ctx)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);

	TRY(call.result);
	if (!depth)
		return CUDA_ERROR_INVALID_CONTEXT;
	depth--;
	if (ctx)
		*ctx = stack[depth];
	return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *dev)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);

	TRY(call.result);
	if (!depth)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (!dev)
		return CUDA_ERROR_INVALID_VALUE;
	*dev = 0;
	return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize(void)
{
	CLEANUP(leave) struct api_call call = enter(NEED_CONTEXT);

	TRY(call.result);
	return context_wait();
}

/* The later forms have a context; NULL is the current one. */
static CUresult find_or_current(CUcontext ctx, struct context **out)
{
	if (ctx)
		return context_find(ctx, out);
	*out = context_here();
	return depth ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuCtxGetDevice_v2(CUdevice *dev, CUcontext ctx)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);
	struct context *found;

	TRY(call.result);
	if (!dev)
		return CUDA_ERROR_INVALID_VALUE;
	TRY(find_or_current(ctx, &found));
	*dev = 0;
	return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize_v2(CUcontext ctx)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);
	struct context *found;

	TRY(call.result);
	TRY(find_or_current(ctx, &found));
	return wait_for(found);
}

CUresult cuCtxGetId(CUcontext ctx, unsigned long long *id)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);
	struct context *found;

	TRY(call.result);
	if (!id)
		return CUDA_ERROR_INVALID_VALUE;
	TRY(find_or_current(ctx, &found));
	*id = found->domain.life;
	return CUDA_SUCCESS;
}

/* Of every context made by the calls of CUDA 3.2 and later. */
CUresult cuCtxGetApiVersion(CUcontext ctx, unsigned *version)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);
	struct context *found;

	TRY(call.result);
	if (!version)
		return CUDA_ERROR_INVALID_VALUE;
	TRY(find_or_current(ctx, &found));
	*version = 3020;
	return CUDA_SUCCESS;
}

CUresult cuCtxSetFlags(unsigned flags)
{
	CLEANUP(leave) struct api_call call = enter(NEED_CONTEXT);

	TRY(call.result);
	TRY(check_flags(flags));
	context_here()->flags = flags & KEPT_FLAGS;
	return CUDA_SUCCESS;
}
