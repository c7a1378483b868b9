/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Barriers of the threads of a CTA. The thread that completes one makes the groups
 * that wait at it ready, and writes the result of a reduction for all of them.
 */
#include "asserts.h"
#include "config.h"
#include "device_limits.h"
#include "race.h"
#include "sync.h"
#include "turn.h"
#include "warp.h"

/* Threads that count as arrived: with a warp also its lanes that have exited or do not exist. */
static uint32_t arrived(const struct cta *cta, uint32_t id)
{
	const struct barrier *barrier = &cta->progress.barriers[id];
	uint32_t count = barrier->arrived;

	ASSERT(id < BARRIERS);
	if (!barrier->expected)
		return count;
	for (uint32_t i = 0; i < cta->warp_count; i++) {
		const struct warp *w = &cta->warps[i];

		for (uint32_t k = 0; k < w->group_count; k++) {
			if (w->groups[k].state == GROUP_BARRIER + id &&
			    !(barrier->counted >> i & 1)) {
				count += LANES - warp_lanes(w->live);
				break;
			}
		}
	}
	return count;
}

/* Writes the result of the reduction for the lanes in @mask, which wait at it by @op. */
static void write_result(const struct barrier *barrier, struct warp *w, const struct op *op,
			 uint32_t mask)
{
	uint32_t *d = (uint32_t *)(w->rows + op->d);
	bool truth = barrier->trues == barrier->reduced;

	ASSERT(mask && !(mask & ~w->live));
	ASSERT(barrier->trues <= barrier->reduced && barrier->reduced <= barrier->arrived);
	switch (op->imm & BARRIER_KIND) {
	case BARRIER_POPC:
		FOR_BITS(l, mask)
			d[l] = barrier->trues;
		break;
	case BARRIER_OR:
		truth = barrier->trues != 0;
		__attribute__((fallthrough));
	case BARRIER_AND:
		*d = (*d & ~mask) | (truth ? mask : 0);
		break;
	default:
		break;
	}
}

/* Makes the groups ready that wait at barrier @id, which is free again. */
static void release_waiting(struct cta *cta, uint32_t id)
{
	struct barrier *barrier = &cta->progress.barriers[id];

	for (uint32_t i = 0; i < cta->warp_count; i++) {
		struct warp *w = &cta->warps[i];

		for (uint32_t k = 0; k < w->group_count; k++) {
			if (w->groups[k].state != GROUP_BARRIER + id)
				continue;
			if (barrier->reduced)
				write_result(barrier, w, w->groups[k].pc - 1, w->groups[k].mask);
			w->groups[k].state = GROUP_READY;
		}
	}
	*barrier = (struct barrier){ 0 };
	cta->progress.barriers_used &= ~(1u << id);
}

static void check_barrier(struct cta *cta, uint32_t id)
{
	struct barrier *barrier = &cta->progress.barriers[id];

	ASSERT(cta->progress.barriers_used >> id & 1);
	if (arrived(cta, id) < (barrier->expected ? barrier->expected : cta->live))
		return;
	if (cta->race)
		race_barrier(cta, id);
	release_waiting(cta, id);
}

void cta_check_barriers(struct cta *cta)
{
	ASSERT(!(cta->progress.barriers_used >> BARRIERS));
	FOR_BITS(id, cta->progress.barriers_used)
		check_barrier(cta, id);
}

/* Element @l of the operand at @at: of a row, or a slot's value. */
static uint32_t element(const struct warp *w, int32_t at, bool row, unsigned l)
{
	return ((const uint32_t *)(w->rows + at))[row ? l : 0];
}

/* Splits off the running lanes that name another barrier than lane @first; they run later. */
static void split_off_others(struct warp *w, const struct op *ip, unsigned first)
{
	uint32_t other = 0;

	FOR_BITS(l, ip->c ? w->mask : 0) {
		if (element(w, ip->a, ip->c & 1, l) != element(w, ip->a, ip->c & 1, first) ||
		    element(w, ip->b, ip->c & 2, l) != element(w, ip->b, ip->c & 2, first))
			other |= 1u << l;
	}
	if (!other)
		return;
	warp_wait(w, ip, other, GROUP_READY, 0);
	warp_set_mask(w, w->mask & ~other);
	w->rotated = true;
}

/* Counts the running lanes, which may be the last of their warp that ever arrive. */
static void arrive(struct warp *w, const struct op *ip, struct barrier *barrier)
{
	unsigned kind = ip->imm & BARRIER_KIND;
	uint32_t here = warp_lanes(w->mask);

	ASSERT(here && kind <= BARRIER_OR && w->index < w->cta->warp_count);
	barrier->arrived += here;
	if (kind == BARRIER_ARRIVE && !(barrier->counted >> w->index & 1)) {
		barrier->counted |= 1u << w->index;
		barrier->arrived += LANES - warp_lanes(w->live);
	}
	if (kind >= BARRIER_POPC) {
		const uint32_t *p = (const uint32_t *)(w->rows + (ip->imm >> BARRIER_SHIFT));

		barrier->reduced += here;
		barrier->trues += (uint32_t)__builtin_popcount(*p & w->mask);
	}
}

/*
 * Tells whether there is a barrier @id for @count threads; faults if not. An H100 traps for parts
 * of a warp, for none in an arrive, and for more than a block can have; for more than this block
 * has it waits for ever, unless it only arrives. In a register it ignores the bits of a number
 * above 15 and of a count above 4095, which PTX does not allow: here they are an error.
 */
static bool is_possible(struct warp *w, const struct op *ip, uint32_t id, uint32_t count)
{
	const uint32_t present = w->cta->warp_count * LANES;
	const bool arrives = (ip->imm & BARRIER_KIND) == BARRIER_ARRIVE;

	if (id >= BARRIERS)
		fault_set(w, ip, w->mask, ABOUT(BARRIER), "barrier %u does not exist", id);
	else if (count % LANES || (arrives && !count))
		fault_set(w, ip, w->mask, ABOUT(BARRIER),
			  "barrier %u for %u threads, which are no whole warps", id, count);
	else if (count > DEVICE_MAX_THREADS)
		fault_set(w, ip, w->mask, ABOUT(BARRIER),
			  "barrier %u for %u threads, where a block has at most %d", id, count,
			  DEVICE_MAX_THREADS);
	else if (count > present && !arrives)
		fault_set(w, ip, w->mask, ABOUT(DEADLOCK),
			  "deadlock: barrier %u waits for %u threads, where the block has at "
			  "most %u", id, count, present);
	else
		return true;
	return false;
}

/*
 * All of the last warp arrive at the barrier @ip, where the others of the block wait. Not inlined,
 * as what follows: the usual barrier needs few registers.
 */
static __attribute__((noinline)) const struct op *arrive_last(struct warp *w, const struct op *ip,
							      uint32_t id)
{
	release_waiting(w->cta, id);
	return warp_run_whole(w, ip + 1);
}

/* Any barrier. */
static __attribute__((noinline)) const struct op *any_barrier(struct warp *w, const struct op *ip)
{
	unsigned first = (unsigned)__builtin_ctz(w->mask);
	uint32_t id = element(w, ip->a, ip->c & 1, first);
	uint32_t count = element(w, ip->b, ip->c & 2, first);
	struct cta *cta = w->cta;
	const struct op *next = NULL;

	ASSERT(w->mask && !w->split);
	if (!is_possible(w, ip, id, count))
		return cta->code->ops;
	if (config.check & CHECK_SYNC && ip->imm & BARRIER_ALIGNED && !sync_together(w, ip))
		next = warp_gather(w, ip, ~0u);
	if (next)
		return next;
	if (config.check & CHECK_SYNC && count > cta->warp_count * LANES)
		sync_unmet(w, ip, id, count);
	split_off_others(w, ip, first);
	arrive(w, ip, &cta->progress.barriers[id]);
	cta->progress.barriers[id].expected = count;
	cta->progress.barriers_used |= 1u << id;
	if (w->race && (ip->imm & BARRIER_KIND) == BARRIER_ARRIVE)
		race_arrive(w, id);
	if ((ip->imm & BARRIER_KIND) == BARRIER_ARRIVE) {
		check_barrier(cta, id);
		return warp_schedule(w, ip + 1);
	}
	warp_wait(w, ip + 1, w->mask, GROUP_BARRIER + id, 0);
	w->mask = 0;
	check_barrier(cta, id);
	return warp_next(w);
}

/*
 * @count, or LANES, live lanes arrive at barrier @id, which is for all threads of the block: all of
 * a warp.
 */
static inline const struct op *arrive_whole(struct warp *w, const struct op *ip, uint32_t id,
					    uint32_t count)
{
	struct cta *cta = w->cta;
	struct barrier *barrier = &cta->progress.barriers[id];
	const uint32_t here = barrier->arrived + count;
	const struct op *next;

	barrier->expected = 0;
	if (here >= cta->live)
		return arrive_last(w, ip, id);
	barrier->arrived = here;
	cta->progress.barriers_used |= 1u << id;
	warp_wait_whole(w, ip + 1, GROUP_BARRIER + id, 0);
	w->mask = 0;
	next = turn_usual(cta);
	return next ? next : cta_turn(cta);
}

static __attribute__((noinline)) const struct op *arrive_partial(struct warp *w,
								 const struct op *ip, uint32_t id)
{
	return arrive_whole(w, ip, id, warp_lanes(w->live));
}

const struct op *cta_barrier(struct warp *w, const struct op *ip)
{
	const uint32_t id = element(w, ip->a, false, 0), count = element(w, ip->b, false, 0);

	if (w->mask != w->live || (ip->imm & BARRIER_KIND) != BARRIER_SYNC || ip->c || count ||
	    id >= BARRIERS || config.check)
		return any_barrier(w, ip);
	if (w->live != UINT32_MAX)
		return arrive_partial(w, ip, id);
	return arrive_whole(w, ip, id, LANES);
}
