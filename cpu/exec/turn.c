/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "turn.h"

#include "asserts.h"
#include "config.h"
#include "warp.h"

enum {
	TURN = 1,      /* what a slice takes, besides, of that of its CTA: between barriers there
			* is little to do, often */
	PATIENCE = 64, /* back-edges of a group while others of its warp wait */
};

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

uint32_t turn_spent(const struct cta *cta, const struct warp *w)
{
	return cta->spent + (uint32_t)(w->granted - (w->budget < 0 ? 0 : w->budget + 1)) / 4;
}

/* Tells whether all of a time slice is one part. Loops that read nothing another thread may have to
 * write do not wait; compiled ones are not interrupted to look for that. */
static bool is_one_part(const struct cta *cta)
{
	return cta->code->region && !cta->code->awaits;
}

void turn_begin(struct cta *cta, struct warp *w)
{
	w->spin = 0;
	w->patience = config.random_schedule ? random_patience() : PATIENCE;
	cta->spent += TURN;
	turn_grant(w, is_one_part(cta) ? SLICE : DOUBT);
}

struct warp *turn_next(struct cta *cta)
{
	struct progress *progress = &cta->progress;

	while (progress->unseen) {
		struct warp *w = &cta->warps[progress->next];

		ASSERT(progress->next < cta->warp_count);
		progress->unseen--;
		if (++progress->next == cta->warp_count)
			progress->next = 0;
		if (w->group_count && (w->groups[0].state == GROUP_READY || warp_ready(w)))
			return w;
	}
	return NULL;
}

const struct op *cta_turn(struct cta *cta)
{
	struct warp *w = cta->now, *next;
	const uint32_t spent = turn_spent(cta, w);

	ASSERT(!w->mask);
	next = cta->turns && spent < cta->slice && cta->live ? turn_next(cta) : NULL;
	if (!next)
		return &cta->code->ops[0]; /* halt */
	cta->spent = spent;
	turn_begin(cta, next);
	next->mode = w->mode;
	next->running = true;
	cta->now = next;
	return warp_is_whole(next) ? warp_run_whole(next, next->groups[0].pc) : warp_next(next);
}
