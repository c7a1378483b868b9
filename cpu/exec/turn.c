/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "turn.h"

#include "asserts.h"
#include "config.h"
#include "warp.h"

/* How many back-edges a group runs while others wait; any number is correct. */
static uint32_t random_patience(void)
{
	static _Thread_local uint64_t state;

	state = state * 6364136223846793005u + 2 * config.seed + 1;
	return (uint32_t)(state >> 33) % 4;
}

void turn_grant(struct warp *w, int32_t budget)
{
	ASSERT(budget > 0);
	w->granted = budget;
	w->budget = budget - 1; /* the last one makes it -1 */
}

/* Loops that read nothing another thread may have to write do not wait; compiled ones are not
 * interrupted to look for that: all of their slice is one part. */
int32_t turn_part(const struct cta *cta)
{
	return cta->code->region && !cta->code->awaits ? SLICE : DOUBT;
}

void turn_begin(struct cta *cta, struct warp *w)
{
	w->spin = 0;
	w->patience = config.random_schedule ? random_patience() : PATIENCE;
	cta->spent += TURN;
	turn_grant(w, cta->part);
}

/* Steps from the warp that is next in this round to the one behind it. */
static inline struct warp *step(struct cta *cta)
{
	struct progress *progress = &cta->progress;
	struct warp *w = &cta->warps[progress->next];

	ASSERT(progress->unseen && progress->next < cta->warp_count);
	progress->unseen--;
	if (++progress->next == cta->warp_count)
		progress->next = 0;
	return w;
}

struct warp *turn_next(struct cta *cta)
{
	while (cta->progress.unseen) {
		struct warp *w = step(cta);

		if (w->group_count && (w->groups[0].state == GROUP_READY || warp_ready(w)))
			return w;
	}
	return NULL;
}

const struct op *cta_turn(struct cta *cta)
{
	const uint32_t spent = turn_spent(cta, cta->now);
	struct warp *next;

	ASSERT(!cta->now->mask);
	if (!cta->turns || spent >= cta->slice || !cta->live)
		return &cta->code->ops[0]; /* halt */
	next = turn_next(cta);
	if (!next)
		return &cta->code->ops[0]; /* halt */
	cta->spent = spent;
	turn_begin(cta, next);
	turn_to(cta, next);
	return warp_is_whole(next) ? warp_run_whole(next, next->groups[0].pc) : warp_next(next);
}
