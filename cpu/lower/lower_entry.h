/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From an entry of a program to its code. */
#ifndef CPU_LOWER_ENTRY_H
#define CPU_LOWER_ENTRY_H

#include "cleanup.h"
#include "program.h"

/* Lowers entry @function of @program. */
int entry_lower(struct program *program, uint32_t function, struct entry **out,
		struct err *e);

/* What compiled code depends on of blocks of @block threads; not SHAPE_ANY. */
uint32_t entry_shape(const uint32_t block[3]);

/*
 * Returns the code of @entry for blocks of @block threads: for those whose warps' threads
 * differ in %tid.x alone, or for any; or, with @shaped, code that no other shape uses, unless
 * there are too many. Lowers it at the first call. Thread-safe. GPURUN_NO_MEMORY.
 */
int entry_code(struct entry *entry, const uint32_t block[3], bool shaped, struct code **out,
	       struct err *e);

struct lowering;

/* What entry_visit() calls. */
struct lower_visitor {
	int (*visit)(struct lowering *l, void *context, struct err *e);
	void *context;
};

/* The shape that alone uses @code, of @entry; or SHAPE_ANY. */
uint32_t entry_code_shape(const struct entry *entry, const struct code *code);

/*
 * Lowers @entry again, exactly as its code @of was, and calls @visitor while all that was found
 * out for it is there. Thread-safe: what it reads of the program does not change.
 */
int entry_visit(struct entry *entry, const struct code *of, const struct lower_visitor *visitor,
		struct err *e);

/* Accepts NULL. */
void entry_free(struct entry *entry);
DEFINE_CLEANUP(free_entry, struct entry *, entry_free)

#endif
