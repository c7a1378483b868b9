/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Clusters: CTAs that start together, are run alternately by one worker, and wait for each other
 * at a barrier. In a launch without clusters each CTA is a cluster of its own.
 */
#ifndef CPU_CLUSTER_H
#define CPU_CLUSTER_H

#include "warp.h"

/*
 * barrier.cluster.arrive of the running lanes. The barrier is complete when every
 * thread of the cluster has arrived or exited.
 */
void cluster_arrive(struct warp *warp);

/* barrier.cluster.wait: those that have arrived wait for the others, then continue at @next. */
const struct op *cluster_wait(struct warp *warp, const struct op *next);

/* @lanes of @warp exit, while others have arrived at the cluster's barrier. */
void cluster_leave(struct warp *warp, uint32_t lanes);

#endif
