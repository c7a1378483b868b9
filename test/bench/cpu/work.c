/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static float as_float(uint32_t bits)
{
	float value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static uint32_t as_bits(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static uint32_t expect_saxpy(const struct work *work, uint32_t *const in[], uint32_t i)
{
	return as_bits(as_float(work->scalars[1]) * as_float(in[0][i]) + as_float(in[1][i]));
}

static uint32_t expect_inthash(const struct work *work, uint32_t *const in[], uint32_t i)
{
	uint32_t x = i * 2654435761u + 1, sum = 0;

	(void)in;
	for (uint32_t k = 0; k < work->scalars[0]; k++) {
		x ^= x << 13;
		x ^= x >> 17;
		x ^= x << 5;
		sum += x * 1664525u + 1013904223u;
		sum ^= (sum >> 7) & x;
	}
	return sum;
}

static uint32_t expect_collatz(const struct work *work, uint32_t *const in[], uint32_t i)
{
	uint32_t x = i + 1, steps = 0;

	(void)work;
	(void)in;
	while (x != 1 && steps <= 400) {
		steps += x & 1 ? 2 : 1;
		x = x & 1 ? 3 * x + 1 : x >> 1;
	}
	return steps;
}

static uint32_t expect_gemm(const struct work *work, uint32_t *const in[], uint32_t i)
{
	uint32_t n = work->scalars[0];
	float sum = 0;

	for (uint32_t k = 0; k < n; k++)
		sum += as_float(in[0][i / n * n + k]) * as_float(in[1][k * n + i % n]);
	return as_bits(sum);
}

static uint32_t expect_reduce(const struct work *work, uint32_t *const in[], uint32_t i)
{
	uint32_t stride = work->grid[0] * work->block[0];
	float sum = 0;

	for (uint32_t at = i * work->block[0]; at < work->scalars[0]; at += stride)
		for (uint32_t t = 0; t < work->block[0]; t++)
			sum += as_float(in[0][at + t]);
	return as_bits(sum);
}

#define TWO 0x40000000 /* of a float */

/*
 * Saxpy comes twice, with 8 elements for each thread, and with 4: blocks so short that
 * making them counts. What a compiled device takes depends on it even more: PoCL 3.1
 * needs 24 ms where threads have 64 elements, 6.2 with 8, 0.4 with 4. The small ones
 * are for devices that simulate, which take seconds for the others.
 */
const struct work works[] = {
	{ "saxpy", "saxpy", { 1 << 20, TWO }, 2, { 1 << 20, 1 << 20 }, 2, { 512, 1 }, { 256, 1 },
	  expect_saxpy },
	{ "saxpy, many blocks", "saxpy", { 1 << 20, TWO }, 2, { 1 << 20, 1 << 20 }, 2, { 1024, 1 },
	  { 256, 1 }, expect_saxpy },
	{ "inthash", "inthash", { 100 }, 1, { 1 << 16 }, 1, { 256, 1 }, { 256, 1 },
	  expect_inthash },
	{ "collatz", "collatz", { 1 << 16 }, 1, { 1 << 16 }, 1, { 256, 1 }, { 256, 1 },
	  expect_collatz },
	{ "gemm", "gemm", { 256 }, 1, { 1 << 16, 1 << 16, 1 << 16 }, 3, { 8, 32 }, { 32, 8 },
	  expect_gemm },
	{ "reduce", "reduce", { 1 << 20 }, 1, { 1 << 20, 64 }, 2, { 64, 1 }, { 256, 1 },
	  expect_reduce },
	{ "matmul, 16x16 threads", "matmul16", { 256 }, 1, { 1 << 16, 1 << 16, 1 << 16 }, 3, { 16, 16 },
	  { 16, 16 }, expect_gemm },
	{ "matmul, 8x8 threads", "matmul8", { 256 }, 1, { 1 << 16, 1 << 16, 1 << 16 }, 3, { 32, 32 },
	  { 8, 8 }, expect_gemm },
	{ "saxpy, small", "saxpy", { 1 << 15, TWO }, 2, { 1 << 15, 1 << 15 }, 2, { 16, 1 },
	  { 256, 1 }, expect_saxpy },
	{ "saxpy, many blocks, small", "saxpy", { 1 << 15, TWO }, 2, { 1 << 15, 1 << 15 }, 2,
	  { 32, 1 }, { 256, 1 }, expect_saxpy },
	{ "inthash, small", "inthash", { 20 }, 1, { 1 << 12 }, 1, { 16, 1 }, { 256, 1 },
	  expect_inthash },
	{ "collatz, small", "collatz", { 1 << 11 }, 1, { 1 << 11 }, 1, { 8, 1 }, { 256, 1 },
	  expect_collatz },
	{ "gemm, small", "gemm", { 64 }, 1, { 1 << 12, 1 << 12, 1 << 12 }, 3, { 2, 8 }, { 32, 8 },
	  expect_gemm },
	{ "reduce, small", "reduce", { 1 << 15 }, 1, { 1 << 15, 8 }, 2, { 8, 1 }, { 256, 1 },
	  expect_reduce },
};
const unsigned work_count = sizeof(works) / sizeof(works[0]);

void work_fail(const char *name, const char *what)
{
	fprintf(stderr, "%s: %s\n", name, what);
	exit(1);
}

char *work_read(const char *name, const char *path)
{
	enum { LIMIT = 1 << 20 };
	FILE *file = fopen(path, "rb");
	char *text = calloc(1, LIMIT + 1);

	if (!file || !text || !fread(text, 1, LIMIT, file))
		work_fail(name, path);
	fclose(file);
	return text;
}

static double clock_ns(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* Small whole numbers: their sums and products are exact. */
static void fill(uint32_t *data, uint32_t words, unsigned seed)
{
	for (uint32_t i = 0; i < words; i++)
		data[i] = as_bits((float)((i * 7 + seed * 5 + (i >> 7)) % 13));
}

static void check(const struct side *side, const struct work *work, uint32_t *const in[],
		  void *result)
{
	unsigned last = work->buffer_count - 1;
	uint32_t *out = calloc(work->words[last], sizeof(*out));
	char what[128];

	if (!out)
		work_fail(side->name, "out of memory");
	side->read(result, out, work->words[last]);
	for (uint32_t i = 0; i < work->words[last]; i++) {
		uint32_t want = work->expected(work, in, i);

		if (out[i] == want)
			continue;
		snprintf(what, sizeof(what), "%s: word %u is %#x, expected %#x", work->name, i,
			 out[i], want);
		work_fail(side->name, what);
	}
	free(out);
}

/* Makes the kernel's buffers, runs it once and checks what came out. */
static void first_time(const struct side *side, const struct work *work, void *buffers[])
{
	uint32_t *in[MOST_BUFFERS] = { NULL };

	for (unsigned b = 0; b < work->buffer_count; b++) {
		in[b] = calloc(work->words[b], sizeof(*in[b]));
		if (!in[b])
			work_fail(side->name, "out of memory");
		fill(in[b], work->words[b], b);
		buffers[b] = side->buffer(in[b], work->words[b]);
	}
	side->prepare(work, buffers);
	side->launch(work);
	side->wait();
	check(side, work, in, buffers[work->buffer_count - 1]);
	for (unsigned b = 0; b < work->buffer_count; b++)
		free(in[b]);
}

int work_serve(const struct side *side)
{
	static void *buffers[sizeof(works) / sizeof(works[0])][MOST_BUFFERS];
	unsigned index, repeats;

	while (scanf("%u %u", &index, &repeats) == 2) {
		const struct timespec moment = { .tv_nsec = 200000 };
		double cpu, wall;

		if (index >= work_count)
			return 2;
		if (!buffers[index][0])
			first_time(side, &works[index], buffers[index]);
		side->prepare(&works[index], buffers[index]);
		cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
		wall = clock_ns(CLOCK_MONOTONIC);
		for (unsigned i = 0; i < repeats; i++)
			side->launch(&works[index]);
		side->wait();
		wall = clock_ns(CLOCK_MONOTONIC) - wall;
		nanosleep(&moment, NULL); /* threads are charged when they go to sleep */
		printf("%.0f %.0f\n", clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu, wall);
		fflush(stdout);
	}
	return 0;
}
