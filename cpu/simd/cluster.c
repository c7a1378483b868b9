/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Addresses in the shared memory of a cluster, and its barrier. */
#include "cluster.h"
#include "cluster_address.h"
#include "simd.h"

/* From .shared::cluster to generic, and back. */
HANDLE(cluster_address)
{
	uint64_t *d = ROW(uint64_t, d);
	const uint64_t *a = ROW(uint64_t, a);

	EACH_ACTIVE d[l] = cluster_address(w->cta, a[l]);
	NEXT;
}

/* For an access: of row a plus imm, of 32 bits when b. In most cases all are the block's own. */
HANDLE(cluster_window)
{
	uint64_t *d = ROW(uint64_t, d), any = 0;
	const uint64_t *a = ROW(uint64_t, a), most = ip->b ? UINT32_MAX : UINT64_MAX;

	EACH_LANE any |= (a[l] + (uint64_t)ip->imm) & most;
	if (unlikely(any >> RANK_SHIFT))
		EACH_ACTIVE d[l] = cluster_window(w->cta, (a[l] + (uint64_t)ip->imm) & most);
	else
		EACH_LANE d[l] = ((a[l] + (uint64_t)ip->imm) & most) + (uint64_t)w->shared;
	NEXT;
}

/* The same of a row of 32 bits. */
HANDLE(cluster_window_4)
{
	uint64_t *d = ROW(uint64_t, d);
	const uint32_t *a = ROW(uint32_t, a), imm = (uint32_t)ip->imm;
	uint32_t any = 0;

	EACH_LANE any |= a[l] + imm;
	if (unlikely(any >> RANK_SHIFT))
		EACH_ACTIVE d[l] = cluster_window(w->cta, a[l] + imm);
	else
		EACH_LANE d[l] = (uint32_t)(a[l] + imm) + (uint64_t)w->shared;
	NEXT;
}

HANDLE(cluster_offset)
{
	uint64_t *d = ROW(uint64_t, d);
	const uint64_t *a = ROW(uint64_t, a);

	EACH_ACTIVE d[l] = cluster_offset(w->cta, a[l]);
	NEXT;
}

/*
 * Of the block's own shared memory; but that of another block of the cluster is in the same
 * window, so that mapa's addresses are converted, too.
 */
HANDLE(shared_offset)
{
	uint64_t *d = ROW(uint64_t, d);
	const uint64_t *a = ROW(uint64_t, a);

	if (unlikely(w->cta->cluster->size > 1))
		EACH_ACTIVE d[l] = cluster_offset(w->cta, a[l]);
	else
		BLEND(uint64_t, d, a[l] - (uint64_t)w->shared);
	NEXT;
}

HANDLE(shared_address)
{
	uint64_t *d = ROW(uint64_t, d);
	const uint64_t *a = ROW(uint64_t, a);

	if (unlikely(w->cta->cluster->size > 1))
		EACH_ACTIVE d[l] = cluster_address(w->cta, a[l]);
	else
		BLEND(uint64_t, d, a[l] + (uint64_t)w->shared);
	NEXT;
}

HANDLE(shared_offset_s)
{
	PUT(uint64_t, d, cluster_offset(w->cta, SLOT(uint64_t, a)));
	NEXT;
}

HANDLE(shared_address_s)
{
	PUT(uint64_t, d, cluster_address(w->cta, SLOT(uint64_t, a)));
	NEXT;
}

/* d = a in the CTA of rank b; imm: whether they are generic addresses */
HANDLE(mapa)
{
	uint64_t *d = ROW(uint64_t, d);
	const uint64_t *a = ROW(uint64_t, a);
	const uint32_t *b = ROW(uint32_t, b);

	EACH_ACTIVE d[l] = cluster_map(w->cta, a[l], b[l], ip->imm);
	NEXT;
}

HANDLE(getctarank)
{
	uint32_t *d = ROW(uint32_t, d);
	const uint64_t *a = ROW(uint64_t, a);

	EACH_ACTIVE d[l] = cluster_rank(w->cta, a[l], ip->imm);
	NEXT;
}

HANDLE(cluster_arrive)
{
	cluster_arrive(w);
	NEXT;
}

HANDLE(cluster_wait)
{
	GOTO(cluster_wait(w, ip + 1));
}
