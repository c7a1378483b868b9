/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Conditional branches, alone or after a comparison: an op continues at one of two others, or
 * lanes diverge.
 */
#ifndef CPU_BRANCH_H
#define CPU_BRANCH_H

#include "simd.h"

/* Declares a rare rest of a handler as a function of its own: the handler needs no frame. */
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

/* The lanes in @bits branch to the target, which is not before @ip; @diverge: if not all do. */
#define BRANCH(bits, diverge)                                                              \
	uint32_t taken = (bits) & w->mask;                                                 \
                                                                                           \
	if (taken == w->mask)                                                              \
		GOTO(ip + ip->imm);                                                        \
	if (likely(!taken))                                                                \
		NEXT;                                                                      \
	REST(diverge)

RARE(branch_yield)
{
	GOTO(warp_back_edge(w, ip + ip->imm));
}

/* The same back to a target before @ip, or @ip itself. */
#define BRANCH_BACK(bits, diverge)                                                         \
	uint32_t taken = (bits) & w->mask;                                                 \
                                                                                           \
	if (!taken)                                                                        \
		NEXT;                                                                      \
	if (unlikely(taken != w->mask))                                                    \
		REST(diverge);                                                             \
	if (unlikely(warp_slice_ended(w)))                                                      \
		REST(branch_yield);                                                        \
	GOTO(ip + ip->imm)

#endif
