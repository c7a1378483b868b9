/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Loops that wait for ever, which check=sync tells. The shared memory of a cluster is
 * written by its own threads alone. So when each of them waits for others, or goes round
 * a loop that changes none of its registers, reads nothing but shared memory and writes
 * nothing, then none will ever leave it: an mbarrier, say, that too few arrive at.
 *
 * A loop that reads memory of the device is not one of these: the host may write it yet.
 */
#ifndef DRIVER_STUCK_H
#define DRIVER_STUCK_H

#include "warp.h"

/* What a warp's last turn was like. */
struct spin {
	const struct op *pc;   /* where it ended, going round a loop; NULL: it did not */
	uint64_t print;        /* with which registers: fingerprint of cta.c */
	uint64_t changes;      /* those of the cluster before it; 0: it may have made some */
};

/* Notes a turn of @w that ended with @group alone going round, or (NULL) otherwise. */
void stuck_note(struct warp *w, const struct group *group, uint64_t print);

/* A warp of @cluster that goes round for ever, if that is all that its threads will do; or NULL. */
const struct warp *stuck_find(const struct cluster *cluster);

#endif
