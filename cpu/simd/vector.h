/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Between memory and rows: elements, vectors of two to four elements, and runs of 32
 * vectors. All accesses are of memory that has been checked. One instruction of a lane is
 * one access, also for vectors of 16 bytes, as on GPUs: scans in one pass publish a state
 * and a value by it.
 */
#ifndef CPU_VECTOR_H
#define CPU_VECTOR_H

#include "simd.h"

#define ALWAYS static inline __attribute__((always_inline))

#ifdef SIMD_TSAN
enum { BULK = 0 }; /* copies of whole runs are not atomic */
#else
enum { BULK = 1 };
#endif

ALWAYS void load_element(void *to, const void *from, unsigned width)
{
	if (width == 1)
		*(uint8_t *)to = __atomic_load_n((const uint8_t *)from, __ATOMIC_RELAXED);
	else if (width == 2)
		*(uint16_t *)to = __atomic_load_n((const uint16_t *)from, __ATOMIC_RELAXED);
	else if (width == 4)
		*(uint32_t *)to = __atomic_load_n((const uint32_t *)from, __ATOMIC_RELAXED);
	else
		*(uint64_t *)to = __atomic_load_n((const uint64_t *)from, __ATOMIC_RELAXED);
}

ALWAYS void store_element(void *to, const void *from, unsigned width)
{
	if (width == 1)
		__atomic_store_n((uint8_t *)to, *(const uint8_t *)from, __ATOMIC_RELAXED);
	else if (width == 2)
		__atomic_store_n((uint16_t *)to, *(const uint16_t *)from, __ATOMIC_RELAXED);
	else if (width == 4)
		__atomic_store_n((uint32_t *)to, *(const uint32_t *)from, __ATOMIC_RELAXED);
	else
		__atomic_store_n((uint64_t *)to, *(const uint64_t *)from, __ATOMIC_RELAXED);
}

/* 16 bytes, which a processor with AVX loads and stores by one access if they are aligned. */
typedef uint64_t pair64 __attribute__((vector_size(16), may_alias));
typedef uint32_t quad32 __attribute__((vector_size(16), may_alias));

/* The compiler cannot split such an access, and the thread sanitizer does not see it, as it
 * does not report atomic ones. */
#ifdef __x86_64__
#ifdef __AVX__
#define MOVE_PAIR "vmovdqa"
#else
#define MOVE_PAIR "movdqa"
#endif
#define LOAD_PAIR(v, from) __asm__ volatile(MOVE_PAIR " %1, %0" : "=x"(v) : "m"(*(from)))
#define STORE_PAIR(to, v)  __asm__ volatile(MOVE_PAIR " %1, %0" : "=m"(*(to)) : "x"(v))
#else
#define LOAD_PAIR(v, from) ((v) = *(from))
#define STORE_PAIR(to, v)  (*(to) = (v))
#endif

ALWAYS pair64 load_pair(const void *from)
{
	pair64 v;

	LOAD_PAIR(v, (const pair64 *)from);
	return v;
}

ALWAYS void store_pair(void *to, pair64 v)
{
	STORE_PAIR((pair64 *)to, v);
}

/* Tells whether a vector is of pairs. */
ALWAYS bool has_pairs(unsigned width, unsigned count)
{
	return width >= 4 && width * count >= 16;
}

/* Loads a vector at @from into lane @l of @rows. */
ALWAYS void load_vector(uint8_t *rows[4], unsigned l, const uint8_t *from, unsigned width,
			unsigned count)
{
	const unsigned size = width * count;
	uint64_t all = 0;

	if (has_pairs(width, count)) {
		for (unsigned k = 0; k < count; k += 16 / width) {
			const pair64 v = load_pair(from + k * width);

			for (unsigned i = 0; width == 8 && i < 2; i++)
				((uint64_t *)rows[k + i])[l] = v[i];
			for (unsigned i = 0; width == 4 && i < 4; i++)
				((uint32_t *)rows[k + i])[l] = ((quad32)v)[i];
		}
	} else if (size <= 8) {
		load_element(&all, from, size);
		for (unsigned k = 0; k < count; k++)
			__builtin_memcpy(rows[k] + l * width, (const char *)&all + k * width,
					 width);
	} else {
		for (unsigned k = 0; k < count; k++)
			load_element(rows[k] + l * width, from + k * width, width);
	}
}

/* Stores lane @l of @rows as a vector at @to. */
ALWAYS void store_vector(uint8_t *rows[4], unsigned l, uint8_t *to, unsigned width,
			 unsigned count)
{
	const unsigned size = width * count;
	uint64_t all = 0;

	if (has_pairs(width, count)) {
		for (unsigned k = 0; k < count; k += 16 / width) {
			pair64 v = { 0 };

			for (unsigned i = 0; width == 8 && i < 2; i++)
				v[i] = ((uint64_t *)rows[k + i])[l];
			if (width == 4)
				v = (pair64)(quad32){
					((uint32_t *)rows[k])[l], ((uint32_t *)rows[k + 1])[l],
					((uint32_t *)rows[k + 2])[l], ((uint32_t *)rows[k + 3])[l],
				};
			store_pair(to + k * width, v);
		}
	} else if (size <= 8) {
		for (unsigned k = 0; k < count; k++)
			__builtin_memcpy((char *)&all + k * width, rows[k] + l * width, width);
		store_element(to, &all, size);
	} else {
		for (unsigned k = 0; k < count; k++)
			store_element(to + k * width, rows[k] + l * width, width);
	}
}

/* The rows of a vector's elements; those after the first are in the next op. */
ALWAYS void element_rows(struct warp *w, const struct op *ip, unsigned count, uint8_t *rows[4])
{
	rows[0] = w->rows + ip->d;
	if (count > 1)
		rows[1] = w->rows + ip[1].d;
	if (count > 2) {
		rows[2] = w->rows + ip[1].a;
		rows[3] = w->rows + ip[1].b;
	}
}

/* Four vectors of four elements, from rows to columns or back. */
ALWAYS void transpose_quads(pair64 v[4])
{
	const quad32 a = (quad32)v[0], b = (quad32)v[1], c = (quad32)v[2], d = (quad32)v[3];
	const pair64 low_ab = (pair64)__builtin_shufflevector(a, b, 0, 4, 1, 5);
	const pair64 low_cd = (pair64)__builtin_shufflevector(c, d, 0, 4, 1, 5);
	const pair64 high_ab = (pair64)__builtin_shufflevector(a, b, 2, 6, 3, 7);
	const pair64 high_cd = (pair64)__builtin_shufflevector(c, d, 2, 6, 3, 7);

	v[0] = __builtin_shufflevector(low_ab, low_cd, 0, 2);
	v[1] = __builtin_shufflevector(low_ab, low_cd, 1, 3);
	v[2] = __builtin_shufflevector(high_ab, high_cd, 0, 2);
	v[3] = __builtin_shufflevector(high_ab, high_cd, 1, 3);
}

ALWAYS void transpose_pairs(pair64 v[2])
{
	const pair64 a = v[0], b = v[1];

	v[0] = __builtin_shufflevector(a, b, 0, 2);
	v[1] = __builtin_shufflevector(a, b, 1, 3);
}

/* For the next two: vectors of pairs, as many lanes together as a pair has elements. */
ALWAYS void spread_pairs(uint8_t *rows[4], const uint8_t *run, unsigned width, unsigned count)
{
	const unsigned side = 16 / width;

	for (unsigned l = 0; l < LANES; l += side)
		for (unsigned k = 0; k < count; k += side) {
			pair64 v[4];

			for (unsigned i = 0; i < side; i++)
				v[i] = load_pair(run + ((l + i) * count + k) * width);
			width == 8 ? transpose_pairs(v) : transpose_quads(v);
			for (unsigned i = 0; i < side; i++)
				__builtin_memcpy(rows[k + i] + l * width, &v[i], 16);
		}
}

ALWAYS void collect_pairs(uint8_t *rows[4], uint8_t *run, unsigned width, unsigned count)
{
	const unsigned side = 16 / width;

	for (unsigned l = 0; l < LANES; l += side)
		for (unsigned k = 0; k < count; k += side) {
			pair64 v[4];

			for (unsigned i = 0; i < side; i++)
				__builtin_memcpy(&v[i], rows[k + i] + l * width, 16);
			width == 8 ? transpose_pairs(v) : transpose_quads(v);
			for (unsigned i = 0; i < side; i++)
				store_pair(run + ((l + i) * count + k) * width, v[i]);
		}
}

/* Spreads a run of 32 vectors over rows, or collects it from them. */
ALWAYS void spread(uint8_t *rows[4], const uint8_t *run, unsigned width, unsigned count)
{
	if (count == 1) {
		__builtin_memcpy(rows[0], run, LANES * width);
		return;
	}
	if (has_pairs(width, count)) {
		spread_pairs(rows, run, width, count);
		return;
	}
	for (unsigned k = 0; k < count; k++)
		for (unsigned l = 0; l < LANES; l++)
			__builtin_memcpy(rows[k] + l * width, run + (l * count + k) * width,
					 width);
}

ALWAYS void collect(uint8_t *rows[4], uint8_t *run, unsigned width, unsigned count)
{
	if (count == 1) {
		__builtin_memcpy(run, rows[0], LANES * width);
		return;
	}
	if (has_pairs(width, count)) {
		collect_pairs(rows, run, width, count);
		return;
	}
	for (unsigned l = 0; l < LANES; l++)
		for (unsigned k = 0; k < count; k++)
			__builtin_memcpy(run + (l * count + k) * width, rows[k] + l * width,
					 width);
}

#endif
