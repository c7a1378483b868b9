/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Clusters: CTAs that are begun together, run by one thread in turn, and reach
 * each other's shared memory. A CTA of a launch without clusters is the only
 * one of its own.
 *
 * An address in .shared::cluster is an offset in a CTA's shared memory, with
 * its rank plus 1 in the bits above RANK_SHIFT; without any there, it is the
 * own CTA's, so that each .shared::cta address is one as well.
 */
#ifndef DRIVER_CLUSTER_H
#define DRIVER_CLUSTER_H

#include "warp.h"

enum { RANK_SHIFT = 24, RANK_MASK = (1 << RANK_SHIFT) - 1 };

/* The CTA whose shared memory holds @size bytes at generic @address; NULL: none. */
struct cta *cluster_owner(const struct cta *cta, uint64_t address, uint64_t size);

/* The generic address of @address in .shared::cluster. */
uint64_t cluster_address(const struct cta *cta, uint64_t address);

/* And back; 0 when @address is in the shared memory of none of the CTAs. */
uint64_t cluster_offset(const struct cta *cta, uint64_t address);

/* The same, but what belongs to none of them is told by its distance from @cta's memory. */
uint64_t cluster_within(const struct cta *cta, uint64_t address);

/* The address that stands in CTA @rank for what @address, generic or not, is in its own. */
uint64_t cluster_map(const struct cta *cta, uint64_t address, uint32_t rank, bool generic);

/* The rank of the CTA that @address belongs to; 0 when it is none's. */
uint32_t cluster_rank(const struct cta *cta, uint64_t address, bool generic);

/*
 * barrier.cluster.arrive of the running lanes. The barrier is passed once every
 * thread of the cluster has arrived or exited.
 */
void cluster_arrive(struct warp *warp);

/* barrier.cluster.wait: those that have arrived wait for the others, then go on at @next. */
const struct op *cluster_wait(struct warp *warp, const struct op *next);

/* @lanes of @warp exit. */
void cluster_leave(struct warp *warp, uint32_t lanes);

#endif
