/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cluster.h"

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
	return (uint64_t)cluster->ctas[rank - 1]->shared + (address & ((1u << RANK_SHIFT) - 1));
}
