/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Launches: checked against kernel and device, then enqueued. Never waits.
 *
 * The usual launch is here, inline: nothing is special, nothing is wrong, the
 * context is current. launch_checked() does the rest, and all failures.
 */
#ifndef RUNTIME_LAUNCH_H
#define RUNTIME_LAUNCH_H

#include <string.h>

#include "context.h"
#include "kernel.h"
#include "stream.h"

/* For functions that nearly every launch passes and that hold no buffer: a guard on their
 * stack would be a twentieth of their instructions. */
#define NO_STACK_GUARD __attribute__((no_stack_protector))

static inline void put_kernel(struct kernel **kernel)
{
	object_put((struct object *)*kernel);
}

static inline void put_stream(struct stream **stream)
{
	object_put((struct object *)*stream);
}

/* Launches any request, or reports what is wrong with it. */
int launch_checked(struct kernel *kernel, const struct gpurun_launch *how, void **args,
		   struct err *e);

/* Launches what is plain and fits, with arguments in one buffer or none. */
int launch_packed(struct kernel *kernel, const struct gpurun_launch *how,
		  const struct stream *stream, struct err *e);

/* Reports why there is nothing to launch. */
int launch_refuse(struct gpurun_kernel kernel, struct err *e);

/* Tells whether there is a cluster or a flag; the two members are adjacent. */
static inline bool launch_is_special(const struct gpurun_launch *how)
{
	uint64_t words[2];

	_Static_assert(offsetof(struct gpurun_launch, cluster) + 12 ==
			       offsetof(struct gpurun_launch, flags), "no gap");
	memcpy(words, (const char *)how + offsetof(struct gpurun_launch, cluster),
	       sizeof(words));
	return words[0] | words[1];
}

/* Tells whether @count is one at least and @most at most. */
static inline bool launch_within(unsigned count, int most)
{
	return count - 1 < (unsigned)most;
}

/*
 * Tells whether a launch is plain and within the limits of kernel and device. Not with
 * a 0 that means 1: that is rare where launches are many.
 */
static inline bool launch_fits(const struct kernel *kernel, const struct gpurun_launch *how)
{
	const struct gpurun_device_info *most = &kernel->device->info;
	const unsigned *grid = how->grid, *block = how->block;
	uint64_t area = (uint64_t)block[0] * block[1];

	return !launch_is_special(how) &&
	       launch_within(grid[0], most->max_grid[0]) &&
	       ((grid[1] - 1) | (grid[2] - 1)) < kernel->plain_grid &&
	       launch_within(block[2], most->max_block[2]) &&
	       area - 1 < kernel->plain_threads &&
	       area * block[2] <= kernel->plain_threads &&
	       how->shared <= atomic_load_explicit(&kernel->dynamic_shared,
						   memory_order_relaxed);
}

/* Tells whether there is an argument for each parameter. */
static inline bool launch_has_arguments(const struct kernel *kernel, void **args)
{
	for (long i = kernel->info.parameters; --i >= 0;)
		if (!args[i])
			return false;
	return true;
}

/*
 * Holds the stream if it is the one that the kernel was launched on last: then it is
 * known to be a stream of the kernel's device, whose context is retained. Slots never
 * move.
 */
static inline struct stream *launch_hold_last(const struct kernel *kernel, uint64_t handle)
{
	struct object_slot *slot;

	if (atomic_load_explicit(&kernel->last_stream, memory_order_relaxed) != handle)
		return NULL;
	slot = atomic_load_explicit(&kernel->last_slot, memory_order_relaxed);
	if (slot->index != (uint32_t)handle) /* another thread is between the two */
		return NULL;
	return (struct stream *)object_hold_slot(slot, handle);
}

static inline int launch(struct gpurun_kernel kernel_handle, const struct gpurun_launch *how,
			 void *const *arguments, struct err *e)
{
	CLEANUP(put_kernel) struct kernel *kernel = NULL;
	CLEANUP(put_stream) struct stream *stream = NULL;
	CUcontext current = NULL;
	void **args = (void **)arguments;
	CUresult result = runtime.cuda.cuCtxGetCurrent(&current);

	kernel = (struct kernel *)object_hold(kernel_handle.id, OBJECT_KERNEL);
	if (__builtin_expect(!kernel || !how, 0))
		return launch_refuse(kernel_handle, e);
	stream = launch_hold_last(kernel, how->stream.id);
	if (__builtin_expect(!stream || !launch_fits(kernel, how) ||
				     current != atomic_load_explicit(&kernel->device->context,
								     memory_order_acquire),
			     0))
		/* A call that failed has left no context to compare. */
		return result ? device_fail(kernel->device, result, "cuCtxGetCurrent", e) :
				launch_checked(kernel, how, args, e);
	if (__builtin_expect(!args, 0))
		return launch_packed(kernel, how, stream, e);
	if (__builtin_expect(!launch_has_arguments(kernel, args), 0))
		return launch_checked(kernel, how, args, e);
	return CUDA(kernel->device, e, cuLaunchKernel, kernel->native, how->grid[0],
		    how->grid[1], how->grid[2], how->block[0], how->block[1], how->block[2],
		    how->shared, stream->native, args, NULL);
}

#endif
