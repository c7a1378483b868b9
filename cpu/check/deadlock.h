/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Loops that wait for ever, which check=sync tells. The shared memory of a cluster is
 * written by its own threads alone. So when each of them waits for others, or goes round
 * a loop that changes none of its registers, reads nothing but shared memory and writes
 * nothing, then none will ever leave it: an mbarrier, say, that too few arrive at.
 *
 * A loop that reads memory of the device is not one of these: the host may write it yet.
 */
#ifndef CPU_DEADLOCK_H
#define CPU_DEADLOCK_H

#include "state.h"

/* What a warp's last turn was like. */
struct spin {
	const struct op *pc;   /* where it began and ended, going round; NULL: it did not */
	uint64_t changes;      /* turns before it that were not so, in the cluster */
};

/*
 * Notes a turn of @w. @from: the only group that could run at its beginning, all 0 where there
 * was none; @to: the only one at its end, if it comes there again with the same registers, or
 * NULL.
 */
void deadlock_note(struct warp *w, const struct group *from, const struct group *to);

/* A warp of @cluster that goes round for ever, if that is all that its threads will do; or NULL. */
const struct warp *deadlock_find(const struct cluster *cluster);

#endif
