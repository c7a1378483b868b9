/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What compiled code calls, as a structure of functions: execution is above this room. Each of
 * them is called with all that is live in the row file, and nothing of the warp in registers.
 */
#ifndef CPU_EXITS_H
#define CPU_EXITS_H

#include <stdbool.h>
#include <stdint.h>

#include "op.h"

struct warp;

enum { EXITS_SHARED = 1 };

struct exits {
	/* The lanes in @taken branch at @ip, the others continue after it; returns what runs
	 * next. */
	const struct op *(*diverge)(struct warp *w, const struct op *ip, uint64_t taken);
	/* Likewise, back. */
	const struct op *(*diverge_back)(struct warp *w, const struct op *ip, uint64_t taken);
	/* The time slice ended at a branch back to @pc; returns what runs next. */
	const struct op *(*back_edge)(struct warp *w, const struct op *pc);
	/* All lanes exit; returns what runs next: then w->cta->now is its warp. */
	const struct op *(*exit)(struct warp *w);
	/* Likewise, all lanes arrive at the barrier @ip. */
	const struct op *(*barrier)(struct warp *w, const struct op *ip);
	/* Executes the ops from @ip on, up to the handler region_request.end; false: one of them
	 * faulted. */
	bool (*call)(struct warp *w, const struct op *ip);
	/*
	 * Finds the @size bytes at @address, which an access reaches; false: they are not in one
	 * block. Notes it in the access's struct hit, which is @hit bytes behind the first one, or,
	 * with @place, in the struct access_reach so many bytes behind that. EXITS_SHARED in
	 * @place: an offset in shared memory.
	 */
	bool (*reach)(struct warp *w, uint64_t hit, uint64_t address, uint64_t size,
		      uint64_t place);
};

#endif
