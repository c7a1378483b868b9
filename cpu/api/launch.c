/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Launches: the geometry is checked, the arguments are copied, and the kernel
 * becomes an operation of its stream.
 */
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "asserts.h"
#include "calls.h"
#include "cause.h"
#include "cleanup.h"
#include "config.h"
#include "context.h"
#include "device_limits.h"
#include "entry.h"
#include "event.h"
#include "exec.h"
#include "exports.h"
#include "grid.h"
#include "module.h"
#include "occupancy.h"
#include "outcome.h"
#include "task.h"
#include "stream.h"
#include "tickets.h"

/* Bytes for a grid's barrier, which uses a count of bytes and a word. */
#define WORKSPACE 64

enum { PARAM_ALIGN = 128 };

static void free_grid(struct grid **grid)
{
	grid_free(*grid);
}

static uint64_t product(const uint32_t dims[3])
{
	return (uint64_t)dims[0] * dims[1] * dims[2];
}

static CUresult check_grid(const struct launch *l)
{
	if (l->grid[0] && l->grid[1] && l->grid[2] && l->grid[0] <= DEVICE_MAX_GRID_X &&
	    l->grid[1] <= DEVICE_MAX_GRID_YZ && l->grid[2] <= DEVICE_MAX_GRID_YZ)
		return CUDA_SUCCESS;
	return cause_set(CUDA_ERROR_INVALID_VALUE,
			 "a grid of (%u,%u,%u) blocks, from 1 to (%u,%u,%u)",
			 l->grid[0], l->grid[1], l->grid[2], DEVICE_MAX_GRID_X, DEVICE_MAX_GRID_YZ,
			 DEVICE_MAX_GRID_YZ);
}

static CUresult check_block(const struct launch *l)
{
	const struct kernel *kernel = l->kernel;
	const uint32_t *required = kernel->required_block;
	uint64_t threads = product(l->block);

	if (threads > DEVICE_MAX_THREADS)
		return cause_set(CUDA_ERROR_INVALID_VALUE, "%llu threads, at most %u",
				 (unsigned long long)threads, DEVICE_MAX_THREADS);
	if (!threads || l->block[0] > DEVICE_MAX_BLOCK_X || l->block[1] > DEVICE_MAX_BLOCK_Y ||
	    l->block[2] > DEVICE_MAX_BLOCK_Z)
		return cause_set(CUDA_ERROR_INVALID_VALUE,
				 "a block of (%u,%u,%u) threads, from 1 to (%u,%u,%u)", l->block[0],
				 l->block[1], l->block[2], DEVICE_MAX_BLOCK_X, DEVICE_MAX_BLOCK_Y,
				 DEVICE_MAX_BLOCK_Z);
	if (required[0] && memcmp(l->block, required, sizeof(l->block)) != 0)
		return cause_set(CUDA_ERROR_INVALID_VALUE,
				 "a block of (%u,%u,%u) threads, not (%u,%u,%u) as required",
				 l->block[0], l->block[1], l->block[2], required[0], required[1],
				 required[2]);
	if (kernel->max_block[0] && threads > product(kernel->max_block))
		return cause_set(CUDA_ERROR_INVALID_VALUE,
				 "%llu threads, at most %llu by the launch bounds of the kernel",
				 (unsigned long long)threads,
				 (unsigned long long)product(kernel->max_block));
	return CUDA_SUCCESS;
}

/* Sets the cluster that the function requires; another one is refused. */
static CUresult require_cluster(struct launch *l, const struct function *function)
{
	const uint32_t *required = function_cluster(function);

	if (!required[0] && !required[1] && !required[2]) {
		if (!l->kernel->must_cluster || l->clustered)
			return CUDA_SUCCESS;
		return cause_set(CUDA_ERROR_INVALID_CLUSTER_SIZE,
				 "no cluster, and the kernel requires one");
	}
	if (l->clustered && memcmp(l->cluster, required, sizeof(l->cluster)) != 0)
		return cause_set(CUDA_ERROR_INVALID_CLUSTER_SIZE,
				 "a cluster of (%u,%u,%u) blocks, not (%u,%u,%u) as required",
				 l->cluster[0], l->cluster[1], l->cluster[2], required[0],
				 required[1], required[2]);
	memcpy(l->cluster, required, sizeof(l->cluster));
	l->clustered = true;
	return CUDA_SUCCESS;
}

static CUresult check_cluster(const struct launch *l, const struct function *function)
{
	const uint64_t most = function->large_clusters ? 2 * DEVICE_CLUSTER : DEVICE_CLUSTER;

	for (int i = 0; i < 3; i++)
		if (!l->cluster[i] || l->grid[i] % l->cluster[i])
			return cause_set(CUDA_ERROR_INVALID_CLUSTER_SIZE,
					 "clusters of (%u,%u,%u) blocks do not divide the grid",
					 l->cluster[0], l->cluster[1], l->cluster[2]);
	if (product(l->cluster) > most)
		return cause_set(CUDA_ERROR_INVALID_CLUSTER_SIZE,
				 "%llu blocks in a cluster, at most %llu",
				 (unsigned long long)product(l->cluster), (unsigned long long)most);
	return CUDA_SUCCESS;
}

static CUresult check(const struct launch *l, const struct function *function)
{
	TRY(check_grid(l));
	TRY(check_block(l));
	TRY(check_cluster(l, function));
	if (l->dynamic_shared > function->dynamic_shared)
		return cause_set(CUDA_ERROR_INVALID_VALUE,
				 "%u bytes of dynamic shared memory, at most %u%s",
				 l->dynamic_shared, function->dynamic_shared,
				 l->dynamic_shared <= config.shared - l->kernel->static_shared ?
				 " without the attribute MaxDynamicSharedMemorySize" : "");
	if (l->cooperative && product(l->grid) > occupancy_resident(function, l))
		return cause_set(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
				 "%llu blocks of a cooperative launch, at most %llu at a time",
				 (unsigned long long)product(l->grid),
				 (unsigned long long)occupancy_resident(function, l));
	return CUDA_SUCCESS;
}

/* The buffer that @extra names, of *@size bytes; NULL may be one of none. */
static CUresult read_extra(void **extra, const void **buffer, size_t *size)
{
	const size_t *size_at = NULL;

	*buffer = NULL;
	for (; extra[0] != CU_LAUNCH_PARAM_END; extra += 2) {
		if (extra[0] == CU_LAUNCH_PARAM_BUFFER_POINTER)
			*buffer = extra[1];
		else if (extra[0] == CU_LAUNCH_PARAM_BUFFER_SIZE)
			size_at = extra[1];
		else
			return CUDA_ERROR_INVALID_VALUE;
	}
	if (!size_at || (!*buffer && *size_at))
		return CUDA_ERROR_INVALID_VALUE;
	*size = *size_at;
	return CUDA_SUCCESS;
}

/* The rounded size of a parameter block; 16 at least, so that there is one. */
static size_t param_room(const struct kernel *kernel)
{
	return ((size_t)kernel->param_bytes + 16) & ~(size_t)15;
}

static CUresult copy_params(const struct kernel *kernel, void **params, void **extra,
			    uint8_t *out)
{
	const void *buffer;
	size_t size;

	if (params && extra)
		return CUDA_ERROR_INVALID_VALUE;
	if (extra) {
		TRY(read_extra(extra, &buffer, &size));
		if (size < kernel->param_bytes)
			return CUDA_ERROR_INVALID_VALUE;
		if (size > param_room(kernel))
			return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
		if (kernel->param_bytes)
			memcpy(out, buffer, kernel->param_bytes);
		return CUDA_SUCCESS;
	}
	if (!params && kernel->param_count)
		return CUDA_ERROR_INVALID_VALUE;
	for (uint32_t i = 0; i < kernel->param_count; i++) {
		if (!params[i])
			return CUDA_ERROR_INVALID_VALUE;
		ASSERT((uint64_t)kernel->params[i].offset + kernel->params[i].size <=
		       kernel->param_bytes);
		memcpy(out + kernel->params[i].offset, params[i], kernel->params[i].size);
	}
	return CUDA_SUCCESS;
}

/* Makes the grid of @launch; the argument block is aligned as tensor maps in it are. */
static CUresult grid_new(const struct launch *launch, void **params, void **extra,
			 struct grid **out)
{
	const size_t params_size = (param_room(launch->kernel) + PARAM_ALIGN - 1) &
				   ~(size_t)(PARAM_ALIGN - 1);
	CLEANUP(free_grid) struct grid *grid = malloc(sizeof(*grid));

	*out = NULL;
	if (!grid)
		return CUDA_ERROR_OUT_OF_MEMORY;
	ASSERT(product(launch->cluster) && product(launch->grid) % product(launch->cluster) == 0);
	grid->launch = *launch;
	grid->release = NULL;
	grid->task = NULL;
	grid->ring = NULL;
	grid->running_link = NULL;
	grid->total = product(launch->grid) / product(launch->cluster);
	grid->launch.workspace = 0;
	grid->params = aligned_alloc(PARAM_ALIGN, params_size);
	grid->tickets = tickets_new(grid->total, config.threads);
	atomic_init(&grid->finished, 0);
	atomic_init(&grid->launch.stop, false);
	atomic_init(&grid->fault.code, 0);
	for (unsigned i = 0; i < COUNTED_KINDS; i++)
		atomic_init(&grid->counted[i], 0);
	grid->launch.counted = config.count ? grid->counted : NULL;
	grid->fault.record = NULL;
	grid->launch.fault = &grid->fault;
	grid->launch.params = grid->params;
	if (!grid->params || !grid->tickets)
		return CUDA_ERROR_OUT_OF_MEMORY;
	memset(grid->params, 0, params_size);
	if (launch->cooperative &&
	    arena_alloc(WORKSPACE, 256, BLOCK_VARIABLE, &grid->launch.workspace, NULL))
		return CUDA_ERROR_OUT_OF_MEMORY;
	TRY(copy_params(launch->kernel, params, extra, grid->params));
	*out = STEAL(grid);
	return CUDA_SUCCESS;
}

static void release_module(void *module)
{
	module_put(module);
}

static CUresult try_launch(struct launch *l, CUfunction handle, CUstream stream, void **params,
		       void **extra)
{
	static uint64_t launches;
	CLEANUP(put_task) struct task *task = NULL;
	struct function *function;
	struct stream *where;
	CUresult found;

	found = function_find(handle, &function);
	if (found)
		return found == CUDA_ERROR_INVALID_HANDLE ?
			       cause_set(found, "%p is no function", (void *)handle) : found;
	ASSERT(function->kernel && function->module);
	l->kernel = function->kernel;
	TRY(require_cluster(l, function));
	TRY(check(l, function));
	TRY(stream_find(stream, &where));
	l->id = ++launches;
	l->heap = &stream_context(where)->heap;
	task = task_new(TASK_KERNEL);
	if (!task)
		return CUDA_ERROR_OUT_OF_MEMORY;
	TRY(grid_new(l, params, extra, &task->grid));
	task->grid->task = task;
	task->grid->launch.order = task->order;
	task->grid->code = module_get(function->module);
	task->grid->release = release_module;
	task->grid->first = !function->launched;
	TRY(stream_submit(where, task));
	calls_launched(!function->launched);
	function->launched = true;
	stream_context(where)->uses |= l->kernel->uses;
	if (!config.launch_blocking)
		return CUDA_SUCCESS;
	TRY(task_await(task));
	return context_here()->domain.fault;
}

static CUresult launch(struct launch *l, CUfunction handle, CUstream stream, void **params,
		       void **extra)
{
	const CUresult result = try_launch(l, handle, stream, params, extra);

	/* Where launches wait for their kernel, that is what has failed. */
	if (!result || context_here()->domain.fault)
		return result;
	/* A grid without blocks is a way to launch nothing. */
	if (!product(l->grid))
		return cause_harmless(result);
	outcome_refused();
	return cause_launch(result, l->kernel ? l->kernel->name : "", l->grid, l->block);
}

CUresult cuLaunchKernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
			unsigned by, unsigned bz, unsigned shared, CUstream stream, void **params,
			void **extra)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);
	struct launch l = {
		.grid = { gx, gy, gz },
		.block = { bx, by, bz },
		.cluster = { 1, 1, 1 },
		.dynamic_shared = shared,
	};

	TRY(call.result);
	return launch(&l, function, stream, params, extra);
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz,
				   unsigned bx, unsigned by, unsigned bz, unsigned shared,
				   CUstream stream, void **params)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);
	struct launch l = {
		.grid = { gx, gy, gz },
		.block = { bx, by, bz },
		.cluster = { 1, 1, 1 },
		.dynamic_shared = shared,
		.cooperative = true,
	};

	TRY(call.result);
	return launch(&l, function, stream, params, NULL);
}

/* One launch for each device: there is one. The flags, about synchronisation, change nothing. */
CUresult cuLaunchCooperativeKernelMultiDevice(CUDA_LAUNCH_PARAMS *launches, unsigned count,
					      unsigned flags)
{
	const unsigned all = CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_PRE_LAUNCH_SYNC |
			     CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_POST_LAUNCH_SYNC;
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);
	struct launch l = { .cluster = { 1, 1, 1 }, .cooperative = true };

	TRY(call.result);
	if (!launches || count != 1 || flags & ~all ||
	    (uintptr_t)launches->hStream <= (uintptr_t)CU_STREAM_PER_THREAD)
		return CUDA_ERROR_INVALID_VALUE;
	l.grid[0] = launches->gridDimX;
	l.grid[1] = launches->gridDimY;
	l.grid[2] = launches->gridDimZ;
	l.block[0] = launches->blockDimX;
	l.block[1] = launches->blockDimY;
	l.block[2] = launches->blockDimZ;
	l.dynamic_shared = launches->sharedMemBytes;
	return launch(&l, launches->function, launches->hStream, launches->kernelParams, NULL);
}

/* *@event: the event to be recorded when the kernel has ended, if any. */
static CUresult read_attribute(const CUlaunchAttribute *attribute, struct launch *l,
			       CUevent *event)
{
	switch (attribute->id) {
	case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
		l->cooperative = attribute->value.cooperative != 0;
		return CUDA_SUCCESS;
	case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
		l->cluster[0] = attribute->value.clusterDim.x;
		l->cluster[1] = attribute->value.clusterDim.y;
		l->cluster[2] = attribute->value.clusterDim.z;
		l->clustered = true;
		return CUDA_SUCCESS;
	case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT:
		*event = attribute->value.programmaticEvent.event;
		return CUDA_SUCCESS;
	case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT:
		*event = attribute->value.launchCompletionEvent.event;
		return CUDA_SUCCESS;
	default:
		/* Hints and priorities change nothing here. */
		return (int)attribute->id < 0 || (int)attribute->id > DEVICE_LAUNCH_ATTRIBUTES ?
			       CUDA_ERROR_INVALID_VALUE :
			       CUDA_SUCCESS;
	}
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *how, CUfunction function, void **params,
			  void **extra)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);
	struct launch l = { .cluster = { 1, 1, 1 } };
	CLEANUP(put_task) struct task *mark = NULL;
	CUevent event = NULL;

	TRY(call.result);
	if (!how || (how->numAttrs && !how->attrs))
		return CUDA_ERROR_INVALID_VALUE;
	l.grid[0] = how->gridDimX;
	l.grid[1] = how->gridDimY;
	l.grid[2] = how->gridDimZ;
	l.block[0] = how->blockDimX;
	l.block[1] = how->blockDimY;
	l.block[2] = how->blockDimZ;
	l.dynamic_shared = how->sharedMemBytes;
	for (unsigned i = 0; i < how->numAttrs; i++)
		TRY(read_attribute(&how->attrs[i], &l, &event));
	/* After the kernel is queued, no invalid event may make the call fail. */
	if (event)
		TRY(event_prepare(event, &mark));
	TRY(launch(&l, function, how->hStream, params, extra));
	return event ? event_record_by(event, how->hStream, mark) : CUDA_SUCCESS;
}
