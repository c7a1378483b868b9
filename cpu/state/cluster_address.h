/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Addresses in the shared memory of a cluster's CTAs, which reach each other's.
 *
 * An address in .shared::cluster is an offset in a CTA's shared memory, with
 * its rank and RANK_FIRST in the bits above RANK_SHIFT; without any there, it is
 * the own CTA's, so that each .shared::cta address is one as well. RANK_FIRST is far
 * away: an address that is wrong by some times 16 MiB is nobody's. A CTA that is
 * alone has no other names.
 */
#ifndef CPU_CLUSTER_ADDRESS_H
#define CPU_CLUSTER_ADDRESS_H

#include "state.h"

enum {
	RANK_SHIFT = 24,
	RANK_MASK = (1 << RANK_SHIFT) - 1,
	RANK_FIRST = 0x80,
	RANK_NONE = 0xff, /* in an address of no CTA */
};

/* A bit of generic addresses that are no CTA's, though they were asked for as one's: nothing
 * of the host is there. */
#define CLUSTER_NOWHERE (1ull << 63)

/* The CTA whose shared memory holds @size bytes at generic @address; NULL: none. */
struct cta *cluster_owner(const struct cta *cta, uint64_t address, uint64_t size);

/* The generic address of @address in .shared::cluster; what is outside keeps its distance. */
uint64_t cluster_address(const struct cta *cta, uint64_t address);

/* The same for an access: what is outside of the windows of all CTAs becomes what faults. */
uint64_t cluster_window(const struct cta *cta, uint64_t address);

/* And back; what belongs to none of them keeps its distance from @cta's memory. */
uint64_t cluster_offset(const struct cta *cta, uint64_t address);

/* Where @size bytes at @address in .shared::cluster are, which names a CTA by its rank; NULL
 * when it names none, or they are not inside. */
uint8_t *cluster_shared(const struct cta *cta, uint64_t address, uint32_t size);

/* The address that stands in CTA @rank for what @address, generic or not, is in its own; one
 * that faults when there is no such CTA, or @address is in no CTA's memory. */
uint64_t cluster_map(const struct cta *cta, uint64_t address, uint32_t rank, bool generic);

/* The rank of the CTA that @address belongs to. When there is none: 0 for a generic address, else
 * the rank of @cta. */
uint32_t cluster_rank(const struct cta *cta, uint64_t address, bool generic);

#endif
