/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "work.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void work_fail(const char *name, const char *what)
{
	fprintf(stderr, "%s: %s\n", name, what);
	exit(1);
}

void *work_memory(const char *name, uint64_t size)
{
	void *memory = calloc(size, 1);

	if (!memory)
		work_fail(name, "out of memory");
	return memory;
}

char *work_read(const char *name, const char *path)
{
	enum { LIMIT = 1 << 20 };
	FILE *file = fopen(path, "rb");
	char *text = work_memory(name, LIMIT + 1), what[512];

	if (!file || !fread(text, 1, LIMIT, file)) {
		snprintf(what, sizeof(what), "%s cannot be read", path);
		work_fail(name, what);
	}
	fclose(file);
	return text;
}

static double clock_ns(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

double work_cpu_time(void)
{
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

void work_settle(void)
{
	const struct timespec moment = { .tv_nsec = 200000 };

	nanosleep(&moment, NULL);
}

static bool same(uint32_t got, uint32_t want, float tolerance)
{
	float number, right;

	if (got == want)
		return true;
	memcpy(&number, &got, sizeof(number));
	memcpy(&right, &want, sizeof(right));
	return fabsf(number - right) < tolerance * (1 + fabsf(right));
}

void work_check(const char *side, const struct work *work, void *const in[], const void *got)
{
	const unsigned last = work->buffer_count - 1;
	const uint32_t *out = got, *want = in[last];
	char what[128];

	native_plain(work->kernel)(work, in);
	for (uint32_t i = 0; i < work->buffers[last].words; i++) {
		if (same(out[i], want[i], work->tolerance))
			continue;
		snprintf(what, sizeof(what), "%s: word %u is %#x, expected %#x", work->name, i,
			 out[i], want[i]);
		work_fail(side, what);
	}
}

/* Makes the kernel's buffers, runs it once and checks what came out. */
static void first_time(const struct side *side, const struct work *work, void *buffers[])
{
	const unsigned last = work->buffer_count - 1;
	void *in[MOST_BUFFERS], *out = work_memory(side->name, work->buffers[last].words * 4ull);

	work_inputs(work, in);
	for (unsigned b = 0; b <= last; b++)
		buffers[b] = side->buffer(in[b], work->buffers[b].words);
	side->prepare(work, buffers);
	side->launch(work);
	side->wait();
	side->read(buffers[last], out, work->buffers[last].words);
	work_check(side->name, work, in, out);
	work_drop(in);
	free(out);
}

int work_serve(const struct side *side)
{
	static void *buffers[MOST_WORKS][MOST_BUFFERS];
	unsigned index, repeats;

	while (scanf("%u %u", &index, &repeats) == 2) {
		double cpu, wall;

		if (index >= work_count)
			return 2;
		if (!buffers[index][0])
			first_time(side, &works[index], buffers[index]);
		side->prepare(&works[index], buffers[index]);
		cpu = work_cpu_time();
		wall = clock_ns(CLOCK_MONOTONIC);
		for (unsigned i = 0; i < repeats; i++)
			side->launch(&works[index]);
		side->wait();
		wall = clock_ns(CLOCK_MONOTONIC) - wall;
		work_settle();
		printf("%.0f %.0f\n", work_cpu_time() - cpu, wall);
		fflush(stdout);
	}
	return 0;
}
