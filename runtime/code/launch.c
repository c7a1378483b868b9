/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "launch.h"

#include "asserts.h"

/* The most blocks in a cluster that every device with clusters can run. */
enum { PORTABLE_CLUSTER = 8 };

#define LAUNCH_FLAGS (unsigned)(GPURUN_LAUNCH_COOPERATIVE | GPURUN_LAUNCH_SPREAD)

/* A launch with its zeros replaced and its parts looked up. */
struct request {
	struct kernel *kernel; /* borrowed */
	struct stream *stream; /* borrowed */
	unsigned grid[3], block[3];
	const struct gpurun_launch *launch;
	void **args;           /* NULL: packed */
};

static int check_axes(const char *what, const unsigned *dims, const int *limits,
		      const struct request *r, struct err *e)
{
	for (int i = 0; i < 3; i++)
		if (dims[i] > (unsigned)limits[i])
			return err_set(e, GPURUN_LAUNCH, "kernel '%s': %s.%c is %u, the "
				       "limit of %s is %d", r->kernel->name, what, "xyz"[i],
				       dims[i], r->stream->device->info.name, limits[i]);
	return 0;
}

static int check_geometry(const struct request *r, struct err *e)
{
	const struct gpurun_device_info *info = &r->stream->device->info;
	uint64_t threads = (uint64_t)r->block[0] * r->block[1] * r->block[2];

	TRY(check_axes("grid", r->grid, info->max_grid, r, e));
	TRY(check_axes("block", r->block, info->max_block, r, e));
	if (threads > (unsigned)info->max_threads_per_block)
		return err_set(e, GPURUN_LAUNCH, "kernel '%s': a block of %ux%ux%u has %llu "
			       "threads, the limit of %s is %d", r->kernel->name, r->block[0],
			       r->block[1], r->block[2], (unsigned long long)threads,
			       info->name, info->max_threads_per_block);
	if (threads > (unsigned)r->kernel->info.max_threads_per_block)
		return err_set(e, GPURUN_LAUNCH, "kernel '%s': a block of %ux%ux%u has %llu "
			       "threads, the kernel allows %d (%d registers per thread)",
			       r->kernel->name, r->block[0], r->block[1], r->block[2],
			       (unsigned long long)threads,
			       r->kernel->info.max_threads_per_block,
			       r->kernel->info.registers);
	return 0;
}

static int check_arguments(const struct request *r, struct err *e)
{
	const struct gpurun_kernel_info *info = &r->kernel->info;

	if (!r->args && !r->launch->packed) {
		if (info->parameters > 0)
			return err_set(e, GPURUN_INVALID, "kernel '%s' takes %d arguments, "
				       "none were given", info->name, info->parameters);
		return 0;
	}
	if (!r->args && r->launch->packed_size < info->parameter_bytes)
		return err_set(e, GPURUN_INVALID, "kernel '%s' takes %llu bytes of arguments, "
			       "%llu were given", info->name,
			       (unsigned long long)info->parameter_bytes,
			       (unsigned long long)r->launch->packed_size);
	for (int i = 0; r->args && i < info->parameters; i++)
		if (!r->args[i])
			return err_set(e, GPURUN_INVALID, "kernel '%s': argument %d of %d is "
				       "NULL", info->name, i, info->parameters);
	return 0;
}

static int check(const struct request *r, struct err *e)
{
	if (r->stream->device != r->kernel->device)
		return err_set(e, GPURUN_INVALID, "kernel '%s' is loaded on device %d, the "
			       "stream is of device %d", r->kernel->name,
			       r->kernel->device->info.ordinal,
			       r->stream->device->info.ordinal);
	TRY(check_geometry(r, e));
	return check_arguments(r, e);
}

static int enqueue(const struct request *r, void **params, void **extra, struct err *e)
{
	ASSERT(r->grid[0] && r->grid[1] && r->grid[2] && r->block[0]);
	ASSERT(!params || !extra);
	return CUDA(r->stream->device, e, cuLaunchKernel, r->kernel->native, r->grid[0],
		    r->grid[1], r->grid[2], r->block[0], r->block[1], r->block[2],
		    r->launch->shared, r->stream->native, params, extra);
}

/* Tells whether the launch needs attributes; a cluster must divide the grid. */
static int check_cluster(const struct request *r, unsigned *blocks, struct err *e)
{
	const unsigned *cluster = r->launch->cluster;

	*blocks = 0;
	if (!(cluster[0] | cluster[1] | cluster[2]))
		return 0;
	*blocks = 1;
	for (int i = 0; i < 3; i++) {
		unsigned size = cluster[i] ? cluster[i] : 1;

		if (r->grid[i] % size || __builtin_mul_overflow(*blocks, size, blocks))
			return err_set(e, GPURUN_LAUNCH, "kernel '%s': cluster.%c %u does not "
				       "divide grid.%c %u", r->kernel->name, "xyz"[i], size,
				       "xyz"[i], r->grid[i]);
	}
	if (*blocks > PORTABLE_CLUSTER)
		return kernel_allow_wide_clusters(r->kernel, e);
	return 0;
}

/* Adds the attributes of a cluster. */
static void add_cluster(const struct request *r, CUlaunchConfig *config)
{
	const unsigned *cluster = r->launch->cluster;
	CUlaunchAttribute *attribute = &config->attrs[config->numAttrs++];

	attribute->id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
	attribute->value.clusterDim.x = cluster[0] ? cluster[0] : 1;
	attribute->value.clusterDim.y = cluster[1] ? cluster[1] : 1;
	attribute->value.clusterDim.z = cluster[2] ? cluster[2] : 1;
	if (!(r->launch->flags & GPURUN_LAUNCH_SPREAD))
		return;
	attribute = &config->attrs[config->numAttrs++];
	attribute->id = CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE;
	attribute->value.clusterSchedulingPolicyPreference =
		CU_CLUSTER_SCHEDULING_POLICY_SPREAD;
}

/* Adds to the refusal of a cooperative launch how many of its blocks can be resident. */
static int say_resident(const struct request *r, struct err *e)
{
	const struct device *device = r->stream->device;
	uint64_t most, asked = (uint64_t)r->grid[0] * r->grid[1] * r->grid[2];
	int blocks;

	if (runtime.cuda.cuOccupancyMaxActiveBlocksPerMultiprocessor(
		    &blocks, r->kernel->native,
		    (int)(r->block[0] * r->block[1] * r->block[2]), r->launch->shared))
		return e->code;
	most = (uint64_t)blocks * (uint64_t)device->info.multiprocessors;
	if (asked <= most)
		return e->code;
	return err_hint(e, "a cooperative launch runs all blocks at once: %s has room for %llu of "
			"these, the grid has %llu", device->info.name, (unsigned long long)most,
			(unsigned long long)asked);
}

/* Launches with attributes: a cluster, or cooperative. */
static int enqueue_special(const struct request *r, void **extra, struct err *e)
{
	CUlaunchAttribute attributes[3] = { 0 };
	CUlaunchConfig config = {
		.gridDimX = r->grid[0], .gridDimY = r->grid[1], .gridDimZ = r->grid[2],
		.blockDimX = r->block[0], .blockDimY = r->block[1], .blockDimZ = r->block[2],
		.sharedMemBytes = r->launch->shared,
		.hStream = r->stream->native,
		.attrs = attributes,
	};
	unsigned blocks;

	ASSERT(launch_is_special(r->launch));
	TRY(check_cluster(r, &blocks, e));
	if (blocks)
		add_cluster(r, &config);
	if (r->launch->flags & GPURUN_LAUNCH_COOPERATIVE) {
		CUlaunchAttribute *attribute = &attributes[config.numAttrs++];

		attribute->id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
		attribute->value.cooperative = 1;
	}
	if (!CUDA(r->stream->device, e, cuLaunchKernelEx, &config, r->kernel->native, r->args,
		  extra))
		return 0;
	return r->launch->flags & GPURUN_LAUNCH_COOPERATIVE ? say_resident(r, e) : (int)e->code;
}

/* The size that is passed to the driver: without the padding at a struct's end, unless
 * the driver does not report the kernel's parameters. */
static size_t packed_size_of(const struct kernel *kernel, const struct gpurun_launch *how)
{
	return kernel->info.parameters < 0 ? how->packed_size : kernel->info.parameter_bytes;
}

static int submit(const struct request *r, struct err *e)
{
	const struct gpurun_launch *launch = r->launch;
	size_t packed_size = packed_size_of(r->kernel, launch);
	void *packed[] = { CU_LAUNCH_PARAM_BUFFER_POINTER, (void *)launch->packed,
			   CU_LAUNCH_PARAM_BUFFER_SIZE, &packed_size, CU_LAUNCH_PARAM_END };
	void **extra = !r->args && launch->packed ? packed : NULL;

	if (launch_is_special(launch))
		return enqueue_special(r, extra, e);
	return enqueue(r, r->args, extra, e);
}

int launch_refuse(struct gpurun_kernel kernel_handle, struct err *e)
{
	CLEANUP(put_object) struct kernel *kernel = NULL;

	TRY(kernel_use(kernel_handle, &kernel, e));
	return err_set(e, GPURUN_INVALID, "no launch: the pointer is NULL");
}

int launch_checked(struct kernel *kernel, const struct gpurun_launch *how, void **args,
		   struct err *e)
{
	CLEANUP(put_object) struct stream *stream = NULL;
	CLEANUP(context_leave) struct context_scope scope = { 0 };
	struct request r = { .kernel = kernel, .launch = how, .args = args };

	TRY(stream_use(how->stream, &stream, e));
	r.stream = stream;
	if (how->flags & ~LAUNCH_FLAGS)
		return err_set(e, GPURUN_INVALID, "unknown launch flags %#x", how->flags);
	for (int i = 0; i < 3; i++) {
		r.grid[i] = how->grid[i] ? how->grid[i] : 1;
		r.block[i] = how->block[i] ? how->block[i] : 1;
	}
	TRY(check(&r, e));
	TRY(context_enter(stream->device, &scope, e));
	if (how->shared > kernel->dynamic_shared)
		TRY(kernel_allow_shared(kernel, how->shared, e));
	kernel_ran_on(kernel, &stream->object);
	return submit(&r, e);
}

int NO_STACK_GUARD launch_packed(struct kernel *kernel, const struct gpurun_launch *how,
				 const struct stream *stream, struct err *e)
{
	size_t size = packed_size_of(kernel, how);
	void *packed[] = { CU_LAUNCH_PARAM_BUFFER_POINTER, (void *)how->packed,
			   CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END };

	if (how->packed ? how->packed_size < size : kernel->info.parameters > 0)
		return launch_checked(kernel, how, NULL, e);
	return CUDA(kernel->device, e, cuLaunchKernel, kernel->native, how->grid[0],
		    how->grid[1], how->grid[2], how->block[0], how->block[1], how->block[2],
		    how->shared, stream->native, NULL, how->packed ? packed : NULL);
}
