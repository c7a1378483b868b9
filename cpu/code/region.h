/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A region: the compiled code of an entry, with the ops at which it is entered. It is entered
 * by a warp all of whose lanes run, and left at any op with all registers in the row file,
 * where the interpreter goes on.
 */
#ifndef CPU_REGION_H
#define CPU_REGION_H

#include "cleanup.h"
#include "mcode.h"
#include "op.h"

/* An op whose handler is replaced by compiled code. */
struct region_entry {
	uint32_t op;
	uint32_t offset;       /* of the code that is its handler */
	op_fn *handler;        /* that it replaced */
};

/* Ops that are executed by their handlers from inside the region: copies of them, with
 * exits->call's end behind them. */
struct region_call {
	uint32_t op, count;    /* what they are copies of */
};

struct code_region {
	struct mcode *code;    /* owned */
	struct region_entry *entries; /* owned */
	size_t entry_count;
	struct op *copies;     /* owned: of all calls, an end behind each */
	struct region_call *calls; /* owned; their copies follow each other */
	size_t call_count;
};

/* Accepts NULL. */
void region_free(struct code_region *region);
DEFINE_CLEANUP(free_region, struct code_region *, region_free)

/* The handler of op @op without the region; NULL: that of the op itself. */
op_fn *region_handler(const struct code_region *region, uint32_t op);

/* The op that @ip, a copy in @region, is a copy of; UINT32_MAX: it is none. */
uint32_t region_original(const struct code_region *region, const struct op *ip);

#endif
