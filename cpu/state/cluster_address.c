/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cluster_address.h"

#include "asserts.h"

struct cta *cluster_owner(const struct cta *cta, uint64_t address, uint64_t size)
{
	const struct cluster *cluster = cta->cluster;

	ASSERT(cluster->size && cluster->size <= CLUSTER_MOST);
	for (uint32_t i = 0; i < cluster->size; i++) {
		struct cta *owner = cluster->ctas[i];
		uint64_t offset = address - (uint64_t)owner->shared;

		if (offset < owner->shared_size && size <= owner->shared_size - offset)
			return owner;
	}
	return NULL;
}

/* The CTA of the cluster that the rank in @address, in .shared::cluster, names; NULL: none. */
static const struct cta *cta_by_rank(const struct cta *cta, uint64_t address)
{
	const struct cluster *cluster = cta->cluster;
	const uint64_t rank = (address >> RANK_SHIFT) - RANK_FIRST;

	return cluster->size > 1 && rank < cluster->size ? cluster->ctas[rank] : NULL;
}

uint64_t cluster_address(const struct cta *cta, uint64_t address)
{
	const struct cta *other = cta_by_rank(cta, address);

	return other ? (uint64_t)other->shared + (address & RANK_MASK) :
		       (uint64_t)cta->shared + address;
}

uint64_t cluster_window(const struct cta *cta, uint64_t address)
{
	const bool valid = !(address >> RANK_SHIFT) || cta_by_rank(cta, address);

	return valid ? cluster_address(cta, address) : address | CLUSTER_NOWHERE;
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
	ASSERT(owner->rank < cta->cluster->size && owner->shared_size <= RANK_MASK);
	return (address - (uint64_t)owner->shared) | (uint64_t)(RANK_FIRST + owner->rank)
							     << RANK_SHIFT;
}

uint8_t *cluster_shared(const struct cta *cta, uint64_t address, uint32_t size)
{
	const struct cta *owner = cta_by_rank(cta, address);
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
	const struct cta *owner = generic ? cluster_owner(cta, address, 0) :
					    cta_by_rank(cta, address);

	if (owner)
		return owner->rank;
	return generic ? 0 : cta->rank;
}
