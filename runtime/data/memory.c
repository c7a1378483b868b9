/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "memory.h"

#include "api.h"
#include "asserts.h"
#include "block.h"
#include "context.h"
#include "reclaim.h"
#include "stream.h"
#include "usage.h"

/* Frees the memory of a block that is not in the table; *@call: the driver's call for it. */
static CUresult free_memory(const struct block *block, const char **call)
{
	uint64_t address = block->address - block->before;
	void *pointer = (void *)(uintptr_t)address;

	ASSERT(address && block->before <= block->address);
	switch (block->kind) {
	case GPURUN_MEMORY_HOST:
		*call = "cuMemFreeHost";
		return runtime.cuda.cuMemFreeHost(pointer);
	case BLOCK_REGISTERED:
		*call = "cuMemHostUnregister";
		return runtime.cuda.cuMemHostUnregister(pointer);
	}
	*call = "cuMemFree";
	return runtime.cuda.cuMemFree(address);
}

/* As a step: a failure is noted. The context of @block is current. */
static void free_memory_step(const struct block *block)
{
	const char *call;
	CUresult result = free_memory(block, &call);

	device_step(block->device, result, call);
}

static void release(const struct block *block)
{
	CLEANUP(context_leave) struct context_scope scope = { 0 };

	context_step(block->device, &scope);
	free_memory_step(block);
}

static int allocate(struct block *block, struct err *e)
{
	CUdeviceptr address = 0;
	void *pointer = NULL;

	ASSERT(!block->address && !block->adopted);
	switch (block->kind) {
	case GPURUN_MEMORY_HOST:
		TRY(CUDA(block->device, e, cuMemHostAlloc, &pointer, block->size,
			 CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP));
		address = (uintptr_t)pointer;
		break;
	case GPURUN_MEMORY_MANAGED:
		TRY(CUDA(block->device, e, cuMemAllocManaged, &address, block->size,
			 CU_MEM_ATTACH_GLOBAL));
		break;
	default:
		TRY(CUDA(block->device, e, cuMemAlloc, &address, block->size));
	}
	block->address = address;
	return 0;
}

/* Adds @block, just created, to the table; its memory is released when that fails. */
static int enter(struct block *block, struct err *e)
{
	int status = block_enter(block, e);

	if (!status)
		return 0;
	release(block);
	block_free(block);
	return status;
}

static int check_kind(enum gpurun_memory_kind kind, struct err *e)
{
	switch (kind) {
	case GPURUN_MEMORY_DEVICE:
	case GPURUN_MEMORY_HOST:
	case GPURUN_MEMORY_MANAGED:
		return 0;
	}
	return err_set(e, GPURUN_INVALID, "%d is no kind of memory", (int)kind);
}

/* Adds what a caller needs to know when memory is exhausted. */
static int out_of_memory(const struct device *device, uint64_t size, struct err *e)
{
	size_t left = 0, total = 0;

	if (runtime.cuda.cuMemGetInfo(&left, &total))
		return e->code;
	return err_set(e, GPURUN_NO_MEMORY, "%llu bytes asked for, %zu of %zu are free on "
		       "device %d, %s", (unsigned long long)size, left, total,
		       device->info.ordinal, device->info.name);
}

/* Asks the driver; frees what is kept, and asks again, before it fails. */
static int allocate_anew(struct block *block, struct err *e)
{
	int status = allocate(block, e);

	if (status == GPURUN_NO_MEMORY && reclaim(block->device)) {
		api_record()->driver = 0;
		status = allocate(block, e);
	}
	if (status == GPURUN_NO_MEMORY)
		return out_of_memory(block->device, block->size, e);
	return status;
}

static int obtain(struct device *device, uint64_t size, int kind, struct block **out,
		  struct err *e)
{
	CLEANUP(free_block) struct block *block = NULL;

	*out = NULL;
	if (kind == GPURUN_MEMORY_DEVICE && runtime.pool_memory)
		*out = reuse_memory_take(device, size);
	if (*out)
		return 0;
	TRY(block_new(device, size, kind, &block, e));
	TRY(allocate_anew(block, e));
	*out = STEAL(block);
	return 0;
}

/* Releases @block, which is not in the table any more, and its memory. Owns it. */
static void dispose(struct block *block)
{
	CLEANUP(free_block) struct block *owned = block;
	CLEANUP(context_leave) struct context_scope scope = { 0 };

	if (context_step(block->device, &scope) && reuse_memory_wants(block))
		reuse_memory_put(STEAL(owned));
	else
		free_memory_step(block);
}

/* Moves the start of @block, which is not in the table and @alignment bytes longer than
 * asked for, to a multiple of @alignment. */
static void align(struct block *block, uint64_t alignment)
{
	block->before = -block->address & (alignment - 1);
	block->address += block->before;
	block->size -= alignment;
}

/* Obtains a block again, with room to align it, when the driver's is not. */
static int obtain_aligned(struct device *device, uint64_t size, int kind, uint64_t alignment,
			  struct block **out, struct err *e)
{
	uint64_t with_room;

	TRY(obtain(device, size, kind, out, e));
	if (!((*out)->address & (alignment - 1)))
		return 0;
	dispose(*out);
	if (__builtin_add_overflow(size, alignment, &with_room))
		return err_set(e, GPURUN_NO_MEMORY, "%llu bytes, aligned to %llu, are more than "
			       "there are addresses", (unsigned long long)size,
			       (unsigned long long)alignment);
	TRY(obtain(device, with_room, kind, out, e));
	align(*out, alignment);
	return 0;
}

int memory_alloc(struct gpurun_device owner, uint64_t size, enum gpurun_memory_kind kind,
		 uint64_t alignment, uint64_t *address, struct err *e)
{
	CLEANUP(put_object) struct device *device = NULL;
	CLEANUP(context_leave) struct context_scope scope = { 0 };
	struct block *block;
	uint64_t start;

	TRY(device_use(owner, &device, e));
	TRY(check_kind(kind, e));
	if (!alignment || alignment & (alignment - 1))
		return err_set(e, GPURUN_INVALID, "an alignment of %llu bytes: expected a power "
			       "of two", (unsigned long long)alignment);
	if (!size)
		return 0;
	TRY(context_enter(device, &scope, e));
	TRY(obtain_aligned(device, size, kind, alignment, &block, e));
	start = block->address;
	TRY(enter(block, e));
	*address = start;
	return 0;
}

int memory_free(uint64_t address, struct err *e)
{
	struct block *block;

	if (!address)
		return 0;
	block = block_remove(address, false);
	if (!block)
		return err_set(e, GPURUN_INVALID, "%#llx is not the start of an allocation",
			       (unsigned long long)address);
	dispose(block);
	return 0;
}

/* Tells whether some device keeps the block that starts at @address. */
static bool is_kept(uint64_t address)
{
	bool kept = false;

	for (int i = 0; i < runtime.device_count && !kept; i++) {
		struct device *device = device_made(i);

		kept = device && reuse_memory_holds(device, address);
	}
	return kept;
}

int memory_adopt(struct gpurun_device owner, uint64_t address, struct err *e)
{
	CLEANUP(put_object) struct device *device = NULL;
	CLEANUP(free_block) struct block *block = NULL;
	CLEANUP(context_leave) struct context_scope scope = { 0 };
	CUdeviceptr base = 0;
	size_t size = 0;

	TRY(device_use(owner, &device, e));
	TRY(context_enter(device, &scope, e));
	if (address && CUDA(device, e, cuMemGetAddressRange, &base, &size, address))
		return err_wrap(e, "%#llx", (unsigned long long)address);
	if (!address || base != address)
		return err_set(e, GPURUN_INVALID, "%#llx is not the start of a block of the "
			       "driver", (unsigned long long)address);
	if (is_kept(address))
		return err_set(e, GPURUN_INVALID, "%#llx was freed before",
			       (unsigned long long)address);
	TRY(block_new(device, size, GPURUN_MEMORY_DEVICE, &block, e));
	block->address = address;
	block->adopted = true;
	TRY(block_enter(block, e));
	block = NULL;
	return 0;
}

int memory_describe(uint64_t address, struct gpurun_memory_info *info, struct err *e)
{
	struct block block;
	CLEANUP(put_object) struct device *device = NULL;
	struct gpurun_memory_info found = { .struct_size = sizeof(found) };

	if (block_find(address, &block))
		device = block.device;
	if (!device || block.kind == BLOCK_REGISTERED)
		return err_set(e, GPURUN_NOT_FOUND, "%#llx is in no allocation",
			       (unsigned long long)address);
	found.base = block.address;
	found.size = block.size;
	found.kind = (enum gpurun_memory_kind)block.kind;
	found.device.id = device->object.handle;
	return api_copy_struct(info, &found, sizeof(found), e);
}

int memory_register(void *pointer, uint64_t size, struct err *e)
{
	CLEANUP(put_object) struct device *device = NULL;
	CLEANUP(free_block) struct block *block = NULL;
	CLEANUP(context_leave) struct context_scope scope = { 0 };

	if (!pointer || !size)
		return err_set(e, GPURUN_INVALID, "no memory to register: %p, %llu bytes",
			       pointer, (unsigned long long)size);
	TRY(device_find(-1, &device, e));
	TRY(context_enter(device, &scope, e));
	TRY(block_new(device, size, BLOCK_REGISTERED, &block, e));
	block->address = (uintptr_t)pointer;
	TRY(CUDA(device, e, cuMemHostRegister, pointer, size, CU_MEMHOSTALLOC_PORTABLE));
	return enter(STEAL(block), e);
}

int memory_unregister(void *pointer, struct err *e)
{
	CLEANUP(free_block) struct block *block = block_remove((uintptr_t)pointer, true);

	if (!block)
		return err_set(e, GPURUN_INVALID, "%p is not the start of registered memory",
			       pointer);
	release(block);
	return 0;
}

/* The device that @address belongs to, or the default one. */
static int device_of(uint64_t address, struct device **out, struct err *e)
{
	struct block block;

	if (!block_find(address, &block))
		return device_find(-1, out, e);
	*out = block.device;
	return 0;
}

int memory_target(struct gpurun_stream handle, uint64_t address, struct stream **stream,
		  struct device **device, struct err *e)
{
	*stream = NULL;
	*device = NULL;
	if (!handle.id)
		return device_of(address, device, e);
	TRY(stream_use(handle, stream, e));
	*device = (*stream)->device;
	object_retain(&(*device)->object);
	return 0;
}

/* The address whose device makes the copy. */
static uint64_t in_block(uint64_t destination, uint64_t source)
{
	struct block block;

	if (!block_find(destination, &block))
		return source;
	object_put(&block.device->object);
	return destination;
}

int memory_copy(uint64_t destination, uint64_t source, uint64_t size,
		struct gpurun_stream handle, struct err *e)
{
	CLEANUP(put_object) struct stream *stream = NULL;
	CLEANUP(put_object) struct device *device = NULL;
	CLEANUP(context_leave) struct context_scope scope = { 0 };

	TRY(memory_target(handle, handle.id ? 0 : in_block(destination, source), &stream,
			  &device, e));
	if (!size)
		return 0;
	if (!destination || !source)
		return err_set(e, GPURUN_INVALID, "copy of %llu bytes %s address 0",
			       (unsigned long long)size, source ? "to" : "from");
	TRY(context_enter(device, &scope, e));
	if (stream)
		return CUDA(device, e, cuMemcpyAsync, destination, source, size,
			    stream->native);
	TRY(CUDA(device, e, cuMemcpy, destination, source, size));
	/* A copy between device addresses may return before it is done. */
	return CUDA(device, e, cuStreamSynchronize, NULL);
}

/* The oldest form of the call, which every driver has: -1 is the host. */
int memory_prefetch(uint64_t address, uint64_t size, bool to_host,
		    struct gpurun_stream handle, struct err *e)
{
	CLEANUP(put_object) struct stream *stream = NULL;
	CLEANUP(context_leave) struct context_scope scope = { 0 };
	struct gpurun_memory_info block = { .struct_size = sizeof(block) };
	int moves = 0;

	TRY(stream_use(handle, &stream, e));
	TRY(memory_describe(address, &block, e));
	if (size > block.size - (address - block.base))
		return err_set(e, GPURUN_INVALID, "%llu bytes at %#llx end outside its "
			       "allocation, %llu bytes at %#llx", (unsigned long long)size,
			       (unsigned long long)address, (unsigned long long)block.size,
			       (unsigned long long)block.base);
	if (block.kind != GPURUN_MEMORY_MANAGED || !size)
		return 0;
	TRY(context_enter(stream->device, &scope, e));
	TRY(CUDA(stream->device, e, cuDeviceGetAttribute, &moves,
		 CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, stream->device->native));
	if (!moves)
		return 0;
	return CUDA(stream->device, e, cuMemPrefetchAsync_v1, address, size,
		    to_host ? CU_DEVICE_CPU : stream->device->native, stream->native);
}

int memory_keep(uint64_t address, struct err *e)
{
	if (block_set_lasting(address))
		return 0;
	return err_set(e, GPURUN_INVALID, "%#llx is not the start of an allocation",
		       (unsigned long long)address);
}

void memory_release_all(void)
{
	struct block *block;

	while ((block = block_remove_any())) {
		usage_leftover(!block->lasting);
		release(block);
		block_free(block);
	}
	usage_leftover(false);
	for (int i = 0; i < runtime.device_count; i++)
		if (runtime.devices[i])
			reuse_memory_release(runtime.devices[i]);
}
