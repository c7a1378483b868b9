/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Grids: kernel launches on their way through the workers. Those with CTAs to assign are in a
 * ring, so that kernels take turns; all that are not completed are in a list.
 *
 * The caller holds the driver's lock unless said otherwise.
 */
#ifndef CPU_GRID_H
#define CPU_GRID_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "cuda_abi.h"
#include "exec.h"

struct domain;
struct gpurun_report;
struct task;
struct tickets;

struct grid {
	struct launch launch;
	struct fault fault;
	void *code;                /* what owns the kernel: released with the grid, */
	void (*release)(void *code); /* by this */
	struct task *task;             /* whose grid this is */
	bool first;                /* launch of its kernel */
	uint64_t total;            /* CTAs; a cluster, where a launch has them, counts as one */
	struct tickets *tickets;   /* owned: the CTAs to assign */
	_Atomic uint64_t finished; /* CTAs */
	struct grid *ring;         /* the next grid that has CTAs to assign; NULL: it has none */
	struct grid *ring_before;  /* whose ring this is */
	struct grid *running, **running_link;
	uint8_t *params;           /* owned; launch.params */
	_Atomic uint64_t counted[COUNTED_KINDS]; /* launch.counted, if that is not NULL */
};

/* NULL: nothing. */
void grid_free(struct grid *grid);

/* Adds a grid whose CTAs may begin. */
void grid_start(struct grid *grid);

/* Tells whether some grid has CTAs to assign. */
bool grid_waiting(void);

/* Changes whenever a grid gets, or runs out of, CTAs to assign. Needs no lock. */
extern _Atomic uint64_t grid_version;

/*
 * Fills in kernel, grid, block_size and count, the blocks that have ended, of the grid that began
 * first and is not completed; false: there is none. The name is valid while the lock is held.
 */
bool grid_oldest(struct gpurun_report *report);

/*
 * Assigns to @worker a CTA of the next grid in the ring; NULL when none is left.
 * *@sole: no other grid has any, as long as grid_version does not change.
 */
struct grid *grid_pop_cta(unsigned worker, uint64_t *index, bool *sole);

/* Counts @count CTAs of @grid as finished; the last one completes it. Without the lock. */
void grid_finish(struct grid *grid, uint64_t count);

/* Makes @code the fault of @domain, if it is the first, and stops its running kernels: their CTAs
 * end at their next time slice. */
void grid_fail(struct domain *domain, CUresult code);

/* Stops every kernel, as the process ends. */
void grid_stop_all(void);

#endif
