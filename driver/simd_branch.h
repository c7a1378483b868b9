/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Conditional branches, alone or behind a comparison: an op goes on at one of two others, or
 * lanes part.
 */
#ifndef DRIVER_SIMD_BRANCH_H
#define DRIVER_SIMD_BRANCH_H

#include "simd.h"

#define RARE static __attribute__((noinline, cold, unused)) const struct op *

/* @taken, some or none of the running lanes, go to the target, which is not behind @ip. */
#define BRANCH_TO(distance, bits)                                                          \
	uint32_t taken = (bits) & w->mask;                                                 \
                                                                                           \
	if (taken == w->mask)                                                              \
		GOTO(ip + (distance));                                                     \
	if (likely(!taken))                                                                \
		NEXT;                                                                      \
	GOTO(warp_diverge(w, ip + 1, ip + (distance), taken))
#define BRANCH(bits) BRANCH_TO(ip->imm, bits)

/* Tells whether a back-edge is where others get their turn. */
static inline bool turn_over(struct warp *w)
{
	return --w->budget < 0 || (w->group_count && (w->rotated || ++w->spin > w->patience));
}

/* Those in @taken go back; what runs next. */
RARE branch_back_part(struct warp *w, const struct op *ip, int64_t distance, uint32_t taken)
{
	warp_wait(w, ip + 1, w->mask & ~taken, GROUP_READY, 0);
	warp_set_mask(w, taken);
	w->limit = w->limit < ip + 1 ? w->limit : ip + 1;
	if (unlikely(turn_over(w)))
		return warp_turn(w, ip + distance);
	return ip + distance;
}

/* The same back to a target before @ip, or @ip itself. */
#define BRANCH_BACK_TO(distance, bits)                                                     \
	uint32_t taken = (bits) & w->mask;                                                 \
                                                                                           \
	if (!taken)                                                                        \
		NEXT;                                                                      \
	if (unlikely(taken != w->mask))                                                    \
		GOTO(branch_back_part(w, ip, distance, taken));                            \
	if (unlikely(turn_over(w)))                                                        \
		GOTO(warp_turn(w, ip + (distance)));                                       \
	GOTO(ip + (distance))
#define BRANCH_BACK(bits) BRANCH_BACK_TO(ip->imm, bits)

#endif
