/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * All of it is one mapping without access, in this order: a granule that stays empty, so that
 * no memory of the program is next to a block; addresses of device memory; memory that is the
 * host's, too; bytes of device memory.
 */
#include "zone.h"

#include <sys/mman.h>

#include "align.h"
#include "asserts.h"
#include "config.h"

#define GRANULES_AT_A_TIME 1024 /* that become accessible together */
#define LEAST_RANGE ((uint64_t)64 << 20)
/* Programs reserve addresses ahead: ggml 32 GiB of them, on whatever device. */
#define USUAL_RANGE ((uint64_t)96 << 30)
/* Where a process may not have as many: what else it needs is not known, so it is not the most. */
#define LIMITED_RANGE ((uint64_t)16 << 30)
/* Where memory begins, as with a GPU, and so that the host can have it in pages of this size. */
#define LARGE_PAGE ((uint64_t)2 << 20)

static uint64_t mapping_size(uint64_t size, bool shared)
{
	return size + (shared ? 0 : size / 2) + GRANULE + LARGE_PAGE;
}

static void *map_addresses(uint64_t size, bool shared)
{
	return mmap(NULL, mapping_size(size, shared), PROT_NONE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

/* @usual bytes of addresses, or as many more as make four times @memory. */
static uint64_t range_size(uint64_t usual, uint64_t memory)
{
	while (usual < 4 * memory)
		usual *= 2;
	return usual;
}

/* Whether the checkers find addresses for what they know of @size bytes (shadow_reserve()). */
static bool has_shadow(uint64_t size)
{
	const uint64_t needed = config.check & CHECK_RACE ? 14 * size : size;
	void *at = mmap(NULL, needed, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
			0);

	return at != MAP_FAILED && !munmap(at, needed);
}

/* Maps the zones, and stores for how many bytes of addresses. */
static void *map_zones(uint64_t memory, bool shared, uint64_t *size)
{
	void *range;

	*size = range_size(USUAL_RANGE, memory);
	range = map_addresses(*size, shared);
	if (range != MAP_FAILED && has_shadow(*size))
		return range;
	if (range != MAP_FAILED)
		munmap(range, mapping_size(*size, shared));
	for (*size = range_size(LIMITED_RANGE, memory); *size >= LEAST_RANGE; *size /= 2) {
		range = map_addresses(*size, shared);
		if (range != MAP_FAILED)
			break;
	}
	return range;
}

static bool zone_init(struct zone *zone, uint64_t base, uint64_t size, uint64_t distance)
{
	*zone = (struct zone){ .base = base, .size = size, .distance = distance };
	madvise((void *)(uintptr_t)(base + distance), size, MADV_HUGEPAGE); /* may fail */
	return extents_init(&zone->granules, size >> GRANULE_SHIFT, base >> GRANULE_SHIFT);
}

int zones_reserve(struct zone zones[ZONES], uint64_t memory, bool shared, struct err *e)
{
	uint64_t size, base, half;
	void *range = map_zones(memory, shared, &size);

	base = align_up((uintptr_t)range + GRANULE, LARGE_PAGE);
	half = size / 2;
	if (range == MAP_FAILED ||
	    !zone_init(&zones[ZONE_DEVICE], base, half, shared ? 0 : size) ||
	    !zone_init(&zones[ZONE_HOST], base + half, half, 0))
		return err_set(e, GPURUN_NO_MEMORY, "cannot reserve addresses for device memory");
	return 0;
}

/*
 * Makes bytes of granules below @end accessible, and some more, so that the host has one mapping,
 * however many blocks there are.
 */
static bool make_accessible(struct zone *zone, uint64_t end)
{
	const uint64_t all = zone->size >> GRANULE_SHIFT;
	const uint64_t from = zone->base + zone->distance + (zone->open << GRANULE_SHIFT);

	ASSERT(zone->open <= all && end <= all);
	if (end <= zone->open)
		return true;
	end = align_up(end, GRANULES_AT_A_TIME);
	end = end < all ? end : all;
	if (mprotect((void *)(uintptr_t)from, (end - zone->open) << GRANULE_SHIFT,
		     PROT_READ | PROT_WRITE))
		return false;
	zone->open = end;
	return true;
}

uint64_t zone_allocate(struct zone *zone, uint64_t count, uint64_t used, uint64_t align)
{
	uint64_t granule;

	ASSERT(used <= count && !(align & (align - 1)));
	align = align > GRANULE ? align >> GRANULE_SHIFT : 1;
	if (!extents_allocate(&zone->granules, count, align, &granule))
		return 0;
	if (used && !make_accessible(zone, granule + used)) {
		extents_release(&zone->granules, granule, count);
		return 0;
	}
	return zone->base + (granule << GRANULE_SHIFT);
}

void zone_release(struct zone *zone, uint64_t address, uint64_t count)
{
	ASSERT(address % GRANULE == 0 && address >= zone->base);
	ASSERT(count <= (zone->size - (address - zone->base)) >> GRANULE_SHIFT);
	extents_release(&zone->granules, (address - zone->base) >> GRANULE_SHIFT, count);
}
