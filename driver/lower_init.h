/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the lower_*.c of check=init share; lower_check.h is for all others. */
#ifndef DRIVER_LOWER_INIT_H
#define DRIVER_LOWER_INIT_H

#include "lower_check.h"
#include "unset.h"

/* How an instruction hands on what is unset; those up to FLOWS_TOTAL from registers to
 * registers. */
enum hands {
	FLOWS_MOVE, FLOWS_PERMUTE, FLOWS_SELECT, FLOWS_LOGIC, FLOWS_SHIFT, FLOWS_CONVERT,
	FLOWS_TOTAL,           /* results depend on all operands */
	FLOWS_LOAD, FLOWS_STORE, FLOWS_CALL, FLOWS_WGMMA,
	FLOWS_NOWHERE,         /* it is a use */
};

#define UNSET_ALL ((struct unset_bytes){ 0, 0xff, 0, 0 })
#define UNSET_ANY ((struct unset_bytes){ 0, 0xff, 0, 0xff })

/* Where the struct unset of register @index stands; 0: it is not watched. */
int32_t unset_of(const struct lowering *l, uint32_t index);

/*
 * Adds @bytes of @operand, if that is a watched register, to what is gathered, in the lanes of
 * predicate @p (0: all), or those where it is false.
 */
int unset_gather_from(struct lowering *l, const struct operand *operand, struct unset_bytes bytes,
		      int32_t p, bool inverted);

/* What the results of the present instruction are is made of what its operands are. */
int unset_hand_on(struct lowering *l, enum hands flow);

/* Tells whether the present store is one of several that copy a structure. */
bool copies_structure(const struct lowering *l);

/* Gives @operand, @size bytes of it, what is gathered; @flags: PUT_SIGN, PUT_TOTAL. */
int unset_put_to(struct lowering *l, const struct operand *operand, unsigned size,
		 unsigned flags);

#endif
