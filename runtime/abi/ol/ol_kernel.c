/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Launches. The path of a correct one is short: what is wrong is searched when gpurun
 * has refused it. Checked before is only what gpurun accepts: an axis of 0, which it
 * counts as 1, and more shared memory than it has bits for.
 */
#include <limits.h>

#include "ol.h"

/* OL_ERRC_SYMBOL_KIND for a variable; a stale one is OL_ERRC_INVALID_ARGUMENT. The text has
 * no name: the program, which has it, may be destroyed meanwhile. */
static ol_result_t check_kind(ol_symbol_handle_t symbol)
{
	struct gpurun_variable variable = { ol_id(symbol) };
	struct gpurun_variable_info info = { .struct_size = sizeof(info) };

	if (gpurun_handle_kind(variable.id) != GPURUN_NATIVE_VARIABLE)
		return OL_SUCCESS;
	OL_TRY(ol_result(gpurun_variable_get_info(variable, &info), OL_ERRC_INVALID_ARGUMENT));
	return ol_error(OL_ERRC_SYMBOL_KIND, "provided symbol is not a kernel: it is a global "
			"variable");
}

/* Describes a live kernel. */
static ol_result_t describe(ol_symbol_handle_t symbol, struct gpurun_kernel_info *info)
{
	const struct gpurun_kernel kernel = { ol_id(symbol) };

	*info = (struct gpurun_kernel_info){ .struct_size = sizeof(*info) };
	OL_TRY(check_kind(symbol));
	return ol_result(gpurun_kernel_get_info(kernel, info), OL_ERRC_INVALID_ARGUMENT);
}

/* Refuses a kernel of another device than @device, which is one. */
static ol_result_t check_place(const struct gpurun_kernel_info *info,
			       ol_device_handle_t device)
{
	if (info->device.id == ol_id(device))
		return OL_SUCCESS;
	return ol_error(OL_ERRC_INVALID_DEVICE, "the kernel's program is on another device than "
			"the one specified");
}

/* The queue that the thread launched on last, and its device, which never changes; no
 * other queue ever has this handle. */
static _Thread_local struct {
	ol_queue_handle_t queue;
	ol_device_handle_t device;
} last __attribute__((tls_model("initial-exec")));

/* Refuses what is not the device of @queue. */
static ol_result_t check_device(ol_queue_handle_t queue, ol_device_handle_t device)
{
	struct gpurun_device found;

	OL_TRY(ol_result(gpurun_stream_device(ol_queue(queue), &found), OL_ERRC_INVALID_QUEUE));
	if (found.id == ol_id(device)) {
		last.queue = queue;
		last.device = device;
		return OL_SUCCESS;
	}
	OL_TRY(ol_check_gpu(device, "queues to launch on"));
	return ol_error(OL_ERRC_INVALID_DEVICE, "device specified does not match the device "
			"of the given queue");
}

static ol_result_t refuse_shared(size_t shared)
{
	return ol_error(OL_ERRC_INVALID_SIZE, "%zu bytes of dynamic shared memory: no device "
			"has more than %u", shared, UINT_MAX);
}

static ol_result_t refuse_size(const ol_kernel_launch_size_args_t *size)
{
	const ol_dimensions_t *groups = &size->NumGroups, *group = &size->GroupSize;

	if (size->DynSharedMemory > UINT_MAX)
		return refuse_shared(size->DynSharedMemory);
	return ol_error(OL_ERRC_INVALID_SIZE, "%ux%ux%u groups of %ux%ux%u: each has to be 1 "
			"at least", groups->x, groups->y, groups->z, group->x, group->y,
			group->z);
}

/* Returns why gpurun returned @status, or, where that is 0, was not called. */
__attribute__((noinline, cold)) static ol_result_t
refuse(ol_device_handle_t device, ol_symbol_handle_t symbol, int status,
       const ol_kernel_launch_size_args_t *size)
{
	ol_result_t reason = status ? ol_result(status, OL_ERRC_INVALID_QUEUE) : refuse_size(size);
	struct gpurun_kernel_info info;

	OL_TRY(describe(symbol, &info));
	OL_TRY(check_place(&info, device));
	return reason;
}

/* Tells whether none is 0: minus 1, none has bits above the 32nd. */
static inline bool are_some(ol_dimensions_t a, ol_dimensions_t b)
{
	const uint64_t one = 1;

	return !(((a.x - one) | (a.y - one) | (a.z - one) | (b.x - one) | (b.y - one) |
		  (b.z - one)) >> 32);
}

/* Launches on @stream, which is of @device. */
static inline ol_result_t launch(struct gpurun_stream stream, ol_device_handle_t device,
				 ol_symbol_handle_t symbol,
				 const struct ol_arguments *arguments, unsigned flags,
				 const ol_kernel_launch_size_args_t *size)
{
	const ol_dimensions_t groups = size->NumGroups, group = size->GroupSize;
	const size_t least = atomic_load_explicit(&ol.shared, memory_order_relaxed);
	const size_t shared = size->DynSharedMemory > least ? size->DynSharedMemory : least;
	const struct gpurun_launch how = {
		.grid = { groups.x, groups.y, groups.z },
		.block = { group.x, group.y, group.z },
		.flags = flags,
		.shared = (unsigned)shared,
		.stream = stream,
		.packed = arguments->packed,
		.packed_size = arguments->packed_size,
	};
	const struct gpurun_kernel kernel = { ol_id(symbol) };
	int status = 0;

	if (__builtin_expect(are_some(groups, group) && shared <= UINT_MAX, 1)) {
		status = gpurun_launch(kernel, &how, arguments->each);
		if (__builtin_expect(!status, 1))
			return OL_SUCCESS;
	}
	return refuse(device, symbol, status, size);
}

/* Launches on a queue of its own, and waits. */
static ol_result_t launch_and_wait(ol_device_handle_t device, ol_symbol_handle_t symbol,
				   const struct ol_arguments *arguments, unsigned flags,
				   const ol_kernel_launch_size_args_t *size)
{
	struct gpurun_stream stream;

	OL_TRY(ol_check_gpu(device, "queues to launch on"));
	OL_TRY(ol_begin_call(ol_device(device), &stream));
	return ol_end_call(stream, launch(stream, device, symbol, arguments, flags, size));
}

/* Launches without a queue, or on another one than the last. */
__attribute__((noinline)) static ol_result_t
launch_anywhere(ol_queue_handle_t queue, ol_device_handle_t device,
		ol_symbol_handle_t symbol, const struct ol_arguments *arguments,
		unsigned flags, const ol_kernel_launch_size_args_t *size)
{
	if (!queue)
		return launch_and_wait(device, symbol, arguments, flags, size);
	OL_TRY(check_device(queue, device));
	return launch(ol_queue(queue), device, symbol, arguments, flags, size);
}

ol_result_t ol_launch(ol_queue_handle_t queue, ol_device_handle_t device,
		      ol_symbol_handle_t symbol, const struct ol_arguments *arguments,
		      unsigned flags, const ol_kernel_launch_size_args_t *size)
{
	if (queue && queue == last.queue && device == last.device)
		return launch(ol_queue(queue), device, symbol, arguments, flags, size);
	return launch_anywhere(queue, device, symbol, arguments, flags, size);
}

ol_result_t olCalculateOptimalOccupancy_impl(ol_device_handle_t device,
					     ol_symbol_handle_t symbol, size_t shared,
					     size_t *group)
{
	const struct gpurun_kernel kernel = { ol_id(symbol) };
	struct gpurun_kernel_info info;
	unsigned block, grid;

	*group = 0;
	OL_TRY(describe(symbol, &info));
	OL_TRY(check_place(&info, device));
	if (shared > UINT_MAX)
		return refuse_shared(shared);
	OL_TRY(ol_result(gpurun_kernel_occupancy(kernel, (unsigned)shared, &block, &grid),
			 OL_ERRC_INVALID_ARGUMENT));
	*group = block;
	return OL_SUCCESS;
}

/* Counts the threads of a group that the kernel may have. */
static ol_result_t count_threads(const struct gpurun_kernel_info *info, ol_dimensions_t group,
				 unsigned *threads)
{
	uint64_t plane = (uint64_t)group.x * group.y, all;

	if (__builtin_mul_overflow(plane, group.z, &all) ||
	    all > (unsigned)info->max_threads_per_block)
		return ol_error(OL_ERRC_INVALID_SIZE, "groups of %ux%ux%u: the kernel allows 1 "
				"to %d threads", group.x, group.y, group.z,
				info->max_threads_per_block);
	*threads = (unsigned)all;
	return OL_SUCCESS;
}

ol_result_t olGetKernelMaxCooperativeGroupCount_impl(ol_device_handle_t device,
						     ol_symbol_handle_t symbol,
						     const ol_kernel_launch_size_args_t *size,
						     uint32_t *count)
{
	const struct gpurun_kernel kernel = { ol_id(symbol) };
	const ol_dimensions_t group = size->GroupSize;
	struct gpurun_device_info place = { .struct_size = sizeof(place) };
	struct gpurun_kernel_info info;
	unsigned threads = 0, each = 0;

	*count = 0;
	OL_TRY(describe(symbol, &info));
	OL_TRY(check_place(&info, device));
	if (!are_some(group, group) || size->DynSharedMemory > UINT_MAX)
		return refuse_size(size);
	OL_TRY(count_threads(&info, group, &threads));
	OL_TRY(ol_result(gpurun_kernel_blocks(kernel, threads, (unsigned)size->DynSharedMemory,
					      &each), OL_ERRC_INVALID_ARGUMENT));
	OL_TRY(ol_result(gpurun_device_get_info(ol_device(device), &place),
			 OL_ERRC_INVALID_DEVICE));
	*count = each * (unsigned)place.multiprocessors;
	return OL_SUCCESS;
}
