/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Selection: the machine instructions that compute a row of ptx_ops.def, with the bits of its
 * handler.
 *
 * Lanes are computed by strips: as many as have elements of 4 bytes in one vector register, 8
 * with AVX2 and 16 with AVX-512. Elements of 8 bytes fill two registers, those of 2 bytes half
 * of one, of 1 byte a fourth. What is the same in all lanes is computed once, in
 * general-purpose registers.
 *
 * Nothing here allocates registers: the caller says where operands and result are, and which
 * registers are free. A row that is not selected is executed by its handler.
 */
#ifndef CPU_SELECT_H
#define CPU_SELECT_H

#include "handler.h"
#include "x86.h"

/* The registers that selection may change, besides the result: never those of operands. */
enum {
	SELECT_VECTORS_AVX2 = 4,   /* ymm12 to ymm15 */
	SELECT_VECTORS_AVX512 = 6, /* zmm26 to zmm31 */
	SELECT_FIRST_AVX2 = 12,
	SELECT_FIRST_AVX512 = 26,
	SELECT_MASK = 6,           /* k6 and k7 */
	/* rax, rcx and rdx, and the flags */
};

/*
 * An operand in one strip. Elements of 4 bytes: part[0] is a vector register of 32 bytes (AVX2)
 * or 64, or memory of as many bytes. Of 8 bytes: two of them, the lower lanes in part[0]. Of 2
 * bytes: a register of half, of 1 byte of a fourth as many bytes (never less than an xmm
 * register: then its low bytes count, and others may hold anything), or memory of as many
 * bytes.
 *
 * A source of elements of 4 or 8 bytes may also be the same for all lanes: memory with
 * x86_broadcast(), in each part. AVX2 has no such operands: select_register() loads them.
 *
 * The table of lop3 and the selector of prmt are immediates: otherwise select_strip() returns
 * false.
 *
 * A predicate is a mask register with AVX-512, whose low 16 bits count, and others may hold
 * anything; with AVX2 a vector register with 0 or -1 in elements of 4 bytes.
 *
 * Results are always registers, and may be those of a source that is a register.
 */
struct strip {
	struct x86_operand part[2];
};

struct select {
	struct x86 *x;
	enum x86_isa isa;
	uint8_t used;    /* of the vector registers that selection may change */
	bool canonical;  /* NaNs of f32 results have to be the canonical one; else any will do */
};

/*
 * Tells whether the row's handler has the same result for every NaN of f32 that an operand may
 * be, but for which NaN the result is: then the caller may pass NaNs that are not canonical.
 * False for rows that are not selected.
 */
bool select_any_nan(const struct op_row *row);

/* Tells whether what computes @row for a strip takes long from its operands to its result:
 * series, divisions. */
bool select_is_long(enum x86_isa isa, const struct op_row *row);

/* Tells whether one instruction alone writes the result of @row: then AVX-512 can mask it. */
bool select_is_single(enum x86_isa isa, const struct op_row *row);

/* Tells whether the last source of @row has to be an immediate. */
bool select_needs_number(const struct op_row *row);

/* Tells whether select_strip() knows @row, for @isa. */
bool select_has_strip(enum x86_isa isa, const struct op_row *row);

/*
 * Emits what computes @row for the lanes of one strip: all of them, also those that do not run.
 * MXCSR is what the row's handler sets. False: it is not selected, and nothing is emitted.
 */
bool select_strip(struct select *s, const struct op_row *row, struct strip result,
		  const struct strip sources[4]);

/*
 * The same for values that all lanes share, as in slots: @result is a general-purpose register
 * of 8 bytes, which gets the value with zeros above it, or for a predicate 0 or 0xffffffff.
 * Sources are such registers, memory with such a value (a slot), or immediates with all bits of
 * the value. NaNs of f32 are always canonical.
 */
bool select_has_value(const struct op_row *row);
bool select_value(struct select *s, const struct op_row *row, struct x86_operand result,
		  const struct x86_operand sources[4]);

#endif
