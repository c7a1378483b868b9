/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Loops that wait for ever, which check=sync reports. The shared memory of a cluster is
 * written by its own threads alone. So when each of them waits for others, or runs a
 * loop that changes none of its registers, reads only shared memory and writes nothing,
 * none will ever leave it: for example an mbarrier at which too few threads arrive.
 *
 * A loop that reads memory of the device is not one of these: the host may write it yet.
 */
#ifndef CPU_DEADLOCK_H
#define CPU_DEADLOCK_H

#include "state.h"

/* What a warp did in its last time slice. */
struct spin {
	const struct op *pc;   /* where it began and ended, in a loop; NULL: it did not */
	uint64_t changes;      /* of the cluster, at its end: slices that did not loop */
};

/*
 * Records a time slice of @w. @from: the only group that could run at its beginning, all 0 if
 * there was none; @to: the only one at its end, if it is there again with the same registers,
 * or NULL.
 */
void deadlock_note(struct warp *w, const struct group *from, const struct group *to);

/* A warp of @cluster that loops for ever, if all its threads do so or wait; or NULL. */
const struct warp *deadlock_find(const struct cluster *cluster);

#endif
