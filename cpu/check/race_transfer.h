/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What copies, fills and writes of words do to memory, for check=race: segments of
 * their own, one each. Beside the atomics of kernels they count as such: a flag may be
 * read while it is copied. Without the driver's lock.
 */
#ifndef CPU_RACE_TRANSFER_H
#define CPU_RACE_TRANSFER_H

#include <stdbool.h>

#include "race_cells.h"

struct order;

struct race_transfer {
	const struct order *order;
	const char *name;       /* for reports: "copy" */
	const uint8_t *source;  /* the bytes to write; NULL: it reads */
	bool repeated;          /* these are 4, for each multiple of 4 that they come to */
	uint32_t tag;           /* 0 at first, as all that follows */
	struct race_hold hold;  /* of the cells that are looked at */
	uint64_t told[2];       /* the last ones told of that have read, and written, there */
};

/* Checks and records that @size bytes at @address are about to be written, or read. */
void race_transfer(struct race_transfer *t, uint64_t address, uint64_t size);

#endif
