/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The state of execution: a CTA with its warps. All of it is explicit, so that
 * a warp can stop after any op and continue later: a warp is a list of groups,
 * lanes that are at the same op. The running group is the one with the
 * smallest op address; groups merge where control flow joins.
 *
 * Here are the structs, and questions about them. What changes them is in warp.h and its like.
 */
#ifndef CPU_STATE_H
#define CPU_STATE_H

#include "asserts.h"
#include "bits.h"
#include "kernel.h"
#include "launch.h"
#include "program.h"

struct block;

enum { CLUSTER_MOST = 16 };

/* Masks have a bit for each lane; those of a CTA's warps, for each warp. */
static_assert(LANES == 32, "a mask of lanes has 32 bits");
static_assert(DEVICE_MAX_THREADS / LANES <= 32, "a mask of warps has 32 bits");
static_assert(BARRIERS <= 32, "a mask of barriers has 32 bits");
static_assert(sizeof(struct access_reach) == sizeof(struct hit), "they are in one array");

enum group_state {
	GROUP_READY,
	GROUP_SYNC,    /* is at a .sync op, until the lanes in members have arrived */
	GROUP_WARP,    /* is after bar.warp.sync, until the lanes in members have arrived */
	GROUP_SPLIT,   /* runs with others whose slots differ, up to warp_split() */
	GROUP_CLUSTER, /* is after barrier.cluster.wait, until the cluster has arrived */
	GROUP_BARRIER, /* + the barrier's number: is after it */
};

struct group {
	const struct op *pc;
	uint32_t mask;
	uint32_t members;
	uint32_t state;
	uint32_t kept;         /* where the warp has saved its slots; or KEPT_IN_PLACE */
};

/* All live lanes are in this group: its slots are where they are when it runs. */
enum { KEPT_IN_PLACE = LANES };

/* One level of calls: where the lanes that are deeper return to. */
struct call_level {
	uint32_t pc[LANES];    /* index in the kernel's code */
	uint32_t frame[LANES]; /* the caller's frame */
	uint32_t taken[LANES]; /* as in struct warp */
};

struct warp {
	uint8_t *rows;          /* the row file */
	uint32_t mask;          /* lanes that run now */
	uint32_t full;          /* every live lane runs: values of other lanes do not matter */
	uint32_t live;          /* lanes that have not exited */
	uint32_t mode;          /* the enum fp_mode in force */
	const struct op *limit; /* the next ready group above the running one */
	int32_t budget;         /* back-edges and calls left in this time slice */
	int32_t granted;        /* what it was when the slice, or a part of it, began */
	uint32_t spin;          /* back-edges taken while other groups wait */
	uint32_t patience;      /* how many of them before another group runs */
	uint32_t rounds;        /* those of them that did not make another group run */
	uint32_t group_count;   /* groups other than the running one */
	bool rotated;           /* a group below the running one is ready */
	bool running;           /* for builds without tail calls */
	const struct op *pc;    /* likewise */
	struct cta *cta;
	struct hit *hits;
	uint8_t *shared;
	uint64_t shared_size;
	uint64_t *slots;        /* of the running group: those that are saved for others */
	uint64_t *kept;         /* LANES times as many */
	uint32_t unkept;        /* bit per free place in kept */
	bool split;             /* groups whose slots differ are at one op */
	uint32_t saved_mask;    /* the mask outside of a guard */
	uint32_t checked_mask;  /* the mask while the checker excludes lanes */
	struct race_warp *race; /* what orders it after others; NULL without check=race */
	uint32_t index;
	uint32_t arrived;       /* lanes that have arrived at the cluster's barrier */
	const struct op *left;  /* compiled code stopped at a barrier, with this op behind it, and
				 * nothing has changed a register since; or NULL */
	struct group groups[LANES];
	uint32_t mask16_of;     /* the mask of which mask16 is */
	int16_t mask16[LANES] __attribute__((aligned(64)));
	uint32_t frame[LANES];  /* offset of each lane's frame in its stack */
	uint32_t taken[LANES];  /* bytes at the end of its stack that alloca allocated */
	uint32_t depth[LANES];  /* calls that each lane is in */
	uint64_t ticks;         /* GPURUN_LOG=jit-time: in compiled code; right outside of it */
	struct call_level *levels; /* owned */
	uint32_t level_count;
};

struct barrier {
	uint32_t arrived;  /* threads that have arrived, those of bar.arrive included */
	uint32_t expected; /* 0: every thread that has not exited */
	uint32_t reduced;  /* threads that have a predicate */
	uint32_t trues;    /* those whose predicate is true */
	uint32_t counted;  /* bit per warp whose missing lanes are in arrived */
};

/* CTAs that run together (cluster.h). */
struct cluster {
	uint32_t size;
	bool arriving;             /* a thread has arrived at the barrier */
	uint32_t missing;          /* then: threads that have neither arrived nor exited */
	uint64_t events;           /* counts what other CTAs may have waited for */
	struct cta *ctas[CLUSTER_MOST]; /* by rank; each owned by the first */
};

/* What a run of a CTA changes, except for its threads and its memory; zero at its start. */
struct progress {
	uint32_t next;             /* the warp that runs next */
	uint32_t unseen;           /* warps whose turn has not come yet in this round of all */
	bool faulted;
	bool slept;                /* some warp can only wait */
	uint32_t barriers_used;    /* bit per barrier at which threads wait */
	struct barrier barriers[BARRIERS];
};

struct cta {
	const struct launch *launch;
	uint64_t launch_id;        /* of it: another launch may get the same address */
	struct code *code;         /* borrowed */
	uint32_t id[3];
	uint32_t live;             /* threads that have not exited */
	uint32_t warp_count;
	uint32_t worker;
	uint32_t spent;            /* back-edges and groups of its time slice so far */
	uint32_t slice;            /* how many of them it may have */
	bool turns;                /* warps may follow each other by cta_turn() */
	bool in_order;             /* so they do, in the order of their numbers */
	int32_t part;              /* back-edges in the first part of a warp's slice */
	struct warp *now;          /* the warp that runs */
	struct progress progress;
	struct hit hits[HITS + REACHES]; /* behind HITS: struct access_reach */
	uint64_t hits_at;          /* the value of arena_ends when they were cleared */
	uint8_t *shared;
	uint32_t shared_size;
	uint32_t rank;             /* in the cluster */
	struct cluster *cluster;   /* of its first CTA */
	struct cluster own;        /* used in the first CTA */
	uint8_t *local;            /* owned: the stacks of all threads */
	uint64_t local_size;
	uint32_t stack;            /* bytes of each */
	struct cta_check *check;   /* owned: the checker's data, or NULL */
	struct race_cta *race;     /* likewise, of races */
	struct counted counted;    /* so far; zero without count=1 */
	size_t capacity;           /* of this allocation, for recycling */
	struct cta *recycled;
	struct warp warps[];
};

/* Sets the lanes that run. */
static inline void warp_set_mask(struct warp *warp, uint32_t mask)
{
	ASSERT(!(mask & ~warp->live));
	warp->mask = mask;
	warp->full = mask == warp->live;
}

/* Tells whether @warp has a group that can run. */
bool warp_ready(const struct warp *warp);

/*
 * Finds the block that holds @address; its size is what a kernel may reach: what was asked for,
 * or, with bounds=gpu, that of device, host and managed memory rounded up to units of 512 bytes.
 * Mappings (cuMemMap) and registered memory without a gap between them are one block, as far as an
 * access can reach.
 * The bytes after the block are zero initially.
 */
bool memory_block(uint64_t address, struct block *block);

/* Finds the memory around @address that @warp may read, or write; false when there is none. */
bool memory_find(const struct warp *warp, uint64_t address, bool write, struct hit *hit);

/*
 * Writes where @address is: in the parameters or shared memory of @warp, if not NULL, or relative
 * to the nearest block, live or freed. "" when there never was any.
 */
void memory_describe(const struct warp *warp, uint64_t address, char *text, size_t size);

/* What to add to a report of an access beyond shared memory, after its size; or "". */
const char *memory_shared_hint(const struct warp *warp);

/* Tells whether generic @address is in the window of @space. */
bool memory_within(const struct warp *warp, uint64_t address, enum ptx_space space);

/* The texts of a place in a kernel, which a report borrows. */
struct report_place {
	char instruction[200], file[1024], inlined[2048];
};

/* Adds to @report which @lanes of which kernel are at @ip, and the texts of @place. */
void place_add(const struct warp *warp, const struct op *ip, uint32_t lanes,
	       struct report_place *place, struct gpurun_report *report);

#endif
