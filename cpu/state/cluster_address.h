/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Addresses in the shared memory of a cluster's CTAs, which reach each other's.
 *
 * An address in .shared::cluster is an offset in a CTA's shared memory, with
 * its rank and RANK_FIRST in the bits above RANK_SHIFT; if these are 0, it is in the
 * own CTA, so that each .shared::cta address is one as well. RANK_FIRST is large: an
 * address that is wrong by a few times 16 MiB is in no CTA. A CTA that is alone has
 * addresses without a rank only.
 */
#ifndef CPU_CLUSTER_ADDRESS_H
#define CPU_CLUSTER_ADDRESS_H

#include "asserts.h"
#include "state.h"

enum {
	RANK_SHIFT = 24,
	RANK_MASK = (1 << RANK_SHIFT) - 1,
	RANK_FIRST = 0x80,
	RANK_NONE = 0xff, /* of no CTA */
};

static_assert(RANK_FIRST + CLUSTER_MOST <= RANK_NONE, "RANK_NONE is the rank of no CTA");

/* A bit of generic addresses that should have been in a CTA and are in none: no host memory has
 * such an address. */
#define CLUSTER_NOWHERE (1ull << 63)

/* The CTA whose shared memory holds @size bytes at generic @address; NULL: none. */
struct cta *cluster_owner(const struct cta *cta, uint64_t address, uint64_t size);

/* The generic address of @address in .shared::cluster; outside of it the distance is kept. */
uint64_t cluster_address(const struct cta *cta, uint64_t address);

/* The same for an access: an address outside of the windows of all CTAs becomes one that faults. */
uint64_t cluster_window(const struct cta *cta, uint64_t address);

/* The inverse; an address in none of them keeps its distance from @cta's memory. */
uint64_t cluster_offset(const struct cta *cta, uint64_t address);

/* The memory of @size bytes at @address in .shared::cluster, which names a CTA by its rank; NULL
 * when it names none, or they are not inside of it. */
uint8_t *cluster_shared(const struct cta *cta, uint64_t address, uint32_t size);

/* mapa: the address in CTA @rank of what is at @address, generic or not, in its CTA; one that
 * faults when there is no such CTA, or @address is in no CTA's memory. */
uint64_t cluster_map(const struct cta *cta, uint64_t address, uint32_t rank, bool generic);

/* The rank of the CTA that @address is in. When it is in none: 0 for a generic address, else the
 * rank of @cta. */
uint32_t cluster_rank(const struct cta *cta, uint64_t address, bool generic);

#endif
