/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Copies under way, for check=race and check=init. The device copies at once;
 * what an asynchronous copy brings into shared memory is nevertheless there only
 * when its thread has waited for it, and is written at that time: whoever
 * touches these bytes sooner is told of.
 */
#ifndef DRIVER_FLIGHT_H
#define DRIVER_FLIGHT_H

#include <stdbool.h>
#include <stdint.h>

#include "access.h"
#include "config.h"

/* In cta_check.written, of a byte: a copy brings it, and has not been waited for. */
enum { BYTE_WRITTEN = 1, BYTE_COMING = 2 };

struct flight {
	uint32_t offset, size; /* in shared memory */
	uint32_t group;        /* of its thread's copies */
	uint32_t lane;
};

/* Whether copies are followed. */
static inline bool flight_followed(void)
{
	return config.check & (CHECK_INIT | CHECK_RACE);
}

/* Lane @lane of @w begins to copy @size bytes to generic @address in shared memory. */
void flight_begin(struct warp *w, unsigned lane, uint64_t address, uint32_t size);

/* The running lanes' copies so far, but for those of older groups, are a group. */
void flight_commit(struct warp *w);

/*
 * The running lanes wait at @ip for their groups but the @newest ones; or for
 * all copies, those in no group too.
 */
void flight_wait(struct warp *w, const struct op *ip, uint32_t newest);
void flight_wait_all(struct warp *w, const struct op *ip);

/* What a check_copies op does. */
enum copies_op { COPIES_COMMIT, COPIES_WAIT, COPIES_WAIT_ALL };

/* Reports those of @lanes whose access is to bytes of a copy under way, and returns them. */
uint32_t flight_meet(struct warp *w, const struct op *ip, const struct check_access *access,
		     uint32_t lanes);

/* Forgets, or releases, the copies of a CTA. */
void flight_clear(struct cta_check *check);
void flight_release(struct cta_check *check);

#endif
