/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Occupancy: how many threads of a kernel a multiprocessor holds at once, by the
 * limits that the device reports. Registers are no limit here.
 */
#include "occupancy.h"

#include <string.h>

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
	uint32_t cluster[3]; /* that it requires */
	bool must_cluster, large_clusters;
};

static int least(int a, int b)
{
	return a < b ? a : b;
}

/* Blocks of @block threads and @dynamic bytes that a multiprocessor holds at once. */
static int blocks_of(const struct demand *demand, int block, size_t dynamic)
{
	const uint64_t room = config.shared + DEVICE_SM_SHARED;
	const uint64_t shared = demand->shared + dynamic + (config.cc >= 80 ? DEVICE_SM_SHARED : 0);
	int blocks = least(DEVICE_SM_THREADS / block, DEVICE_SM_BLOCKS);

	if (dynamic > demand->dynamic)
		return 0;
	return shared && room / shared < (uint64_t)blocks ? (int)(room / shared) : blocks;
}

uint64_t occupancy_resident(const struct function *function, const struct launch *launch)
{
	struct demand demand = { .shared = function_static_shared(launch->kernel),
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
	out->shared = function_static_shared(found->kernel);
	out->dynamic = found->dynamic_shared;
	memcpy(out->cluster, function_cluster(found), sizeof(out->cluster));
	out->must_cluster = found->kernel->must_cluster;
	out->large_clusters = found->large_clusters;
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

/* As from a GPU's driver, the most threads that the kernel was compiled for are no limit here. */
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int block,
						     size_t shared)
{
	struct demand demand;

	if (!blocks || block <= 0)
		return CUDA_ERROR_INVALID_VALUE;
	TRY(read_demand(function, 0, &demand));
	*blocks = block > DEVICE_MAX_THREADS ? 0 : blocks_of(&demand, block, shared);
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
	if (block > DEVICE_MAX_THREADS || blocks > blocks_of(&demand, block, 0))
		return CUDA_ERROR_INVALID_VALUE;
	each = (config.shared + DEVICE_SM_SHARED) / (uint64_t)blocks;
	each = each > demand.shared ? each - demand.shared : 0;
	*shared = each < demand.dynamic ? each : demand.dynamic;
	return CUDA_SUCCESS;
}

/* The cluster of a launch as @how has it: *@size blocks, or 0 without clusters. 912: refused. */
static CUresult read_cluster(const struct demand *demand, const CUlaunchConfig *how,
			     uint64_t *size)
{
	const uint32_t *required = demand->cluster;
	uint32_t asked[3] = { 0, 0, 0 };

	for (unsigned i = 0; how->attrs && i < how->numAttrs; i++)
		if (how->attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
			memcpy(asked, &how->attrs[i].value.clusterDim, sizeof(asked));
	if (required[0] || required[1] || required[2]) {
		if (asked[0] && memcmp(asked, required, sizeof(asked)) != 0)
			return CUDA_ERROR_INVALID_CLUSTER_SIZE;
		memcpy(asked, required, sizeof(asked));
	}
	*size = (uint64_t)asked[0] * asked[1] * asked[2];
	if (*size > (demand->large_clusters ? 2 : 1) * DEVICE_CLUSTER ||
	    (!*size && demand->must_cluster))
		return CUDA_ERROR_INVALID_CLUSTER_SIZE;
	return CUDA_SUCCESS;
}

/* The blocks of a cluster are all on one worker, which may begin any number of them. */
CUresult cuOccupancyMaxPotentialClusterSize(int *size, CUfunction function,
					    const CUlaunchConfig *how)
{
	struct demand demand;
	uint64_t asked;

	if (!size || !how)
		return CUDA_ERROR_INVALID_VALUE;
	TRY(read_demand(function, 0, &demand));
	TRY(read_cluster(&demand, how, &asked));
	*size = demand.large_clusters ? 2 * DEVICE_CLUSTER : DEVICE_CLUSTER;
	return CUDA_SUCCESS;
}

/* None for a launch without clusters. */
CUresult cuOccupancyMaxActiveClusters(int *count, CUfunction function, const CUlaunchConfig *how)
{
	struct demand demand;
	uint64_t threads, size;
	int blocks;

	if (!count || !how)
		return CUDA_ERROR_INVALID_VALUE;
	threads = (uint64_t)how->blockDimX * how->blockDimY * how->blockDimZ;
	if (!threads || threads > DEVICE_MAX_THREADS)
		return CUDA_ERROR_INVALID_VALUE;
	TRY(read_demand(function, 0, &demand));
	TRY(read_cluster(&demand, how, &size));
	blocks = blocks_of(&demand, (int)threads, how->sharedMemBytes);
	*count = size ? (int)((uint64_t)blocks * config.threads / size) : 0;
	return CUDA_SUCCESS;
}
