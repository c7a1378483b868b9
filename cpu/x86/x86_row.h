/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Rows of the tables of instructions, and finding the one that operands match.
 *
 * The columns, in the notation of Intel's manuals:
 *
 * name       the mnemonic
 * class      LEGACY, VEX or EVEX: the prefixes, and who encodes the row (encode.c)
 * sizes      what the row exists for. Of vectors X, Y and Z, 16, 32 and 64 bytes: the vector
 *            length. Of general-purpose registers W, D and Q: 2, 4 and 8 bytes, the operand size.
 *            One of them is the size of an instruction, "full" below. _: there is but one form
 * pp         the mandatory prefix: NP (none), 66, F3 or F2
 * map        of LEGACY 00 (opcodes of one byte) or 0F; of the others 0F, 0F38 or 0F3A
 * w          REX.W, VEX.W, EVEX.W: W0, W1, WIG (ignored: 0), or WS: 1 where the size is 8
 * opcode
 * digit      r, or what ModRM.reg is where no operand is there
 * flags      of EVEX rows: what the operands may ask for besides. See enum x86_flags
 * operands   four of X86_SPECS; _: none
 *
 * The tuple types of EVEX, by which a displacement of 8 bits is multiplied, are no column: they are
 * the bytes of memory that an operand has, or an element for broadcasts, or N4 and N8.
 */
#ifndef CPU_X86_ROW_H
#define CPU_X86_ROW_H

#include "x86.h"

enum x86_class { X86_LEGACY, X86_VEX, X86_EVEX };
enum x86_pp { X86_PP_NP, X86_PP_66, X86_PP_F3, X86_PP_F2 };
enum x86_map { X86_MAP_00, X86_MAP_0F, X86_MAP_0F38, X86_MAP_0F3A };
enum x86_w { X86_W_W0, X86_W_W1, X86_W_WIG, X86_W_WS };
enum { X86_DIGIT_r = 8 };

enum x86_flags {
	X86_K = 1,            /* a mask */
	X86_Z = 2,            /* zeroing, where the destination is a register */
	X86_NEEDS_MASK = 4,   /* there has to be a mask */
	X86_ER = 8,           /* a rounding; of vectors 64 bytes alone have one */
	X86_SAE_ONLY = 16,    /* X86_SAE */
	X86_B4 = 32,          /* broadcasts of 4 bytes */
	X86_B8 = 64,
	X86_N4 = 128,         /* displacements are multiplied by 4, however large memory is */
	X86_N8 = 256,
};

/* Where an operand is encoded. */
enum x86_place {
	X86_IN_NOTHING, /* the opcode implies it */
	X86_IN_REG,     /* ModRM.reg */
	X86_IN_VVVV,    /* VEX.vvvv, EVEX.vvvv */
	X86_IN_RM,      /* ModRM.rm, or memory */
	X86_IN_OPCODE,  /* the low bits of the opcode */
	X86_IN_IS4,     /* the high bits of a byte behind the instruction */
	X86_IN_IMMEDIATE,
	X86_IN_RELATIVE, /* a distance of 32 bits */
};

/* Sizes in bytes that are a part of the instruction's: never less than 16 for a vector. */
enum { X86_FULL = -1, X86_HALF = -2, X86_QUARTER = -4, X86_EIGHTH = -8, X86_ANY = 127 };

/*
 * SPEC(name, place, kind, bytes of the register, bytes of memory; 0: it cannot be that)
 *
 * Vector registers V (ModRM.reg), H (vvvv), U (rm), L (is4), W (rm, or memory), with o, y: of 16
 * and 32 bytes, x, h, f, e: a whole, a half, a fourth and an eighth of the size, b, w, d, q: a
 * number in a register of 16 bytes, or memory of that size. General-purpose ones G (reg), E (rm or
 * memory), R (rm), B (vvvv), Z (opcode), A (rax), C (cl), with b, w, d, q, v: the size; Ey and Ez:
 * 4 bytes, or memory of 1 and of 2. M: memory alone. X: memory with a vector of indices, d, q: as
 * many as elements of 4 and 8 bytes, r: half as many bytes of them as of elements. K: masks. I:
 * numbers, Is: of 8 bits with their sign, I1: 1. J: where to jump.
 */
#define X86_SPECS(SPEC)                                                                    \
	SPEC(_, NOTHING, 0, 0, 0)                                                          \
	SPEC(Vx, REG, VECTOR, FULL, 0) SPEC(Vh, REG, VECTOR, HALF, 0)                      \
	SPEC(Vo, REG, VECTOR, 16, 0)                                                       \
	SPEC(Hx, VVVV, VECTOR, FULL, 0) SPEC(Hh, VVVV, VECTOR, HALF, 0)                    \
	SPEC(Ho, VVVV, VECTOR, 16, 0) SPEC(Lx, IS4, VECTOR, FULL, 0)                       \
	SPEC(Wx, RM, VECTOR, FULL, FULL) SPEC(Wh, RM, VECTOR, HALF, HALF)                  \
	SPEC(Wf, RM, VECTOR, QUARTER, QUARTER) SPEC(We, RM, VECTOR, EIGHTH, EIGHTH)        \
	SPEC(Wo, RM, VECTOR, 16, 16) SPEC(Wy, RM, VECTOR, 32, 32)                          \
	SPEC(Wq, RM, VECTOR, 16, 8) SPEC(Wd, RM, VECTOR, 16, 4)                            \
	SPEC(Ww, RM, VECTOR, 16, 2) SPEC(Wb, RM, VECTOR, 16, 1)                            \
	SPEC(Ux, RM, VECTOR, FULL, 0) SPEC(Uo, RM, VECTOR, 16, 0)                          \
	SPEC(Xd, RM, INDEXED, FULL, 4) SPEC(Xq, RM, INDEXED, FULL, 8)                      \
	SPEC(Xr, RM, INDEXED, HALF, 8)                                                     \
	SPEC(Mx, RM, MEMORY, 0, FULL) SPEC(My, RM, MEMORY, 0, 32)                          \
	SPEC(Mo, RM, MEMORY, 0, 16) SPEC(Mq, RM, MEMORY, 0, 8) SPEC(Md, RM, MEMORY, 0, 4)  \
	SPEC(Mw, RM, MEMORY, 0, 2) SPEC(Mb, RM, MEMORY, 0, 1) SPEC(Ma, RM, MEMORY, 0, ANY) \
	SPEC(Gb, REG, GPR, 1, 0) SPEC(Gd, REG, GPR, 4, 0)                                  \
	SPEC(Gq, REG, GPR, 8, 0) SPEC(Gv, REG, GPR, FULL, 0)                               \
	SPEC(Eb, RM, GPR, 1, 1) SPEC(Ew, RM, GPR, 2, 2) SPEC(Ed, RM, GPR, 4, 4)            \
	SPEC(Eq, RM, GPR, 8, 8) SPEC(Ev, RM, GPR, FULL, FULL)                              \
	SPEC(Ey, RM, GPR, 4, 1) SPEC(Ez, RM, GPR, 4, 2)                                    \
	SPEC(Rd, RM, GPR, 4, 0) SPEC(Rq, RM, GPR, 8, 0) SPEC(Bv, VVVV, GPR, FULL, 0)       \
	SPEC(Zb, OPCODE, GPR, 1, 0) SPEC(Zq, OPCODE, GPR, 8, 0)                            \
	SPEC(Zv, OPCODE, GPR, FULL, 0)                                                     \
	SPEC(Ab, NOTHING, GPR, 1, 0) SPEC(Av, NOTHING, GPR, FULL, 0)                       \
	SPEC(Cb, NOTHING, GPR, 1, 0)                                                       \
	SPEC(Kg, REG, MASK, 8, 0) SPEC(Kv, VVVV, MASK, 8, 0) SPEC(Kr, RM, MASK, 8, 0)      \
	SPEC(Kb, RM, MASK, 8, 1) SPEC(Kw, RM, MASK, 8, 2) SPEC(Kd, RM, MASK, 8, 4)         \
	SPEC(Kq, RM, MASK, 8, 8)                                                           \
	SPEC(I1, NOTHING, IMMEDIATE, 0, 0) SPEC(Ib, IMMEDIATE, IMMEDIATE, 1, 0)            \
	SPEC(Is, IMMEDIATE, IMMEDIATE, 1, 0) SPEC(Iv, IMMEDIATE, IMMEDIATE, FULL, 0)       \
	SPEC(Iq, IMMEDIATE, IMMEDIATE, 8, 0) SPEC(Jd, RELATIVE, LABEL, 0, 0)

#define SPEC(name, ...) X86_SPEC_##name,
enum x86_spec_name { X86_SPECS(SPEC) X86_SPEC_COUNT };
#undef SPEC

/* Memory with a vector of indices: a kind of specs alone, not of operands. */
enum { X86_INDEXED = X86_LABEL + 1 };

struct x86_spec {
	char name[3];
	uint8_t place; /* enum x86_place */
	uint8_t kind;  /* enum x86_kind, X86_INDEXED */
	int8_t bytes;  /* of the register, of the indices, of the immediate */
	int8_t memory; /* bytes of memory */
};
extern const struct x86_spec x86_specs[X86_SPEC_COUNT];

enum { X86_OPERANDS = 4 };

struct x86_row {
	uint16_t name;
	uint16_t flags;
	uint8_t class, sizes, pp, map, w, opcode, digit;
	uint8_t specs[X86_OPERANDS]; /* enum x86_spec_name */
};

/* All rows. The first and the last have X86_NO_NAME. */
extern const struct x86_row x86_rows[];
extern const size_t x86_row_count;

/* The index of a name's first row: in the tables for all processors, in avx512.def; 0: none */
extern const uint16_t x86_first_rows[2][X86_NAMES];

/* What @bytes of a spec are in an instruction of @size; never less than @least. */
unsigned x86_spec_bytes(int bytes, unsigned size, unsigned least);

/* Bytes of memory that @spec, an operand of an instruction of @size by @row, reaches. */
unsigned x86_memory_bytes(const struct x86_row *row, const struct x86_spec *spec, unsigned size,
			  bool broadcast);

/* The first row of @isa that the operands match; NULL: there is none. *@size is its size. */
const struct x86_row *x86_find(enum x86_isa isa, enum x86_name name,
			       const struct x86_operand *operands, size_t count,
			       unsigned *size);

/* Bytes that an immediate of @spec has in an instruction of @size: 4 at most, but for Iq. */
unsigned x86_immediate_bytes(const struct x86_spec *spec, unsigned size);

/* The value of an immediate of a row as it is encoded: -1 and 0xffffffff are the same add. */
int64_t x86_immediate_value(const struct x86_spec *spec, int64_t value, unsigned size);

/* The longest instruction. */
enum { X86_LONGEST = 15 };

struct x86_encoding {
	uint8_t bytes[X86_LONGEST];
	uint8_t size;
	uint8_t distance; /* where the 32 bits are that refer to a label; 0: none do */
	uint32_t label;
};

/* Encodes an instruction of @size by @row, which x86_find() has found for the operands. */
void x86_encode(const struct x86_row *row, unsigned size, const struct x86_operand *operands,
		struct x86_encoding *out);

#endif
