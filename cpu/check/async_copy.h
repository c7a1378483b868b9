/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Copies under way, for check=race and check=init. The device copies at once;
 * what an asynchronous copy brings into shared memory is nevertheless there only
 * when its thread, or somebody at its mbarrier, has waited for it, and what a
 * bulk copy takes from there has to stay until its thread has waited. Whoever
 * touches these bytes sooner is told of.
 */
#ifndef CPU_ASYNC_COPY_H
#define CPU_ASYNC_COPY_H

#include <stdbool.h>
#include <stdint.h>

#include "access.h"
#include "config.h"

/* What cta_check.written has of a byte. */
enum {
	BYTE_WRITTEN = 1,
	BYTE_COMING = 2,  /* a copy brings it */
	BYTE_LEAVING = 4, /* a copy takes it */
};

struct async_copy {
	uint32_t offset, size; /* in shared memory */
	uint32_t group;        /* of its thread's copies; ASYNC_COPY_LOAD: the phase's parity */
	uint32_t lane;
	uint64_t signal;       /* ASYNC_COPY_LOAD: the generic address of the mbarrier */
};

/* Lane @lane of @w begins to copy @size bytes to, or from, generic @address in shared memory. */
void async_copy_begin(struct warp *w, enum async_copy_kind kind, unsigned lane, uint64_t address,
		  uint32_t size);

/* The same for a load that the mbarrier at generic @signal tells of. */
void async_copy_load(struct warp *w, unsigned lane, uint64_t address, uint32_t size,
		 uint64_t signal);

/* The phase of parity @odd of the mbarrier at @signal was seen to be over. */
void async_copy_land(const struct warp *w, uint64_t signal, bool odd);

/* The running lanes' copies so far, but for those of older groups, are a group. */
void async_copy_commit(struct warp *w, enum async_copy_kind kind);

/*
 * The running lanes wait at @ip for their groups but the @newest ones; or for
 * all copies, those in no group too.
 */
void async_copy_wait(struct warp *w, const struct op *ip, enum async_copy_kind kind,
		     uint32_t newest);
void async_copy_wait_all(struct warp *w, const struct op *ip, enum async_copy_kind kind);

/* Reports those of @lanes whose access disturbs a copy under way, and returns them. */
uint32_t async_copy_meet(struct warp *w, const struct op *ip, const struct check_access *access,
		     uint32_t lanes);

/* Forgets, or releases, the copies of a CTA. */
void async_copy_clear(struct cta_check *check);
void async_copy_release(struct cta_check *check);

#endif
