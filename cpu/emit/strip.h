/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Selection for strips: the rows that are selected (strip.def), and what the functions that emit
 * their instructions share.
 *
 * A row with elements of 8 bytes is emitted in two parts, each for half of the lanes. A function
 * sees the operands of one part. It writes the result last, when all sources are read: the
 * result's register may be one of theirs.
 */
#ifndef CPU_STRIP_H
#define CPU_STRIP_H

#include "select.h"

struct strip_work;

/* Emits one part of a row. */
typedef void strip_fn(struct strip_work *w);

/* What is done with the result of a row's function. */
enum strip_after {
	STRIP_BITS,      /* nothing; and of which NaN an operand is, the result depends */
	STRIP_ANY_NAN,   /* nothing */
	STRIP_CANONICAL, /* f32: any NaN becomes the canonical one */
	STRIP_SATURATED, /* f32 or f64 into [0, 1] */
	STRIP_IMMEDIATE, /* nothing, as STRIP_BITS; the last source has to be an immediate */
};

struct strip_way {
	strip_fn *emit; /* NULL: the row is not selected */
	uint16_t name;  /* enum x86_name, of the instruction that does most of it */
};

struct strip_row {
	struct strip_way ways[2]; /* by enum x86_isa */
	uint16_t parameter;       /* what it is, the function says */
	uint8_t after;            /* enum strip_after */
};

struct strip_work {
	struct x86 *x;
	struct select *s;
	enum x86_isa isa;
	const struct op_row *row;
	enum x86_name name;
	unsigned parameter;
	unsigned bytes;             /* of a register with the widest elements of the row */
	struct x86_operand d;       /* the part's result */
	struct x86_operand a[4];    /* its sources: registers have the width of their elements */
};

#define OP(name, ...) x86_emit(w->x, X86_##name, __VA_ARGS__)
/* The instruction of AVX2, and that of AVX-512. */
#define OP2(name2, name512, ...)                                                           \
	x86_emit_all(w->x, w->isa == X86_AVX2 ? X86_##name2 : X86_##name512,               \
		     (const struct x86_operand[]){ __VA_ARGS__ },                          \
		     sizeof((const struct x86_operand[]){ __VA_ARGS__ }) /                 \
			     sizeof(struct x86_operand))
#define IMM(value) x86_immediate(value)

/* Bytes of an element: of the result, of source @i. */
static inline unsigned strip_result_size(const struct strip_work *w)
{
	return w->row->sizes[0];
}

static inline unsigned strip_size(const struct strip_work *w, unsigned i)
{
	return w->row->sizes[i + 1];
}

/* @operand, a register, with as many of its bytes. */
static inline struct x86_operand strip_wide(struct x86_operand operand, unsigned bytes)
{
	operand.bytes = (uint8_t)bytes;
	return operand;
}

/* The first element of @operand, memory that all lanes share. */
static inline struct x86_operand strip_element(struct x86_operand operand)
{
	operand.broadcast = false;
	operand.bytes = 0;
	return operand;
}

static inline bool strip_same(struct x86_operand a, struct x86_operand b)
{
	return a.kind == b.kind && a.kind == X86_VECTOR && a.number == b.number;
}

/* Tells whether @operand is a register that selection may change. */
static inline bool strip_is_free(const struct strip_work *w, struct x86_operand operand)
{
	return operand.kind == X86_VECTOR &&
	       operand.number >= (w->isa == X86_AVX2 ? SELECT_FIRST_AVX2 : SELECT_FIRST_AVX512);
}

/* Tells whether source @i is a constant that AVX2 has no form for: but for one that repeats it. */
static inline bool strip_is_number(const struct strip_work *w, unsigned i)
{
	return w->isa == X86_AVX2 && w->a[i].kind == X86_MEMORY && w->a[i].broadcast &&
	       w->a[i].base == X86_RIP && w->a[i].bytes >= 16;
}

/* A free vector register of w->bytes. */
struct x86_operand strip_temporary(struct strip_work *w);

/* Loads source @i into register @to, or moves it there. */
void strip_load(struct strip_work *w, struct x86_operand to, unsigned i);

/* Source @i in a register: its own, or a free one. */
struct x86_operand strip_register(struct strip_work *w, unsigned i);

/* Source @i as an instruction's last operand: memory remains, if the instruction can have it. */
struct x86_operand strip_operand(struct strip_work *w, unsigned i);

/* Source @i in a free register that may be changed. */
struct x86_operand strip_copy(struct strip_work *w, unsigned i);

/* @value in each element, as an instruction's last operand. */
struct x86_operand strip_constant32(struct strip_work *w, uint32_t value);
struct x86_operand strip_constant64(struct strip_work *w, uint64_t value);

/* Likewise in @bytes; in each element of 16 bits of w->bytes. */
struct x86_operand strip_all32(struct strip_work *w, uint32_t value, unsigned bytes);
struct x86_operand strip_all16(struct strip_work *w, uint16_t value);

/* @value in each element of a free register. */
struct x86_operand strip_filled32(struct strip_work *w, uint32_t value);
struct x86_operand strip_filled64(struct strip_work *w, uint64_t value);

/* The 16 bytes at @data in each 16 of @bytes, likewise. */
struct x86_operand strip_constant128(struct strip_work *w, const uint8_t data[16], unsigned bytes);

/* Results of comparisons within a function: masks of AVX-512, or registers with 0 and -1. */
struct x86_operand strip_flags(struct strip_work *w);

/* Chooses @yes where @flags are set, else @no; @no and @flags are registers. */
void strip_choose(struct strip_work *w, struct x86_operand d, struct x86_operand flags,
		  struct x86_operand yes, struct x86_operand no, unsigned size);

/* Makes each NaN of f32 in register @d the canonical one. */
void strip_canonical(struct strip_work *w, struct x86_operand d);

/* Rounds f32 in register @a to bf16, which are the upper halves then. */
void strip_bf16_bits(struct strip_work *w, struct x86_operand a);

/*
 * The low @to bytes of each element of @from bytes in register @a, one after the other in @d. @a is
 * changed if it is a free one.
 */
void strip_narrow(struct strip_work *w, struct x86_operand d, struct x86_operand a, unsigned to,
		  unsigned from);

/* @number minus each element of the free register @to, by the instruction @name. */
void strip_subtract_from(struct strip_work *w, struct x86_operand to, uint32_t number,
			 enum x86_name name);

#define EMITS(fn) strip_fn strip_##fn
/* One instruction of two sources (parameter STRIP_SWAPPED: the second one first), or of one. */
enum { STRIP_IN_ORDER, STRIP_COMMUTES, STRIP_SWAPPED };
/* Of minimum and maximum, and of shf. */
enum { STRIP_UNSIGNED = 1, STRIP_MOST = 2, STRIP_RIGHT = 1, STRIP_WRAP = 2 };
/* Of division. */
enum { STRIP_REMAINDER = 1 };
/* Of bfind. */
enum { STRIP_SIGNED = 1, STRIP_AMOUNT = 2 };
/* Of floating point, besides. */
enum { STRIP_FLUSHED = 4, STRIP_NAN = 8, STRIP_TO_ONE = 4,
       STRIP_BF16 = 16, STRIP_NEGATES = 32, STRIP_WITHOUT_SIGN = 64 };
EMITS(binary);
EMITS(binary_words);
EMITS(unary);
EMITS(move);

/* strip_int.c */
EMITS(multiply_add);
EMITS(product64);
EMITS(product64_sum);
EMITS(wide_product);
EMITS(wide_sum);
EMITS(high);
EMITS(high_sum);
EMITS(invert);
EMITS(is_zero);
EMITS(is_zero_lead);
EMITS(negate);
EMITS(magnitude64);
EMITS(least64);
EMITS(distance);
EMITS(shift);
EMITS(shift_sign64);
EMITS(shift_words);
EMITS(shift_words_wide);
EMITS(funnel);
EMITS(wide_words);
EMITS(high64);
EMITS(product24);
EMITS(dot);
EMITS(divide);

/* strip_bits.c */
EMITS(count);
EMITS(count64);
EMITS(lead);
EMITS(lead64);
EMITS(find);
EMITS(logic3);
EMITS(permute);
EMITS(reverse);
EMITS(field);
EMITS(field_sign);
EMITS(insert);

/* strip_compare.c */
EMITS(compare);
EMITS(compare_signed);
EMITS(compare_unsigned);
EMITS(compare_unsigned64);
EMITS(compare_self);
EMITS(compare_infinity);
EMITS(choose_sign);

/* strip_float.c */
EMITS(fma);
EMITS(reciprocal);
EMITS(ordered);
EMITS(sign);
EMITS(copy_sign);
EMITS(flush);
EMITS(round);

/* strip_half.c */
EMITS(half_binary);
EMITS(half_fma);
EMITS(half_odd);
EMITS(half_sign);
EMITS(half_ordered);
EMITS(half_compare);

/* strip_approx.c */
EMITS(exp2);
EMITS(log2);
EMITS(rsqrt);
EMITS(div_approx);
EMITS(sine);
EMITS(tanh);

/* strip_cvt.c */
EMITS(narrow_row);
EMITS(extend);
EMITS(float_of_u32);
EMITS(double_of_u32);
EMITS(double_of_64);
EMITS(float_of_narrow);
EMITS(s32_of_float);
EMITS(u32_of_float);
EMITS(u32_of_float_avx2);
EMITS(s32_of_double);
EMITS(u32_of_double);
EMITS(u32_of_double_avx2);
EMITS(s64_of_float);
EMITS(u64_of_float);
EMITS(narrow_of_float);
EMITS(half_of_integer);
EMITS(half_of_float);
EMITS(bf16_of_float);
EMITS(float_of_bf16);
EMITS(pair_of_floats);
EMITS(tf32_of_float);
#undef EMITS

#endif
