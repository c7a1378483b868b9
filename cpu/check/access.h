/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Accesses as the checker sees them: what the lanes of a warp are about to do
 * to memory. Findings go to finding.h; the program goes on.
 */
#ifndef CPU_ACCESS_H
#define CPU_ACCESS_H

#include "deadlock.h"
#include "uninit.h"

struct check_access {
	uint64_t at[LANES];    /* generic addresses, or offsets in shared memory */
	bool shared;
	enum access_kind kind;
	uint32_t size;         /* bytes of each lane */
	uint8_t width;         /* the next op is a store of elements of so many bytes; else 0 */
	bool strong, release, system;
	bool ordered;          /* races are looked for already */
	bool followed;         /* what is loaded or stored is looked at where it is used */
	bool early;            /* it may be too early */
};

/*
 * Checks what the running lanes do at @ip, before they do it. Returns the lanes
 * that may go on: all, but with check=mem those whose address is illegal.
 */
uint32_t access_check(struct warp *w, const struct op *ip, const struct check_access *access);

/* The same for @size bytes that @lane alone reaches, and may: for ops that reach several. */
void access_check_lane(struct warp *w, const struct op *ip, unsigned lane, uint64_t at,
		       uint32_t size, bool shared, bool write);

/* What @lane does to @size bytes at generic @at by a bulk copy, which has no check of its own. */
void access_bulk(struct warp *w, const struct op *ip, unsigned lane, uint64_t at, uint32_t size,
		 enum access_kind kind);

/* Tells that @size bytes at generic @address are written, by what has no check of its own. */
void access_written(const struct warp *w, uint64_t address, uint32_t size);

/* The bytes that tell what was written at @at, of @size; NULL when nobody knows. */
uint8_t *access_written_at(const struct warp *w, uint64_t at, uint32_t size, bool shared);

/* "0x10 of shared memory, ...", or address @at and what it is part of, for op @ip. */
void access_describe(const struct warp *w, const struct op *ip, bool shared, uint64_t at,
		     char *text, size_t size);

/* Copies that a warp's lanes have not waited for; see async_copy.h. */
struct async_copies {
	struct async_copy *all;    /* owned */
	uint32_t count, capacity;
	uint32_t groups[LANES]; /* that each lane has committed */
};

/* What the checker keeps of a CTA; made and released with it. */
struct cta_check {
	op_fn *barrier;        /* the handler of barriers that lanes wait at for their warp */
	const struct op *parted[32]; /* of each warp: a barrier that its lanes pass in parts */
	uint32_t under_way;    /* copies */
	uint64_t changes;      /* turns in its cluster that may have written, of its first CTA */
	struct spin spins[32]; /* of each warp */
	const struct op *closed, *open; /* loops that deadlock.c has judged */
	struct async_copies copies[3][32]; /* of each kind and warp */
	uint8_t *written;      /* of each byte of shared memory; async_copy.h */
	uint8_t *local;        /* owned: of each byte of the stacks; local.h */
	uint64_t local_size;
	struct uninit sum;      /* what is on its way from registers or memory to others */
	uint64_t at[LANES];    /* what the access that is followed reaches */
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
