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

enum { RANK_SHIFT = 24 };

/* The CTA whose shared memory holds @size bytes at generic @address; NULL: none. */
struct cta *cluster_owner(const struct cta *cta, uint64_t address, uint64_t size);

/* The generic address of @address in .shared::cluster. */
uint64_t cluster_address(const struct cta *cta, uint64_t address);

#endif
