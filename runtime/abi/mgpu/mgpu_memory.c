/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory of the device, and host memory that it may use. */
#include <stdlib.h>

#include "mgpu.h"

static uint64_t address_of(const void *pointer)
{
	return (uint64_t)(uintptr_t)pointer;
}

/*
 * Only the low byte of @host_shared counts, and of that only 1: code of LLVM 17
 * does not pass it. Either kind of memory works there.
 */
void *mgpuMemAlloc(uint64_t size, void *stream, unsigned host_shared)
{
	enum gpurun_memory_kind kind = (uint8_t)host_shared == 1 ? GPURUN_MEMORY_MANAGED :
								   GPURUN_MEMORY_DEVICE;
	uint64_t address = 0;

	(void)stream;
	if (!size)
		return NULL;
	if (!mgpu_ready(__func__) ||
	    !mgpu_ok(__func__, gpurun_memory_alloc(mgpu_device(), size, kind, &address)))
		return mgpu_not_made(MGPU_MEMORY);
	return (void *)(uintptr_t)address;
}

/* Memory that a failed call did not allocate. */
static bool is_missing(const void *pointer)
{
	return !pointer && mgpu_is_consequence(MGPU_MEMORY);
}

void mgpuMemFree(void *pointer, void *stream)
{
	uint64_t address = address_of(pointer);
	int status;

	(void)stream;
	if (!pointer || !mgpu_ready(__func__))
		return;
	mgpu_tensor_map_forget(address);
	status = gpurun_memory_free(address);
	/* A foreign block, if the driver knows it. */
	if (status == GPURUN_INVALID)
		status = gpurun_memory_adopt(mgpu_device(), address) ?:
			 gpurun_memory_free(address);
	mgpu_released(__func__, status);
}

void mgpuMemcpy(void *destination, void *source, size_t size, void *native)
{
	CLEANUP(mgpu_stream_end) struct mgpu_stream stream = { 0 };

	if (is_missing(destination) || is_missing(source))
		return;
	if (mgpu_stream_begin(__func__, native, &stream))
		mgpu_ok(__func__, gpurun_memory_copy(address_of(destination),
						     address_of(source), size,
						     stream.handle));
}

static void fill(const char *who, void *pointer, unsigned value, unsigned width,
		 size_t count, void *native)
{
	CLEANUP(mgpu_stream_end) struct mgpu_stream stream = { 0 };

	if (is_missing(pointer))
		return;
	if (mgpu_stream_begin(who, native, &stream))
		mgpu_ok(who, gpurun_memory_fill(address_of(pointer), value, width, count,
						stream.handle));
}

void mgpuMemset32(void *pointer, unsigned value, size_t count, void *stream)
{
	fill(__func__, pointer, value, 4, count, stream);
}

void mgpuMemset16(void *pointer, unsigned value, size_t count, void *stream)
{
	fill(__func__, pointer, value & 0xffff, 2, count, stream);
}

/* ---- Host memory -------------------------------------------------------------- */

/* A range that is registered; programs register the same buffer again and again. */
struct range {
	void *pointer;
	uint64_t size;
	unsigned count; /* registrations without their unregistration */
	struct range *next;
};

static struct range *ranges; /* owned; under the lock */

/* The link to the range at @pointer, or to the list's end. */
static struct range **find_range(const void *pointer)
{
	struct range **link = &ranges;

	while (*link && (*link)->pointer != pointer)
		link = &(*link)->next;
	return link;
}

static void enter(const char *who, void *pointer, uint64_t size)
{
	struct range *range = malloc(sizeof(*range));

	if (!range) {
		mgpu_refuse(who, GPURUN_NO_MEMORY, "no memory to enter a range");
		return;
	}
	if (!mgpu_ok(who, gpurun_memory_register(pointer, size))) {
		mgpu_not_made(MGPU_RANGE);
		free(range);
		return;
	}
	*range = (struct range){ pointer, size, 1, ranges };
	ranges = range;
}

static void register_range(const char *who, void *pointer, uint64_t size)
{
	struct range *range;

	if (!mgpu_ready(who))
		return;
	mgpu_lock();
	range = *find_range(pointer);
	if (range && range->size == size)
		range->count++;
	else
		enter(who, pointer, size);
	mgpu_unlock();
}

static void leave(const char *who, void *pointer)
{
	struct range **link = find_range(pointer), *range = *link;

	if (!range && mgpu_is_consequence(MGPU_RANGE))
		return;
	if (range && --range->count)
		return;
	if (range)
		*link = range->next;
	free(range);
	mgpu_released(who, gpurun_memory_unregister(pointer));
}

static void unregister_range(const char *who, void *pointer)
{
	if (!mgpu_ready(who))
		return;
	mgpu_lock();
	leave(who, pointer);
	mgpu_unlock();
}

void mgpuMemHostRegister(void *pointer, uint64_t size)
{
	register_range(__func__, pointer, size);
}

void mgpuMemHostUnregister(void *pointer)
{
	unregister_range(__func__, pointer);
}

void mgpuMemHostRegisterMemRef(int64_t rank, const void *descriptor, int64_t element_size)
{
	struct mgpu_memref memref;
	uint64_t size;

	if (mgpu_memref_read(__func__, rank, descriptor, element_size, &memref) &&
	    mgpu_memref_bytes(__func__, &memref, element_size, &size) && size)
		register_range(__func__, memref.data, size);
}

void mgpuMemHostUnregisterMemRef(int64_t rank, const void *descriptor,
				 int64_t element_size)
{
	struct mgpu_memref memref;
	uint64_t size;

	if (mgpu_memref_read(__func__, rank, descriptor, element_size, &memref) &&
	    mgpu_memref_bytes(__func__, &memref, element_size, &size) && size)
		unregister_range(__func__, memref.data);
}
