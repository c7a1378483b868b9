/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which warp of a CTA runs next, and for how long: a time slice is so many back-edges and calls. A
 * slice of three parts has as many as one of one part: in which order threads run does not depend
 * on when their code was compiled. Of one thread at a time for a CTA; cta_turn() is in warp.h.
 */
#ifndef CPU_TURN_H
#define CPU_TURN_H

#include "state.h"

enum {
	/* Back-edges and calls: multiples of 4, of which spent counts one. */
	SLICE = 4096,  /* in the time slice of a warp */
	DOUBT = 128,   /* in its first part; then it is tested whether the warp only waits */
};

/* Begins a slice of @w, or its first part. */
void turn_begin(struct cta *cta, struct warp *w);

/* Begins a part of a slice, of @budget back-edges. */
void turn_grant(struct warp *w, int32_t budget);

/* What @cta has spent when @w ends its slice, or a part of it. */
uint32_t turn_spent(const struct cta *cta, const struct warp *w);

/* The next warp in turn that can run; NULL: all had their turn in this round. */
struct warp *turn_next(struct cta *cta);

#endif
