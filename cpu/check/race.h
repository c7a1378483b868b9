/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Data races: two accesses of one word, at least one of them a write and at
 * least one of them weak, by threads that nothing orders.
 *
 * A warp's execution is divided into segments: a new one begins
 * wherever others may learn what was done before (barrier, fence). Each word of
 * memory has a record of who wrote and who read it last, by segment and lane.
 * Barriers order segments by their numbers, which grow; fences with atomics between
 * CTAs order them by time: a segment is released by a later fence of its CTA, a
 * warp has acquired all that was released before the newest fence whose flag it
 * has read. In doubt both report no race.
 */
#ifndef CPU_RACE_H
#define CPU_RACE_H

#include "access.h"
#include "asserts.h"
#include "race_cells.h"

/* Of a warp: which accesses come before its next one. */
struct race_warp {
	uint32_t tag;          /* of the current segment, lane 0; 0: none has begun */
	uint32_t first, last;  /* segments that no fence has released */
	uint32_t seen[32];     /* of each warp of the CTA: tags below come before this */
	uint32_t synced;       /* reads of its lanes with tags below come before this */
	uint32_t strong;       /* lanes of the last strong access */
	uint32_t reads_global;       /* those of them that read device memory */
	bool unknown_place;    /* and some where there are no cells */
	uint64_t strong_at[LANES];
	uint64_t fenced;       /* time of its last fence */
	uint64_t pending;      /* newest fence whose flag it has read */
	uint64_t acquired;     /* the same, as of its own last fence or barrier */
};

/* Of a CTA. */
struct race_cta {
	uint32_t floor;        /* tags of this CTA below come before all that follows */
	uint32_t era;          /* of the numbers in cells */
	uint32_t arrived[16];  /* of each barrier: warps that have arrived without waiting */
	uint32_t arrived_at[16][32];
	struct race_cells cells;
	void *memory;          /* owned: the cells */
	uint64_t size;         /* bytes of shared memory that they are for */
	struct race_warp warps[32];
};

static_assert(sizeof(((struct race_cta *)NULL)->arrived) == BARRIERS * sizeof(uint32_t),
	      "each barrier has the warps that have arrived");
static_assert(sizeof(((struct race_cta *)NULL)->warps) ==
	      DEVICE_MAX_THREADS / LANES * sizeof(struct race_warp), "each warp has a part");

/* Prepares for kernels, with check=race. GPURUN_NO_MEMORY. */
int race_prepare(struct err *e);

/* Makes, or clears, the race checking of @cta. GPURUN_NO_MEMORY. */
int race_start(struct cta *cta, struct err *e);
void race_start_warp(struct cta *cta, struct warp *w, uint32_t index);
void race_release(struct race_cta *race);

/* @cta has ended: what comes after its kernel has acquired what it has. */
void race_end(struct cta *cta);

/* Begins a segment of @w. Returns its tag; 0 when no number is left. */
uint32_t race_segment(struct warp *w);

/* Checks and records what @lanes of @w do at @ip. */
void race_check(struct warp *w, const struct op *ip, const struct check_access *access,
		uint32_t lanes);

/*
 * The same for a run of words, 1 << @shift for each lane, by a launch that is mixed; false: they
 * have to be checked one by one.
 */
bool race_mixed_run(const struct warp *w, uint32_t *writes, uint32_t *reads, unsigned shift,
		    bool write);

/*
 * What orders: a barrier of @w's lanes; a .sync instruction, which comes after what
 * they have read; @w arrives at barrier @id; the barrier is complete; a fence.
 */
void race_warp_sync(struct warp *w);
void race_sync(struct warp *w);
void race_arrive(struct warp *w, uint32_t id);
void race_barrier(struct cta *cta, uint32_t id);
void race_fence(struct warp *w);

/* The last fence of @w has .sys scope: the host may acquire it, too. */
void race_release_to_host(struct warp *w);

/* The preceding strong access has read its flags; @acquire: it is an acquire. */
void race_acquire(struct warp *w, bool acquire);

/* @w arrives at the barrier of its cluster: all its CTAs acquire what it has done. */
void race_cluster(struct warp *w);

/* @w has waited: it acquires all that was released so far. */
void race_acquire_all(struct warp *w);

/*
 * Tells whether lane @lane writes the same bytes as the write with @tag: two such are no race.
 * The bytes are there already, or another lane writes them by this op, or another worker does,
 * for which @hold is released meanwhile.
 */
bool race_writes_same(const struct warp *w, const struct op *ip,
		      const struct check_access *access, unsigned lane, uint32_t tag,
		      struct race_hold hold);

#endif
