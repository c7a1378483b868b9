/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Logic, shifts, bit fields and bit counts. Shift amounts are u32 for every
 * type and clamp: C leaves those beyond the width undefined, PTX does not.
 */
#ifndef CPU_OP_BITS_H
#define CPU_OP_BITS_H

#include "op_types.h"

#define DEFINE(T) \
	static inline T op_and_##T(T a, T b) { return a & b; } \
	static inline T op_or_##T(T a, T b) { return a | b; } \
	static inline T op_xor_##T(T a, T b) { return a ^ b; } \
	static inline T op_not_##T(T a) { return (T)~a; } \
	static inline T op_cnot_##T(T a) { return a == 0; }
DEFINE(b16)
DEFINE(b32)
DEFINE(b64)
#undef DEFINE

/* T, its number of bits; W: a type that C does not promote. */
#define DEFINE(T, W, bits) \
	static inline T op_shl_##T(T a, u32 b) \
	{ \
		return b < bits ? (T)((W)a << (b & (bits - 1))) : 0; \
	} \
	static inline T op_shr_##T(T a, u32 b) \
	{ \
		return b < bits ? (T)((W)a >> (b & (bits - 1))) : 0; \
	}
DEFINE(b16, u32, 16)
DEFINE(b32, u32, 32)
DEFINE(b64, u64, 64)
#undef DEFINE

#define DEFINE(T, bits) \
	static inline T op_shr_##T(T a, u32 b) \
	{ \
		return (T)(a >> (b < bits ? b : bits - 1)); \
	}
DEFINE(s16, 16)
DEFINE(s32, 32)
DEFINE(s64, 64)
#undef DEFINE

/* Funnel shifts of b:a; left returns the upper word, right the lower. */

static inline b32 op_shf_l_wrap_b32(b32 a, b32 b, u32 c)
{
	return (b32)(((u64)b << 32 | a) << (c & 31) >> 32);
}

static inline b32 op_shf_r_wrap_b32(b32 a, b32 b, u32 c)
{
	return (b32)(((u64)b << 32 | a) >> (c & 31));
}

static inline b32 op_shf_l_clamp_b32(b32 a, b32 b, u32 c)
{
	return c < 32 ? op_shf_l_wrap_b32(a, b, c) : a;
}

static inline b32 op_shf_r_clamp_b32(b32 a, b32 b, u32 c)
{
	return c < 32 ? op_shf_r_wrap_b32(a, b, c) : b;
}

/* Counts: by adding neighbours, since SSE2 and AVX2 have no vector popcnt. */

static inline u32 op_popc_b32(b32 a)
{
	a -= a >> 1 & 0x55555555;
	a = (a & 0x33333333) + (a >> 2 & 0x33333333);
	a = (a + (a >> 4)) & 0x0f0f0f0f;
	a += a >> 8;
	return (a + (a >> 16)) & 0x3f;
}

static inline u32 op_popc_b64(b64 a)
{
	return op_popc_b32((b32)a) + op_popc_b32((b32)(a >> 32));
}

/* Sets every bit below the highest set one. */
static inline b32 smear_b32(b32 a)
{
	a |= a >> 1;
	a |= a >> 2;
	a |= a >> 4;
	a |= a >> 8;
	return a | a >> 16;
}

static inline u32 op_clz_b32(b32 a)
{
	return op_popc_b32(~smear_b32(a));
}

static inline u32 op_clz_b64(b64 a)
{
	u32 high = op_clz_b32((b32)(a >> 32)), low = op_clz_b32((b32)a);

	return high + (high == 32 ? low : 0);
}

static inline b32 op_brev_b32(b32 a)
{
	a = (a >> 1 & 0x55555555) | (a & 0x55555555) << 1;
	a = (a >> 2 & 0x33333333) | (a & 0x33333333) << 2;
	a = (a >> 4 & 0x0f0f0f0f) | (a & 0x0f0f0f0f) << 4;
	a = (a >> 8 & 0x00ff00ff) | (a & 0x00ff00ff) << 8;
	return a >> 16 | a << 16;
}

static inline b64 op_brev_b64(b64 a)
{
	return (b64)op_brev_b32((b32)a) << 32 | op_brev_b32((b32)(a >> 32));
}

/*
 * The position of the highest bit that differs from the sign (from zero, where
 * unsigned), all ones when there is none. shiftamt: the left shift that would
 * bring it to the top.
 */
#define DEFINE(T, clz, top, magnitude) \
	static inline u32 op_bfind_##T(T a) { return top - clz(magnitude); } \
	static inline u32 op_bfind_shiftamt_##T(T a) \
	{ \
		u32 zeros = clz(magnitude); \
		return zeros > top ? ~0u : zeros; \
	}
DEFINE(u32, op_clz_b32, 31, a)
DEFINE(s32, op_clz_b32, 31, (u32)(a < 0 ? ~a : a))
DEFINE(u64, op_clz_b64, 63, a)
DEFINE(s64, op_clz_b64, 63, (u64)(a < 0 ? ~a : a))
#undef DEFINE

/*
 * Bit fields: @pos and @len of 32-bit fields are their low 8 bits. A field may
 * extend beyond the top: an extraction reads the sign there (zero, where unsigned),
 * an insertion drops those bits.
 */
static inline u32 op_bfe_u32(u32 a, u32 pos, u32 len)
{
	u32 field = op_shr_b32(a, pos & 0xff);

	return field & ~op_shl_b32(~0u, len & 0xff);
}

static inline u64 op_bfe_u64(u64 a, u32 pos, u32 len)
{
	return op_shr_b64(a, pos) & ~op_shl_b64(~(u64)0, len);
}

static inline s32 op_bfe_s32(s32 a, u32 pos, u32 len)
{
	s32 field = op_shr_s32(a, pos & 0xff);
	u32 above = (len & 0xff) < 32 ? 32 - (len & 0xff) : 0;

	return (len & 0xff) == 0 ? 0 : (s32)((u32)field << (above & 31)) >> (above & 31);
}

static inline s64 op_bfe_s64(s64 a, u32 pos, u32 len)
{
	s64 field = op_shr_s64(a, pos);
	u32 above = len < 64 ? 64 - len : 0;

	return len == 0 ? 0 : (s64)((u64)field << (above & 63)) >> (above & 63);
}

static inline b32 op_bfi_b32(b32 a, b32 b, u32 pos, u32 len)
{
	b32 mask = op_shl_b32(~op_shl_b32(~0u, len & 0xff), pos & 0xff);

	return (op_shl_b32(a, pos & 0xff) & mask) | (b & ~mask);
}

static inline b64 op_bfi_b64(b64 a, b64 b, u32 pos, u32 len)
{
	b64 mask = op_shl_b64(~op_shl_b64(~(b64)0, len), pos);

	return (op_shl_b64(a, pos) & mask) | (b & ~mask);
}

static inline b32 op_bmsk_clamp_b32(b32 a, b32 b)
{
	return op_shl_b32(~op_shl_b32(~0u, b), a);
}

static inline b32 op_bmsk_wrap_b32(b32 a, b32 b)
{
	return op_bmsk_clamp_b32(a & 31, b & 31);
}

static inline u32 op_szext_clamp_u32(u32 a, u32 b)
{
	return a & ~op_shl_b32(~0u, b);
}

static inline s32 op_szext_clamp_s32(s32 a, u32 b)
{
	u32 above = b < 32 ? (32 - b) & 31 : 0;

	return b == 0 ? 0 : (s32)((u32)a << above) >> above;
}

static inline u32 op_szext_wrap_u32(u32 a, u32 b)
{
	return op_szext_clamp_u32(a, b & 31);
}

static inline s32 op_szext_wrap_s32(s32 a, u32 b)
{
	return op_szext_clamp_s32(a, b & 31);
}

/*
 * Finds the |offset|-th set bit of @mask from bit @base on, upwards for a
 * positive @offset, downwards for a negative one, @base alone for zero.
 */
static inline b32 op_fns_b32(b32 mask, u32 base, s32 offset)
{
	u32 step = offset < 0 ? ~0u : 1;
	u32 left = offset < 0 ? 0 - (u32)offset : (u32)offset;
	u32 found = ~0u;

	if (offset == 0)
		return base < 32 && mask >> base & 1 ? base : ~0u;
	for (u32 at = base; at < 32 && found == ~0u; at += step)
		if (mask >> at & 1 && --left == 0)
			found = at;
	return found;
}

/*
 * Byte permutation: each nibble of the selector names one of the eight bytes
 * of b:a; its top bit selects that byte's sign, eight times, instead.
 */
static inline b32 permuted_byte(u64 bytes, u32 nibble)
{
	b32 byte = (b32)(bytes >> 8 * (nibble & 7)) & 0xff;
	b32 sign = byte & 0x80 ? 0xff : 0;

	return nibble & 8 ? sign : byte;
}

static inline b32 op_prmt_b32(b32 a, b32 b, b32 c)
{
	u64 bytes = (u64)b << 32 | a;

	return permuted_byte(bytes, c) | permuted_byte(bytes, c >> 4) << 8 |
	       permuted_byte(bytes, c >> 8) << 16 | permuted_byte(bytes, c >> 12) << 24;
}

/* The modes are selectors made of the low two bits of c. */
#define DEFINE(mode, selector) \
	static inline b32 op_prmt_##mode##_b32(b32 a, b32 b, b32 c) \
	{ \
		u32 i = c & 3; \
		return op_prmt_b32(a, b, selector); \
	}
DEFINE(f4e, 0x3210 + 0x1111 * i)
DEFINE(b4e, (u32)(0x0123701267015670u >> 16 * i))
DEFINE(rc8, 0x1111 * i)
DEFINE(ecl, (u32)(0x3333322232113210u >> 16 * i))
DEFINE(ecr, (u32)(0x3210221011100000u >> 16 * i))
DEFINE(rc16, 0x1010 + 0x2222 * (i & 1))
#undef DEFINE

/*
 * Any logic function of three operands: bit 4a+2b+c of @table is the result,
 * so that the table of an expression is that expression of 0xf0, 0xcc, 0xaa.
 */
static inline b32 op_lop3_b32(b32 a, b32 b, b32 c, u32 table)
{
	b32 result = 0;

	for (u32 i = 0; i < 8; i++) {
		b32 term = (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);

		result |= term & (0 - (table >> i & 1));
	}
	return result;
}

#endif
