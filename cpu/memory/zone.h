/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Ranges of addresses for memory, in granules of 64 KiB. The bytes of device memory are not at
 * its addresses, which nothing can be read from or written to, but at a constant distance: so
 * the host that uses such an address as a pointer fails, as with a GPU. The bytes of memory that
 * is the host's, too, are at its addresses. Reserved one time, for as long as the process lives.
 */
#ifndef CPU_ZONE_H
#define CPU_ZONE_H

#include <stdint.h>

#include "err.h"
#include "extents.h"

#define GRANULE_SHIFT 16
#define GRANULE ((uint64_t)1 << GRANULE_SHIFT)

enum { ZONE_DEVICE, ZONE_HOST, ZONES };

struct zone {
	uint64_t base, size;   /* of its addresses */
	uint64_t distance;     /* from an address to its byte */
	struct extents granules;
	uint64_t open;         /* bytes below this granule's are accessible */
};

/*
 * Reserves the zones, one directly after the other: each has 48 GiB of addresses, or twice @memory
 * bytes, so that they are reused late; or less, where the process may not have as many.
 * With @shared the distance is 0 for both. GPURUN_NO_MEMORY.
 */
int zones_reserve(struct zone zones[ZONES], uint64_t memory, bool shared, struct err *e);

/*
 * Allocates @count granules whose address is a multiple of @align, a power of two, and makes the
 * bytes of the first @used accessible. Returns the address; 0 when there is none, or no memory.
 */
uint64_t zone_allocate(struct zone *zone, uint64_t count, uint64_t used, uint64_t align);

/* Releases a whole allocated span. Its bytes stay accessible. */
void zone_release(struct zone *zone, uint64_t address, uint64_t count);

#endif
