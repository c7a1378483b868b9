/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Data races: two accesses of one word, at least one of them a write and at
 * least one of them weak, by threads that nothing orders.
 *
 * A warp's way through its kernel is cut into segments: a new one begins
 * wherever others may learn what was done before (barrier, fence). Each word of
 * memory remembers who wrote and who read it last, by segment and lane. Barriers
 * order segments by their numbers, which grow; fences with atomics between CTAs
 * order them by time: a segment is released by a later fence of its CTA, a warp
 * has acquired all that was released before the newest fence whose flag it has
 * read. Both err on the side of silence.
 */
#ifndef CPU_RACE_H
#define CPU_RACE_H

#include "access.h"
#include "race_cells.h"

/* Of a warp: what orders it after others. */
struct race_warp {
	uint32_t tag;          /* of the present segment, lane 0; 0: none begun yet */
	uint32_t first, last;  /* segments that no fence has released */
	uint32_t seen[32];     /* of each warp of the CTA: those below come before this */
	uint32_t met;          /* what its lanes read in segments below comes before this */
	uint32_t strong;       /* lanes of the last strong access */
	uint32_t asking;       /* those of them that read memory which others may write */
	bool beyond;           /* and some where there are no cells */
	uint64_t strong_at[LANES];
	uint64_t fenced;       /* time of its last fence */
	uint64_t pending;      /* newest fence whose flag it has read */
	uint64_t acquired;     /* the same, before its own last fence or barrier */
};

/* Of a CTA. */
struct race_cta {
	uint32_t floor;        /* segments below, of this CTA, come before all that follows */
	uint32_t era;          /* of the numbers in cells */
	uint32_t gone[16];     /* of each barrier: warps that have arrived without waiting */
	uint32_t gone_at[16][32];
	struct race_cells cells;
	void *memory;          /* owned: the cells */
	uint64_t size;         /* bytes of shared memory that they are for */
	struct race_warp warps[32];
};

/* Prepares for kernels, with check=race. GPURUN_NO_MEMORY. */
int race_prepare(struct err *e);

/* Makes, or clears, the race checking of @cta. GPURUN_NO_MEMORY. */
int race_start(struct cta *cta, struct err *e);
void race_start_warp(struct cta *cta, struct warp *w, uint32_t index);
void race_release(struct race_cta *race);

/* @cta has ended: what comes after its kernel has learned of what it has. */
void race_end(struct cta *cta);

/* An operation begins; @alone: no other is active. Returns what its tags are above; 0: nothing
 * is checked. A smaller one than before shows that all tags of before are forgotten. */
uint32_t race_launch(bool alone);

/* The time of the last fence. */
uint64_t race_now(void);

/* Begins a segment of @w. Returns its tag; 0 when there are no more numbers. */
uint32_t race_segment(struct warp *w);

/* Checks and records what @lanes of @w do at @ip. */
void race_check(struct warp *w, const struct op *ip, const struct check_access *access,
		uint32_t lanes);

/*
 * The same of a run of words, 1 << @shift for each lane, by a launch that is mixed; false: they
 * have to be looked at one by one.
 */
bool race_mixed_run(const struct warp *w, uint32_t *writes, uint32_t *reads, unsigned shift,
		    bool write);

/*
 * What orders: a barrier of @w's lanes; a .sync instruction, which what they
 * have read before comes before; @w has left barrier @id; it is complete; a fence.
 */
void race_warp_sync(struct warp *w);
void race_meet(struct warp *w);
void race_arrive(struct warp *w, uint32_t id);
void race_barrier(struct cta *cta, uint32_t id);
void race_fence(struct warp *w);

/* The last fence of @w was for the host, too. */
void race_report_host(struct warp *w);

/* The strong access before this op has read its flags; @acquire: it is a fence as well. */
void race_acquire(struct warp *w, bool acquire);

/* @w comes to the barrier of its cluster: all its CTAs learn of what it has done. */
void race_cluster(struct warp *w);

/* @w learns of all that was released so far: it has waited for it. */
void race_acquire_all(struct warp *w);

/*
 * Tells whether lane @lane writes what the write with @tag, of the same place, does: two such
 * disturb nobody. The value is there already, or comes with this op, or from another worker,
 * for which @hold is let go meanwhile.
 */
bool race_writes_same(const struct warp *w, const struct op *ip,
		      const struct check_access *access, unsigned lane, uint32_t tag,
		      struct race_hold hold);

#endif
