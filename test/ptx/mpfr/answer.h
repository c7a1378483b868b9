/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What a floating-point instruction has to answer, computed by MPFR from the text
 * of the PTX ISA.
 */
#ifndef MPFR_ANSWER_H
#define MPFR_ANSWER_H

#include "insn.h"

/* Of one lane. */
struct answer {
	uint64_t bits;
	uint64_t other;	  /* is right as well; mostly the same */
	bool any_nan;	  /* any NaN is right, and nothing else */
	bool approximate; /* what is within @bound of @value is right, too */
	bool range;	  /* what lies in [-1, 1] is right */
	double value, bound;
};

/*
 * The answer to @in, one value per source, each in the lowest bits. Not safe to
 * call from two threads.
 */
void answer_of(const struct insn *insn, const uint64_t in[MAX_SOURCES],
	       struct answer *answer);

/* True if @got, the bits of one lane, is a right answer. */
bool answer_allows(const struct insn *insn, const struct answer *answer, uint64_t got);

#endif
