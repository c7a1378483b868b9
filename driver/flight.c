/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "flight.h"

#include <stdlib.h>
#include <string.h>

#include "finding.h"
#include "race.h"

static struct flights *flights_of(const struct warp *w)
{
	return &w->cta->check->flights[w->index];
}

void flight_clear(struct cta_check *check)
{
	check->coming = 0;
	for (unsigned i = 0; i < sizeof(check->flights) / sizeof(check->flights[0]); i++) {
		check->flights[i].count = 0;
		memset(check->flights[i].groups, 0, sizeof(check->flights[i].groups));
	}
}

void flight_release(struct cta_check *check)
{
	for (unsigned i = 0; check && i < sizeof(check->flights) / sizeof(check->flights[0]); i++)
		free(check->flights[i].all);
}

/* Room for one more; false without memory. */
static bool grow(struct flights *flights)
{
	const uint32_t capacity = flights->capacity ? 2 * flights->capacity : 64;
	struct flight *all;

	if (flights->count < flights->capacity)
		return true;
	all = realloc(flights->all, capacity * sizeof(*all));
	if (!all)
		return false;
	flights->all = all;
	flights->capacity = capacity;
	return true;
}

/* Without memory for it, a copy is there at once. */
void flight_begin(struct warp *w, unsigned lane, uint64_t address, uint32_t size)
{
	const uint64_t offset = address - (uint64_t)w->shared;
	struct flights *flights = flights_of(w);

	if (!flight_followed() || offset >= w->shared_size || size > w->shared_size - offset ||
	    !grow(flights))
		return;
	flights->all[flights->count++] = (struct flight){ (uint32_t)offset, size,
							  flights->groups[lane], lane };
	memset(w->cta->check->written + offset, BYTE_COMING, size);
	w->cta->check->coming++;
}

void flight_commit(struct warp *w)
{
	struct flights *flights = flights_of(w);

	for (uint32_t m = w->mask; m; m &= m - 1)
		flights->groups[__builtin_ctz(m)]++;
}

/* The bytes of @flight are written, by its lane and now. */
static void arrive(struct warp *w, const struct op *ip, const struct flight *flight)
{
	struct check_access access = { .shared = true, .kind = ACCESS_WRITE,
				       .size = flight->size };

	memset(w->cta->check->written + flight->offset, BYTE_WRITTEN, flight->size);
	w->cta->check->coming--;
	access.at[flight->lane] = flight->offset;
	if (w->race)
		race_check(w, ip, &access, 1u << flight->lane);
}

/* Ends the copies of each running lane that are of groups below @below[lane]. */
static void end(struct warp *w, const struct op *ip, const uint32_t below[LANES])
{
	struct flights *flights = flights_of(w);
	uint32_t kept = 0;

	for (uint32_t i = 0; i < flights->count; i++) {
		const struct flight *flight = &flights->all[i];

		if (w->mask >> flight->lane & 1 && flight->group < below[flight->lane])
			arrive(w, ip, flight);
		else
			flights->all[kept++] = *flight;
	}
	flights->count = kept;
}

void flight_wait(struct warp *w, const struct op *ip, uint32_t newest)
{
	const struct flights *flights = flights_of(w);
	uint32_t below[LANES];

	for (unsigned l = 0; l < LANES; l++)
		below[l] = flights->groups[l] > newest ? flights->groups[l] - newest : 0;
	end(w, ip, below);
}

void flight_wait_all(struct warp *w, const struct op *ip)
{
	uint32_t below[LANES];

	memset(below, 0xff, sizeof(below));
	end(w, ip, below);
}

/* ---- Findings ------------------------------------------------------------------- */

/* "thread (1,0,0)", which copies to @offset of shared memory. */
static void describe(const struct warp *w, uint64_t offset, uint32_t size, char *text, size_t room)
{
	const uint32_t *block = w->cta->launch->block;
	uint32_t thread = 0;

	for (uint32_t i = 0; i < w->cta->warp_count; i++) {
		const struct flights *flights = &w->cta->check->flights[i];

		for (uint32_t k = 0; k < flights->count; k++)
			if (flights->all[k].offset < offset + size &&
			    offset < flights->all[k].offset + flights->all[k].size)
				thread = i * LANES + flights->all[k].lane;
	}
	snprintf(text, room, "thread (%u,%u,%u)", thread % block[0],
		 thread / block[0] % block[1], thread / block[0] / block[1]);
}

static bool is_coming(const struct warp *w, uint64_t offset, uint32_t size)
{
	const uint8_t *written = w->cta->check->written;
	uint8_t any = 0;

	if (offset >= w->shared_size || size > w->shared_size - offset)
		return false;
	for (uint32_t i = 0; i < size; i++)
		any |= written[offset + i];
	return any & BYTE_COMING;
}

uint32_t flight_meet(struct warp *w, const struct op *ip, const struct check_access *access,
		     uint32_t lanes)
{
	static const char *const verbs[] = { "read", "write", "atomic operation" };
	const enum check check = config.check & CHECK_RACE ? CHECK_RACE : CHECK_INIT;
	const uint64_t base = access->shared ? 0 : (uint64_t)w->shared;
	uint32_t early = 0;
	uint64_t offset;
	char thread[64];

	for (uint32_t m = lanes; m; m &= m - 1) {
		unsigned l = (unsigned)__builtin_ctz(m);

		if (is_coming(w, access->at[l] - base, access->size))
			early |= 1u << l;
	}
	if (!early || !finding_is_news(w, ip, check))
		return early;
	offset = access->at[__builtin_ctz(early)] - base;
	describe(w, offset, access->size, thread, sizeof(thread));
	finding_add(w, ip, early, check,
		    "%s of %u bytes at %#llx of shared memory, to which %s copies by cp.async "
		    "and has not waited for it", verbs[access->kind], access->size,
		    (unsigned long long)offset, thread);
	return early;
}
