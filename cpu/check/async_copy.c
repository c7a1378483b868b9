/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "async_copy.h"

#include <stdlib.h>
#include <string.h>

#include "asserts.h"
#include "cluster_address.h"
#include "finding.h"
#include "race.h"

enum {
	KINDS = sizeof(((struct cta_check *)0)->copies) /
		sizeof(((struct cta_check *)0)->copies[0]),
	WARPS = 32,
	MOST = 1 << 16, /* of a warp: a warp that waits for none may run for ever */
};

static_assert(WARPS * LANES == DEVICE_MAX_THREADS, "each warp of a block has its copies");
static_assert(KINDS == ASYNC_COPY_LOAD + 1, "so has each kind");

static struct async_copies *copies_of(const struct warp *w, enum async_copy_kind kind)
{
	ASSERT((unsigned)kind < KINDS && w->index < WARPS);
	return &w->cta->check->copies[kind][w->index];
}

void async_copy_clear(struct cta_check *check)
{
	check->in_flight = 0;
	for (unsigned k = 0; k < KINDS; k++)
		for (unsigned i = 0; i < WARPS; i++) {
			check->copies[k][i].count = 0;
			memset(check->copies[k][i].groups, 0, sizeof(check->copies[k][i].groups));
		}
}

void async_copy_release(struct cta_check *check)
{
	for (unsigned k = 0; check && k < KINDS; k++)
		for (unsigned i = 0; i < WARPS; i++)
			free(check->copies[k][i].all);
}

/* Adds @copy; without memory for it, or after MOST others, it is not tracked. */
static bool track_copy(struct cta_check *check, struct async_copies *copies, struct async_copy copy)
{
	const uint32_t capacity = copies->capacity ? 2 * copies->capacity : 64;
	struct async_copy *all;

	ASSERT(copies->count <= copies->capacity && copies->count <= MOST);
	if (copies->count == MOST)
		return false;
	if (copies->count == copies->capacity) {
		all = realloc(copies->all, capacity * sizeof(*all));
		if (!all)
			return false;
		copies->all = all;
		copies->capacity = capacity;
	}
	copies->all[copies->count++] = copy;
	check->in_flight++;
	return true;
}

/* Sets the bits @set, and clears the bits @clear, of each byte of @copy. */
static void mark(struct cta_check *check, const struct async_copy *copy, uint8_t set,
		 uint8_t clear)
{
	uint8_t *written = check->written + copy->offset;

	for (uint32_t i = 0; i < copy->size; i++)
		written[i] = (uint8_t)((written[i] & ~clear) | set);
}

static bool is_followed(void)
{
	return config.check & (CHECK_INIT | CHECK_RACE);
}

void async_copy_begin(struct warp *w, enum async_copy_kind kind, unsigned lane, uint64_t address,
		  uint32_t size)
{
	const uint64_t offset = address - (uint64_t)w->shared;
	struct async_copies *copies;
	struct async_copy copy;

	if (!is_followed() || offset >= w->shared_size || size > w->shared_size - offset)
		return;
	copies = copies_of(w, kind);
	copy = (struct async_copy){ (uint32_t)offset, size, copies->groups[lane], lane, 0 };
	if (!track_copy(w->cta->check, copies, copy))
		return;
	if (kind == ASYNC_COPY_IN)
		mark(w->cta->check, &copy, BYTE_COPY_WRITES, BYTE_WRITTEN);
	else
		mark(w->cta->check, &copy, BYTE_COPY_READS, 0);
}

void async_copy_load(struct warp *w, unsigned lane, uint64_t address, uint32_t size,
		     uint64_t signal)
{
	const struct cta *owner;
	struct async_copy copy;

	if (!is_followed())
		return;
	if (w->race)
		race_fence(w);
	owner = cluster_owner(w->cta, address, size);
	if (!owner || signal & 7 || cluster_owner(w->cta, signal, 8) != owner)
		return;
	copy = (struct async_copy){ (uint32_t)(address - (uint64_t)owner->shared), size,
				  (uint32_t)(*(uint64_t *)signal >> 63), lane, signal };
	if (track_copy(owner->check, &owner->check->copies[ASYNC_COPY_LOAD][0], copy))
		mark(owner->check, &copy, BYTE_COPY_WRITES, BYTE_WRITTEN);
}

void async_copy_complete(const struct warp *w, uint64_t signal, bool odd)
{
	struct cta_check *check = w->cta->check;
	struct async_copies *copies = &check->copies[ASYNC_COPY_LOAD][0];
	uint32_t kept = 0;

	for (uint32_t i = 0; i < copies->count; i++) {
		const struct async_copy copy = copies->all[i];

		if (copy.signal != signal || copy.group != odd) {
			copies->all[kept++] = copy;
			continue;
		}
		mark(check, &copy, BYTE_WRITTEN, BYTE_COPY_WRITES);
		ASSERT(check->in_flight);
		check->in_flight--;
	}
	copies->count = kept;
}

void async_copy_commit(struct warp *w, enum async_copy_kind kind)
{
	struct async_copies *copies = copies_of(w, kind);

	FOR_BITS(l, w->mask)
		copies->groups[l]++;
}

/* Completes @copy: its lane has written, or read, its bytes now. */
static void complete(struct warp *w, const struct op *ip, enum async_copy_kind kind,
		     const struct async_copy *copy)
{
	struct check_access access = { .shared = true, .size = copy->size,
				       .kind = kind == ASYNC_COPY_OUT ? ACCESS_READ :
									ACCESS_WRITE };

	if (kind == ASYNC_COPY_OUT)
		mark(w->cta->check, copy, 0, BYTE_COPY_READS);
	else
		mark(w->cta->check, copy, BYTE_WRITTEN, BYTE_COPY_WRITES);
	ASSERT(w->cta->check->in_flight && copy->lane < LANES);
	w->cta->check->in_flight--;
	access.at[copy->lane] = copy->offset;
	if (w->race)
		race_check(w, ip, &access, 1u << copy->lane);
}

/* Completes the copies of each running lane that are of groups below @below[lane]. */
static void complete_groups(struct warp *w, const struct op *ip, enum async_copy_kind kind,
			    const uint32_t below[LANES])
{
	struct async_copies *copies = copies_of(w, kind);
	uint32_t kept = 0;

	for (uint32_t i = 0; i < copies->count; i++) {
		const struct async_copy copy = copies->all[i];

		if (w->mask >> copy.lane & 1 && copy.group < below[copy.lane])
			complete(w, ip, kind, &copy);
		else
			copies->all[kept++] = copy;
	}
	copies->count = kept;
}

void async_copy_wait(struct warp *w, const struct op *ip, enum async_copy_kind kind,
		     uint32_t newest)
{
	const struct async_copies *copies = copies_of(w, kind);
	uint32_t below[LANES];

	for (unsigned l = 0; l < LANES; l++)
		below[l] = copies->groups[l] > newest ? copies->groups[l] - newest : 0;
	complete_groups(w, ip, kind, below);
}

void async_copy_wait_all(struct warp *w, const struct op *ip, enum async_copy_kind kind)
{
	uint32_t below[LANES];

	memset(below, 0xff, sizeof(below));
	complete_groups(w, ip, kind, below);
}

/* ---- Findings ------------------------------------------------------------------- */

/* Which copy uses @size bytes at @offset of shared memory: a text after "which". */
static void describe(const struct warp *w, uint64_t offset, uint32_t size, char *text, size_t room)
{
	static const char *const texts[KINDS] = {
		[ASYNC_COPY_IN] = "thread (%u,%u,%u) fills by cp.async and has not waited for",
		[ASYNC_COPY_OUT] = "thread (%u,%u,%u) stores by cp.async.bulk and has not waited "
				   "for",
		[ASYNC_COPY_LOAD] = "a bulk copy fills and no thread has waited for at its "
				    "mbarrier",
	};
	const uint32_t *block = w->cta->launch->block;

	for (unsigned k = 0; k < KINDS; k++)
		for (uint32_t i = 0; i < WARPS; i++) {
			const struct async_copies *copies = &w->cta->check->copies[k][i];

			for (uint32_t n = 0; n < copies->count; n++) {
				const struct async_copy *copy = &copies->all[n];
				const uint32_t thread = i * LANES + copy->lane;

				if (copy->offset < offset + size &&
				    offset < copy->offset + copy->size)
					snprintf(text, room, texts[k], thread % block[0],
						 thread / block[0] % block[1],
						 thread / block[0] / block[1]);
			}
		}
}

static bool is_in_flight(const struct warp *w, uint64_t offset, uint32_t size,
			 enum access_kind kind)
{
	const uint8_t *written = w->cta->check->written;
	uint8_t any = 0;

	if (offset >= w->shared_size || size > w->shared_size - offset)
		return false;
	for (uint32_t i = 0; i < size; i++)
		any |= written[offset + i];
	return any & (kind == ACCESS_READ ? BYTE_COPY_WRITES : BYTE_COPY_WRITES | BYTE_COPY_READS);
}

uint32_t async_copy_check(struct warp *w, const struct op *ip, const struct check_access *access,
			  uint32_t lanes)
{
	const enum check check = config.check & CHECK_RACE ? CHECK_RACE : CHECK_INIT;
	const uint64_t base = access->shared ? 0 : (uint64_t)w->shared;
	char what[128] = "a copy is in progress to";
	uint32_t early = 0;
	uint64_t offset;

	FOR_BITS(l, lanes) {
		if (is_in_flight(w, access->at[l] - base, access->size, access->kind))
			early |= 1u << l;
	}
	if (!early || !finding_is_news(w, ip, check))
		return early;
	offset = access->at[__builtin_ctz(early)] - base;
	describe(w, offset, access->size, what, sizeof(what));
	finding_add(w, ip, early, check,
		    about_shared(KIND_ASYNC_COPY, access_name(access->kind), access->size, offset),
		    "%s of %u bytes at %#llx of shared memory, which %s",
		    access_verb(access->kind), access->size, (unsigned long long)offset, what);
	return early;
}
