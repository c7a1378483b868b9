/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The scalar types of PTX, as C types, for the op_*.h headers: one function
 * per instruction, type and modifier, on one lane. The functions have no
 * branches that matter, no calls and no state, so that a loop over 32 lanes
 * vectorises.
 *
 * f16 and bf16 values travel as their bits. A function that rounds in a
 * direction of its own says so in its name; all others round as MXCSR says,
 * which a table row sets, like flushing of f32 subnormals, where an
 * instruction has another mode than nearest, not flushed.
 */
#ifndef CPU_OP_TYPES_H
#define CPU_OP_TYPES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;
typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef uint8_t b8;
typedef uint16_t b16;
typedef uint32_t b32;
typedef uint64_t b64;
typedef uint16_t f16;
typedef uint16_t bf16;
typedef uint32_t f16x2;
typedef uint32_t bf16x2;
typedef float f32;
typedef double f64;

/* What a NaN result is, where the instruction makes one. */
#define F32_NAN 0x7fffffffu
#define F64_NAN 0x7ff8000000000000u
#define F16_NAN 0x7fffu
#define BF16_NAN 0x7fffu

static inline u32 f32_bits(f32 x)
{
	u32 bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

static inline f32 bits_f32(u32 bits)
{
	f32 x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

static inline u64 f64_bits(f64 x)
{
	u64 bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

static inline f64 bits_f64(u64 bits)
{
	f64 x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

/* Two halves in one word. */
static inline u32 pair_b32(u32 low, u32 high)
{
	return (low & 0xffff) | high << 16;
}

/* @x, or the canonical NaN for any NaN: x86 keeps payloads and makes negative ones. */
static inline f32 canonical_f32(f32 x)
{
	return x == x ? x : bits_f32(F32_NAN);
}

#endif
