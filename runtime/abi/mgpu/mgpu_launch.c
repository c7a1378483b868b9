/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Launches. The path of a correct one is short: its parts are found by their
 * pointers, its axes are checked together, gpurun checks the rest.
 */
#include <limits.h>

#include "mgpu.h"

/* A launch without its geometry. */
struct request {
	const char *who;
	void *function, *stream;
	void **params, **extra;
	int32_t shared;
};

/* The driver's numbers of the entries in an array of extra. */
#define EXTRA_POINTER ((void *)1)
#define EXTRA_SIZE    ((void *)2)

static bool refuse_axes(const char *who, const char *what, const intptr_t axes[3])
{
	for (int i = 0; i < 3; i++)
		if (axes[i] < 1 || axes[i] > (intptr_t)UINT_MAX)
			return mgpu_refuse(who, GPURUN_LAUNCH,
					   "%s.%c is %lld: it has to be 1 to %u", what,
					   "xyz"[i], (long long)axes[i], UINT_MAX);
	return false;
}

/* An axis is at least 1: for gpurun 0 means 1, but here it is an empty loop. */
static inline bool narrow(const char *who, const char *what, intptr_t x, intptr_t y,
			  intptr_t z, unsigned to[3])
{
	/* Bits above the 32nd are set in values that are too large or, after minus 1, too small. */
	if ((uint64_t)(x | y | z | (x - 1) | (y - 1) | (z - 1)) >> 32)
		return refuse_axes(who, what, (intptr_t[]){ x, y, z });
	to[0] = (unsigned)x;
	to[1] = (unsigned)y;
	to[2] = (unsigned)z;
	return true;
}

/* Arguments may be in one buffer instead. */
static void read_extra(void **extra, struct gpurun_launch *how)
{
	for (; extra && extra[0]; extra += 2) {
		if (extra[0] == EXTRA_POINTER)
			how->packed = extra[1];
		else if (extra[0] == EXTRA_SIZE)
			how->packed_size = *(size_t *)extra[1];
		else
			return;
	}
}

/* A kernel that is not from this library: it is of the stream's device. */
static void launch_foreign(const struct request *r, const struct gpurun_launch *how)
{
	struct gpurun_device device;
	struct gpurun_kernel kernel;

	if (!mgpu_ok(r->who, gpurun_stream_device(how->stream, &device)) ||
	    !mgpu_ok(r->who, gpurun_kernel_adopt(device, r->function, &kernel)))
		return;
	mgpu_ok(r->who, gpurun_launch(kernel, how, r->params));
	gpurun_kernel_release(kernel);
}

/*
 * The kernel and the stream of the thread's last launch, both ours: most launches are
 * of the same. A handle that was closed meanwhile is refused, and looked up again.
 */
static _Thread_local struct {
	void *function, *stream;
	struct gpurun_kernel kernel;
	struct gpurun_stream handle;
} last __attribute__((tls_model("initial-exec")));

void mgpu_launch_forget(void)
{
	last.function = NULL;
}

/* Launches like the last time; false when kernel or stream differ. */
static inline bool launch_again(const struct request *r, struct gpurun_launch *how)
{
	int status;

	if (!r->function || r->function != last.function || r->stream != last.stream)
		return false;
	how->stream = last.handle;
	status = gpurun_launch(last.kernel, how, r->params);
	if (status == GPURUN_HANDLE)
		return false;
	if (status)
		mgpu_ok(r->who, status);
	return true;
}

/* Launches a kernel of ours, and stores it when the stream is @ours, too. */
static void launch_own(const struct request *r, const struct gpurun_launch *how,
		       struct gpurun_kernel kernel, bool ours)
{
	if (!mgpu_ok(r->who, gpurun_launch(kernel, how, r->params)) || !ours)
		return;
	last.function = r->function;
	last.stream = r->stream;
	last.kernel = kernel;
	last.handle = how->stream;
}

/* Launches on the stream that was found. */
static void launch_on(const struct request *r, struct gpurun_launch *how, bool ours)
{
	struct gpurun_kernel kernel;
	enum gpurun_native_kind kind = mgpu_kind_of(r->function, &kernel.id);

	if (kind == GPURUN_NATIVE_KERNEL)
		launch_own(r, how, kernel, ours);
	else if (kind != GPURUN_NATIVE_UNKNOWN)
		mgpu_wrong_kind(r->who, r->function, kind, MGPU_KERNEL);
	else if (r->function || !mgpu_is_consequence(MGPU_KERNEL))
		launch_foreign(r, how);
}

static void launch_other(const struct request *r, struct gpurun_launch *how)
{
	CLEANUP(mgpu_stream_end) struct mgpu_stream stream;

	if (!mgpu_stream_begin(r->who, r->stream, &stream))
		return;
	if (r->shared < 0) {
		mgpu_refuse(r->who, GPURUN_LAUNCH, "%d bytes of dynamic shared memory",
			    r->shared);
		return;
	}
	how->stream = stream.handle;
	if (!r->params)
		read_extra(r->extra, how);
	launch_on(r, how, !stream.adopted);
}

static inline void launch(const struct request *r, struct gpurun_launch *how)
{
	how->shared = (unsigned)r->shared;
	if (r->shared < 0 || !r->params || !launch_again(r, how))
		launch_other(r, how);
}

void mgpuLaunchKernel(void *function, intptr_t grid_x, intptr_t grid_y, intptr_t grid_z,
		      intptr_t block_x, intptr_t block_y, intptr_t block_z, int32_t shared,
		      void *stream, void **params, void **extra, size_t count)
{
	const struct request r = { __func__, function, stream, params, extra, shared };
	struct gpurun_launch how = { 0 };

	(void)count;
	if (narrow(r.who, "grid", grid_x, grid_y, grid_z, how.grid) &&
	    narrow(r.who, "block", block_x, block_y, block_z, how.block))
		launch(&r, &how);
}

void mgpuLaunchClusterKernel(void *function, intptr_t cluster_x, intptr_t cluster_y,
			     intptr_t cluster_z, intptr_t grid_x, intptr_t grid_y,
			     intptr_t grid_z, intptr_t block_x, intptr_t block_y,
			     intptr_t block_z, int32_t shared, void *stream, void **params,
			     void **extra, size_t count)
{
	const struct request r = { __func__, function, stream, params, extra, shared };
	struct gpurun_launch how = { .flags = GPURUN_LAUNCH_SPREAD };

	(void)count;
	if (narrow(r.who, "grid", grid_x, grid_y, grid_z, how.grid) &&
	    narrow(r.who, "block", block_x, block_y, block_z, how.block) &&
	    narrow(r.who, "cluster", cluster_x, cluster_y, cluster_z, how.cluster))
		launch(&r, &how);
}

void mgpuLaunchKernelCooperative(void *function, intptr_t grid_x, intptr_t grid_y,
				 intptr_t grid_z, intptr_t cluster_x, intptr_t cluster_y,
				 intptr_t cluster_z, intptr_t block_x, intptr_t block_y,
				 intptr_t block_z, int32_t shared, void *stream,
				 void **params, void **extra)
{
	const struct request r = { __func__, function, stream, params, extra, shared };
	/* Less than 1 means none, as in LLVM's library: compilers pass zeros. */
	const bool clustered = cluster_x > 0 && cluster_y > 0 && cluster_z > 0;
	struct gpurun_launch how = { .flags = GPURUN_LAUNCH_COOPERATIVE };

	if (clustered)
		how.flags |= GPURUN_LAUNCH_SPREAD;
	if (narrow(r.who, "grid", grid_x, grid_y, grid_z, how.grid) &&
	    narrow(r.who, "block", block_x, block_y, block_z, how.block) &&
	    (!clustered ||
	     narrow(r.who, "cluster", cluster_x, cluster_y, cluster_z, how.cluster)))
		launch(&r, &how);
}
