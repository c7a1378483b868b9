/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The state of execution: a CTA with its warps. All of it is explicit, so that
 * a warp can stop after any op and go on later: a warp is a list of groups,
 * lanes that stand at the same op. The running group is the one with the
 * smallest op address; groups merge where control flow joins.
 */
#ifndef DRIVER_WARP_H
#define DRIVER_WARP_H

#include "code.h"
#include "exec.h"
#include "program.h"

struct block;

enum { LANES = 32, BARRIERS = 16, HITS = 64, CLUSTER_MOST = 16 };

/* Bytes of shared memory that a GPU's system has of each block, and cooperative groups use. */
enum { CTA_RESERVED = 1024 };

enum group_state {
	GROUP_READY,
	GROUP_SYNC,    /* stands before a .sync op, until the lanes in members have come */
	GROUP_WARP,    /* stands after bar.warp.sync, until the lanes in members have come */
	GROUP_SPLIT,   /* runs with others whose slots differ, up to warp_split() */
	GROUP_CLUSTER, /* stands after barrier.cluster.wait, until the cluster has arrived */
	GROUP_BARRIER, /* + the barrier's number: stands after it */
};

struct group {
	const struct op *pc;
	uint32_t mask;
	uint32_t members;
	uint32_t state;
	uint32_t kept;         /* where the warp keeps its slots */
};

/* What one memory op reached last. */
struct hit {
	uint64_t base, size;
};

/* One level of calls: where the lanes that are deeper return to. */
struct call_level {
	uint32_t pc[LANES];    /* index in the kernel's code */
	uint32_t frame[LANES]; /* the caller's frame */
	uint32_t taken[LANES]; /* what the caller has allocated */
};

struct warp {
	uint8_t *rows;          /* the row file */
	uint32_t mask;          /* lanes that run now */
	uint32_t full;          /* every live lane runs: other lanes may be written at will */
	uint32_t live;          /* lanes that have not exited */
	uint32_t mode;          /* enum fp_mode as it is set */
	const struct op *limit; /* the next ready group above the running one */
	int32_t budget;         /* taken back-edges left in this turn */
	uint32_t spin;          /* back-edges taken while other groups wait */
	uint32_t patience;      /* how many of them before others get their turn */
	uint32_t group_count;   /* groups other than the running one */
	bool rotated;           /* a group below the running one is ready */
	bool running;           /* for builds without tail calls */
	const struct op *pc;    /* likewise */
	struct cta *cta;
	struct hit *hits;
	uint8_t *shared;
	uint64_t shared_size;
	uint64_t *slots;        /* of the running group, those that others keep */
	uint64_t *kept;         /* LANES times as many */
	uint32_t unkept;        /* bit per place there that is free */
	bool split;             /* groups came together whose slots differ */
	uint32_t saved_mask;    /* while a guard is in force */
	uint32_t checked_mask;  /* while the checker keeps lanes out */
	struct race_warp *race; /* what orders it after others; NULL without check=race */
	uint32_t index;
	struct group groups[LANES];
	uint32_t mask16_of;     /* the mask that the next one shows */
	int16_t mask16[LANES] __attribute__((aligned(64)));
	uint32_t frame[LANES];  /* offset of each lane's frame in its stack */
	uint32_t taken[LANES];  /* bytes at the end of its stack that alloca gave */
	uint32_t depth[LANES];  /* calls that each lane is in */
	uint32_t arrived;       /* lanes that have come to the cluster's barrier */
	struct call_level *levels; /* owned */
	uint32_t level_count;
};

struct barrier {
	uint32_t arrived;  /* threads that came, those of bar.arrive included */
	uint32_t expected; /* 0: every thread that has not exited */
	uint32_t reduced;  /* threads that brought a predicate */
	uint32_t trues;    /* those whose predicate is true */
	uint32_t gone;     /* bit per warp whose missing lanes are among the arrived */
};

/* What a barrier op does, in the low bits of its imm; a predicate's slot stands above them. */
enum barrier_kind {
	BARRIER_SYNC,
	BARRIER_ARRIVE,
	BARRIER_POPC,
	BARRIER_AND,
	BARRIER_OR,
	BARRIER_KIND = 7, /* mask */
	BARRIER_SHIFT = 8,
};

/* CTAs that run together (cluster.h). */
struct cluster {
	uint32_t size;
	struct cta *ctas[CLUSTER_MOST]; /* by rank; each owned by the first */
	uint64_t events;           /* times that others got what they may have waited for */
	bool arriving;             /* somebody has come to the barrier */
	uint32_t missing;          /* then: threads that have not, nor exited */
};

struct cta {
	const struct launch *launch;
	uint64_t launch_id;        /* of it: another one may come to stand there */
	const struct code *code;
	uint32_t id[3];
	uint32_t live;             /* threads that have not exited */
	uint32_t warp_count, next; /* the warp whose turn it is */
	uint32_t worker;
	uint32_t slice, spent;
	bool faulted;
	bool slept;                /* some warp has nothing to do but to wait */
	uint32_t barriers_used;    /* bit per barrier that has somebody waiting */
	struct barrier barriers[BARRIERS];
	struct hit hits[HITS];
	uint64_t hits_at;          /* what arena_ends was when they began to be filled */
	uint8_t *shared;
	uint32_t shared_size;
	uint32_t rank;             /* in the cluster */
	struct cluster *cluster;   /* of its first CTA */
	struct cluster own;        /* in use in the first CTA */
	uint8_t *local;            /* owned: the stacks of all threads */
	uint64_t local_size;
	uint32_t stack;            /* bytes of each */
	struct cta_check *check;   /* owned: what the checker keeps, or NULL */
	struct race_cta *race;     /* likewise, of races */
	size_t capacity;           /* of this allocation, for recycling */
	struct cta *recycled;
	struct warp warps[];
};

/*
 * Puts all warps of @cta at the entry's first instruction; their row files follow each
 * other from @rows. @again: CTAs of the same launch have stood there.
 */
void cta_start(struct cta *cta, uint8_t *rows, bool again);

/* Sets the lanes that run. */
static inline void warp_set_mask(struct warp *warp, uint32_t mask)
{
	warp->mask = mask;
	warp->full = mask == warp->live;
}

/* Puts the running lanes at @pc and takes the group that runs next; halt when none can. */
const struct op *warp_schedule(struct warp *warp, const struct op *pc);

/* After an op that groups came together for: they go on at @pc, each with its slots. */
const struct op *warp_split(struct warp *warp, const struct op *pc);

/* Adds waiting lanes, which keep the slots as they are. */
void warp_wait(struct warp *warp, const struct op *pc, uint32_t mask, uint32_t state,
	       uint32_t members);

/* As warp_schedule(), where lanes that stand at @pc come along with the running ones. */
const struct op *warp_meet(struct warp *warp, const struct op *pc);

/* As warp_schedule(), after a back-edge to @pc: gives others their turn when due. */
const struct op *warp_turn(struct warp *warp, const struct op *pc);

/* Ends the warp's turn; the running lanes go on at @pc. */
const struct op *warp_yield(struct warp *warp, const struct op *pc);

/* The lanes in @taken go to @target, the other running ones to @next. */
const struct op *warp_diverge(struct warp *warp, const struct op *next,
			      const struct op *target, uint32_t taken);

/* brx.idx: each running lane goes to the target that its index names. */
const struct op *warp_branch_table(struct warp *warp, const struct op *ip);

/* Calls and returns of the running lanes. */
const struct op *call_enter(struct warp *warp, const struct op *ip);
const struct op *call_enter_indirect(struct warp *warp, const struct op *ip);
const struct op *call_return(struct warp *warp);

/* Runs a function that the driver provides (vprintf, ...). False after a fault. */
bool builtin_call(struct warp *warp, const struct op *ip);

/* Executes an op of trace.h: reports what the running lanes read, or have written. */
void trace_step(const struct warp *warp, const struct op *ip);

/* The running lanes exit. */
const struct op *warp_exit(struct warp *warp);

/*
 * bar and barrier: the running lanes arrive, and wait unless it is an arrive.
 * a: the barrier's number, b: the count or 0; c: bit 0, 1: a, b is a row, not a
 * slot; d: a reduction's result; imm: enum barrier_kind.
 */
const struct op *cta_barrier(struct warp *warp, const struct op *ip);

/* bar.warp.sync: the running lanes wait for the lanes in their @members. */
const struct op *warp_barrier(struct warp *warp, const struct op *ip, const uint32_t *members);

/*
 * Before a .sync op at @ip: NULL when every live lane of @members runs, lanes that
 * waited here included. Else the running lanes wait, and what is returned runs instead.
 */
const struct op *warp_gather(struct warp *warp, const struct op *ip, uint32_t members);

/* Completes the barriers that wait for nobody any more. */
void cta_check_barriers(struct cta *cta);

/* Tells whether @warp has a group that can run. */
bool warp_ready(const struct warp *warp);

/*
 * Finds what @address reaches, for an access of @size bytes by @lane and those
 * behind it, @unit bytes each, and remembers it in @hit. False after a fault.
 */
bool memory_reach(struct warp *warp, const struct op *ip, struct hit *hit, uint64_t address,
		  uint32_t size, uint32_t unit, unsigned lane, bool write);

/*
 * Finds the block that holds @address, with what a kernel may reach of it as its size: what was
 * asked for, but with bounds=gpu of device, host and managed memory all units of 512 bytes of which
 * that has some. What lies behind the block begins as zero.
 */
bool memory_block(uint64_t address, struct block *block);

/* Finds the memory around @address that @warp may read, or write; false when there is none. */
bool memory_find(const struct warp *warp, uint64_t address, bool write, struct hit *hit);

/*
 * Says where @address is: of the parameters and shared memory of @warp, if any, or of the nearest
 * block, live or freed. "" when there never was any.
 */
void memory_describe(const struct warp *warp, uint64_t address, char *text, size_t size);

/* What to add to how much shared memory a block has, where an access is beyond it; or "". */
const char *memory_shared_lack(const struct warp *warp);

/* Tells whether generic @address lies in the window of @space. */
bool memory_within(const struct warp *warp, uint64_t address, enum ptx_space space);

/*
 * Where @size bytes at @address in shared memory are that are not in the CTA's
 * own: in another one's of its cluster. NULL after a fault.
 */
uint8_t *memory_shared_reach(struct warp *warp, const struct op *ip, uint64_t address,
			     uint32_t size, uint32_t unit, unsigned lane, bool write);

/* Faults for an address in shared memory that is outside of it or misaligned. */
void memory_shared_fault(struct warp *warp, const struct op *ip, uint64_t offset,
			 uint32_t size, unsigned lane, bool write);

/* Sets the launch's fault, if it is the first, and stops the CTA. */
void fault_set(struct warp *warp, const struct op *ip, uint32_t lanes, CUresult code,
	       const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* What a trap in @warp's kernel is likely to mean, to be added to its report; or "". */
const char *trap_reason(const struct warp *warp);

/* Says which threads of which kernel stand at @ip: lines, each after a newline. */
void fault_place(const struct warp *warp, const struct op *ip, uint32_t lanes, char *text,
		 size_t size);

#endif
