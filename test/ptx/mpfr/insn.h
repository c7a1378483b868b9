/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A floating-point instruction as PTX spells it, taken apart: what it computes,
 * on which types, and with which modifiers.
 */
#ifndef MPFR_INSN_H
#define MPFR_INSN_H

#include "format.h"

enum { MAX_SOURCES = 3 };

enum insn_base {
	ADD,
	SUB,
	MUL,
	FMA,
	MAD,
	DIV,
	SQRT,
	RCP,
	RSQRT,
	EX2,
	LG2,
	SIN,
	COS,
	TANH,
	MIN,
	MAX,
	ABS,
	NEG,
	COPYSIGN,
	CVT,
	BASES,
};

/* How exact a result has to be. */
enum insn_precision { ROUNDED, APPROX, FULL };

/* The type of an operand: floating point, or an integer where @format is NULL. */
struct operand_type {
	const struct format *format;
	unsigned bits;	/* of one value */
	unsigned lanes; /* 2 for f16x2 and the like */
	bool is_signed;
};

struct insn {
	char text[64]; /* the opcode */
	enum insn_base base;
	enum insn_precision precision;
	mpfr_rnd_t rnd;
	bool away;     /* .rna: to the nearest, ties away from zero */
	bool integral; /* .rni .rzi .rmi .rpi */
	bool ftz, sat, relu, satfinite, nan, xorsign;
	struct operand_type to, from;
	unsigned sources;
	char registers[1 + MAX_SOURCES]; /* 'h', 'r' or 'd': of 16, 32 and 64 bits */
};

/*
 * Reads "add.rn.f32 %r0, %r1, %r2". False where it is none of these
 * instructions, has no floating-point type, or has operands other than registers;
 * *@unknown then names a part of it that ought to be known, or is NULL.
 */
bool insn_parse(const char *form, struct insn *insn, const char **unknown);

/* The bits of a register of kind 'h', 'r' or 'd'. */
unsigned register_bits(char kind);

#endif
