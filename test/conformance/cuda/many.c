/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Calls take as long beside thousands of kernels, modules and streams as beside a few: the least
 * time of a call of each kind, of some hundred of them, is compared. With an argument, a number,
 * prints the times beside so many and compares nothing.
 */
#include <time.h>

#include "cuda_kernels.h"

enum { FEW = 100, MANY = 3000, SAMPLE = 100, ROUNDS = 5, LIMIT = 4, TRIES = 3 };

static double nanoseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

enum call { CREATE, NULL_LAUNCH, DESTROY, GET, LOAD, UNLOAD, CALLS };
static const char *const calls[CALLS] = {
	"cuStreamCreate", "cuLaunchKernel, NULL stream", "cuStreamDestroy", "cuModuleGetFunction",
	"cuModuleLoadData", "cuModuleUnload",
};

/* Nanoseconds of a call, beside the others of its kind: the least of several samples. */
static double least[CALLS];

static void note(enum call call, double begin, unsigned count)
{
	const double each = (nanoseconds() - begin) / count;

	if (!least[call] || each < least[call])
		least[call] = each;
}

static void use_streams(unsigned count)
{
	CUfunction nothing = cuda_function(cuda_kernels(), "nothing");
	CUstream *streams = calloc(count + SAMPLE, sizeof(CUstream));

	REQUIRE(streams);
	for (unsigned i = 0; i < count; i++) {
		OK_CU(cu.cuStreamCreate(&streams[i], CU_STREAM_DEFAULT));
		OK_CU(cu.cuLaunchKernel(nothing, 1, 1, 1, 1, 1, 1, 0, streams[i], NULL, NULL));
	}
	OK_CU(cu.cuLaunchKernel(nothing, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
	OK_CU(cu.cuCtxSynchronize());
	for (unsigned round = 0; round < ROUNDS; round++) {
		double begin = nanoseconds();

		for (unsigned i = 0; i < SAMPLE; i++)
			OK_CU(cu.cuStreamCreate(&streams[count + i], CU_STREAM_DEFAULT));
		note(CREATE, begin, SAMPLE);
		begin = nanoseconds();
		for (unsigned i = 0; i < SAMPLE; i++)
			OK_CU(cu.cuLaunchKernel(nothing, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
		note(NULL_LAUNCH, begin, SAMPLE);
		OK_CU(cu.cuCtxSynchronize());
		begin = nanoseconds();
		for (unsigned i = 0; i < SAMPLE; i++)
			OK_CU(cu.cuStreamDestroy(streams[count + i]));
		note(DESTROY, begin, SAMPLE);
	}
	for (unsigned i = 0; i < count; i++)
		OK_CU(cu.cuStreamDestroy(streams[i]));
	free(streams);
}

static void use_kernels(unsigned count)
{
	CUfunction function;
	CUmodule module;
	char *text = NULL, name[32];
	size_t size;
	FILE *f = open_memstream(&text, &size);

	fputs(PTX_HEAD, f);
	for (unsigned i = 0; i < count; i++)
		fprintf(f, ".visible .entry k%u() { ret; }\n", i);
	fclose(f);
	OK_CU(cu.cuModuleLoadData(&module, text));
	for (unsigned i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "k%u", i);
		OK_CU(cu.cuModuleGetFunction(&function, module, name));
	}
	for (unsigned round = 0; round < ROUNDS; round++) {
		const double begin = nanoseconds();

		for (unsigned i = 0; i < SAMPLE; i++) {
			snprintf(name, sizeof(name), "k%u", i * (count / SAMPLE));
			OK_CU(cu.cuModuleGetFunction(&function, module, name));
		}
		note(GET, begin, SAMPLE);
	}
	OK_CU(cu.cuModuleUnload(module));
	free(text);
}

/* The modules that are unloaded are the oldest. */
static void use_modules(unsigned count)
{
	static const char text[] = PTX_HEAD PTX_NOTHING;
	CUmodule *modules = calloc(count + ROUNDS * SAMPLE, sizeof(CUmodule));

	REQUIRE(modules);
	for (unsigned i = 0; i < count; i++)
		OK_CU(cu.cuModuleLoadData(&modules[i], text));
	for (unsigned round = 0; round < ROUNDS; round++) {
		double begin = nanoseconds();

		for (unsigned i = 0; i < SAMPLE; i++)
			OK_CU(cu.cuModuleLoadData(&modules[count + round * SAMPLE + i], text));
		note(LOAD, begin, SAMPLE);
		begin = nanoseconds();
		for (unsigned i = 0; i < SAMPLE; i++)
			OK_CU(cu.cuModuleUnload(modules[round * SAMPLE + i]));
		note(UNLOAD, begin, SAMPLE);
	}
	for (unsigned i = ROUNDS * SAMPLE; i < count + ROUNDS * SAMPLE; i++)
		OK_CU(cu.cuModuleUnload(modules[i]));
	free(modules);
}

static void measure(unsigned count, double times[CALLS])
{
	memset(least, 0, sizeof(least));
	use_streams(count);
	use_kernels(count);
	use_modules(count);
	memcpy(times, least, sizeof(least));
}

static bool grows(enum call call, const double few[CALLS], const double many[CALLS])
{
	return many[call] >= LIMIT * few[call] + 300;
}

/* A measurement that other processes disturb is made again: what grows does so each time. */
static void test_many(void)
{
	double few[CALLS], many[CALLS];
	unsigned count = CALLS;

	for (unsigned try = 0; try < TRIES && count; try++) {
		measure(FEW, few);
		measure(MANY, many);
		count = 0;
		for (enum call i = 0; i < CALLS; i++)
			count += grows(i, few, many);
	}
	CHECK(!count);
	for (enum call i = 0; i < CALLS; i++)
		if (grows(i, few, many))
			printf("#   %s: %.0f ns beside %d, %.0f ns beside %d\n", calls[i], few[i],
			       FEW, many[i], MANY);
}

int main(int argc, char **argv)
{
	double times[CALLS];

	cuda_start();
	if (argc == 1) {
		RUN(test_many);
		return tap_end();
	}
	measure((unsigned)strtoul(argv[1], NULL, 10), times);
	for (int i = 0; i < CALLS; i++)
		printf("%-28s %8.0f ns\n", calls[i], times[i]);
	return 0;
}
