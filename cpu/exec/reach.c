/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checks of accesses by generic addresses, or to shared memory, and their faults. */
#include "asserts.h"
#include "cluster_address.h"
#include "warp.h"

static void illegal(struct warp *w, const struct op *ip, uint64_t address, uint32_t size,
		    unsigned lane, bool write)
{
	char nearest[256];

	memory_describe(w, address, nearest, sizeof(nearest));
	fault_set(w, ip, 1u << lane,
		  about_access(KIND_ILLEGAL_ADDRESS, write ? "write" : "read", size, address),
		  "illegal address: %s of %u bytes at %#llx%s%s", write ? "write" : "read", size,
		  (unsigned long long)address, nearest[0] ? ": " : "", nearest);
}

bool memory_reach(struct warp *w, const struct op *ip, struct hit *hit, uint64_t address,
		  uint32_t size, uint32_t unit, unsigned lane, bool write)
{
	uint64_t inside, skipped;

	ASSERT(unit && !(unit & (unit - 1)) && size && lane < LANES);
	if (address & (unit - 1)) {
		fault_set(w, ip, 1u << lane,
			  about_access(KIND_MISALIGNED_ADDRESS, write ? "write" : "read", unit,
				       address),
			  "misaligned address: %s of %u bytes at %#llx",
			  write ? "write" : "read", unit, (unsigned long long)address);
		return false;
	}
	if (!memory_find(w, address, write, hit)) {
		*hit = (struct hit){ 0 };
		illegal(w, ip, address, unit, lane, write);
		return false;
	}
	ASSERT(address - hit->base < hit->size);
	inside = hit->size - (address - hit->base);
	if (size <= inside)
		return true;
	skipped = inside / unit; /* lanes of a run that are inside; a bulk copy has one lane */
	if (skipped < LANES - lane && w->mask >> (lane + skipped) & 1)
		lane += (unsigned)skipped;
	illegal(w, ip, address + inside / unit * unit, unit, lane, write);
	return false;
}

uint8_t *memory_shared_reach(struct warp *w, const struct op *ip, uint64_t address,
			     uint32_t size, uint32_t unit, unsigned lane, bool write)
{
	uint8_t *other = address & (unit - 1) ? NULL : cluster_shared(w->cta, address, size);

	if (other)
		return other;
	memory_shared_fault(w, ip, address, unit, lane, write);
	return NULL;
}

void memory_shared_fault(struct warp *w, const struct op *ip, uint64_t offset, uint32_t size,
			 unsigned lane, bool write)
{
	const char *what = write ? "write" : "read";

	ASSERT(size && !(size & (size - 1)) && lane < LANES);
	if (offset & (size - 1)) {
		fault_set(w, ip, 1u << lane,
			  about_shared(KIND_MISALIGNED_ADDRESS, what, size, offset),
			  "misaligned address: %s of %u bytes at %#llx of shared memory", what,
			  size, (unsigned long long)offset);
		return;
	}
	if (offset < w->shared_size) { /* the first lane of a run that is outside */
		uint64_t steps = (w->shared_size - offset) / size;

		if (steps < LANES - lane) {
			lane += (unsigned)steps;
			offset += steps * size;
		}
	}
	fault_set(w, ip, 1u << lane, about_shared(KIND_ILLEGAL_ADDRESS, what, size, offset),
		  "illegal address: %s of %u bytes at %#llx of shared memory, of which the block "
		  "has %llu bytes%s", what, size, (unsigned long long)offset,
		  (unsigned long long)w->shared_size, memory_shared_hint(w));
}
