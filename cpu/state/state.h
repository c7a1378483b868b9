/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The state of execution: a CTA with its warps. All of it is explicit, so that
 * a warp can stop after any op and go on later: a warp is a list of groups,
 * lanes that stand at the same op. The running group is the one with the
 * smallest op address; groups merge where control flow joins.
 *
 * Here are the structs, and questions about them. What changes them is in warp.h and its like.
 */
#ifndef CPU_STATE_H
#define CPU_STATE_H

#include "bits.h"
#include "kernel.h"
#include "launch.h"
#include "program.h"

struct block;

enum { CLUSTER_MOST = 16 };

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

/* Sets the lanes that run. */
static inline void warp_set_mask(struct warp *warp, uint32_t mask)
{
	warp->mask = mask;
	warp->full = mask == warp->live;
}

/* Tells whether @warp has a group that can run. */
bool warp_ready(const struct warp *warp);

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

/* Says which threads of which kernel stand at @ip: lines, each after a newline. */
void fault_place(const struct warp *warp, const struct op *ip, uint32_t lanes, char *text,
		 size_t size);

#endif
