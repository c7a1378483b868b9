/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Accesses as the checker sees them: what the lanes of a warp are about to do
 * to memory. Findings are reported by finding.h; the program continues.
 */
#ifndef CPU_ACCESS_H
#define CPU_ACCESS_H

#include "deadlock.h"
#include "report.h"
#include "uninit.h"

struct check_access {
	uint64_t at[LANES];    /* generic addresses, or offsets in shared memory */
	bool shared;
	enum access_kind kind;
	uint32_t size;         /* bytes of each lane */
	uint8_t width;         /* the next op is a store of elements of so many bytes; else 0 */
	bool strong, release, system;
	bool ordered;          /* already checked for races */
	bool followed;         /* check=init follows the value to where it is used */
	bool early;            /* a load whose value may not be needed */
};

/*
 * Checks what the running lanes do at @ip, before they do it. Returns the lanes
 * that may continue: all, except with check=mem those whose address is illegal.
 */
uint32_t access_check(struct warp *w, const struct op *ip, const struct check_access *access);

/* The same for @size bytes that only @lane accesses: for ops with several accesses. */
void access_check_lane(struct warp *w, const struct op *ip, unsigned lane, uint64_t at,
		       uint32_t size, bool shared, bool write);

/* Checks what @lane does to @size bytes at generic @at by a bulk copy. */
void access_bulk(struct warp *w, const struct op *ip, unsigned lane, uint64_t at, uint32_t size,
		 enum access_kind kind);

/* Marks @size bytes at generic @address as written, by an op that is not checked itself. */
void access_written(const struct warp *w, uint64_t address, uint32_t size);

/* The shadow of @size bytes at @at, which says what is written; NULL when there is none. */
uint8_t *access_written_at(const struct warp *w, uint64_t at, uint32_t size, bool shared);

/* "0x10 of shared memory, ...", or address @at and what it is part of, for op @ip. */
void access_describe(const struct warp *w, const struct op *ip, bool shared, uint64_t at,
		     char *text, size_t size);

/* "read", "write", "atomic"; or "atomic operation", in sentences. */
const char *access_name(enum access_kind kind);
const char *access_verb(enum access_kind kind);

/* What a report of @kind says of @access, of which one lane is at @at. */
struct about access_about(enum report_kind kind, const struct check_access *access, uint64_t at);

/* Copies for which a warp's lanes have not waited; see async_copy.h. */
struct async_copies {
	struct async_copy *all;    /* owned */
	uint32_t count, capacity;
	uint32_t groups[LANES]; /* that each lane has committed */
};

/* The checker's data of a CTA; made and released with it. */
struct cta_check {
	op_fn *barrier;        /* the handler of barriers at which lanes wait for their warp */
	const struct op *split_barrier[32]; /* of each warp: its lanes pass it separately */
	uint32_t in_flight;    /* copies */
	uint64_t changes;      /* slices that may have written in the cluster; of its first CTA */
	struct spin spins[32]; /* of each warp */
	const struct op *closed, *open; /* the last loops that deadlock.c has classified */
	struct async_copies copies[3][32]; /* of each kind and warp */
	uint8_t *written;      /* of each byte of shared memory; async_copy.h */
	uint8_t *local;        /* owned: of each byte of the stacks; local.h */
	uint8_t *saved;        /* likewise, and in one piece with it: what no access changes */
	uint64_t local_size;
	struct uninit sum;      /* gathered from registers or memory, for others */
	uint64_t at[LANES];    /* addresses of the last access that is followed */
	bool at_shared;
	uint32_t missing[LANES]; /* uninitialised bytes of a load, */
	uint32_t partial;      /* in these lanes; */
	uint32_t missing_all;  /* all of them in these */
	size_t capacity;       /* of this allocation */
};

/* Makes, or clears, the check of @cta. GPURUN_NO_MEMORY. */
int cta_check_start(struct cta *cta, struct err *e);
void cta_check_release(struct cta *cta);

#endif
