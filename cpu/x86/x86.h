/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Machine code of x86-64: instructions are written into a buffer of fixed size.
 *
 *	struct x86_operand sum = x86_ymm(0);
 *
 *	x86_emit(x, X86_vaddps, sum, sum, x86_indexed(X86_RSI, X86_RCX, 4, 0));
 *	x86_emit(x, X86_jmp, x86_to(loop));
 *	TRY(x86_finish(x, &size, e));
 *
 * Operands are in the order of Intel's manuals, the destination first. An instruction's form
 * follows from them: of the rows that have its name (integer.def, avx2.def, avx512.def) the first
 * is encoded that all operands match. So with AVX-512 a plain vaddps has the shorter encoding of
 * AVX2, and one with a mask or with zmm17 that of AVX-512.
 *
 * Emitting allocates nothing and returns nothing. What does not fit into the buffer, and operands
 * that no row has, make x86_finish() fail, and nothing more is written after them. Operands that
 * no row has are a mistake of the caller's code: an ASSERT.
 *
 * One thread at a time uses a struct x86.
 */
#ifndef CPU_X86_H
#define CPU_X86_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cleanup.h"
#include "err.h"

/* Instructions: X86_add, X86_vaddps, ... */
#define FIRST(name, ...) X86_##name,
#define NEXT(...)
#define AGAIN(...)
enum x86_name {
	X86_NO_NAME,
#include "rows.def"
	X86_NAMES
};

enum x86_isa {
	X86_AVX2,   /* x86-64-v3 */
	X86_AVX512, /* x86-64-v4 */
};

/* Numbers of general-purpose registers. */
enum x86_gpr {
	X86_RAX, X86_RCX, X86_RDX, X86_RBX, X86_RSP, X86_RBP, X86_RSI, X86_RDI,
	X86_R8, X86_R9, X86_R10, X86_R11, X86_R12, X86_R13, X86_R14, X86_R15,
	X86_NO_REGISTER, /* memory without a base, or without an index */
	X86_RIP,         /* as a base, of memory at a label */
};

/* Of jcc, setcc, cmovcc: X86_jo + X86_LE is jle. */
enum x86_condition {
	X86_O, X86_NO, X86_B, X86_AE, X86_E, X86_NE, X86_BE, X86_A,
	X86_S, X86_NS, X86_P, X86_NP, X86_L, X86_GE, X86_LE, X86_G,
};

/* How one instruction of AVX-512 rounds: none of them raises exceptions. */
enum x86_rounding {
	X86_AS_MXCSR, /* by the register, as all instructions */
	X86_RN, X86_RD, X86_RU, X86_RZ,
	X86_SAE, /* by the register, but without exceptions */
};

enum x86_kind {
	X86_GPR = 1,
	X86_VECTOR,
	X86_MASK,
	X86_MEMORY,
	X86_IMMEDIATE,
	X86_LABEL,
};

struct x86_operand {
	uint8_t kind;    /* enum x86_kind */
	uint8_t bytes;   /* of a register; of memory, 0 where the row alone says it */
	uint8_t number;  /* of a register */
	uint8_t base;    /* of memory: enum x86_gpr */
	uint8_t index;   /* likewise; for gathers a vector register of */
	uint8_t index_bytes; /* these, 8: a general-purpose one */
	uint8_t scale;   /* 1, 2, 4, 8 */
	uint8_t mask;    /* of the destination: k1 to k7; 0: all elements are written */
	uint8_t rounding; /* enum x86_rounding */
	bool zeroed;     /* elements without their bit in the mask become 0 */
	bool broadcast;  /* memory is one element, for all */
	int32_t displacement;
	uint32_t label;  /* of jumps, and of memory with X86_RIP as base */
	int64_t value;   /* of an immediate */
};

/* Registers of @bytes bytes. */
static inline struct x86_operand x86_gpr(unsigned bytes, unsigned number)
{
	return (struct x86_operand){ .kind = X86_GPR, .bytes = (uint8_t)bytes,
				     .number = (uint8_t)number };
}

static inline struct x86_operand x86_vector(unsigned bytes, unsigned number)
{
	return (struct x86_operand){ .kind = X86_VECTOR, .bytes = (uint8_t)bytes,
				     .number = (uint8_t)number };
}

static inline struct x86_operand x86_r32(unsigned number)
{
	return x86_gpr(4, number);
}

static inline struct x86_operand x86_r64(unsigned number)
{
	return x86_gpr(8, number);
}

static inline struct x86_operand x86_xmm(unsigned number)
{
	return x86_vector(16, number);
}

static inline struct x86_operand x86_ymm(unsigned number)
{
	return x86_vector(32, number);
}

static inline struct x86_operand x86_zmm(unsigned number)
{
	return x86_vector(64, number);
}

static inline struct x86_operand x86_k(unsigned number)
{
	return (struct x86_operand){ .kind = X86_MASK, .bytes = 8, .number = (uint8_t)number };
}

static inline struct x86_operand x86_immediate(int64_t value)
{
	return (struct x86_operand){ .kind = X86_IMMEDIATE, .value = value };
}

/* [base + displacement] */
static inline struct x86_operand x86_at(unsigned base, int32_t displacement)
{
	return (struct x86_operand){ .kind = X86_MEMORY, .base = (uint8_t)base,
				     .index = X86_NO_REGISTER, .index_bytes = 8, .scale = 1,
				     .displacement = displacement };
}

/* [base + index * scale + displacement]; @base may be X86_NO_REGISTER. */
static inline struct x86_operand x86_indexed(unsigned base, unsigned index, unsigned scale,
					     int32_t displacement)
{
	struct x86_operand memory = x86_at(base, displacement);

	memory.index = (uint8_t)index;
	memory.scale = (uint8_t)scale;
	return memory;
}

/* The same with the vector register @index of @index_bytes bytes, for gathers and scatters. */
static inline struct x86_operand x86_gathered(unsigned base, unsigned index_bytes,
					      unsigned index, unsigned scale,
					      int32_t displacement)
{
	struct x86_operand memory = x86_indexed(base, index, scale, displacement);

	memory.index_bytes = (uint8_t)index_bytes;
	return memory;
}

/* The memory at @label. */
static inline struct x86_operand x86_at_label(uint32_t label)
{
	struct x86_operand memory = x86_at(X86_RIP, 0);

	memory.label = label;
	return memory;
}

/* Where a jump or a call goes. */
static inline struct x86_operand x86_to(uint32_t label)
{
	return (struct x86_operand){ .kind = X86_LABEL, .label = label };
}

/* @memory of @bytes, where no register says how many: "neg qword ptr [rax]". */
static inline struct x86_operand x86_sized(struct x86_operand memory, unsigned bytes)
{
	memory.bytes = (uint8_t)bytes;
	return memory;
}

/*
 * The first element of @memory in the place of all: "dword ptr [rax]{1to16}". x86_sized() has the
 * bytes of all where no register says how many there are.
 */
static inline struct x86_operand x86_broadcast(struct x86_operand memory)
{
	memory.broadcast = true;
	return memory;
}

/* @destination, of which mask register @mask chooses the elements that are written. */
static inline struct x86_operand x86_masked(struct x86_operand destination, unsigned mask)
{
	destination.mask = (uint8_t)mask;
	return destination;
}

/* Likewise, and the others become 0. */
static inline struct x86_operand x86_zeroed(struct x86_operand destination, unsigned mask)
{
	destination.mask = (uint8_t)mask;
	destination.zeroed = true;
	return destination;
}

/* The last register among an instruction's operands, which says how it rounds. */
static inline struct x86_operand x86_rounded(struct x86_operand source,
					     enum x86_rounding rounding)
{
	source.rounding = (uint8_t)rounding;
	return source;
}

/* How much a struct x86 can have. */
struct x86_limits {
	uint8_t *code; /* borrowed; begins at a multiple of 64 */
	size_t size;   /* of it, at most X86_MOST_CODE */
	uint32_t labels;
	uint32_t constants;
};

#define X86_MOST_CODE ((size_t)1 << 28)

struct x86_label;
struct x86_constant;

/* The members are those of x86.c; others read them at most. */
struct x86 {
	struct x86_limits limits;
	enum x86_isa isa;
	struct x86_label *labels;       /* owned */
	struct x86_constant *constants; /* owned */
	uint32_t *lists;                /* owned: of constants, by hash; a power of 2 of them */
	size_t used;                    /* bytes of code */
	uint32_t label_count, constant_count, list_count;
	enum gpurun_status failed;      /* x86_finish() will fail with it */
	const char *reason;
};

/* *@out is owned by the caller (x86_free). GPURUN_NO_MEMORY. */
int x86_new(const struct x86_limits *limits, enum x86_isa isa, struct x86 **out, struct err *e);

/* Takes NULL. */
void x86_free(struct x86 *x);
DEFINE_CLEANUP(free_x86, struct x86 *, x86_free)

/* Returns a label that is not bound yet. The limit is of these alone: constants have their own. */
uint32_t x86_label(struct x86 *x);

/* Binds @label to the end of what was emitted; one time for each label. */
void x86_bind(struct x86 *x, uint32_t label);

/*
 * Returns the memory with the @bytes bytes at @data: 4, 8, 16, 32 or 64. It is behind the code, at
 * a multiple of its size; equal constants are one.
 */
struct x86_operand x86_constant(struct x86 *x, const void *data, unsigned bytes);

/* The constant @element as often as it is in @bytes, at most 64; what is no constant as it is. */
struct x86_operand x86_repeated(struct x86 *x, struct x86_operand element, unsigned bytes);

/* Appends the instruction X86_... with its operands, at most four. */
#define x86_emit(x, name, ...)                                                             \
	x86_emit_all(x, name, (const struct x86_operand[]){ __VA_ARGS__ },                 \
		     sizeof((const struct x86_operand[]){ __VA_ARGS__ }) /                 \
			     sizeof(struct x86_operand))
void x86_emit_all(struct x86 *x, enum x86_name name, const struct x86_operand *operands,
		  size_t count);

/*
 * Places the constants and fills in what refers to labels. *@size is the size of code and
 * constants, which can then be executed at any address that is a multiple of 64. GPURUN_NO_MEMORY
 * where a limit was too small; GPURUN_INTERNAL for a label that is used and not bound, and for
 * operands that no row has. One time for each struct x86.
 */
int x86_finish(struct x86 *x, size_t *size, struct err *e);

/*
 * Writes the instruction in Intel's syntax, as assemblers read it; labels are L0, L1, ... Returns
 * how long it is, as snprintf() does; 0 for operands that no row of @isa has.
 */
size_t x86_text(enum x86_isa isa, enum x86_name name, const struct x86_operand *operands,
		size_t count, char *text, size_t size);

#endif
