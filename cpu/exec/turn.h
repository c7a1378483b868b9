/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which warp of a CTA runs next, and for how long: a time slice is so many back-edges and calls. A
 * slice of three parts has as many as one of one part: in which order threads run does not depend
 * on when their code was compiled. Of one thread at a time for a CTA; cta_turn() is in warp.h.
 */
#ifndef CPU_TURN_H
#define CPU_TURN_H

#include "warp.h"

enum {
	TURN = 1,      /* what a slice takes, besides, of that of its CTA: between barriers there
			* is little to do, often */
	PATIENCE = 64, /* back-edges of a group while others of its warp wait */
	/* Back-edges and calls: multiples of 4, of which spent counts one. */
	SLICE = 4096,  /* in the time slice of a warp */
	DOUBT = 128,   /* in its first part; then it is tested whether the warp only waits */
};

/* Begins a slice of @w, or its first part. */
void turn_begin(struct cta *cta, struct warp *w);

/* Begins a part of a slice, of @budget back-edges. */
void turn_grant(struct warp *w, int32_t budget);

/* The next warp in turn that can run; NULL: all had their turn in this round. */
struct warp *turn_next(struct cta *cta);

/* How many back-edges the first part of a slice has. */
int32_t turn_part(const struct cta *cta);

/* What @cta has spent when @w ends its slice, or a part of it. */
static inline uint32_t turn_spent(const struct cta *cta, const struct warp *w)
{
	return cta->spent + (uint32_t)(w->granted - (w->budget < 0 ? 0 : w->budget + 1)) / 4;
}

/* @next runs from here on, in a slice that has begun. */
static inline void turn_to(struct cta *cta, struct warp *next)
{
	next->mode = cta->now->mode;
	next->running = true;
	cta->now = next;
}

/* As cta_turn() in the usual case: the next warp is whole. NULL: it is another one, and nothing is
 * done. */
static inline const struct op *turn_usual(struct cta *cta)
{
	struct progress *progress = &cta->progress;
	struct warp *next = &cta->warps[progress->next];
	const uint32_t spent = turn_spent(cta, cta->now);

	if (!cta->in_order || spent >= cta->slice || !progress->unseen || !warp_is_whole(next))
		return NULL;
	ASSERT(!cta->now->mask && progress->next < cta->warp_count);
	progress->unseen--;
	progress->next = progress->next + 1 == cta->warp_count ? 0 : progress->next + 1;
	cta->spent = spent + TURN;
	next->spin = 0;
	next->patience = PATIENCE;
	next->granted = cta->part;
	next->budget = cta->part - 1;
	turn_to(cta, next);
	return warp_run_whole(next, next->groups[0].pc);
}

#endif
