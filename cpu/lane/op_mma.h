/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Products of matrices. Elements of up to 32 bits become f64, in which every
 * product of two of them is exact, and so is the sum of integers and in practice
 * of most halves; the sum goes from the first k to the last, beginning with the
 * element of C, and is rounded once. A product that is exact may be fused with
 * its addition or not: the value is the same, whatever the machine.
 */
#ifndef CPU_OP_MMA_H
#define CPU_OP_MMA_H

#include "machine.h"
#include "op_half.h"

enum { BLOCK_WORDS = 32, BLOCK_ROWS = 8, MOST_ELEMENTS = 256 };

#ifdef __clang__
#define MAY_FUSE __attribute__((noinline, unused))
#else
#define MAY_FUSE __attribute__((noinline, unused, optimize("fp-contract=fast")))
#endif

#define MMA_ALWAYS static inline __attribute__((always_inline))

MMA_ALWAYS f64 wide_f16(u16 x)
{
	return f16_to_f32(x);
}

/* The low 13 bits do not count. */
MMA_ALWAYS f64 wide_tf32(u32 x)
{
	return bits_f32(x & 0xffffe000);
}

MMA_ALWAYS f64 wide_e5m2(u8 x)
{
	return f16_to_f32((f16)(x << 8));
}

/* An f16 with another bias, no infinities and one NaN. */
MMA_ALWAYS f64 wide_e4m3(u8 x)
{
	f32 value = f16_to_f32((f16)((x & 0x80) << 8 | (x & 0x7f) << 7)) * 0x1p8f;

	return (x & 0x7f) == 0x7f ? bits_f32(F32_NAN) : value;
}

/* The elements of @words, the lowest first, as f64. */
#define WIDEN(name, T, expr)                                                               \
	static inline void widen_##name(const u32 words[BLOCK_WORDS], f64 *out)            \
	{                                                                                  \
		T in[4 * BLOCK_WORDS / sizeof(T)];                                         \
                                                                                           \
		memcpy(in, words, sizeof(in));                                             \
		for (unsigned i = 0; i < sizeof(in) / sizeof(T); i++) {                    \
			T x = in[i];                                                       \
			out[i] = expr;                                                     \
		}                                                                          \
	}
WIDEN(tf32, u32, wide_tf32(x))
WIDEN(e4m3, u8, wide_e4m3(x))
WIDEN(e5m2, u8, wide_e5m2(x))
WIDEN(s8, s8, x)
WIDEN(u8, u8, x)
#undef WIDEN

#ifndef __F16C__
static inline void widen_halves(f32 to[8], const f16 from[8])
{
	for (unsigned i = 0; i < 8; i++)
		to[i] = f16_to_f32(from[i]);
}
#endif

static inline void widen_f16(const u32 words[BLOCK_WORDS], f64 *out)
{
	for (unsigned i = 0; i < 2 * BLOCK_WORDS; i += 8) {
		f32 wide[8];

		widen_halves(wide, (const f16 *)words + i);
		widen_floats(out + i, wide);
	}
}

static inline void widen_bf16(const u32 words[BLOCK_WORDS], f64 *out)
{
	for (unsigned i = 0; i < 2 * BLOCK_WORDS; i += 8) {
		f32 wide[8];

		for (unsigned k = 0; k < 8; k++)
			wide[k] = bf16_to_f32(((const bf16 *)words)[i + k]);
		widen_floats(out + i, wide);
	}
}

static inline void widen_s4(const u32 words[BLOCK_WORDS], f64 *out)
{
	for (unsigned i = 0; i < BLOCK_WORDS; i++)
		for (unsigned k = 0; k < 8; k++)
			out[8 * i + k] = (s32)(words[i] << (28 - 4 * k)) >> 28;
}

static inline void widen_u4(const u32 words[BLOCK_WORDS], f64 *out)
{
	for (unsigned i = 0; i < BLOCK_WORDS; i++)
		for (unsigned k = 0; k < 8; k++)
			out[8 * i + k] = (s32)(words[i] >> 4 * k & 15);
}

/*
 * As many f64 as a register holds, the registers that a row of 8 needs, and the
 * rows whose sums stay in registers together: 8 of them, enough to keep adding
 * while the first addition is not complete.
 */
typedef f64 f64s __attribute__((vector_size(VECTOR_BYTES)));
enum { PARTS = 8 * sizeof(f64) / VECTOR_BYTES, TILE = 8 / PARTS };

/*
 * acc[@rows][8] += A * B, for A in @count blocks that follow each other, each of
 * @rows of @width elements, and B[k][8]. Products have to be exact; sums and B are
 * aligned as vectors.
 */
MAY_FUSE static void multiply_exact(f64 *acc, const f64 *a, const f64 *b, size_t rows,
				    size_t width, unsigned count)
{
	f64s *to = (f64s *)acc;

	for (const f64 *end = a + rows * width; a < end; a += TILE * width, to += TILE * PARTS) {
		const f64s *right = (const f64s *)b;
		const f64 *left = a;
		f64s sum[TILE * PARTS];

		for (unsigned i = 0; i < TILE * PARTS; i++)
			sum[i] = to[i];
		for (unsigned block = 0; block < count; block++, left += rows * width)
			for (size_t j = 0; j < width; j++, right += PARTS)
				for (unsigned i = 0; i < TILE * PARTS; i++)
					sum[i] += left[i / PARTS * width + j] * right[i % PARTS];
		for (unsigned i = 0; i < TILE * PARTS; i++)
			to[i] = sum[i];
	}
}

/* sum[8] += @count elements of A, each times the row of B[k][8] that @columns names. */
MAY_FUSE static void multiply_sparse(f64 *sum, const f64 *a, const u8 *columns, const f64 *b,
				     unsigned count)
{
	f64s *to = (f64s *)sum, total[PARTS];

	for (unsigned i = 0; i < PARTS; i++)
		total[i] = to[i];
	for (unsigned k = 0; k < count; k++)
		for (unsigned i = 0; i < PARTS; i++)
			total[i] += a[k] * ((const f64s *)b)[columns[k] * PARTS + i];
	for (unsigned i = 0; i < PARTS; i++)
		to[i] = total[i];
}

/* As multiply_exact(), each product and its addition rounded once. */
static inline void multiply_f64(f64 *acc, const f64 *a, const f64 *b, unsigned width,
				unsigned stride, unsigned count)
{
	for (unsigned block = 0; block < count; block++, a += stride)
		for (unsigned j = 0; j < width; j++, b += 8)
			for (unsigned r = 0; r < 4; r++)
				for (unsigned n = 0; n < 8; n++)
					acc[r * 8 + n] = __builtin_fma(a[r * width + j], b[n],
								       acc[r * 8 + n]);
}

/* A sum of integers, of which only C can be large, in 32 bits. */
MMA_ALWAYS s32 wrap_s32(f64 x)
{
	f64 low = x > 0x1p31 - 1 ? x - 0x1p32 : x;

	return (s32)(low < -0x1p31 ? low + 0x1p32 : low);
}

MMA_ALWAYS s32 clamp_s32(f64 x)
{
	f64 low = x > 0x1p31 - 1 ? 0x1p31 - 1 : x;

	return (s32)(low < -0x1p31 ? -0x1p31 : low);
}

/* How many bits of 32 are set, for loops that vectorise. */
MMA_ALWAYS u32 count_bits(u32 x)
{
	x -= x >> 1 & 0x55555555;
	x = (x & 0x33333333) + (x >> 2 & 0x33333333);
	x = (x + (x >> 4)) & 0x0f0f0f0f;
	return x * 0x01010101 >> 24;
}

#endif
