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

static inline void begin_slice(struct cta *cta, struct warp *w, uint32_t patience)
{
	w->spin = 0;
	w->patience = patience;
	cta->spent += TURN;
	turn_grant(w, is_one_part(cta) ? SLICE : DOUBT);
}

void turn_begin(struct cta *cta, struct warp *w)
{
	begin_slice(cta, w, config.random_schedule ? random_patience() : PATIENCE);
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

/* @next runs from here on, in a slice that has begun. */
static inline void change_to(struct cta *cta, struct warp *next)
{
	next->mode = cta->now->mode;
	next->running = true;
	cta->now = next;
}

/* Not inlined: the usual way through cta_turn() needs few registers. */
static __attribute__((noinline)) const struct op *turn_to_any(struct cta *cta, uint32_t spent)
{
	struct warp *next = turn_next(cta);

	if (!next)
		return &cta->code->ops[0]; /* halt */
	cta->spent = spent;
	turn_begin(cta, next);
	change_to(cta, next);
	return warp_is_whole(next) ? warp_run_whole(next, next->groups[0].pc) : warp_next(next);
}

const struct op *cta_turn(struct cta *cta)
{
	struct warp *next = &cta->warps[cta->progress.next];
	const uint32_t spent = turn_spent(cta, cta->now);

	ASSERT(!cta->now->mask);
	if (!cta->turns || spent >= cta->slice || !cta->live)
		return &cta->code->ops[0]; /* halt */
	if (!cta->progress.unseen || !warp_is_whole(next) || config.random_schedule)
		return turn_to_any(cta, spent);
	step(cta);
	cta->spent = spent;
	begin_slice(cta, next, PATIENCE);
	change_to(cta, next);
	return warp_run_whole(next, next->groups[0].pc);
}
