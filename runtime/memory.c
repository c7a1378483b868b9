/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "memory.h"

#include <search.h>

#include "api.h"
#include "context.h"
#include "stream.h"

enum { BLOCK_REGISTERED = GPURUN_MEMORY_MANAGED + 1 };

/* A block; in runtime.blocks, ordered by address, from its allocation to its release. */
struct block {
	uint64_t address, size;
	int kind;              /* enum gpurun_memory_kind, or BLOCK_REGISTERED */
	struct device *device; /* owned reference */
};

/* Blocks do not overlap: those that do compare equal, which finds the one that holds
 * an address. */
static int compare(const void *a, const void *b)
{
	const struct block *left = a, *right = b;

	if (left->address + left->size <= right->address)
		return -1;
	return right->address + right->size <= left->address;
}

/* Takes NULL. Releases the struct, not the memory. */
static void block_free(struct block *block)
{
	if (block && block->device)
		object_put(&block->device->object);
	free(block);
}
DEFINE_CLEANUP(free_block, struct block *, block_free)

/* Frees the memory of a block that is no longer entered; *@call is what did it. */
static CUresult free_memory(const struct block *block, const char **call)
{
	void *pointer = (void *)(uintptr_t)block->address;

	switch (block->kind) {
	case GPURUN_MEMORY_HOST:
		*call = "cuMemFreeHost";
		return runtime.cuda.cuMemFreeHost(pointer);
	case BLOCK_REGISTERED:
		*call = "cuMemHostUnregister";
		return runtime.cuda.cuMemHostUnregister(pointer);
	}
	*call = "cuMemFree";
	return runtime.cuda.cuMemFree(block->address);
}

/* As a step: a failure is noted. */
static void release(const struct block *block)
{
	CLEANUP(context_leave) struct context_scope scope = { 0 };
	const char *call;
	CUresult result;

	context_step(block->device, &scope);
	result = free_memory(block, &call);
	device_step(block->device, result, call);
}

static int allocate(struct block *block, struct err *e)
{
	CUdeviceptr address = 0;
	void *pointer = NULL;

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

/* Enters @block, which the table then owns. */
static int insert(struct block *block, struct err *e)
{
	struct block **found;

	runtime_lock();
	found = tsearch(block, &runtime.blocks, compare);
	runtime_unlock();
	if (found && *found == block)
		return 0;
	if (found)
		return err_set(e, GPURUN_INVALID, "the memory overlaps a block there is");
	return err_set(e, GPURUN_NO_MEMORY, "no memory to enter a block");
}

/* The same for one just made: its memory is released when it cannot be entered. */
static int enter(struct block *block, struct err *e)
{
	int status = insert(block, e);

	if (!status)
		return 0;
	release(block);
	block_free(block);
	return status;
}

/* Takes the block that starts at @address out; the caller's then, or NULL. Registered
 * memory and our own are told apart by @registered. */
static struct block *take(uint64_t address, bool registered)
{
	struct block key = { .address = address, .size = 1 };
	struct block **found, *block = NULL;

	runtime_lock();
	found = tfind(&key, &runtime.blocks, compare);
	if (found && (*found)->address == address &&
	    ((*found)->kind == BLOCK_REGISTERED) == registered) {
		block = *found;
		tdelete(block, &runtime.blocks, compare);
	}
	runtime_unlock();
	return block;
}

static int block_new(struct device *device, uint64_t size, int kind, struct block **out,
		     struct err *e)
{
	struct block *block = calloc(1, sizeof(*block));

	*out = block;
	if (!block)
		return err_set(e, GPURUN_NO_MEMORY, "no memory to enter a block");
	object_retain(&device->object);
	block->device = device;
	block->size = size;
	block->kind = kind;
	return 0;
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

/* Adds what a caller wants to know when memory is exhausted. */
static int out_of_memory(const struct device *device, uint64_t size, struct err *e)
{
	size_t left = 0, total = 0;

	if (runtime.cuda.cuMemGetInfo(&left, &total))
		return e->code;
	return err_set(e, GPURUN_NO_MEMORY, "%llu bytes asked for, %zu of %zu are free on "
		       "device %d, %s", (unsigned long long)size, left, total,
		       device->info.ordinal, device->info.name);
}

int memory_alloc(struct gpurun_device owner, uint64_t size, enum gpurun_memory_kind kind,
		 uint64_t *address, struct err *e)
{
	CLEANUP(put_object) struct device *device = NULL;
	CLEANUP(free_block) struct block *block = NULL;
	CLEANUP(context_leave) struct context_scope scope = { 0 };
	uint64_t start;
	int status;

	TRY(device_use(owner, &device, e));
	TRY(check_kind(kind, e));
	if (!size)
		return 0;
	TRY(context_enter(device, &scope, e));
	TRY(block_new(device, size, kind, &block, e));
	status = allocate(block, e);
	if (status == GPURUN_NO_MEMORY)
		return out_of_memory(device, size, e);
	TRY(status);
	start = block->address;
	TRY(enter(STEAL(block), e));
	*address = start;
	return 0;
}

int memory_free(uint64_t address, struct err *e)
{
	CLEANUP(free_block) struct block *block = NULL;

	if (!address)
		return 0;
	block = take(address, false);
	if (!block)
		return err_set(e, GPURUN_INVALID, "%#llx is not the start of an allocation",
			       (unsigned long long)address);
	release(block);
	return 0;
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
	if (address)
		TRY(CUDA(device, e, cuMemGetAddressRange, &base, &size, address));
	if (!address || base != address)
		return err_set(e, GPURUN_INVALID, "%#llx is not the start of a block of the "
			       "driver", (unsigned long long)address);
	TRY(block_new(device, size, GPURUN_MEMORY_DEVICE, &block, e));
	block->address = address;
	TRY(insert(block, e));
	block = NULL;
	return 0;
}

int memory_range(uint64_t address, uint64_t *base, uint64_t *size, struct err *e)
{
	struct block key = { .address = address, .size = 1 };
	struct block **found, block = { 0 };

	runtime_lock();
	found = tfind(&key, &runtime.blocks, compare);
	if (found && (*found)->kind != BLOCK_REGISTERED)
		block = **found;
	runtime_unlock();
	if (!block.address)
		return err_set(e, GPURUN_INVALID, "%#llx is in no allocation",
			       (unsigned long long)address);
	if (base)
		*base = block.address;
	if (size)
		*size = block.size;
	return 0;
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
	CLEANUP(free_block) struct block *block = take((uintptr_t)pointer, true);

	if (!block)
		return err_set(e, GPURUN_INVALID, "%p is not the start of registered memory",
			       pointer);
	release(block);
	return 0;
}

/* The device that @address belongs to, or the default one. */
static int device_of(uint64_t address, struct device **out, struct err *e)
{
	struct block key = { .address = address, .size = 1 };
	struct block **found;

	runtime_lock();
	found = address ? tfind(&key, &runtime.blocks, compare) : NULL;
	*out = found ? (*found)->device : NULL;
	if (*out)
		object_retain(&(*out)->object);
	runtime_unlock();
	return *out ? 0 : device_find(-1, out, e);
}

/* Finds where work of @handle goes; without a stream, the device of @address and its
 * default stream. */
static int target(struct gpurun_stream handle, uint64_t address, struct stream **stream,
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

int memory_copy(uint64_t destination, uint64_t source, uint64_t size,
		struct gpurun_stream handle, struct err *e)
{
	CLEANUP(put_object) struct stream *stream = NULL;
	CLEANUP(put_object) struct device *device = NULL;
	CLEANUP(context_leave) struct context_scope scope = { 0 };

	TRY(target(handle, destination, &stream, &device, e));
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
	/* A copy between device addresses may be back before it is done. */
	return CUDA(device, e, cuStreamSynchronize, NULL);
}

static int fill_async(struct device *device, uint64_t address, uint32_t pattern,
		      unsigned width, uint64_t count, CUstream stream, struct err *e)
{
	switch (width) {
	case 1:
		return CUDA(device, e, cuMemsetD8Async, address, (uint8_t)pattern, count,
			    stream);
	case 2:
		return CUDA(device, e, cuMemsetD16Async, address, (uint16_t)pattern, count,
			    stream);
	case 4:
		return CUDA(device, e, cuMemsetD32Async, address, pattern, count, stream);
	}
	return err_set(e, GPURUN_INVALID, "a pattern of %u bytes: it has 1, 2 or 4", width);
}

int memory_fill(uint64_t address, uint32_t pattern, unsigned width, uint64_t count,
		struct gpurun_stream handle, struct err *e)
{
	CLEANUP(put_object) struct stream *stream = NULL;
	CLEANUP(put_object) struct device *device = NULL;
	CLEANUP(context_leave) struct context_scope scope = { 0 };
	CUstream native = NULL;

	TRY(target(handle, address, &stream, &device, e));
	if (!count)
		return 0;
	if (!address)
		return err_set(e, GPURUN_INVALID, "fill of %llu elements at address 0",
			       (unsigned long long)count);
	if (stream)
		native = stream->native;
	TRY(context_enter(device, &scope, e));
	TRY(fill_async(device, address, pattern, width, count, native, e));
	return stream ? 0 : CUDA(device, e, cuStreamSynchronize, native);
}

/* The root of a tsearch tree is a node, which begins with the pointer to its block. */
static struct block *take_root(void)
{
	struct block *root = *(struct block **)runtime.blocks;

	return take(root->address, root->kind == BLOCK_REGISTERED);
}

void memory_release_all(void)
{
	while (runtime.blocks) {
		CLEANUP(free_block) struct block *block = take_root();

		release(block);
	}
}
