/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From a lowered entry to a region (region.h). */
#ifndef CPU_REGION_COMPILE_H
#define CPU_REGION_COMPILE_H

#include "exits.h"
#include "ir.h"
#include "region.h"
#include "x86.h"

struct region_request {
	enum x86_isa isa;
	struct block_shape shape;
	const struct exits *exits;
	const struct op *ops;  /* of the code whose warps will run it: equal to those of l->code */
	uint64_t exits_seed;   /* not 0: the region is left at places chosen by it, for tests */
	op_fn *end;            /* what an op behind copies has for a handler */
	size_t most_bytes;     /* of machine code: beyond that the interpreter remains */
	bool timed;            /* the code counts in warp->ticks how long it runs */
};

/*
 * Compiles the entry that @l has just lowered. GPURUN_NO_MEMORY; GPURUN_UNSUPPORTED where the
 * interpreter has to execute it alone, with the reason. *@out is owned by the caller (region_free).
 */
int region_compile(struct lowering *l, const struct region_request *request,
		   struct code_region **out, struct err *e);

#endif
