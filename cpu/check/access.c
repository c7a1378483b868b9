/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "access.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "asserts.h"
#include "cleanup.h"
#include "cluster_address.h"
#include "config.h"
#include "finding.h"
#include "async_copy.h"
#include "local.h"
#include "race.h"
#include "shadow_memory.h"

_Static_assert(sizeof(((struct cta_check *)0)->spins) / sizeof(struct spin) ==
		       DEVICE_MAX_THREADS / LANES, "each warp of a CTA");

static void check_free(struct cta_check *check)
{
	async_copy_release(check);
	local_release(check);
	free(check);
}

int cta_check_start(struct cta *cta, struct err *e)
{
	size_t size = sizeof(struct cta_check) + cta->shared_size;
	struct cta_check *check = cta->check;

	if (!(config.check & CHECK_KERNELS))
		return 0;
	if (!check || check->capacity < size) {
		check_free(check);
		cta->check = check = calloc(1, size);
		if (!check)
			return err_set(e, GPURUN_NO_MEMORY, "no memory to check a block");
		check->capacity = size;
	}
	check->written = (uint8_t *)(check + 1);
	memset(check->split_barrier, 0, sizeof(check->split_barrier));
	memset(check->spins, 0, sizeof(check->spins));
	check->closed = check->open = NULL;
	memset(check->written, 0, cta->shared_size);
	if (cta->code->reserved) /* which the driver clears */
		memset(check->written + cta->shared_size - CTA_RESERVED, 1, CTA_RESERVED);
	async_copy_clear(check);
	TRY(local_start(cta, e));
	return race_start(cta, e);
}

void cta_check_release(struct cta *cta)
{
	race_release(cta->race);
	check_free(cta->check);
}

/* ---- mem ------------------------------------------------------------------- */

/* The alignment that an access of @size bytes needs: it is one vector. */
static bool misaligned(const struct check_access *access, uint64_t at)
{
	ASSERT(access->size);
	return at & (access->size - 1) && !(access->size & (access->size - 1));
}

static bool is_legal(struct warp *w, const struct op *ip, const struct check_access *access,
		     uint64_t at)
{
	struct hit *hit = (struct hit *)((char *)w->hits + ip->b);

	if (misaligned(access, at))
		return false;
	if (access->shared)
		return cluster_owner(w->cta, cluster_address(w->cta, at), access->size);
	ASSERT(ip->b >= 0 && (size_t)ip->b < sizeof(w->cta->hits) && ip->b % sizeof(*hit) == 0);
	if (at - hit->base >= hit->size &&
	    !memory_find(w, at, access->kind != ACCESS_READ, hit))
		return false;
	return access->size <= hit->size - (at - hit->base);
}

static void report_illegal(struct warp *w, const struct op *ip, const struct check_access *access,
			   uint32_t lanes)
{
	uint64_t at = access->at[__builtin_ctz(lanes)];
	char where[400];

	if (!finding_is_news(w, ip, CHECK_MEM))
		return;
	access_describe(w, ip, access->shared, at, where, sizeof(where));
	finding_add(w, ip, lanes, CHECK_MEM,
		    access_about(misaligned(access, at) ? KIND_MISALIGNED_ADDRESS :
							  KIND_ILLEGAL_ADDRESS, access, at),
		    "%s address: %s of %u bytes at %s",
		    misaligned(access, at) ? "misaligned" : "illegal", access_verb(access->kind),
		    access->size, where);
}

/* The lanes of @lanes that access constants. */
static uint32_t find_constants(const struct check_access *access, uint32_t lanes)
{
	struct block block = { 0 };
	uint32_t found = 0;

	FOR_BITS(l, lanes) {
		const uint64_t at = access->at[l];

		if (at - block.base >= block.size && (!arena_owns(at) || !arena_find(at, &block)))
			block = (struct block){ 0 };
		else if (block.kind == BLOCK_CONSTANT)
			found |= 1u << l;
	}
	return found;
}

/* On a GPU a kernel can write constants by the address that the host knows; kernels that run then
 * may read the old value or the new one. So it is done, and reported. */
static void check_constants(struct warp *w, const struct op *ip,
			    const struct check_access *access, uint32_t lanes)
{
	const uint32_t found = access->kind == ACCESS_READ || access->shared ?
				       0 :
				       find_constants(access, lanes);
	char where[400];

	if (!found || !finding_is_news(w, ip, CHECK_MEM))
		return;
	access_describe(w, ip, false, access->at[__builtin_ctz(found)], where, sizeof(where));
	finding_add(w, ip, found, CHECK_MEM,
		    access_about(KIND_CONSTANT_WRITE, access,
				 access->at[__builtin_ctz(found)]),
		    "%s of %u bytes at %s", access_verb(access->kind), access->size, where);
}

static uint32_t check_mem(struct warp *w, const struct op *ip, const struct check_access *access)
{
	uint32_t illegal = 0;

	FOR_BITS(l, w->mask) {
		if (!is_legal(w, ip, access, access->at[l]))
			illegal |= 1u << l;
	}
	if (illegal)
		report_illegal(w, ip, access, illegal);
	check_constants(w, ip, access, w->mask & ~illegal);
	return w->mask & ~illegal;
}

/* ---- init ------------------------------------------------------------------ */

uint8_t *access_written_at(const struct warp *w, uint64_t at, uint32_t size, bool shared)
{
	const uint64_t address = shared ? cluster_address(w->cta, at) : at;
	const struct cta *owner = cluster_owner(w->cta, address, size);

	if (owner)
		return owner->check->written + (address - (uint64_t)owner->shared);
	if (shared)
		return NULL;
	if (local_has(w->cta, at, size))
		return local_written(w->cta, at, size);
	return shadow_written(at + size - 1) ? shadow_written(at) : NULL;
}

static void report_unwritten(struct warp *w, const struct op *ip, const struct check_access *access,
			     uint32_t lanes)
{
	const bool local = !access->shared &&
			   local_has(w->cta, access->at[__builtin_ctz(lanes)], 1);
	char where[400];

	if (!finding_is_news(w, ip, CHECK_INIT))
		return;
	access_describe(w, ip, access->shared, access->at[__builtin_ctz(lanes)], where,
			sizeof(where));
	finding_add(w, ip, lanes, CHECK_INIT,
		    access_about(KIND_UNINITIALISED, access, access->at[__builtin_ctz(lanes)]),
		    "%s of %u bytes that %s written at %s",
		    access_verb(access->kind), access->size,
		    local ? "the thread has not" : "nothing has", where);
}

/*
 * A bit for each byte, of the first 32, that is not written. Workers share @written, as
 * blocks of kernels share the memory.
 */
static uint32_t find_missing(const uint8_t *written, uint32_t size)
{
	uint32_t missing = 0;

	for (uint32_t i = 0; i < size; i++)
		if (!(__atomic_load_n(&written[i], __ATOMIC_RELAXED) & 1))
			missing |= 1u << (i < 32 ? i : 31);
	return missing;
}

/* Tells whether bytes beside those that lane @l reads are written: these may be a gap then. */
static bool is_beside(const struct warp *w, const struct check_access *access, unsigned l)
{
	const uint8_t *written = access_written_at(w, access->at[l] & ~15ull, 16, access->shared);

	return written && find_missing(written, 16) != 0xffff;
}

/*
 * Lane @l reads bytes of which some, @missing, are unwritten. Tells whether that is a finding
 * now; else the registers that they are loaded to are marked. Compilers read variables before
 * they check whether they need them.
 */
static bool is_finding(const struct warp *w, const struct check_access *access, unsigned l,
		       uint32_t missing)
{
	struct cta_check *check = w->cta->check;
	bool all;

	if (!access->followed)
		return true;
	all = missing == (access->size < 32 ? (1u << access->size) - 1 : ~0u);
	if (all && !access->early && !access->shared &&
	    !local_has(w->cta, access->at[l], access->size) &&
	    !cluster_owner(w->cta, access->at[l], access->size) && !is_beside(w, access, l))
		return true;
	check->missing[l] = missing;
	check->partial |= 1u << l;
	check->missing_all |= (uint32_t)(all && access->size > 1) << l;
	return false;
}

static void note_written(uint8_t *written, uint32_t size)
{
	for (uint32_t i = 0; i < size; i++)
		__atomic_store_n(&written[i], 1, __ATOMIC_RELAXED);
}

static void check_init(struct warp *w, const struct op *ip, const struct check_access *access,
		       uint32_t lanes)
{
	struct cta_check *check = w->cta->check;
	uint32_t unwritten = 0;

	check->partial = check->missing_all = 0;
	FOR_BITS(l, lanes) {
		uint8_t *written = access_written_at(w, access->at[l], access->size,
						     access->shared);
		uint32_t missing;

		if (!written)
			continue;
		missing = access->kind == ACCESS_WRITE ? 0 : find_missing(written, access->size);
		if (missing && is_finding(w, access, l, missing))
			unwritten |= 1u << l;
		if (access->kind != ACCESS_READ)
			note_written(written, access->size);
	}
	if (access->followed) {
		memcpy(check->at, access->at, sizeof(check->at));
		check->at_shared = access->shared;
	}
	if (unwritten)
		report_unwritten(w, ip, access, unwritten);
}

void access_written(const struct warp *w, uint64_t address, uint32_t size)
{
	uint8_t *written;

	if (!(config.check & CHECK_INIT))
		return;
	written = access_written_at(w, address, size, false);
	if (written)
		note_written(written, size);
}

/* A run of any size: the cells of one stripe are locked at a time. */
static void check_long_run(struct warp *w, const struct op *ip, struct check_access access,
			   unsigned lane)
{
	const uint64_t end = access.at[lane] + access.size;
	const uint32_t stripe = 1 << STRIPE_SHIFT;

	for (; access.at[lane] < end; access.at[lane] += access.size) {
		access.size = end - access.at[lane] < stripe ? (uint32_t)(end - access.at[lane]) :
							       stripe;
		race_check(w, ip, &access, 1u << lane);
	}
}

void access_bulk(struct warp *w, const struct op *ip, unsigned lane, uint64_t at, uint32_t size,
		 enum access_kind kind)
{
	struct check_access access = { .size = size, .kind = kind,
				       .strong = kind == ACCESS_ATOMIC };
	uint32_t early = 0;

	if (!(config.check & CHECK_KERNELS))
		return;
	ASSERT(lane < LANES && size);
	access.at[lane] = at;
	if (w->cta->check->in_flight)
		early = async_copy_check(w, ip, &access, 1u << lane);
	if (w->race && !early)
		check_long_run(w, ip, access, lane);
	if (kind != ACCESS_READ)
		access_written(w, at, size);
}

uint32_t access_check(struct warp *w, const struct op *ip, const struct check_access *access)
{
	uint32_t lanes = w->mask, early = 0;

	ASSERT(w->cta->check && lanes && !(lanes & ~w->live));
	if (config.check & CHECK_MEM)
		lanes = check_mem(w, ip, access);
	if (w->cta->check->in_flight)
		early = async_copy_check(w, ip, access, lanes);
	if (config.check & CHECK_INIT)
		check_init(w, ip, access, lanes & ~early);
	if (w->race && !access->ordered)
		race_check(w, ip, access, lanes & ~early);
	return lanes;
}

void access_check_lane(struct warp *w, const struct op *ip, unsigned lane, uint64_t at,
		       uint32_t size, bool shared, bool write)
{
	struct check_access access = { .shared = shared, .size = size,
				       .kind = write ? ACCESS_WRITE : ACCESS_READ };
	uint32_t running = w->mask;

	ASSERT(running >> lane & 1);
	access.at[lane] = at;
	w->mask = 1u << lane;
	access_check(w, ip, &access);
	w->mask = running;
}
