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

/* The CTA of the cluster that the rank in @address, in .shared::cluster, names; NULL: none. */
static const struct cta *named(const struct cta *cta, uint64_t address)
{
	const struct cluster *cluster = cta->cluster;
	const uint64_t rank = (address >> RANK_SHIFT) - RANK_FIRST;

	return cluster->size > 1 && rank < cluster->size ? cluster->ctas[rank] : NULL;
}

uint64_t cluster_address(const struct cta *cta, uint64_t address)
{
	const struct cta *other = named(cta, address);

	return other ? (uint64_t)other->shared + (address & RANK_MASK) :
		       (uint64_t)cta->shared + address;
}

uint64_t cluster_window(const struct cta *cta, uint64_t address)
{
	const bool known = !(address >> RANK_SHIFT) || named(cta, address);

	return known ? cluster_address(cta, address) : address | CLUSTER_NOWHERE;
}

uint64_t cluster_offset(const struct cta *cta, uint64_t address)
{
	const uint64_t offset = address - (uint64_t)cta->shared;
	const struct cta *owner;

	if (offset < cta->shared_size || cta->cluster->size == 1)
		return offset;
	owner = cluster_owner(cta, address, 1);
	if (!owner)
		return offset;
	return (address - (uint64_t)owner->shared) | (uint64_t)(RANK_FIRST + owner->rank)
							     << RANK_SHIFT;
}

uint8_t *cluster_shared(const struct cta *cta, uint64_t address, uint32_t size)
{
	const struct cta *owner = named(cta, address);
	const uint64_t offset = address & RANK_MASK;

	if (!owner || offset >= owner->shared_size || size > owner->shared_size - offset)
		return NULL;
	return owner->shared + offset;
}

uint64_t cluster_map(const struct cta *cta, uint64_t address, uint32_t rank, bool generic)
{
	const struct cluster *cluster = cta->cluster;
	const struct cta *owner;

	if (!generic && rank >= cluster->size)
		return (address & RANK_MASK) | (uint64_t)RANK_NONE << RANK_SHIFT;
	if (!generic && cluster->size == 1)
		return address & RANK_MASK;
	if (!generic)
		return (address & RANK_MASK) | (uint64_t)(RANK_FIRST + rank) << RANK_SHIFT;
	owner = cluster_owner(cta, address, 0);
	if (!owner || rank >= cluster->size)
		return address | CLUSTER_NOWHERE;
	return address - (uint64_t)owner->shared + (uint64_t)cluster->ctas[rank]->shared;
}

uint32_t cluster_rank(const struct cta *cta, uint64_t address, bool generic)
{
	const struct cta *owner = generic ? cluster_owner(cta, address, 0) : named(cta, address);

	if (owner)
		return owner->rank;
	return generic ? 0 : cta->rank;
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
