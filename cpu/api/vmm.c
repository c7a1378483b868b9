/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Virtual memory: ranges of device addresses without memory, memory without an
 * address, and mappings of one to the other. Memory is a file without a name, so
 * that it may be mapped several times, each time to the bytes of addresses (arena_bytes()).
 * A mapping becomes a block when access to it is granted; before that nothing can access it.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "arena.h"
#include "asserts.h"
#include "cleanup.h"
#include "context.h"
#include "entry.h"
#include "exports.h"
#include "handle.h"
#include "vmm.h"

#define GRANULARITY ((size_t)2 << 20)

struct allocation {
	void *handle;
	unsigned refs;       /* retains, and mappings */
	unsigned retained;   /* retains not released */
	int fd;              /* owned */
	size_t size;
	CUmemAllocationProp props;
};

struct range {
	uint64_t address, size;
	struct range *next;
};

struct mapping {
	uint64_t address, size, offset;
	struct allocation *allocation; /* referred to */
	CUmemAccess_flags access;
	struct mapping *next;
};

static struct range *ranges;     /* owned */
static struct mapping *mappings; /* owned */

static void allocation_put(struct allocation *allocation)
{
	ASSERT(!allocation || allocation->refs > allocation->retained);
	if (!allocation || --allocation->refs)
		return;
	handle_free(allocation->handle);
	arena_charge(-(int64_t)allocation->size);
	close(allocation->fd);
	free(allocation);
}

static CUresult find_allocation(CUmemGenericAllocationHandle handle, struct allocation **out)
{
	*out = handle_object((void *)(uintptr_t)handle, HANDLE_ALLOCATION);
	return *out && (*out)->retained ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static bool is_aligned(uint64_t value)
{
	return !(value & (GRANULARITY - 1));
}

static bool within(uint64_t address, uint64_t size, uint64_t base, uint64_t room)
{
	return address >= base && address - base <= room && size <= room - (address - base);
}

/* ---- Ranges ------------------------------------------------------------------ */

CUresult cuMemAddressReserve(CUdeviceptr *address, size_t size, size_t alignment,
			     CUdeviceptr hint, unsigned long long flags)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);
	CLEANUP(free_pointer) struct range *range = NULL;

	(void)hint;
	TRY(call.result);
	if (!address || !size || !is_aligned(size) || flags || (alignment & (alignment - 1)))
		return CUDA_ERROR_INVALID_VALUE;
	range = calloc(1, sizeof(*range));
	if (!range || arena_reserve(size, alignment > GRANULARITY ? alignment : GRANULARITY,
				    &range->address, NULL))
		return CUDA_ERROR_OUT_OF_MEMORY;
	range->size = size;
	range->next = ranges;
	*address = range->address;
	ranges = STEAL(range);
	return CUDA_SUCCESS;
}

bool vmm_reserved(uint64_t address, uint64_t *base, uint64_t *size)
{
	for (const struct range *r = ranges; r; r = r->next)
		if (address - r->address < r->size) {
			*base = r->address;
			*size = r->size;
			return true;
		}
	return false;
}

static bool is_mapped(uint64_t address, uint64_t size)
{
	for (const struct mapping *m = mappings; m; m = m->next)
		if (m->address < address + size && address < m->address + m->size)
			return true;
	return false;
}

CUresult cuMemAddressFree(CUdeviceptr address, size_t size)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);
	struct range **link = &ranges, *range;

	TRY(call.result);
	while (*link && ((*link)->address != address || (*link)->size != size))
		link = &(*link)->next;
	if (!*link || is_mapped(address, size))
		return CUDA_ERROR_INVALID_VALUE;
	range = *link;
	*link = range->next;
	arena_unreserve(range->address, range->size);
	free(range);
	return CUDA_SUCCESS;
}

/* ---- Memory -------------------------------------------------------------------- */

static CUresult check_props(const CUmemAllocationProp *props)
{
	if (!props || props->type != CU_MEM_ALLOCATION_TYPE_PINNED ||
	    props->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
		return CUDA_ERROR_INVALID_VALUE;
	if (props->location.id)
		return CUDA_ERROR_INVALID_DEVICE;
	return props->requestedHandleTypes ? CUDA_ERROR_NOT_SUPPORTED : CUDA_SUCCESS;
}

CUresult cuMemGetAllocationGranularity(size_t *granularity, const CUmemAllocationProp *props,
				       CUmemAllocationGranularity_flags option)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);

	TRY(call.result);
	if (!granularity || option > CU_MEM_ALLOC_GRANULARITY_RECOMMENDED)
		return CUDA_ERROR_INVALID_VALUE;
	TRY(check_props(props));
	*granularity = GRANULARITY;
	return CUDA_SUCCESS;
}

/* A file of @size bytes without a name; -1 when there is no room. */
static int file_new(size_t size)
{
	CLEANUP(close_fd) int fd = memfd_create("gpurun device memory", MFD_CLOEXEC);
	int made;

	if (fd < 0 || ftruncate(fd, (off_t)size))
		return -1;
	made = fd;
	fd = -1;
	return made;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t size,
		     const CUmemAllocationProp *props, unsigned long long flags)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);
	CLEANUP(free_pointer) struct allocation *made = NULL;

	TRY(call.result);
	if (!handle || !size || !is_aligned(size) || flags)
		return CUDA_ERROR_INVALID_VALUE;
	TRY(check_props(props));
	made = calloc(1, sizeof(*made));
	if (!made || !arena_charge((int64_t)size))
		return CUDA_ERROR_OUT_OF_MEMORY;
	made->fd = file_new(size);
	made->handle = made->fd >= 0 ? handle_new(HANDLE_ALLOCATION, made) : NULL;
	if (!made->handle) {
		arena_charge(-(int64_t)size);
		close_fd(&made->fd);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	made->refs = made->retained = 1;
	made->size = size;
	made->props = *props;
	*handle = (uintptr_t)made->handle;
	STEAL(made);
	return CUDA_SUCCESS;
}

/* Mapped memory stays until it is unmapped. */
CUresult cuMemRelease(CUmemGenericAllocationHandle handle)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);
	struct allocation *found;

	TRY(call.result);
	TRY(find_allocation(handle, &found));
	ASSERT(found->retained && found->retained <= found->refs);
	found->retained--;
	allocation_put(found);
	return CUDA_SUCCESS;
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *props,
						CUmemGenericAllocationHandle handle)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);
	struct allocation *found;

	TRY(call.result);
	if (!props)
		return CUDA_ERROR_INVALID_VALUE;
	TRY(find_allocation(handle, &found));
	*props = found->props;
	return CUDA_SUCCESS;
}

/* Memory stays in the process. */
CUresult cuMemExportToShareableHandle(void *shared, CUmemGenericAllocationHandle handle,
				      CUmemAllocationHandleType type, unsigned long long flags)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);
	struct allocation *found;

	(void)type;
	TRY(call.result);
	if (!shared || flags)
		return CUDA_ERROR_INVALID_VALUE;
	TRY(find_allocation(handle, &found));
	return CUDA_ERROR_NOT_SUPPORTED;
}

/* ---- Mappings --------------------------------------------------------------------- */

static bool is_reserved(uint64_t address, uint64_t size)
{
	for (const struct range *range = ranges; range; range = range->next)
		if (within(address, size, range->address, range->size))
			return true;
	return false;
}

CUresult cuMemMap(CUdeviceptr address, size_t size, size_t offset,
		  CUmemGenericAllocationHandle handle, unsigned long long flags)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);
	CLEANUP(free_pointer) struct mapping *mapping = NULL;
	struct allocation *found;

	TRY(call.result);
	TRY(find_allocation(handle, &found));
	if (!size || !is_aligned(address) || !is_aligned(size) || flags ||
	    !within(offset, size, 0, found->size) || !is_aligned(offset) ||
	    !is_reserved(address, size) || is_mapped(address, size))
		return CUDA_ERROR_INVALID_VALUE;
	mapping = calloc(1, sizeof(*mapping));
	if (!mapping)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*mapping = (struct mapping){ address, size, offset, found, 0, mappings };
	found->refs++;
	mappings = STEAL(mapping);
	return CUDA_SUCCESS;
}

/*
 * Maps zero pages, as after any free: a kernel that accesses them too late reads and writes no
 * memory that is in use.
 */
static CUresult map_zero_pages(const struct mapping *mapping)
{
	void *at = arena_bytes(mapping->address);

	return mmap(at, mapping->size, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == at ?
		       CUDA_SUCCESS :
		       CUDA_ERROR_MAP_FAILED;
}

/* Revokes access to @mapping. */
static CUresult revoke_access(struct mapping *mapping)
{
	ASSERT(mapping->allocation->refs > mapping->allocation->retained);
	if (!mapping->access)
		return CUDA_SUCCESS;
	arena_unmap(mapping->address);
	mapping->access = CU_MEM_ACCESS_FLAGS_PROT_NONE;
	return map_zero_pages(mapping);
}

/* Read-only access is not distinguished from read-write. */
static CUresult grant_access(struct mapping *mapping, CUmemAccess_flags access)
{
	void *at = arena_bytes(mapping->address);

	ASSERT(access && mapping->allocation->refs);
	if (mapping->access) {
		mapping->access = access;
		return CUDA_SUCCESS;
	}
	if (mmap(at, mapping->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
		 mapping->allocation->fd, (off_t)mapping->offset) != at)
		return CUDA_ERROR_MAP_FAILED;
	if (arena_map(mapping->address, mapping->size, NULL)) {
		map_zero_pages(mapping);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	mapping->access = access;
	return CUDA_SUCCESS;
}

/* The range has to be made of whole mappings. */
static CUresult check_range(uint64_t address, uint64_t size)
{
	uint64_t covered = 0;

	for (const struct mapping *m = mappings; m; m = m->next) {
		if (m->address >= address + size || address >= m->address + m->size)
			continue;
		if (!within(m->address, m->size, address, size))
			return CUDA_ERROR_INVALID_VALUE;
		covered += m->size;
	}
	return size && covered == size ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* Kernels of any context may use the range. Another thread may unmap it meanwhile. */
static CUresult wait_for_users(uint64_t address, uint64_t size)
{
	TRY(check_range(address, size));
	TRY(context_wait_all());
	return check_range(address, size);
}

CUresult cuMemUnmap(CUdeviceptr address, size_t size)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);
	struct mapping **link = &mappings;

	TRY(call.result);
	TRY(wait_for_users(address, size));
	while (*link) {
		struct mapping *mapping = *link;

		if (!within(mapping->address, mapping->size, address, size)) {
			link = &mapping->next;
			continue;
		}
		TRY(revoke_access(mapping));
		*link = mapping->next;
		allocation_put(mapping->allocation);
		free(mapping);
	}
	return CUDA_SUCCESS;
}

static CUresult check_access(const CUmemAccessDesc *desc)
{
	if (desc->location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
	    (desc->flags != CU_MEM_ACCESS_FLAGS_PROT_NONE &&
	     desc->flags != CU_MEM_ACCESS_FLAGS_PROT_READ &&
	     desc->flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE))
		return CUDA_ERROR_INVALID_VALUE;
	return desc->location.id ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS;
}

static CUresult set_access(uint64_t address, size_t size, CUmemAccess_flags access)
{
	for (struct mapping *m = mappings; m; m = m->next) {
		if (!within(m->address, m->size, address, size))
			continue;
		if (access)
			TRY(grant_access(m, access));
		else
			TRY(revoke_access(m));
	}
	return CUDA_SUCCESS;
}

CUresult cuMemSetAccess(CUdeviceptr address, size_t size, const CUmemAccessDesc *desc,
			size_t count)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);

	TRY(call.result);
	if (!desc || !count)
		return CUDA_ERROR_INVALID_VALUE;
	TRY(check_range(address, size));
	for (size_t i = 0; i < count; i++) {
		TRY(check_access(&desc[i]));
		if (!desc[i].flags)
			TRY(wait_for_users(address, size));
	}
	for (size_t i = 0; i < count; i++)
		TRY(set_access(address, size, desc[i].flags));
	return CUDA_SUCCESS;
}

static struct mapping *mapping_at(uint64_t address)
{
	struct mapping *mapping = mappings;

	while (mapping && !within(address, 1, mapping->address, mapping->size))
		mapping = mapping->next;
	return mapping;
}

CUresult cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location,
			CUdeviceptr address)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);
	const struct mapping *mapping;

	TRY(call.result);
	mapping = mapping_at(address);
	if (!flags || !location || location->type != CU_MEM_LOCATION_TYPE_DEVICE ||
	    location->id || !mapping)
		return CUDA_ERROR_INVALID_VALUE;
	*flags = mapping->access;
	return CUDA_SUCCESS;
}

/* Each is to be released, too. */
CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *address)
{
	CLEANUP(leave) struct api_call call = enter(NEED_INIT);
	struct mapping *mapping;

	TRY(call.result);
	mapping = mapping_at((uintptr_t)address);
	if (!handle || !mapping)
		return CUDA_ERROR_INVALID_VALUE;
	mapping->allocation->refs++;
	mapping->allocation->retained++;
	*handle = (uintptr_t)mapping->allocation->handle;
	return CUDA_SUCCESS;
}
