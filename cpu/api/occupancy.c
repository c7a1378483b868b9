/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Occupancy: how many threads of a kernel a multiprocessor holds at once, by the
 * limits that the device reports. Registers are no limit here.
 */
#include "occupancy.h"

#include "cleanup.h"
#include "config.h"
#include "device_limits.h"
#include "entry.h"
#include "exec.h"
#include "exports.h"
#include "module.h"

enum { WARP = 32 };

/* What is needed of a function, read under the lock. */
struct demand {
	int most;         /* threads per block */
	uint64_t shared;  /* static bytes */
	uint64_t dynamic; /* the most dynamic bytes it may be launched with */
};

static int least(int a, int b)
{
	return a < b ? a : b;
}

/* Blocks of @block threads and @dynamic bytes that a multiprocessor holds at once. */
static int blocks_of(const struct demand *demand, int block, size_t dynamic)
{
	uint64_t shared = demand->shared + dynamic;
	int blocks = least(DEVICE_SM_THREADS / block, DEVICE_SM_BLOCKS);

	if (dynamic > demand->dynamic)
		return 0;
	if (shared && (config.shared + DEVICE_SM_SHARED) / shared < (uint64_t)blocks)
		return (int)((config.shared + DEVICE_SM_SHARED) / shared);
	return blocks;
}

uint64_t occupancy_resident(const struct function *function, const struct launch *launch)
{
	struct demand demand = { .shared = launch->kernel->static_shared,
				 .dynamic = function->dynamic_shared };
	uint32_t threads = launch->block[0] * launch->block[1] * launch->block[2];

	return (uint64_t)blocks_of(&demand, (int)threads, launch->dynamic_shared) *
	       config.threads;
}

/* Of the sizes that are whole warps, and the largest, the one with the most threads. */
static void search(const struct demand *demand, CUoccupancyB2DSize shared_of,
		   size_t shared, int *grid, int *block)
{
	int best = 0;

	*grid = *block = 0;
	for (int size = demand->most; size > 0; size = (size - 1) / WARP * WARP) {
		int blocks =
			blocks_of(demand, size, shared_of ? shared_of(size) : shared);

		if (blocks * size <= best)
			continue;
		best = blocks * size;
		*block = size;
		*grid = blocks * (int)config.threads;
	}
}

static CUresult read_demand(CUfunction function, int most, struct demand *out)
{
	CLEANUP(leave) struct api_call call = enter(NEED_CONTEXT);
	struct function *found;

	TRY(call.result);
	TRY(function_find(function, &found));
	out->most = (int)kernel_max_threads(found->kernel);
	if (most > 0)
		out->most = least(most, out->most);
	out->shared = found->kernel->static_shared;
	out->dynamic = found->dynamic_shared;
	return CUDA_SUCCESS;
}

/* @shared_of is the program's, and may call the driver. */
CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction function,
					  CUoccupancyB2DSize shared_of, size_t shared,
					  int most)
{
	struct demand demand;

	if (!grid || !block || most < 0)
		return CUDA_ERROR_INVALID_VALUE;
	TRY(read_demand(function, most, &demand));
	search(&demand, shared_of, shared, grid, block);
	return CUDA_SUCCESS;
}

/* The flags are about caches, which do not exist here. */
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, CUfunction function,
						   CUoccupancyB2DSize shared_of, size_t shared,
						   int most, unsigned flags)
{
	if (flags > 1)
		return CUDA_ERROR_INVALID_VALUE;
	return cuOccupancyMaxPotentialBlockSize(grid, block, function, shared_of, shared, most);
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int block,
						     size_t shared)
{
	struct demand demand;

	if (!blocks || block <= 0)
		return CUDA_ERROR_INVALID_VALUE;
	TRY(read_demand(function, 0, &demand));
	*blocks = block > demand.most ? 0 : blocks_of(&demand, block, shared);
	return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction function,
							      int block, size_t shared,
							      unsigned flags)
{
	if (flags > 1)
		return CUDA_ERROR_INVALID_VALUE;
	return cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, block, shared);
}

/* The shared memory for each of @blocks blocks of @block threads on one multiprocessor. */
CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *shared, CUfunction function, int blocks,
						 int block)
{
	struct demand demand;
	uint64_t each;

	if (!shared || blocks <= 0 || block <= 0)
		return CUDA_ERROR_INVALID_VALUE;
	TRY(read_demand(function, 0, &demand));
	if (block > demand.most || blocks > blocks_of(&demand, block, 0))
		return CUDA_ERROR_INVALID_VALUE;
	each = (config.shared + DEVICE_SM_SHARED) / (uint64_t)blocks;
	each = each > demand.shared ? each - demand.shared : 0;
	*shared = each < config.shared - demand.shared ? each : config.shared - demand.shared;
	return CUDA_SUCCESS;
}

/* The blocks of a cluster are all on one worker, which may begin any number of them. */
CUresult cuOccupancyMaxPotentialClusterSize(int *size, CUfunction function,
					    const CUlaunchConfig *how)
{
	CLEANUP(leave) struct api_call call = enter(NEED_CONTEXT);
	struct function *found;

	TRY(call.result);
	if (!size || !how)
		return CUDA_ERROR_INVALID_VALUE;
	TRY(function_find(function, &found));
	*size = found->large_clusters ? 2 * DEVICE_CLUSTER : DEVICE_CLUSTER;
	return CUDA_SUCCESS;
}

/* The size of the cluster that @how asks for; 1 when it asks for none. */
static uint64_t cluster_of(const CUlaunchConfig *how)
{
	for (unsigned i = 0; how->attrs && i < how->numAttrs; i++) {
		const CUlaunchAttribute *attribute = &how->attrs[i];

		if (attribute->id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
			return (uint64_t)attribute->value.clusterDim.x *
			       attribute->value.clusterDim.y * attribute->value.clusterDim.z;
	}
	return 1;
}

CUresult cuOccupancyMaxActiveClusters(int *count, CUfunction function, const CUlaunchConfig *how)
{
	uint64_t threads, size;
	int blocks;

	if (!count || !how)
		return CUDA_ERROR_INVALID_VALUE;
	threads = (uint64_t)how->blockDimX * how->blockDimY * how->blockDimZ;
	size = cluster_of(how);
	if (!threads || threads > DEVICE_MAX_THREADS || !size)
		return CUDA_ERROR_INVALID_VALUE;
	TRY(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, (int)threads,
							how->sharedMemBytes));
	*count = (int)((uint64_t)blocks * config.threads / size);
	return CUDA_SUCCESS;
}
