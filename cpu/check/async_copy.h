/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Asynchronous copies in flight, for check=race and check=init. The device copies
 * immediately; the bytes that an asynchronous copy writes to shared memory are
 * nevertheless valid only when its thread, or a thread at its mbarrier, has waited
 * for it, and those that a bulk copy reads must not change until its thread has
 * waited. An earlier access of these bytes is reported.
 */
#ifndef CPU_ASYNC_COPY_H
#define CPU_ASYNC_COPY_H

#include <stdbool.h>
#include <stdint.h>

#include "access.h"
#include "config.h"

/* The bits of cta_check.written. */
enum {
	BYTE_WRITTEN = 1,
	BYTE_COPY_WRITES = 2, /* a copy in flight writes it */
	BYTE_COPY_READS = 4,  /* a copy in flight reads it */
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

/* The same for a load that completes at the mbarrier at generic @signal. */
void async_copy_load(struct warp *w, unsigned lane, uint64_t address, uint32_t size,
		 uint64_t signal);

/* The phase of parity @odd of the mbarrier at @signal has completed, and a thread has seen it. */
void async_copy_complete(const struct warp *w, uint64_t signal, bool odd);

/* The running lanes' copies that are in no group yet become a group. */
void async_copy_commit(struct warp *w, enum async_copy_kind kind);

/*
 * The running lanes wait at @ip for their groups except the @newest ones; or for
 * all copies, including those in no group.
 */
void async_copy_wait(struct warp *w, const struct op *ip, enum async_copy_kind kind,
		     uint32_t newest);
void async_copy_wait_all(struct warp *w, const struct op *ip, enum async_copy_kind kind);

/* Reports those of @lanes whose access conflicts with a copy in flight, and returns them. */
uint32_t async_copy_check(struct warp *w, const struct op *ip, const struct check_access *access,
			  uint32_t lanes);

/* Clears, or releases, the copies of a CTA. */
void async_copy_clear(struct cta_check *check);
void async_copy_release(struct cta_check *check);

#endif
