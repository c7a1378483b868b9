/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "flight.h"

#include <stdlib.h>
#include <string.h>

#include "cluster_address.h"
#include "finding.h"
#include "race.h"

enum {
	KINDS = sizeof(((struct cta_check *)0)->flights) /
		sizeof(((struct cta_check *)0)->flights[0]),
	WARPS = 32,
	MOST = 1 << 16, /* of a warp: one that waits for none may go on for ever */
};

static struct flights *flights_of(const struct warp *w, enum flight_kind kind)
{
	return &w->cta->check->flights[kind][w->index];
}

void flight_clear(struct cta_check *check)
{
	check->under_way = 0;
	for (unsigned k = 0; k < KINDS; k++)
		for (unsigned i = 0; i < WARPS; i++) {
			check->flights[k][i].count = 0;
			memset(check->flights[k][i].groups, 0, sizeof(check->flights[k][i].groups));
		}
}

void flight_release(struct cta_check *check)
{
	for (unsigned k = 0; check && k < KINDS; k++)
		for (unsigned i = 0; i < WARPS; i++)
			free(check->flights[k][i].all);
}

/* Adds @flight; without memory for it, or behind MOST others, it is over at once. */
static bool add(struct cta_check *check, struct flights *flights, struct flight flight)
{
	const uint32_t capacity = flights->capacity ? 2 * flights->capacity : 64;
	struct flight *all;

	if (flights->count == MOST)
		return false;
	if (flights->count == flights->capacity) {
		all = realloc(flights->all, capacity * sizeof(*all));
		if (!all)
			return false;
		flights->all = all;
		flights->capacity = capacity;
	}
	flights->all[flights->count++] = flight;
	check->under_way++;
	return true;
}

/* Adds @set to what is known of each byte of @flight, and takes @clear from it. */
static void mark(struct cta_check *check, const struct flight *flight, uint8_t set, uint8_t clear)
{
	uint8_t *written = check->written + flight->offset;

	for (uint32_t i = 0; i < flight->size; i++)
		written[i] = (uint8_t)((written[i] & ~clear) | set);
}

static bool is_followed(void)
{
	return config.check & (CHECK_INIT | CHECK_RACE);
}

void flight_begin(struct warp *w, enum flight_kind kind, unsigned lane, uint64_t address,
		  uint32_t size)
{
	const uint64_t offset = address - (uint64_t)w->shared;
	struct flights *flights;
	struct flight flight;

	if (!is_followed() || offset >= w->shared_size || size > w->shared_size - offset)
		return;
	flights = flights_of(w, kind);
	flight = (struct flight){ (uint32_t)offset, size, flights->groups[lane], lane, 0 };
	if (!add(w->cta->check, flights, flight))
		return;
	if (kind == FLIGHT_IN)
		mark(w->cta->check, &flight, BYTE_COMING, BYTE_WRITTEN);
	else
		mark(w->cta->check, &flight, BYTE_LEAVING, 0);
}

void flight_load(struct warp *w, unsigned lane, uint64_t address, uint32_t size, uint64_t signal)
{
	const struct cta *owner;
	struct flight flight;

	if (!is_followed())
		return;
	if (w->race)
		race_fence(w);
	owner = cluster_owner(w->cta, address, size);
	if (!owner || signal & 7 || cluster_owner(w->cta, signal, 8) != owner)
		return;
	flight = (struct flight){ (uint32_t)(address - (uint64_t)owner->shared), size,
				  (uint32_t)(*(uint64_t *)signal >> 63), lane, signal };
	if (add(owner->check, &owner->check->flights[FLIGHT_LOAD][0], flight))
		mark(owner->check, &flight, BYTE_COMING, BYTE_WRITTEN);
}

void flight_land(const struct warp *w, uint64_t signal, bool odd)
{
	struct cta_check *check = w->cta->check;
	struct flights *flights = &check->flights[FLIGHT_LOAD][0];
	uint32_t kept = 0;

	for (uint32_t i = 0; i < flights->count; i++) {
		const struct flight flight = flights->all[i];

		if (flight.signal != signal || flight.group != odd) {
			flights->all[kept++] = flight;
			continue;
		}
		mark(check, &flight, BYTE_WRITTEN, BYTE_COMING);
		check->under_way--;
	}
	flights->count = kept;
}

void flight_commit(struct warp *w, enum flight_kind kind)
{
	struct flights *flights = flights_of(w, kind);

	for (uint32_t m = w->mask; m; m &= m - 1)
		flights->groups[__builtin_ctz(m)]++;
}

/* The bytes of @flight are written, or read, by its lane and now. */
static void arrive(struct warp *w, const struct op *ip, enum flight_kind kind,
		   const struct flight *flight)
{
	struct check_access access = { .shared = true, .size = flight->size,
				       .kind = kind == FLIGHT_OUT ? ACCESS_READ : ACCESS_WRITE };

	if (kind == FLIGHT_OUT)
		mark(w->cta->check, flight, 0, BYTE_LEAVING);
	else
		mark(w->cta->check, flight, BYTE_WRITTEN, BYTE_COMING);
	w->cta->check->under_way--;
	access.at[flight->lane] = flight->offset;
	if (w->race)
		race_check(w, ip, &access, 1u << flight->lane);
}

/* Ends the copies of each running lane that are of groups below @below[lane]. */
static void end(struct warp *w, const struct op *ip, enum flight_kind kind,
		const uint32_t below[LANES])
{
	struct flights *flights = flights_of(w, kind);
	uint32_t kept = 0;

	for (uint32_t i = 0; i < flights->count; i++) {
		const struct flight flight = flights->all[i];

		if (w->mask >> flight.lane & 1 && flight.group < below[flight.lane])
			arrive(w, ip, kind, &flight);
		else
			flights->all[kept++] = flight;
	}
	flights->count = kept;
}

void flight_wait(struct warp *w, const struct op *ip, enum flight_kind kind, uint32_t newest)
{
	const struct flights *flights = flights_of(w, kind);
	uint32_t below[LANES];

	for (unsigned l = 0; l < LANES; l++)
		below[l] = flights->groups[l] > newest ? flights->groups[l] - newest : 0;
	end(w, ip, kind, below);
}

void flight_wait_all(struct warp *w, const struct op *ip, enum flight_kind kind)
{
	uint32_t below[LANES];

	memset(below, 0xff, sizeof(below));
	end(w, ip, kind, below);
}

/* ---- Findings ------------------------------------------------------------------- */

/* What goes on with @size bytes at @offset of shared memory: a text after "which". */
static void describe(const struct warp *w, uint64_t offset, uint32_t size, char *text, size_t room)
{
	static const char *const texts[KINDS] = {
		[FLIGHT_IN] = "thread (%u,%u,%u) fills by cp.async and has not waited for",
		[FLIGHT_OUT] = "thread (%u,%u,%u) stores by cp.async.bulk and has not waited for",
		[FLIGHT_LOAD] = "a bulk copy fills and nobody has waited for at its mbarrier",
	};
	const uint32_t *block = w->cta->launch->block;

	for (unsigned k = 0; k < KINDS; k++)
		for (uint32_t i = 0; i < WARPS; i++) {
			const struct flights *flights = &w->cta->check->flights[k][i];

			for (uint32_t n = 0; n < flights->count; n++) {
				const struct flight *flight = &flights->all[n];
				const uint32_t thread = i * LANES + flight->lane;

				if (flight->offset < offset + size &&
				    offset < flight->offset + flight->size)
					snprintf(text, room, texts[k], thread % block[0],
						 thread / block[0] % block[1],
						 thread / block[0] / block[1]);
			}
		}
}

static bool is_disturbed(const struct warp *w, uint64_t offset, uint32_t size,
			 enum access_kind kind)
{
	const uint8_t *written = w->cta->check->written;
	uint8_t any = 0;

	if (offset >= w->shared_size || size > w->shared_size - offset)
		return false;
	for (uint32_t i = 0; i < size; i++)
		any |= written[offset + i];
	return any & (kind == ACCESS_READ ? BYTE_COMING : BYTE_COMING | BYTE_LEAVING);
}

uint32_t flight_meet(struct warp *w, const struct op *ip, const struct check_access *access,
		     uint32_t lanes)
{
	static const char *const verbs[] = { "read", "write", "atomic operation" };
	const enum check check = config.check & CHECK_RACE ? CHECK_RACE : CHECK_INIT;
	const uint64_t base = access->shared ? 0 : (uint64_t)w->shared;
	char what[128] = "a copy is under way to";
	uint32_t early = 0;
	uint64_t offset;

	for (uint32_t m = lanes; m; m &= m - 1) {
		unsigned l = (unsigned)__builtin_ctz(m);

		if (is_disturbed(w, access->at[l] - base, access->size, access->kind))
			early |= 1u << l;
	}
	if (!early || !finding_is_news(w, ip, check))
		return early;
	offset = access->at[__builtin_ctz(early)] - base;
	describe(w, offset, access->size, what, sizeof(what));
	finding_add(w, ip, early, check, "%s of %u bytes at %#llx of shared memory, which %s",
		    verbs[access->kind], access->size, (unsigned long long)offset, what);
	return early;
}
