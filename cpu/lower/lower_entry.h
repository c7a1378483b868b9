/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From an entry of a program to its code. */
#ifndef CPU_LOWER_ENTRY_H
#define CPU_LOWER_ENTRY_H

#include "cleanup.h"
#include "program.h"

/* Lowers entry @function of @program. */
int entry_lower(struct program *program, uint32_t function, struct entry **out,
		struct err *e);

/*
 * Returns the code of @entry for blocks whose warps' threads differ in %tid.x alone, or for
 * any; lowers it at the first call. Thread-safe. GPURUN_NO_MEMORY.
 */
int entry_code(struct entry *entry, bool aligned, const struct code **out, struct err *e);

/* Accepts NULL. */
void entry_free(struct entry *entry);
DEFINE_CLEANUP(free_entry, struct entry *, entry_free)

#endif
