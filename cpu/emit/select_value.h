/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Rows computed once, in general-purpose registers: what the functions of value.def have in common.
 *
 * Each emits one row. It computes in rax, rcx and rdx, or in the result's register once no source
 * there is needed any more, and ends with value_finish(). Floating-point numbers go through xmm12
 * to xmm15. No instruction is a jump: labels and constants of the caller's struct x86 are few.
 */
#ifndef CPU_SELECT_VALUE_H
#define CPU_SELECT_VALUE_H

#include "select.h"

struct value;

/* Details of rules: of one rule, bits or a number of the functions that have a use for them. */
enum {
	/* conditions: X86_E, ... */
	VALUE_COMMUTES = 1,  /* binary: sources may change places */
	VALUE_CLAMPS = 1,    /* funnel: the amount is not cut to 5 bits */
	VALUE_QUOTIENT = 0, VALUE_REMAINDER = 1,
	VALUE_SIGNED = 1,    /* the source */
	VALUE_AMOUNT = 2,    /* find: the shift to the left is asked for */

	/* Of floating-point numbers; the low bits are a predicate, or as vroundss has it: */
	VALUE_RNI = 0, VALUE_RMI = 1, VALUE_RPI = 2, VALUE_RZI = 3,
	VALUE_LOW = 31,
	VALUE_SATURATED = 1 << 5,
	VALUE_BF16 = 1 << 6,    /* elements of 2 bytes are bf16, not f16: of the source */
	VALUE_TO_BF16 = 1 << 7, /* likewise of the result */
	VALUE_FLUSHED = 1 << 8, /* subnormal sources, not by MXCSR */
	VALUE_KEEPS_NAN = 1 << 9, /* the result may be any NaN */
	VALUE_MAX = 1 << 10,
	VALUE_NAN = 1 << 11,    /* wins */
	VALUE_XORSIGN = 1 << 12,
	VALUE_NEGATED = 1 << 13,
	VALUE_ABSOLUTE = 1 << 14,
};

/* How a row is selected: a line of value.def. */
struct value_rule {
	bool (*emit)(struct value *v); /* false: not with these sources; nothing is emitted */
	uint16_t name;                 /* enum x86_name, where @emit has a use for one */
	int16_t detail;                /* likewise */
};

/* One row that is being emitted. */
struct value {
	struct x86 *x;
	const struct op_row *row;
	const struct value_rule *rule;
	struct x86_operand sources[4]; /* immediates have zeros above the element */
	unsigned result;               /* the number of its register */
	unsigned source_size;          /* bytes of the first source */
	unsigned result_size;          /* of the result; 0: a predicate */
};

/* VOP(add, ...): an instruction of @v. */
#define VOP(name, ...) x86_emit(v->x, X86_##name, __VA_ARGS__)

/* An instruction on registers of 4 bytes does for less. */
static inline unsigned value_width(unsigned size)
{
	return size < 4 ? 4 : size;
}

static inline bool value_is_immediate(const struct value *v, unsigned i)
{
	return v->sources[i].kind == X86_IMMEDIATE;
}

static inline uint64_t value_bits_mask(unsigned size)
{
	return size < 8 ? (1ull << 8 * size) - 1 : ~0ull;
}

/* Tells whether source @i is register @number, and whether it depends on it. */
bool value_is_register(const struct value *v, unsigned i, unsigned number);
bool value_uses(const struct value *v, unsigned i, unsigned number);

/* Tells whether source @i is an immediate that instructions of @size bytes can have. */
bool value_fits(const struct value *v, unsigned i, unsigned size);

void value_swap(struct value *v);

/* Of two sources that may change places: an immediate becomes the second one. */
void value_order(struct value *v);

/* Emits "register @number of 8 bytes = @bits". Flags are not changed. */
void value_set(struct value *v, unsigned number, uint64_t bits);

/* Emits "register @number = the low @size bytes of source @i", with zeros above; all sizes. */
void value_load(struct value *v, unsigned number, unsigned i, unsigned size);

/* The same with copies of the sign above @size, up to @width. */
void value_load_signed(struct value *v, unsigned number, unsigned i, unsigned size, unsigned width);

/*
 * Source @i as an operand of @size bytes: a register; or memory too; or an immediate that fits as
 * well. What is none of them is loaded into register @scratch.
 */
struct x86_operand value_register(struct value *v, unsigned i, unsigned size, unsigned scratch);
struct x86_operand value_memory(struct value *v, unsigned i, unsigned size, unsigned scratch);
struct x86_operand value_any(struct value *v, unsigned i, unsigned size, unsigned scratch);

/*
 * Replaces the first @count sources, whose elements are signed, by what they are when extended to
 * @width: the first in rax, the second in rcx.
 */
void value_widen(struct value *v, unsigned count, unsigned width);

/* Emits "result = the element in register @number", which may have anything above it. */
bool value_finish(struct value *v, unsigned number);

/*
 * Floating-point numbers (value_float.c). Those of 16 bits become f32 when they are loaded.
 * "Emits xmm@number = source @i"; and the source as the last operand of an instruction, loaded into
 * xmm@scratch if need be.
 */
void value_load_number(struct value *v, unsigned number, unsigned i);
struct x86_operand value_number(struct value *v, unsigned i, unsigned scratch);

/* Emits "xmm@number = @bits", of an f64 if @wide. */
void value_set_number(struct value *v, unsigned number, bool wide, uint64_t bits);

/*
 * Emits "result = xmm12", an f32, or an f64 if the result has 8 bytes, as the detail says. To
 * 16 bits it is rounded as the low bits of the detail say.
 */
bool value_finish_number(struct value *v);

/* The functions of value.def, each with its file. */
#define VALUE_FUNCTIONS(X)                                                                 \
	/* value_int.c */                                                                  \
	X(binary) X(unary) X(multiply) X(multiply_high) X(multiply_high_64) X(choose) X(absolute) \
	X(difference) X(is_zero) X(compare) X(convert) X(clamp)                            \
	/* value_bits.c */                                                                 \
	X(shift) X(shift_signed) X(funnel) X(count) X(reverse) X(find) X(extract)          \
	X(extract_signed) X(insert) X(logic) X(permute)                                    \
	/* value_divide.c */                                                               \
	X(divide) X(divide_signed)                                                         \
	/* value_float.c */                                                                \
	X(operate) X(multiply_add) X(root) X(reciprocal) X(sign) X(copy_sign) X(choose_number) \
	X(compare_numbers) X(select) X(divide_roughly) X(reciprocal_root)                  \
	/* value_convert.c */                                                              \
	X(to_integer) X(to_s64) X(to_u64) X(from_integer) X(from_u64) X(resize) X(round) X(pack)
#define X(name) bool value_##name(struct value *v);
VALUE_FUNCTIONS(X)
#undef X

#endif
