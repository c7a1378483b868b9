/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What an observed device counts, in the file that $KINDS_COUNTS names: 64 bits each, in this
 * order. Processes that run one after the other, and their children, add up there.
 */
#ifndef TEST_KINDS_COUNTS_H
#define TEST_KINDS_COUNTS_H

#define COUNTS                                                                             \
	COUNT(observed)      /* values of a register that a kind says something of, in a warp */ \
	COUNT(lanes)         /* and in its lanes */                                        \
	COUNT(contradictions)                                                              \
	COUNT(apart)         /* not observed: lanes have taken different ways */           \
	COUNT(checks)        /* instructions executed that need a check */                 \
	COUNT(checks_failed) /* of them: those whose result has not its kind */            \
	COUNT(slots)         /* registers that uniform_find() puts into slots */           \
	COUNT(slots_varied)  /* of them: those that are not uniform here */                \
	COUNT(instructions)  /* analysed, for each shape of a block */                     \
	COUNT(nanoseconds)   /* of that */                                                 \
	COUNT(registers)                                                                   \
	COUNT(joined)        /* vectors, though every write by itself is none */           \
	COUNT(written_uniform) COUNT(written_pattern) COUNT(written_vector)                \
	COUNT(executed_uniform) COUNT(executed_pattern) COUNT(executed_vector)             \
	COUNT(address_uniform) COUNT(address_pattern) COUNT(address_vector)                \
	COUNT(reached_uniform) COUNT(reached_pattern) COUNT(reached_vector)

enum count {
#define COUNT(name) COUNT_##name,
	COUNTS
#undef COUNT
	COUNT_ALL,
};

#endif
