/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <limits.h>

#include "mgpu.h"

/* A launch as the caller gave it. */
struct request {
	const char *who;
	void *function, *stream;
	intptr_t grid[3], block[3], cluster[3];
	int32_t shared;
	unsigned flags;
	void **params, **extra;
};

/* The driver's numbers for what stands in an array of extra. */
#define EXTRA_POINTER ((void *)1)
#define EXTRA_SIZE    ((void *)2)

/* An axis is at least @least: gpurun takes 0 for 1, which an empty loop is not. */
static bool narrow(const struct request *r, const char *what, const intptr_t *from,
		   intptr_t least, unsigned *to)
{
	for (int i = 0; i < 3; i++) {
		if (from[i] < least || from[i] > (intptr_t)UINT_MAX)
			return mgpu_refuse(r->who, "%s.%c is %lld: it has to be %lld to %u",
					   what, "xyz"[i], (long long)from[i],
					   (long long)least, UINT_MAX);
		to[i] = (unsigned)from[i];
	}
	return true;
}

/* Arguments may be given in one piece instead. */
static void read_extra(void **extra, struct gpurun_launch *launch)
{
	for (; extra && extra[0]; extra += 2) {
		if (extra[0] == EXTRA_POINTER)
			launch->packed = extra[1];
		else if (extra[0] == EXTRA_SIZE)
			launch->packed_size = *(size_t *)extra[1];
		else
			return;
	}
}

static bool convert(const struct request *r, struct gpurun_launch *launch)
{
	bool clustered = r->cluster[0] | r->cluster[1] | r->cluster[2];

	if (!narrow(r, "grid", r->grid, 1, launch->grid) ||
	    !narrow(r, "block", r->block, 1, launch->block) ||
	    !narrow(r, "cluster", r->cluster, clustered, launch->cluster))
		return false;
	if (r->shared < 0)
		return mgpu_refuse(r->who, "%d bytes of dynamic shared memory", r->shared);
	launch->shared = (unsigned)r->shared;
	launch->flags = r->flags;
	if (!r->params)
		read_extra(r->extra, launch);
	return true;
}

/* A kernel that nobody got from us: it is of the stream's device. */
static void launch_foreign(const struct request *r, const struct gpurun_launch *launch)
{
	struct gpurun_device device;
	struct gpurun_kernel kernel;

	if (!mgpu_ok(r->who, gpurun_stream_device(launch->stream, &device)) ||
	    !mgpu_ok(r->who, gpurun_kernel_adopt(device, r->function, &kernel)))
		return;
	mgpu_ok(r->who, gpurun_launch(kernel, launch, r->params));
	gpurun_kernel_release(kernel);
}

static void launch(const struct request *r)
{
	CLEANUP(mgpu_stream_end) struct mgpu_stream stream;
	struct gpurun_launch how = { 0 };
	struct gpurun_kernel kernel;
	enum gpurun_native_kind kind;

	if (!mgpu_stream_begin(r->who, r->stream, &stream) || !convert(r, &how))
		return;
	how.stream = stream.handle;
	kind = mgpu_kind_of(r->function, &kernel.id);
	if (kind == GPURUN_NATIVE_KERNEL)
		mgpu_ok(r->who, gpurun_launch(kernel, &how, r->params));
	else if (kind != GPURUN_NATIVE_UNKNOWN)
		mgpu_wrong_kind(r->who, r->function, kind, MGPU_KERNEL);
	else if (r->function || !mgpu_is_consequence(MGPU_KERNEL))
		launch_foreign(r, &how);
}

void mgpuLaunchKernel(void *function, intptr_t grid_x, intptr_t grid_y, intptr_t grid_z,
		      intptr_t block_x, intptr_t block_y, intptr_t block_z, int32_t shared,
		      void *stream, void **params, void **extra, size_t count)
{
	(void)count;
	launch(&(struct request){
		.who = __func__,
		.function = function,
		.stream = stream,
		.grid = { grid_x, grid_y, grid_z },
		.block = { block_x, block_y, block_z },
		.shared = shared,
		.params = params,
		.extra = extra,
	});
}

void mgpuLaunchClusterKernel(void *function, intptr_t cluster_x, intptr_t cluster_y,
			     intptr_t cluster_z, intptr_t grid_x, intptr_t grid_y,
			     intptr_t grid_z, intptr_t block_x, intptr_t block_y,
			     intptr_t block_z, int32_t shared, void *stream, void **params,
			     void **extra, size_t count)
{
	(void)count;
	launch(&(struct request){
		.who = __func__,
		.function = function,
		.stream = stream,
		.grid = { grid_x, grid_y, grid_z },
		.block = { block_x, block_y, block_z },
		.cluster = { cluster_x, cluster_y, cluster_z },
		.shared = shared,
		.flags = GPURUN_LAUNCH_SPREAD,
		.params = params,
		.extra = extra,
	});
}

void mgpuLaunchKernelCooperative(void *function, intptr_t grid_x, intptr_t grid_y,
				 intptr_t grid_z, intptr_t cluster_x, intptr_t cluster_y,
				 intptr_t cluster_z, intptr_t block_x, intptr_t block_y,
				 intptr_t block_z, int32_t shared, void *stream,
				 void **params, void **extra)
{
	launch(&(struct request){
		.who = __func__,
		.function = function,
		.stream = stream,
		.grid = { grid_x, grid_y, grid_z },
		.block = { block_x, block_y, block_z },
		.cluster = { cluster_x, cluster_y, cluster_z },
		.shared = shared,
		.flags = GPURUN_LAUNCH_COOPERATIVE,
		.params = params,
		.extra = extra,
	});
}
