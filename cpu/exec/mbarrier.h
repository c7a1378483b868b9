/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * mbarrier objects: 8 bytes of shared memory that count arrivals and bytes in
 * one phase after the other. All lanes that can access one are run by one
 * thread.
 */
#ifndef CPU_MBARRIER_H
#define CPU_MBARRIER_H

#include <stdbool.h>
#include <stdint.h>

#include "bits.h"

struct op;
struct warp;

/* The arrivals that the phase missed when an operation returned @state. */
static inline uint32_t mbarrier_pending(uint64_t state)
{
	return state >> 20 & MBARRIER_MOST;
}

/*
 * Executes @ip for the active lanes: row a of generic addresses plus imm, c: enum
 * mbarrier_op, b: the row of its operand, d: the row of states before, or the
 * predicate whether the phase is complete. *@waits: for some lane it is not.
 * False after a fault.
 */
bool mbarrier_execute(struct warp *warp, const struct op *ip, bool *waits);

/* Counts @bytes as arrived at the object at generic @address. False after a fault. */
bool mbarrier_complete(struct warp *warp, const struct op *ip, uint64_t address,
		       uint32_t bytes, unsigned lane);

#endif
