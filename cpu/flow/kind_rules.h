/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What an instruction makes of bases and steps: the column `lanes` of bases.def names a rule for
 * each base. A rule that does not know the types or the modifiers of an instruction falls back to
 * RULE_PURE, which is right for all whose results follow from their operands.
 */
#ifndef CPU_KIND_RULES_H
#define CPU_KIND_RULES_H

#include "insn.h"
#include "lane_values.h"

enum kind_rule {
	RULE_EACH,  /* a value of its own in each lane */
	RULE_PURE,  /* one value where each operand has one */
	RULE_LOAD,  /* one value where the address is one, and not of a thread's own memory */
	RULE_VOTE,  /* one value where each operand has one, but for predicates */
	RULE_REDUCE, /* one value where each operand has one, but for the first */
	RULE_COMPUTE, /* base and steps */
};

/* An instruction, as rules need it. */
struct kind_insn {
	uint8_t rule;              /* enum kind_rule */
	uint8_t function;          /* RULE_COMPUTE: which */
	uint8_t bits, from;        /* of the result; of the operands */
	uint8_t how;               /* what else the function has to know */
	uint8_t sources;           /* operands that are no results */
	bool sign;
	bool wide;                 /* the result has twice the bits of the first two operands */
};

/*
 * Why a result may be wrong: the lowest @bits of an operand, which wrap around in some of the lanes
 * that exist; those that a predicate leaves out count, too, for lane 0 may be one.
 */
struct kind_check {
	uint8_t operand;           /* its number; 0: no check is needed */
	uint8_t bits;
	bool sign;
};

enum { MOST_SOURCES = 4 };

/* Decodes @insn. */
struct kind_insn kind_insn_find(const struct body *body, const struct insn *insn);

/*
 * Computes the first result of @insn, of RULE_COMPUTE, from its sources: none of them is a vector
 * or VALUES_NONE. @lanes are those that exist. Changes @in.
 */
void kind_insn_compute(const struct kind_insn *insn, struct values in[MOST_SOURCES], uint32_t lanes,
		       struct values *out, struct kind_check *check);

/* The opposite of a predicate. */
void kind_negate(struct values *predicate);

#endif
