/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Conditional branches, alone or behind a comparison: an op goes on at one of two others, or
 * lanes part.
 */
#ifndef CPU_BRANCH_H
#define CPU_BRANCH_H

#include "simd.h"

/* Leaves the rest of a handler to another one, which is rare: no frame is made for it here. */
#define RARE(name)                                                                         \
	static __attribute__((noinline, cold)) void name(struct warp *w, const struct op *ip)
#if defined(__clang__) && !defined(SIMD_SANITIZED) && defined(__OPTIMIZE__)
#define REST(name) __attribute__((musttail)) return name(w, ip)
#else
#define REST(name)                                                                         \
	do {                                                                               \
		name(w, ip);                                                               \
		return;                                                                    \
	} while (0)
#endif

/* The lanes in @bits go to the target, which is not behind @ip; @part: when not all do. */
#define BRANCH(bits, part)                                                                 \
	uint32_t taken = (bits) & w->mask;                                                 \
                                                                                           \
	if (taken == w->mask)                                                              \
		GOTO(ip + ip->imm);                                                        \
	if (likely(!taken))                                                                \
		NEXT;                                                                      \
	REST(part)

/* Tells whether a back-edge is where others get their turn. */
static inline bool turn_over(struct warp *w)
{
	return --w->budget < 0 || (w->group_count && (w->rotated || ++w->spin > w->patience));
}

/* Those in @taken, some of the running lanes, go back; what runs next. */
static inline const struct op *part_back(struct warp *w, const struct op *ip, uint32_t taken)
{
	warp_wait(w, ip + 1, w->mask & ~taken, GROUP_READY, 0);
	warp_set_mask(w, taken);
	w->limit = w->limit < ip + 1 ? w->limit : ip + 1;
	return turn_over(w) ? warp_back_edge(w, ip + ip->imm) : ip + ip->imm;
}

RARE(branch_turn)
{
	GOTO(warp_back_edge(w, ip + ip->imm));
}

/* The same back to a target before @ip, or @ip itself. */
#define BRANCH_BACK(bits, part)                                                            \
	uint32_t taken = (bits) & w->mask;                                                 \
                                                                                           \
	if (!taken)                                                                        \
		NEXT;                                                                      \
	if (unlikely(taken != w->mask))                                                    \
		REST(part);                                                                \
	if (unlikely(turn_over(w)))                                                        \
		REST(branch_turn);                                                         \
	GOTO(ip + ip->imm)

#endif
