/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the init_*.c of check=init share; lower_check.h is for all others. */
#ifndef CPU_LOWER_INIT_H
#define CPU_LOWER_INIT_H

#include "bits.h"
#include "low_bits.h"
#include "lower_check.h"

/* How an instruction propagates uninitialised bits; those up to FLOWS_TOTAL from registers to
 * registers. */
enum uninit_flow {
	FLOWS_MOVE, FLOWS_PERMUTE, FLOWS_SELECT, FLOWS_COMPARE, FLOWS_LOGIC, FLOWS_SHIFT,
	FLOWS_FUNNEL, FLOWS_EXTRACT, FLOWS_INSERT, FLOWS_CONVERT,
	FLOWS_TOTAL,           /* it computes: results depend on all operands, or their halves */
	FLOWS_SHUFFLE,         /* from lanes to lanes */
	FLOWS_LOAD, FLOWS_STORE, FLOWS_CALL, FLOWS_WGMMA,
	FLOWS_NOWHERE,         /* it is a use */
};

_Static_assert(FLOWS_SHUFFLE == FLOWS_TOTAL + 1, "what propagates is up to here: lower_init.c");

/* The offset of the struct uninit of register @index; 0: it is not watched. */
int32_t uninit_of(const struct lowering *l, uint32_t index);

/* Adds the bits @keep of @operand, if that is a watched register, to what is gathered. */
int uninit_gather_from(struct lowering *l, const struct operand *operand, uint64_t keep,
		      struct uninit_bits bits);

/* Emits ops that compute the struct uninit of the results from those of the operands. */
int uninit_propagate(struct lowering *l, enum uninit_flow flow);

/* The parts of it that lower/init_flow.c and lower/init_bits.c need of each other. */
int uninit_total(struct lowering *l);
int uninit_logic_of_predicates(struct lowering *l);
int uninit_permute(struct lowering *l);
int uninit_move(struct lowering *l);
int uninit_of_logic(struct lowering *l);
int uninit_of_shift(struct lowering *l);
int uninit_funnel(struct lowering *l);
int uninit_extract(struct lowering *l);
int uninit_insert(struct lowering *l);
int uninit_convert(struct lowering *l);

/* Tells whether @type is that of two values in a register. */
bool uninit_is_pair(struct ptx_name type);

/* Tells whether a cvt keeps the bits of an integer unchanged. */
bool uninit_converts_integer(const struct opcode *opcode);

/* Tells whether the present store is one of several that copy a structure. */
bool copies_structure(const struct lowering *l);

/* Puts what is gathered to @operand, a value of @bits bits; @how: PUT_SIGN, PUT_TOTAL. */
int uninit_put_to(struct lowering *l, const struct operand *operand, unsigned bits, unsigned how);

#endif
