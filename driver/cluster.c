/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cluster.h"

#include "race.h"

struct cta *cluster_owner(const struct cta *cta, uint64_t address, uint64_t size)
{
	const struct cluster *cluster = cta->cluster;

	for (uint32_t i = 0; i < cluster->size; i++) {
		struct cta *owner = cluster->ctas[i];
		uint64_t offset = address - (uint64_t)owner->shared;

		if (offset < owner->shared_size && size <= owner->shared_size - offset)
			return owner;
	}
	return NULL;
}

uint64_t cluster_address(const struct cta *cta, uint64_t address)
{
	const struct cluster *cluster = cta->cluster;
	const uint64_t rank = address >> RANK_SHIFT;

	if (!rank || rank > cluster->size)
		return (uint64_t)cta->shared + address;
	return (uint64_t)cluster->ctas[rank - 1]->shared + (address & RANK_MASK);
}

uint64_t cluster_offset(const struct cta *cta, uint64_t address)
{
	const struct cta *owner = cluster_owner(cta, address, 1);

	if (!owner)
		return 0;
	address -= (uint64_t)owner->shared;
	return owner == cta ? address : address | (uint64_t)(owner->rank + 1) << RANK_SHIFT;
}

uint64_t cluster_within(const struct cta *cta, uint64_t address)
{
	const uint64_t offset = address - (uint64_t)cta->shared;
	const struct cta *owner;

	if (offset < cta->shared_size || cta->cluster->size == 1)
		return offset;
	owner = cluster_owner(cta, address, 1);
	return owner ? cluster_offset(cta, address) : offset;
}

uint64_t cluster_map(const struct cta *cta, uint64_t address, uint32_t rank, bool generic)
{
	const struct cluster *cluster = cta->cluster;
	const struct cta *owner;

	if (rank >= cluster->size)
		return 0;
	if (!generic)
		return (address & RANK_MASK) | (uint64_t)(rank + 1) << RANK_SHIFT;
	owner = cluster_owner(cta, address, 0);
	if (!owner)
		return 0;
	return address - (uint64_t)owner->shared + (uint64_t)cluster->ctas[rank]->shared;
}

uint32_t cluster_rank(const struct cta *cta, uint64_t address, bool generic)
{
	const struct cta *owner;

	if (!generic)
		return address >> RANK_SHIFT ? (uint32_t)(address >> RANK_SHIFT) - 1 : cta->rank;
	owner = cluster_owner(cta, address, 0);
	return owner ? owner->rank : 0;
}

/* ---- The barrier ------------------------------------------------------------ */

/* Every thread has come: those that wait go on, and all may arrive again. */
static void pass(struct cluster *cluster)
{
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

static void come(struct cluster *cluster, uint32_t lanes)
{
	cluster->missing -= (uint32_t)__builtin_popcount(lanes);
	if (!cluster->missing)
		pass(cluster);
}

void cluster_arrive(struct warp *w)
{
	struct cluster *cluster = w->cta->cluster;
	const uint32_t lanes = w->mask & ~w->arrived;

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
	come(cluster, lanes);
}

const struct op *cluster_wait(struct warp *w, const struct op *next)
{
	const uint32_t waiting = w->mask & w->arrived;

	if (!waiting)
		return next;
	warp_wait(w, next, waiting, GROUP_CLUSTER, 0);
	w->mask &= ~waiting;
	return warp_schedule(w, next);
}

void cluster_leave(struct warp *w, uint32_t lanes)
{
	if (w->cta->cluster->arriving)
		come(w->cta->cluster, lanes & ~w->arrived);
}
