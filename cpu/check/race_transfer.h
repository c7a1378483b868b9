/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Accesses of copies, fills and writes of words, for check=race: each is a segment of
 * its own. With atomics of kernels they are no race, as atomics: a flag may be read
 * while it is copied. Without the driver's lock.
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
	bool repeated;          /* source has 4 bytes, which are repeated */
	uint32_t tag;           /* 0 initially, as all that follows */
	struct race_hold hold;  /* of the cells that are checked */
	uint64_t reported[2];   /* the last operations reported as having read, and written */
};

/* Checks and records that @size bytes at @address are about to be written, or read. */
void race_transfer(struct race_transfer *t, uint64_t address, uint64_t size);

#endif
