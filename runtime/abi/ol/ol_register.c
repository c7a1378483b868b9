/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Host memory that callers have pinned: intervals and the number of their uses. Part
 * of an interval, or all of it again, is another use of it; any address inside ends
 * one, and the last unpins. Memory is pinned for every device, at its host address:
 * the device that is passed does not matter.
 *
 * Memory of olMemAlloc() that the host can access is pinned as long as it lives: it is
 * not in the table, and registering or unregistering it changes nothing.
 */
#include <pthread.h>
#include <search.h>
#include <stdlib.h>

#include "ol.h"

struct interval {
	uintptr_t start, end;
	unsigned users;
};

/* Held over the runtime's call, so that what is in the table is pinned. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *intervals; /* tsearch tree of struct interval, owned; under the lock */

/* Intervals do not overlap: those that do compare equal. */
static int compare(const void *a, const void *b)
{
	const struct interval *left = a, *right = b;

	if (left->end <= right->start)
		return -1;
	return right->end <= left->start;
}

/* Returns an interval that overlaps @some, or NULL. */
static struct interval *find_overlap(const struct interval *some)
{
	struct interval **found = tfind(some, &intervals, compare);

	return found ? *found : NULL;
}

static void remove_interval(struct interval *interval)
{
	tdelete(interval, &intervals, compare);
	free(interval);
}

static bool block_at(uintptr_t address, struct gpurun_memory_info *block)
{
	*block = (struct gpurun_memory_info){ .struct_size = sizeof(*block) };
	return !gpurun_memory_get_info(address, block);
}

/* Tells whether @some is in a block of the runtime. It must not be partly in one, nor in
 * memory that the host cannot access. OL_ERRC_INVALID_ARGUMENT. */
static ol_result_t find_block(const struct interval *some, bool *inside)
{
	struct gpurun_memory_info first, last;

	*inside = block_at(some->start, &first);
	if (!block_at(some->end - 1, &last) && !*inside)
		return OL_SUCCESS;
	if (first.base != last.base)
		return ol_error(OL_ERRC_INVALID_ARGUMENT, "%zu bytes at %p are in an allocation "
				"in part", (size_t)(some->end - some->start),
				(void *)some->start);
	if (first.kind == GPURUN_MEMORY_DEVICE)
		return ol_error(OL_ERRC_INVALID_ARGUMENT, "%p is memory of a device: only host "
				"memory can be registered", (void *)some->start);
	return OL_SUCCESS;
}

static void free_interval(struct interval **interval)
{
	free(*interval);
}

/* Adds a copy of @some. */
static ol_result_t add_interval(const struct interval *some)
{
	CLEANUP(free_interval) struct interval *interval = malloc(sizeof(*interval));

	if (interval)
		*interval = *some;
	if (!interval || !tsearch(interval, &intervals, compare))
		return ol_error(OL_ERRC_OUT_OF_RESOURCES, "no memory to enter an interval");
	interval = NULL;
	return OL_SUCCESS;
}

static ol_result_t pin(const struct interval *some)
{
	ol_result_t result;

	OL_TRY(add_interval(some));
	result = ol_result(gpurun_memory_register((void *)some->start,
						  some->end - some->start),
			   OL_ERRC_INVALID_ARGUMENT);
	if (result)
		remove_interval(find_overlap(some));
	return result;
}

/* Adds a use of @some, which is pinned for it when @lock_it is set. *@pinned: it is. */
static ol_result_t enter(const struct interval *some, bool lock_it, bool *pinned)
{
	struct interval *interval = find_overlap(some);
	bool inside;

	*pinned = true;
	if (interval && interval->start <= some->start && some->end <= interval->end) {
		interval->users++;
		return OL_SUCCESS;
	}
	if (interval)
		return ol_error(OL_ERRC_INVALID_ARGUMENT, "%zu bytes at %p overlap the %zu bytes "
				"that are registered at %p, but are not inside",
				(size_t)(some->end - some->start), (void *)some->start,
				(size_t)(interval->end - interval->start),
				(void *)interval->start);
	OL_TRY(find_block(some, &inside));
	*pinned = inside || lock_it;
	return inside || !lock_it ? OL_SUCCESS : pin(some);
}

ol_result_t olMemRegister_impl(ol_device_handle_t device, void *pointer, size_t size,
			       ol_memory_register_flags_t flags, void **pinned)
{
	struct interval some = { .start = (uintptr_t)pointer, .users = 1 };
	ol_result_t result;
	bool is_pinned = false;

	OL_TRY(ol_check_gpu(device, "use for pinned memory"));
	if (!size || __builtin_add_overflow(some.start, size, &some.end))
		return ol_error(OL_ERRC_INVALID_SIZE, "%zu bytes at %p are no memory", size,
				pointer);
	pthread_mutex_lock(&lock);
	result = enter(&some, flags & OL_MEMORY_REGISTER_FLAG_LOCK_MEMORY, &is_pinned);
	pthread_mutex_unlock(&lock);
	if (!result)
		*pinned = is_pinned ? pointer : NULL;
	return result;
}

/* Not in the table: that is valid in memory that needs no pinning, and when nothing was to
 * be unpinned. */
static ol_result_t leave_block(uintptr_t address, bool unlock)
{
	struct gpurun_memory_info block;

	if (!unlock)
		return OL_SUCCESS;
	if (block_at(address, &block) && block.kind != GPURUN_MEMORY_DEVICE)
		return OL_SUCCESS;
	return ol_error(OL_ERRC_INVALID_ARGUMENT, "%p is not registered", (void *)address);
}

static ol_result_t leave(uintptr_t address, bool unlock)
{
	struct interval *interval = find_overlap(&(struct interval){ address, address + 1, 0 });
	uintptr_t start;

	if (!interval)
		return leave_block(address, unlock);
	if (--interval->users)
		return OL_SUCCESS;
	start = interval->start;
	remove_interval(interval);
	return ol_result(gpurun_memory_unregister((void *)start), OL_ERRC_INVALID_ARGUMENT);
}

/* At the end of the process everything is unpinned. */
static bool has_ended(void)
{
	int count;

	return gpurun_device_count(&count) == GPURUN_ENDED;
}

/* The last use unpins, whatever @flags say. */
ol_result_t olMemUnregister_impl(ol_device_handle_t device, void *pointer,
				 ol_memory_register_flags_t flags)
{
	ol_result_t result;

	if (has_ended())
		return OL_SUCCESS;
	OL_TRY(ol_check_gpu(device, "use for pinned memory"));
	pthread_mutex_lock(&lock);
	result = leave((uintptr_t)pointer, flags & OL_MEMORY_REGISTER_FLAG_UNLOCK_MEMORY);
	pthread_mutex_unlock(&lock);
	return result;
}

/* When another user keeps the runtime up it is still pinned. */
static void forget(struct interval *interval)
{
	gpurun_memory_unregister((void *)interval->start);
	remove_interval(interval);
}

void ol_register_forget(void)
{
	pthread_mutex_lock(&lock);
	/* The root of a tsearch tree is a node, which begins with the pointer to its interval. */
	while (intervals)
		forget(*(struct interval **)intervals);
	pthread_mutex_unlock(&lock);
}

/* Another thread may have held the lock, and have been in the middle of its work. */
void ol_register_after_fork(void)
{
	pthread_mutex_init(&lock, NULL);
	intervals = NULL;
}
