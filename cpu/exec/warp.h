/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Running a CTA: what handlers of ops call that concerns more than the running lanes. The state
 * itself is in state.h.
 */
#ifndef CPU_WARP_H
#define CPU_WARP_H

#include "asserts.h"
#include "exec.h"
#include "report.h"
#include "state.h"

/*
 * Puts all warps of @cta at the entry's first instruction; their row files follow each
 * other from @rows.
 */
void cta_start(struct cta *cta, uint8_t *rows);

/*
 * The same where a CTA of the same launch has ended, all threads by an exit: most is right already.
 * @moved: a bit for each of x, y and z of its place in the grid that is another one.
 */
void cta_restart(struct cta *cta, uint32_t moved);

/* Puts the running lanes at @pc and selects the group that runs next; halt when none can. */
const struct op *warp_schedule(struct warp *warp, const struct op *pc);

/* Puts the running lanes, if any, at @pc and ends the time slice: returns halt. */
const struct op *warp_pause(struct warp *warp, const struct op *pc);

/* Selects the group that runs next, where none does; halt when none can. */
const struct op *warp_next(struct warp *warp);

/* Lets all live lanes of @warp run, which are at @pc; there is no other group. */
static inline const struct op *warp_run_whole(struct warp *warp, const struct op *pc)
{
	ASSERT(warp->group_count <= 1);
	warp->group_count = 0;
	warp->mask = warp->live;
	warp->full = true;
	warp->limit = (const struct op *)UINTPTR_MAX;
	warp->rotated = false;
	return pc;
}

/* After an op that groups execute together: they continue at @pc, each with its slots. */
const struct op *warp_split(struct warp *warp, const struct op *pc);

/* All live lanes of @warp, which run, wait at @pc. */
static inline void warp_wait_whole(struct warp *warp, const struct op *pc, uint32_t state,
				   uint32_t members)
{
	ASSERT(warp->live && !warp->group_count);
	warp->groups[0] = (struct group){ pc, warp->live, members, state, KEPT_IN_PLACE };
	warp->group_count = 1;
}

/* Tells whether all live lanes of @warp wait in one group that can run. */
static inline bool warp_is_whole(const struct warp *warp)
{
	return warp->group_count == 1 && warp->groups[0].kept == KEPT_IN_PLACE &&
	       warp->groups[0].state == GROUP_READY;
}

/* How many lanes are in @mask: most often all. */
static inline uint32_t warp_lanes(uint32_t mask)
{
	static_assert(LANES == 32, "UINT32_MAX has a bit for each lane");
	return mask == UINT32_MAX ? LANES : (uint32_t)__builtin_popcount(mask);
}

/* Adds waiting lanes, which keep the current slots. */
void warp_wait(struct warp *warp, const struct op *pc, uint32_t mask, uint32_t state,
	       uint32_t members);

/* As warp_schedule(), at a leader: lanes that wait at @pc join the running ones. */
const struct op *warp_reconverge(struct warp *warp, const struct op *pc);

/* As warp_schedule(), after a back-edge to @pc: runs another group when it is due. */
const struct op *warp_back_edge(struct warp *warp, const struct op *pc);

/* Lets other groups or warps run; the running lanes continue at @pc. */
const struct op *warp_yield(struct warp *warp, const struct op *pc);

/* The lanes in @taken jump to @target, the other running ones continue at @next. */
const struct op *warp_diverge(struct warp *warp, const struct op *next,
			      const struct op *target, uint32_t taken);

/* Counts a back-edge, and tells whether the time slice ends there. */
static inline bool warp_slice_ended(struct warp *w)
{
	return --w->budget < 0 || (w->group_count && (++w->spin > w->patience || w->rotated));
}

/* The lanes in @taken branch back at @ip, the others continue after it. */
const struct op *warp_diverge_back(struct warp *warp, const struct op *ip, uint32_t taken);

/* brx.idx: each running lane jumps to the target that its index names. */
const struct op *warp_branch_table(struct warp *warp, const struct op *ip);

/* Calls and returns of the running lanes. */
const struct op *call_enter(struct warp *warp, const struct op *ip);
const struct op *call_enter_indirect(struct warp *warp, const struct op *ip);
const struct op *call_return(struct warp *warp);

/* Runs a function that the driver provides (vprintf, ...). False after a fault. */
bool builtin_call(struct warp *warp, const struct op *ip);

/* Executes an op of trace.h: prints what the running lanes read, or have written. */
void trace_step(const struct warp *warp, const struct op *ip);

/*
 * count=1: counts that the running lanes read @read bytes, and write @written, at the generic
 * addresses in row a plus imm of an op. Adds what @cta, which is done, has counted to its launch.
 */
void count_generic(struct warp *warp, const struct op *ip, uint32_t read, uint32_t written);
void count_end(struct cta *cta);

/* The running lanes exit. Then @warp->cta->now is the warp that runs. */
const struct op *warp_exit(struct warp *warp);

/*
 * Ends the time slice of @cta->now, none of whose lanes runs, and begins that of the warp that is
 * next in turn: this is @cta->now then, and runs at the op that is returned. Where cta_run() has
 * to decide it returns halt, and @cta->now is still the same. turn_usual() is tried first.
 */
const struct op *cta_turn(struct cta *cta);

/*
 * bar and barrier: the running lanes arrive, and wait unless it is an arrive. Then @warp->cta->now
 * is the warp that runs.
 * a: the barrier's number, b: the count or 0; c: bit 0, 1: a, b is a row, not a
 * slot; d: a reduction's result; imm: enum barrier_kind.
 */
const struct op *cta_barrier(struct warp *warp, const struct op *ip);

/* bar.warp.sync: the running lanes wait for the lanes in their @members. */
const struct op *warp_barrier(struct warp *warp, const struct op *ip, const uint32_t *members);

/*
 * Before a .sync op at @ip: NULL when every live lane of @members runs, including lanes
 * that waited here. Else the running lanes wait, and the returned op runs instead.
 */
const struct op *warp_gather(struct warp *warp, const struct op *ip, uint32_t members);

/* Completes the barriers at which all threads have arrived. */
void cta_check_barriers(struct cta *cta);

/*
 * Finds the memory at @address, for an access of @size bytes by @lane and the lanes
 * after it, @unit bytes each, and stores it in @hit. False after a fault.
 */
bool memory_reach(struct warp *warp, const struct op *ip, struct hit *hit, uint64_t address,
		  uint32_t size, uint32_t unit, unsigned lane, bool write);

/*
 * The memory of @size bytes at @address in shared memory that is not the CTA's own
 * but of another one of its cluster. NULL after a fault.
 */
uint8_t *memory_shared_reach(struct warp *warp, const struct op *ip, uint64_t address,
			     uint32_t size, uint32_t unit, unsigned lane, bool write);

/* Faults for an address in shared memory that is outside of it or misaligned. */
void memory_shared_fault(struct warp *warp, const struct op *ip, uint64_t offset,
			 uint32_t size, unsigned lane, bool write);

/* Sets the launch's fault, if it is the first, and stops the CTA. Its error is that of the kind. */
void fault_set(struct warp *warp, const struct op *ip, uint32_t lanes, struct about about,
	       const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* The likely reason of a trap in @warp's kernel, to be added to its report; or "". */
const char *trap_hint(const struct warp *warp);

#endif
