/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Attributes of addresses. */
#include <string.h>

#include "arena.h"
#include "cleanup.h"
#include "context.h"
#include "entry.h"
#include "exports.h"
#include "handle.h"
#include "block_flags.h"
#include "vmm.h"

/* An attribute's value, in its first bytes. */
struct answer {
	uint64_t value;
	unsigned bytes;
	bool none; /* the address has no such attribute: value is the substitute */
};

static bool is_host(const struct block *block)
{
	return block->kind == BLOCK_HOST || block->kind == BLOCK_REGISTERED;
}

static struct answer number(uint64_t value)
{
	return (struct answer){ value, sizeof(uint32_t), false };
}

static struct answer wide(uint64_t value)
{
	return (struct answer){ value, sizeof(uint64_t), false };
}

static struct answer host_pointer(uint64_t address, const struct block *block)
{
	struct answer answer = wide(address);

	answer.none = !is_host(block) && !managed_is(block);
	if (answer.none)
		answer.value = 0;
	return answer;
}

static uint64_t memory_type(const struct block *block)
{
	return is_host(block) ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
}

/* The pool that @block came from, or 0. */
static uint64_t pool_of(const struct block *block)
{
	return handle_kind((void *)(uintptr_t)block->owner) == HANDLE_POOL ? block->owner : 0;
}

/* The range of a mapping is all that was reserved there, mapped or not: so an H100. */
static struct answer range_of(uint64_t address, const struct block *block, bool start)
{
	uint64_t base = block->base, size = block->size;

	if (block->kind == BLOCK_MAPPED)
		vmm_reserved(address, &base, &size);
	return wide(start ? base : size);
}

/* False when @attrib does not exist. */
static bool describe(CUpointer_attribute attrib, uint64_t address, const struct block *b,
		     struct answer *out)
{
	switch (attrib) {
	case CU_POINTER_ATTRIBUTE_CONTEXT:
		/* As a GPU's driver has it: memory of pools and mappings is of none. */
		*out = wide(pool_of(b) || b->kind == BLOCK_MAPPED ?
				    0 :
				    (uintptr_t)context_of_owner(b->owner));
		return true;
	case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
		*out = number(memory_type(b));
		return true;
	case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
		*out = wide(address);
		return true;
	case CU_POINTER_ATTRIBUTE_HOST_POINTER:
		*out = host_pointer(address, b);
		return true;
	case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
		*out = number((b->flags & BLOCK_SYNC_MEMOPS) != 0);
		return true;
	case CU_POINTER_ATTRIBUTE_BUFFER_ID:
	case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
		*out = wide(b->serial);
		return true;
	case CU_POINTER_ATTRIBUTE_IS_MANAGED:
		*out = number(managed_is(b));
		return true;
	case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
	case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
	case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
	case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE:
		*out = number(0);
		return true;
	case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
		*out = range_of(address, b, true);
		return true;
	case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
		*out = range_of(address, b, false);
		return true;
	case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
		*out = wide(b->base);
		return true;
	case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
		*out = wide(b->size);
		return true;
	case CU_POINTER_ATTRIBUTE_MAPPED:
		*out = number(1);
		return true;
	case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
		*out = wide(CU_MEM_HANDLE_TYPE_NONE);
		return true;
	case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
		*out = number(CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
		return true;
	case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
		*out = wide(pool_of(b));
		return true;
	}
	return false;
}

CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attrib, CUdeviceptr address)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);
	struct answer answer;
	struct block block;

	TRY(call.result);
	if (!data || !arena_find(address, &block) ||
	    !describe(attrib, address, &block, &answer))
		return CUDA_ERROR_INVALID_VALUE;
	memcpy(data, &answer.value, answer.bytes);
	return answer.none ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

/* An address that the device does not know has the substitutes for missing values. */
CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute *attributes, void **data,
				CUdeviceptr address)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);
	struct block block = { 0 };
	struct answer answer;
	bool known;

	TRY(call.result);
	if (!count || !attributes || !data)
		return CUDA_ERROR_INVALID_VALUE;
	known = arena_find(address, &block);
	for (unsigned i = 0; i < count; i++) {
		if (!data[i] || !describe(attributes[i], address, &block, &answer))
			return CUDA_ERROR_INVALID_VALUE;
		if (!known)
			answer.value = 0;
		if (!known && attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL)
			answer.value = (uint32_t)CU_DEVICE_INVALID;
		memcpy(data[i], &answer.value, answer.bytes);
	}
	return CUDA_SUCCESS;
}

/* Only stored. */
CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute attrib, CUdeviceptr address)
{
	CLEANUP(leave) struct api_call call = enter(NEED_ACTIVE);
	struct block block;
	uint32_t flags;

	TRY(call.result);
	if (!value || attrib != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS || !arena_find(address, &block))
		return CUDA_ERROR_INVALID_VALUE;
	flags = block.flags & ~(uint32_t)BLOCK_SYNC_MEMOPS;
	if (*(const unsigned *)value)
		flags |= BLOCK_SYNC_MEMOPS;
	arena_note(block.base, block.owner, flags);
	return CUDA_SUCCESS;
}
