/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The video instructions: operations on parts of words, with a second operation
 * or a merge after them. One function does them all, controlled by struct video:
 * they have more in common than what distinguishes them, and few programs use them.
 */
#ifndef CPU_OP_VIDEO_H
#define CPU_OP_VIDEO_H

#include "op_types.h"

enum video_op {
	VIDEO_ADD, VIDEO_SUB, VIDEO_ABSDIFF, VIDEO_MIN, VIDEO_MAX, VIDEO_AVRG, VIDEO_SET,
	VIDEO_SHL, VIDEO_SHR, VIDEO_MAD,
};

/* What follows: d = second(result, c). */
enum video_second { SECOND_NONE, SECOND_ADD, SECOND_MIN, SECOND_MAX };

enum video_compare { VIDEO_EQ, VIDEO_NE, VIDEO_LT, VIDEO_LE, VIDEO_GT, VIDEO_GE };

/* An instruction, as the immediate of an op. */
struct video {
	uint64_t op : 4, second : 2, compare : 3;
	uint64_t part : 2;            /* log2 of the parts of a word: 0, 1, 2 */
	uint64_t d_signed : 1, a_signed : 1, b_signed : 1;
	uint64_t sat : 1, wrap : 1, po : 1;
	uint64_t a_negated : 1, b_negated : 1, c_negated : 1;
	uint64_t scale : 4;           /* bits that vmad shifts out */
	/* Of one lane: which part of a, b; and how many parts these have, as log2. */
	/* Of several: for each lane, which part of a (0..) and then b. */
	uint64_t a_select : 12, b_select : 12;
	uint64_t a_part : 2, b_part : 2;
	uint64_t mask : 4;            /* the parts of d that are written */
	uint64_t merge : 1;           /* the others are those of c */
};

_Static_assert(sizeof(struct video) == sizeof(int64_t), "fits an op");

/* Part @index of @x, which has 1 << @part of them. */
static inline s64 video_part(u32 x, unsigned part, unsigned index, bool is_signed)
{
	unsigned bits = 32u >> part;
	u32 top = x >> index * bits << (32 - bits);

	return is_signed ? (s64)(s32)top >> (32 - bits) : (s64)(top >> (32 - bits));
}

/* Into what a part of 32 >> @part bits can hold. */
static inline s64 video_clamp(s64 x, unsigned part, bool is_signed)
{
	unsigned bits = 32u >> part;
	s64 low = is_signed ? -((s64)1 << (bits - 1)) : 0;
	s64 high = ((s64)1 << (bits - is_signed)) - 1;

	return x < low ? low : x > high ? high : x;
}

static inline s64 video_shift(struct video v, s64 a, s64 b)
{
	unsigned amount = v.wrap ? (u32)b & 31 : (u32)b > 32 ? 32 : (u32)b;

	if (v.op == VIDEO_SHR)
		return a >> amount;
	if (v.sat && amount == 32) /* needs more bits than there are; clamped all the same */
		return a > 0 ? INT64_MAX : a < 0 ? INT64_MIN : 0;
	return (s64)((u64)a << amount);
}

static inline bool video_compares(struct video v, s64 a, s64 b)
{
	switch ((enum video_compare)v.compare) {
	case VIDEO_EQ: return a == b;
	case VIDEO_NE: return a != b;
	case VIDEO_LT: return a < b;
	case VIDEO_LE: return a <= b;
	case VIDEO_GT: return a > b;
	case VIDEO_GE: return a >= b;
	}
	return false;
}

static inline s64 video_result(struct video v, s64 a, s64 b)
{
	switch ((enum video_op)v.op) {
	case VIDEO_ADD: return a + b;
	case VIDEO_SUB: return a - b;
	case VIDEO_ABSDIFF: return a > b ? a - b : b - a;
	case VIDEO_MIN: return a < b ? a : b;
	case VIDEO_MAX: return a > b ? a : b;
	case VIDEO_AVRG: return a + b >= 0 ? (a + b + 1) >> 1 : (a + b) >> 1;
	case VIDEO_SET: return video_compares(v, a, b);
	case VIDEO_SHL:
	case VIDEO_SHR: return video_shift(v, a, b);
	case VIDEO_MAD: break;
	}
	return 0;
}

/* A part for vmad: a word of one that is signed anywhere is so itself, whatever its type. */
static inline s64 video_factor(bool is_signed, s64 x, bool negated)
{
	s64 value = is_signed ? (s32)x : (s64)(u32)x;

	return negated ? -value : value;
}

/*
 * vmad: the product and the sum are exact, then scaled and clamped. All of it is
 * unsigned when all types are and nothing is negated; if not, all of it is signed,
 * words of type u32 too. This is what GPUs do, where the ISA has products of both.
 */
static inline u32 video_mad(struct video v, s64 a, s64 b, u32 c)
{
	bool negated = v.a_negated || v.b_negated || v.c_negated;
	bool is_signed = v.d_signed || v.a_signed || v.b_signed || negated;
	__int128 sum = (__int128)video_factor(is_signed, a, v.a_negated) *
		       video_factor(is_signed, b, v.b_negated);

	sum += video_factor(is_signed, c, v.c_negated) + v.po;
	sum >>= v.scale;
	if (v.sat && is_signed)
		sum = sum < INT32_MIN ? INT32_MIN : sum > INT32_MAX ? INT32_MAX : sum;
	else if (v.sat)
		sum = sum > UINT32_MAX ? UINT32_MAX : sum;
	return (u32)sum;
}

/*
 * What .min and .max compare with c, as GPUs do it: the exact result, but of sums and
 * differences the low 32 bits, with their sign.
 */
static inline s64 video_compared(struct video v, s64 result)
{
	return v.op == VIDEO_ADD || v.op == VIDEO_SUB ? (s32)result : result;
}

/* What follows a result of one lane. */
static inline u32 video_second(struct video v, s64 result, u32 c)
{
	s64 wide = video_compared(v, result);
	bool less = v.d_signed ? wide < (s32)c : (u64)wide < c;
	u32 x = (u32)result;

	switch ((enum video_second)v.second) {
	case SECOND_NONE: break;
	case SECOND_ADD: return x + c;
	case SECOND_MIN: return less ? x : c;
	case SECOND_MAX: return less ? c : x;
	}
	return x;
}

/* Of 1 << v.part lanes; several are added to c, or replace its parts. */
static inline u32 op_video(struct video v, u32 a, u32 b, u32 c)
{
	unsigned lanes = 1u << v.part, bits = 32u >> v.part;
	u32 all = bits == 32 ? UINT32_MAX : (1u << bits) - 1, d = v.merge || v.second ? c : 0;

	for (unsigned i = 0; i < lanes; i++) {
		unsigned from_a = v.a_select >> 3 * i & 7, from_b = v.b_select >> 3 * i & 7;
		s64 x = video_part(from_a < lanes ? a : b, v.part, from_a % lanes, v.a_signed);
		s64 y = video_part(from_b < lanes ? a : b, v.part, from_b % lanes, v.b_signed);
		s64 t = video_result(v, x, y);

		if (!(v.mask >> i & 1))
			continue;
		if (v.sat)
			t = video_clamp(t, v.part, v.d_signed);
		if (v.second)
			d += (u32)t;
		else
			d = (d & ~(all << i * bits)) | ((u32)t & all) << i * bits;
	}
	return d;
}

/* Of one lane: parts of a and b, the result whole or in a part of c. */
static inline u32 op_video_scalar(struct video v, u32 a, u32 b, u32 c)
{
	unsigned bits = 32u >> v.part, at = (unsigned)__builtin_ctz((unsigned)v.mask | 16) * bits;
	u32 all = bits == 32 ? UINT32_MAX : (1u << bits) - 1;
	s64 x = video_part(a, v.a_part, v.a_select, v.a_signed);
	s64 y = video_part(b, v.b_part, v.b_select, v.b_signed), t;

	if (v.op == VIDEO_MAD)
		return video_mad(v, x, y, c);
	t = video_result(v, x, y);
	if (v.sat)
		t = video_clamp(t, v.part, v.d_signed);
	if (v.merge)
		return (c & ~(all << at)) | ((u32)t & all) << at;
	return video_second(v, t, c);
}

#endif
