/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Blocks and loops that some lanes execute while others wait behind them. */
#ifndef CPU_CONVERT_H
#define CPU_CONVERT_H

#include "build.h"

/* Instructions of such a block or loop, at most. */
enum { MOST_CONVERTED = 64 };

/* A block, or a loop, that may be converted. */
struct candidate {
	struct build *b;
	uint32_t behind;         /* the block where its lanes meet the others */
	uint32_t head;           /* the first block, if it is a loop; or IR_NONE */
	bool chooses;            /* kinds are not final: what lanes need may become a vector */
	bool fits;
};

/* Tells whether lanes that are not in the block need what value @value has. */
bool candidate_needs(const struct candidate *k, uint32_t value);

/* Clears k->fits if value @value is written there, and that changes what others need. */
void candidate_writes(struct candidate *k, uint32_t value);

/* Has instruction @insn executed by the lanes that stay, and change what the others need in those
 * lanes alone. */
void candidate_convert(const struct candidate *k, struct ir_insn *insn);

/* Converts the loops that build_loops() has chosen. */
void build_converted_loops(struct build *b);

#endif
