/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cluster.h"

#include "asserts.h"
#include "race.h"

/* Every thread has arrived: those that wait continue, and all may arrive again. */
static void complete(struct cluster *cluster)
{
	ASSERT(cluster->arriving && !cluster->missing);
	for (uint32_t i = 0; i < cluster->size; i++) {
		struct cta *cta = cluster->ctas[i];

		for (uint32_t k = 0; k < cta->warp_count; k++) {
			struct warp *w = &cta->warps[k];

			if (w->race)
				race_acquire_all(w);
			w->arrived = 0;
			for (uint32_t g = 0; g < w->group_count; g++)
				if (w->groups[g].state == GROUP_CLUSTER)
					w->groups[g].state = GROUP_READY;
		}
	}
	cluster->arriving = false;
	cluster->events++;
}

static void count_arrived(struct cluster *cluster, uint32_t lanes)
{
	ASSERT(cluster->arriving && cluster->missing >= (uint32_t)__builtin_popcount(lanes));
	cluster->missing -= (uint32_t)__builtin_popcount(lanes);
	if (!cluster->missing)
		complete(cluster);
}

void cluster_arrive(struct warp *w)
{
	struct cluster *cluster = w->cta->cluster;
	const uint32_t lanes = w->mask & ~w->arrived;

	ASSERT(cluster->size && cluster->ctas[w->cta->rank] == w->cta);
	if (w->race)
		race_cluster(w);
	if (!cluster->arriving) {
		cluster->arriving = true;
		cluster->missing = 0;
		for (uint32_t i = 0; i < cluster->size; i++)
			cluster->missing += cluster->ctas[i]->live;
	}
	if (w->race)
		race_fence(w);
	w->arrived |= lanes;
	count_arrived(cluster, lanes);
}

const struct op *cluster_wait(struct warp *w, const struct op *next)
{
	const uint32_t waiting = w->mask & w->arrived;

	ASSERT(!waiting || w->cta->cluster->arriving);
	if (!waiting)
		return next;
	warp_wait(w, next, waiting, GROUP_CLUSTER, 0);
	w->mask &= ~waiting;
	return warp_schedule(w, next);
}

void cluster_leave(struct warp *w, uint32_t lanes)
{
	ASSERT(!(lanes & ~w->live));
	count_arrived(w->cta->cluster, lanes & ~w->arrived);
}
