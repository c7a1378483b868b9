/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which values an instruction of the IR uses, and which ones are needed where. */
#ifndef CPU_LIVE_H
#define CPU_LIVE_H

#include "ir.h"

/* Calls @visit for each value that @insn uses, then for those that it defines. A value that
 * keeps what it has in some lanes is used, too. */
void ir_visit(const struct ir *ir, const struct ir_insn *insn,
	      void (*visit)(void *context, uint32_t value, bool defines), void *context);

/* Values that are needed, or will be, when an instruction begins: a part of live->values. */
struct ir_live {
	uint32_t first, count;
};

struct live {
	uint32_t *values;        /* owned; no fixed ones */
	size_t value_count;
	struct ir_live *insns;   /* owned: of each instruction, and of its end */
};

/* GPURUN_NO_MEMORY; GPURUN_UNSUPPORTED for more than a compiler of kernels should work with. */
int live_find(const struct ir *ir, struct live *out, struct err *e);

/* Accepts a zeroed one. */
void live_release(struct live *live);

#endif
