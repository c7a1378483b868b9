/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The kernels' sizes and inputs. */
#include "work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TWO 0x40000000 /* of a float */
#define ALL (IN_GATE | IN_OPENCL)

enum { NODES = 1 << 16, DEGREE = 8, KEYS = 1 << 17, OPTIONS = 1 << 17 };

/*
 * Saxpy comes twice, with 8 elements for each thread, and with 4: blocks so short that
 * making them counts. What a compiled device takes depends on it even more: PoCL 3.1
 * needs 24 ms where threads have 64 elements, 6.2 with 8, 0.4 with 4. The small ones
 * are for devices that simulate, which take seconds for the others.
 *
 * Tolerances are some ten times what is seen (nbody: 8e-6, and 2e-5 of native code with
 * -ffast-math): approximations of exp, log and 1/sqrt are right to some 2^-21, and sums come in
 * another order. Those of softmax are all below 0.1.
 */
// clang-format off
const struct work works[] = {
	{ "saxpy", "saxpy", ALL | IN_FEW, { 1 << 20, TWO }, 2, { 512, 1 }, { 256, 1 }, 0,
	  2, { { 1 << 20, INTEGERS, 0 }, { 1 << 20, INTEGERS, 5 } } },
	{ "saxpy, many blocks", "saxpy", IN_OPENCL | IN_FEW, { 1 << 20, TWO }, 2, { 1024, 1 }, { 256, 1 }, 0,
	  2, { { 1 << 20, INTEGERS, 0 }, { 1 << 20, INTEGERS, 5 } } },
	{ "inthash", "inthash", ALL | IN_FEW, { 100 }, 1, { 256, 1 }, { 256, 1 }, 0,
	  1, { { 1 << 16, STEPS, 0 } } },
	{ "collatz", "collatz", ALL | IN_FEW, { 1 << 16 }, 1, { 256, 1 }, { 256, 1 }, 0,
	  1, { { 1 << 16, STEPS, 0 } } },
	{ "gemm", "gemm", ALL | IN_FEW, { 256 }, 1, { 8, 32 }, { 32, 8 }, 0,
	  3, { { 1 << 16, INTEGERS, 0 }, { 1 << 16, INTEGERS, 5 }, { 1 << 16, STEPS, 0 } } },
	{ "reduce", "reduce", ALL | IN_FEW, { 1 << 20 }, 1, { 64, 1 }, { 256, 1 }, 0,
	  2, { { 1 << 20, INTEGERS, 0 }, { 64, STEPS, 0 } } },
	{ "mm16", "matmul16", ALL | IN_FEW, { 256 }, 1, { 16, 16 }, { 16, 16 }, 0,
	  3, { { 1 << 16, INTEGERS, 0 }, { 1 << 16, INTEGERS, 5 }, { 1 << 16, STEPS, 0 } } },
	{ "mm8", "matmul8", IN_OPENCL | IN_FEW, { 256 }, 1, { 32, 32 }, { 8, 8 }, 0,
	  3, { { 1 << 16, INTEGERS, 0 }, { 1 << 16, INTEGERS, 5 }, { 1 << 16, STEPS, 0 } } },
	{ "mm32", "matmul32", ALL, { 160 }, 1, { 5, 5 }, { 32, 32 }, 0,
	  3, { { 160 * 160, INTEGERS, 0 }, { 160 * 160, INTEGERS, 5 }, { 160 * 160, STEPS, 0 } } },
	{ "stencil", "stencil", ALL, { 1024, 512 }, 2, { 32, 64 }, { 32, 8 }, 0,
	  2, { { 1 << 19, INTEGERS, 0 }, { 1 << 19, STEPS, 0 } } },
	{ "softmax", "softmax", ALL, { 384 }, 1, { 1, 64 }, { 32, 4 }, 1e-8f,
	  2, { { 384 * 256, INTEGERS, 0 }, { 384 * 256, STEPS, 0 } } },
	{ "scan", "scan", ALL, { 0 }, 0, { 512, 1 }, { 256, 1 }, 0,
	  2, { { 1 << 17, HASHES, 0 }, { 1 << 17, STEPS, 0 } } },
	{ "radix", "radix", ALL, { KEYS, 12 }, 2, { KEYS / 256, 1 }, { 256, 1 }, 0,
	  4, { { KEYS, DIGITS, 0 }, { 16, STEPS, KEYS / 16 }, { 16, STEPS, 0 }, { KEYS, STEPS, 0 } } },
	{ "fft", "fft", ALL, { 0 }, 0, { 128, 1 }, { 256, 1 }, 1e-5f,
	  3, { { 512, ROOTS, 512 }, { 128 * 1024, PARTS, 0 }, { 128 * 1024, STEPS, 0 } } },
	{ "nbody", "nbody", ALL, { 1024 }, 1, { 8, 1 }, { 128, 1 }, 1e-4f,
	  2, { { 4096, PARTS, 0 }, { 4096, STEPS, 0 } } },
	{ "mandel", "mandel", ALL, { 192, 200 }, 2, { 12, 12 }, { 16, 16 }, 0,
	  1, { { 192 * 192, STEPS, 0 } } },
	{ "lower", "lower", ALL, { 300000 }, 1, { 256, 1 }, { 256, 1 }, 0,
	  3, { { 300000, STEPS, 14000 }, { 1 << 16, HASHES, 0 }, { 1 << 16, STEPS, 0 } } },
	{ "bfs", "bfs", ALL, { NODES, 3 }, 2, { NODES / 256, 1 }, { 256, 1 }, 0,
	  3, { { NODES + 1, ROWS, DEGREE }, { (NODES + 1) * DEGREE, HASHES, NODES },
	       { NODES, LEVELS, 3 } } },
	{ "spmv", "spmv", ALL, { NODES }, 1, { NODES / 256, 1 }, { 256, 1 }, 0,
	  5, { { NODES + 1, ROWS, DEGREE }, { (NODES + 1) * DEGREE, HASHES, NODES },
	       { (NODES + 1) * DEGREE, INTEGERS, 0 }, { NODES, INTEGERS, 5 }, { NODES, STEPS, 0 } } },
	{ "hist", "hist", ALL, { 1 << 17 }, 1, { 64, 1 }, { 256, 1 }, 0,
	  2, { { 1 << 17, HASHES, 0 }, { 256, STEPS, 0 } } },
	{ "transpose", "transpose", ALL, { 768 }, 1, { 24, 24 }, { 32, 8 }, 0,
	  2, { { 768 * 768, HASHES, 0 }, { 768 * 768, STEPS, 0 } } },
	{ "gather", "gather", ALL, { 0 }, 0, { 2048, 1 }, { 256, 1 }, 0,
	  3, { { 1 << 18, HASHES, 0 }, { 1 << 19, HASHES, 1 << 18 }, { 1 << 19, STEPS, 0 } } },
	{ "blacks", "blacks", ALL, { OPTIONS }, 1, { OPTIONS / 256, 1 }, { 256, 1 }, 1e-5f,
	  4, { { OPTIONS, PARTS, 4 }, { OPTIONS, PARTS, 4 }, { OPTIONS, PARTS, 1 },
	       { 2 * OPTIONS, STEPS, 0 } } },
	{ "haxpy", "haxpy", ALL, { 0 }, 0, { 512, 1 }, { 256, 1 }, 0,
	  3, { { 1 << 17, HALVES, 0 }, { 1 << 17, HALVES, 5 }, { 1 << 17, STEPS, 0 } } },
	{ "wmma16", "wmma16", IN_GATE, { 192 }, 1, { 12, 3 }, { 32, 4 }, 0,
	  3, { { 192 * 96, HALVES, 0 }, { 192 * 96, HALVES, 5 }, { 192 * 192, STEPS, 0 } } },
	{ "saxpy, small", "saxpy", IN_SMALL, { 1 << 15, TWO }, 2, { 16, 1 }, { 256, 1 }, 0,
	  2, { { 1 << 15, INTEGERS, 0 }, { 1 << 15, INTEGERS, 5 } } },
	{ "saxpy, many blocks, small", "saxpy", IN_SMALL, { 1 << 15, TWO }, 2, { 32, 1 }, { 256, 1 }, 0,
	  2, { { 1 << 15, INTEGERS, 0 }, { 1 << 15, INTEGERS, 5 } } },
	{ "inthash, small", "inthash", IN_SMALL, { 20 }, 1, { 16, 1 }, { 256, 1 }, 0,
	  1, { { 1 << 12, STEPS, 0 } } },
	{ "collatz, small", "collatz", IN_SMALL, { 1 << 11 }, 1, { 8, 1 }, { 256, 1 }, 0,
	  1, { { 1 << 11, STEPS, 0 } } },
	{ "gemm, small", "gemm", IN_SMALL, { 64 }, 1, { 2, 8 }, { 32, 8 }, 0,
	  3, { { 1 << 12, INTEGERS, 0 }, { 1 << 12, INTEGERS, 5 }, { 1 << 12, STEPS, 0 } } },
	{ "reduce, small", "reduce", IN_SMALL, { 1 << 15 }, 1, { 8, 1 }, { 256, 1 }, 0,
	  2, { { 1 << 15, INTEGERS, 0 }, { 8, STEPS, 0 } } },
};
// clang-format on
const unsigned work_count = sizeof(works) / sizeof(works[0]);
_Static_assert(sizeof(works) / sizeof(works[0]) <= MOST_WORKS, "MOST_WORKS is too small");

unsigned work_set(const char *name, unsigned indices[MOST_WORKS])
{
	static const struct {
		const char *name;
		unsigned bits;
	} sets[] = {
		{ "gate", IN_GATE }, { "opencl", IN_OPENCL }, { "few", IN_FEW }, { "small", IN_SMALL },
		{ "full", IN_GATE | IN_OPENCL | IN_FEW },
	};
	unsigned bits = 0, count = 0;

	for (unsigned i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
		if (!strcmp(sets[i].name, name))
			bits = sets[i].bits;
	for (unsigned i = 0; i < work_count; i++)
		if (works[i].sets & bits)
			indices[count++] = i;
	return count;
}

static uint32_t hash(uint32_t x)
{
	x = (x ^ x >> 15) * 0x2c1b3c6du;
	x = (x ^ x >> 12) * 0x297a2d39u;
	return x ^ x >> 15;
}

static uint32_t as_bits(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

/* From 0 to 12: sums and products of such are exact. */
static uint32_t integer(uint32_t i, uint32_t of)
{
	return (i * 7 + of + (i >> 7)) % 13;
}

/* A whole number as a half: 1.x by its exponent of 15 and ten bits. */
static uint32_t half(uint32_t value)
{
	uint32_t top = 0;

	while (value >> (top + 1))
		top++;
	return value ? (top + 15) << 10 | (value << 10 >> top & 0x3ff) : 0;
}

static uint32_t root(uint32_t i, uint32_t of)
{
	double angle = 2 * M_PI * (i / 2) / of;

	return as_bits((float)(i % 2 ? -sin(angle) : cos(angle)));
}

static uint32_t word(const struct buffer *buffer, uint32_t i, uint32_t seed)
{
	const uint32_t of = buffer->of, any = hash(i + (seed << 24));

	switch (buffer->fill) {
	case STEPS:
		return i * of;
	case INTEGERS:
		return as_bits((float)integer(i, of));
	case PARTS:
		return as_bits((float)of + (float)(any >> 8) * 0x1p-24f);
	case HALVES:
		return half(integer(2 * i, of)) | half(integer(2 * i + 1, of)) << 16;
	case HASHES:
		return of ? any % of : any;
	case DIGITS:
		return (i * 7 + (i >> 4)) % 16 * 0x11111111u;
	case ROWS:
		return i * of + any % of;
	case LEVELS:
		return any % 8 ? 1u << 30 : of;
	case ROOTS:
		return root(i, of);
	}
	return 0;
}

void work_inputs(const struct work *work, void *in[MOST_BUFFERS])
{
	for (unsigned b = 0; b < MOST_BUFFERS; b++)
		in[b] = NULL;
	for (unsigned b = 0; b < work->buffer_count; b++) {
		uint32_t *data = work_memory(work->name, work->buffers[b].words * 4ull);

		for (uint32_t i = 0; i < work->buffers[b].words; i++)
			data[i] = word(&work->buffers[b], i, b);
		in[b] = data;
	}
}

void work_drop(void *in[MOST_BUFFERS])
{
	for (unsigned b = 0; b < MOST_BUFFERS; b++)
		free(in[b]);
}
