/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Memory. All of it is in one address space, and gpurun knows the device of a block:
 * the devices that callers pass have to be devices, but need not be those of the
 * memory, for example the host for managed memory. So copies between two devices
 * need nothing special.
 */
#include <string.h>

#include "ol.h"

static uint64_t address_of(const void *pointer)
{
	return (uintptr_t)pointer;
}

/* Finds the block that holds @pointer; tells whether there is one. */
static bool find_pointer(const void *pointer, struct gpurun_memory_info *block)
{
	block->struct_size = sizeof(*block);
	return !gpurun_memory_get_info(address_of(pointer), block);
}

/* A driver maps memory in pieces of this size. */
enum { MOST_ALIGNMENT = 2 << 20 };

ol_result_t olMemAlloc_impl(ol_device_handle_t device, ol_alloc_type_t type, size_t size,
			    void **out)
{
	return olMemAllocAligned_impl(device, type, size, 1, out);
}

/* An unknown type gives managed memory, as it does upstream. */
ol_result_t olMemAllocAligned_impl(ol_device_handle_t device, ol_alloc_type_t type,
				   size_t size, size_t alignment, void **out)
{
	enum gpurun_memory_kind kind = GPURUN_MEMORY_MANAGED;
	uint64_t address;

	if (ol_is_host(device))
		return ol_check_gpu(device, "memory to allocate");
	if (alignment > MOST_ALIGNMENT)
		return ol_error(OL_ERRC_UNSUPPORTED, "an alignment of %zu bytes: %d is the most",
				alignment, MOST_ALIGNMENT);
	if (type == OL_ALLOC_TYPE_HOST)
		kind = GPURUN_MEMORY_HOST;
	if (type == OL_ALLOC_TYPE_DEVICE)
		kind = GPURUN_MEMORY_DEVICE;
	OL_TRY(ol_result(gpurun_memory_alloc_aligned(ol_device(device), size, kind, alignment,
						     &address),
			 OL_ERRC_INVALID_DEVICE));
	*out = ol_handle(address);
	return OL_SUCCESS;
}

ol_result_t olMemFree_impl(void *pointer)
{
	return ol_result(gpurun_memory_free(address_of(pointer)), OL_ERRC_INVALID_ARGUMENT);
}

/* ---- Properties of a block ------------------------------------------------------ */

/* A property of a block, and room for its value. */
struct property {
	union {
		void *pointer;
		size_t size;
		ol_alloc_type_t type;
	};
	struct ol_info info;
};

static ol_alloc_type_t type_of(enum gpurun_memory_kind kind)
{
	switch (kind) {
	case GPURUN_MEMORY_HOST:
		return OL_ALLOC_TYPE_HOST;
	case GPURUN_MEMORY_DEVICE:
		return OL_ALLOC_TYPE_DEVICE;
	case GPURUN_MEMORY_MANAGED:
		break;
	}
	return OL_ALLOC_TYPE_MANAGED;
}

/* A pointer to no block is reported before an unknown property. */
static ol_result_t ask(const void *pointer, ol_mem_info_t name, struct property *property)
{
	struct gpurun_memory_info block = { .struct_size = sizeof(block) };

	OL_TRY(ol_result(gpurun_memory_get_info(address_of(pointer), &block),
			 OL_ERRC_NOT_FOUND));
	switch (name) {
	case OL_MEM_INFO_DEVICE:
		property->pointer = ol_handle(block.device.id);
		property->info = OL_INFO(property->pointer);
		return OL_SUCCESS;
	case OL_MEM_INFO_BASE:
		property->pointer = ol_handle(block.base);
		property->info = OL_INFO(property->pointer);
		return OL_SUCCESS;
	case OL_MEM_INFO_SIZE:
		property->size = block.size;
		property->info = OL_INFO(property->size);
		return OL_SUCCESS;
	case OL_MEM_INFO_TYPE:
		property->type = type_of(block.kind);
		property->info = OL_INFO(property->type);
		return OL_SUCCESS;
	default:
		return ol_info_unknown("olGetMemInfo", (int)name);
	}
}

ol_result_t olGetMemInfo_impl(const void *pointer, ol_mem_info_t name, size_t size,
			      void *value)
{
	struct property property;

	OL_TRY(ask(pointer, name, &property));
	return ol_info_copy(property.info, size, value);
}

ol_result_t olGetMemInfoSize_impl(const void *pointer, ol_mem_info_t name, size_t *size)
{
	struct property property;

	OL_TRY(ask(pointer, name, &property));
	*size = property.info.size;
	return OL_SUCCESS;
}

/* ---- Copies ---------------------------------------------------------------------- */

static ol_result_t copy(struct gpurun_stream queue, void *to, const void *from, size_t size)
{
	return ol_result(gpurun_memory_copy(address_of(to), address_of(from), size, queue),
			 OL_ERRC_INVALID_QUEUE);
}

static ol_result_t copy_and_wait(struct gpurun_device device, void *to, const void *from,
				 size_t size)
{
	struct gpurun_stream queue;

	OL_TRY(ol_begin_call(device, &queue));
	return ol_end_call(queue, copy(queue, to, from, size));
}

/* Tells whether @pointer is memory that only a device can access, and which one: the caller
 * may call it host memory by mistake. */
static bool is_out_of_reach(const void *pointer, struct gpurun_device *device)
{
	struct gpurun_memory_info block;

	if (!find_pointer(pointer, &block) || block.kind != GPURUN_MEMORY_DEVICE)
		return false;
	*device = block.device;
	return true;
}

static ol_result_t copy_on_host(ol_queue_handle_t queue, void *to, const void *from,
				size_t size)
{
	struct gpurun_device device;

	if (queue)
		return ol_error(OL_ERRC_INVALID_ARGUMENT, "a copy from host to host on queue "
				"%p: one of DstDevice and SrcDevice has to be another than the "
				"host if there is a queue", (void *)queue);
	if (is_out_of_reach(to, &device) || is_out_of_reach(from, &device))
		return copy_and_wait(device, to, from, size);
	memmove(to, from, size);
	return OL_SUCCESS;
}

/* The queue may be of any device: it only gives the order; the addresses say the rest. */
ol_result_t olMemcpy_impl(ol_queue_handle_t queue, void *to, ol_device_handle_t to_device,
			  const void *from, ol_device_handle_t from_device, size_t size)
{
	OL_TRY(ol_check_device(to_device));
	OL_TRY(ol_check_device(from_device));
	if (ol_is_host(to_device) && ol_is_host(from_device))
		return copy_on_host(queue, to, from, size);
	if (queue || !size)
		return copy(ol_queue(queue), to, from, size);
	return copy_and_wait(ol_device(ol_is_host(to_device) ? from_device : to_device), to,
			     from, size);
}

/* ---- Fills ------------------------------------------------------------------------- */

/* Memory that only a device can access is filled on a queue of that device. */
static ol_result_t check_queue(ol_queue_handle_t queue, const void *pointer)
{
	struct gpurun_memory_info block;
	struct gpurun_device device;

	if (!queue || !find_pointer(pointer, &block) || block.kind != GPURUN_MEMORY_DEVICE)
		return OL_SUCCESS;
	OL_TRY(ol_result(gpurun_stream_device(ol_queue(queue), &device),
			 OL_ERRC_INVALID_QUEUE));
	if (device.id == block.device.id)
		return OL_SUCCESS;
	return ol_error(OL_ERRC_INVALID_DEVICE, "%p is memory of another device than queue %p",
			pointer, (void *)queue);
}

/* The device that fills at @pointer: the default one where the block is not known, as in
 * memory that was registered. */
static ol_result_t device_of(const void *pointer, struct gpurun_device *device)
{
	struct gpurun_memory_info block;

	if (!find_pointer(pointer, &block))
		return ol_result(gpurun_device_get(-1, device), OL_ERRC_INVALID_ARGUMENT);
	*device = block.device;
	return OL_SUCCESS;
}

static ol_result_t fill(struct gpurun_stream queue, void *pointer, size_t pattern_size,
			const void *pattern, size_t size)
{
	return ol_result(gpurun_memory_fill_pattern(address_of(pointer), pattern, pattern_size,
						    size / pattern_size, queue),
			 OL_ERRC_INVALID_QUEUE);
}

static ol_result_t fill_and_wait(void *pointer, size_t pattern_size, const void *pattern,
				 size_t size)
{
	struct gpurun_device device;
	struct gpurun_stream queue;

	OL_TRY(device_of(pointer, &device));
	OL_TRY(ol_begin_call(device, &queue));
	return ol_end_call(queue, fill(queue, pointer, pattern_size, pattern, size));
}

ol_result_t olMemFill_impl(ol_queue_handle_t queue, void *pointer, size_t pattern_size,
			   const void *pattern, size_t size)
{
	if (!pattern_size || size % pattern_size)
		return ol_error(OL_ERRC_INVALID_SIZE, "%zu bytes are not a number of whole "
				"patterns of %zu", size, pattern_size);
	if (!queue && size)
		return fill_and_wait(pointer, pattern_size, pattern, size);
	OL_TRY(check_queue(queue, pointer));
	return fill(ol_queue(queue), pointer, pattern_size, pattern, size);
}

/* ---- Migration -------------------------------------------------------------------- */

/* Memory that is unknown, or not managed, is not moved. */
static ol_result_t prefetch(struct gpurun_stream queue, const void *memory, size_t size,
			    bool to_host)
{
	struct gpurun_memory_info block;

	if (!find_pointer(memory, &block) || block.kind != GPURUN_MEMORY_MANAGED)
		return OL_SUCCESS;
	return ol_result(gpurun_memory_prefetch(address_of(memory), size, to_host, queue),
			 OL_ERRC_INVALID_QUEUE);
}

ol_result_t olMemPrefetch_impl(ol_queue_handle_t queue, size_t count, const void **memories,
			       const size_t *sizes, ol_mem_migration_flags_t flags)
{
	const bool to_host = flags & OL_MEM_MIGRATION_FLAG_DEVICE_TO_HOST;
	struct gpurun_device device;

	OL_TRY(ol_result(gpurun_stream_device(ol_queue(queue), &device), OL_ERRC_INVALID_QUEUE));
	if (count && (!memories || !sizes))
		return ol_error(OL_ERRC_INVALID_NULL_POINTER, "%zu blocks to bring, and no list "
				"of them", count);
	for (size_t i = 0; i < count; i++)
		OL_TRY(prefetch(ol_queue(queue), memories[i], sizes[i], to_host));
	return OL_SUCCESS;
}
