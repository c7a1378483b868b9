/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* covers: cpu/flow/flow.c cpu/flow/liveness.c */
/*
 * Random programs: what the CPU device computes, with every set of handlers, compiled or
 * not, and however its warps are interrupted, is what a plain interpreter of the same
 * tree computes. RANDOM_PRINT=1 prints the PTX of what is replayed.
 */
#include "arena.h"
#include "config.h"
#include "exec.h"
#include "fault_text.h"
#include "fuzz.h"

#include "random_run.h"
#include "random_text.h"

enum { MOST_BLOCKS = 3, SLOTS = 8 + 4 + 3 + 5 + 3 + 4 };

/* What a program reads and writes, in device memory and as expected. */
struct memory {
	uint32_t input[INPUTS];
	uint64_t out[MOST_BLOCKS * MOST_THREADS][SLOTS];
	uint32_t own[MOST_BLOCKS * MOST_THREADS][OWN];
	uint32_t sums[SUMS];
};

struct parameters {
	uint64_t in, out, own, sums;
	uint32_t arguments[2];
};

/* Options of the configuration, and how long a block runs at a time. */
static const struct way {
	const char *options;
	uint32_t slice;
} ways[] = {
	{ "isa=best,scalar=1", 100000 },
	{ "isa=best,scalar=0", 1 },
	{ "isa=baseline,scalar=1", 7 },
	{ "isa=baseline,scalar=0", 60 },
	{ "isa=best,scalar=1,jit=always", 100000 },
	{ "isa=v3,scalar=0,jit=always", 60 },
	{ "isa=best,scalar=1,jit=exits", 7 }, /* and a seed */
	{ "isa=v3,scalar=1,jit=exits", 100000 },
};

/* The options of @way; where compiled code is left is drawn by the input. */
static const char *way_options(const struct way *way, const struct tree *tree)
{
	static char options[64];
	const bool exits = strstr(way->options, "exits") != NULL;

	snprintf(options, sizeof(options), exits ? "%s:%u" : "%s", way->options,
		 tree->arguments[0] + tree->count);
	return options;
}

static void prepare(struct memory *memory)
{
	memset(memory, 0, sizeof(*memory));
	for (uint32_t i = 0; i < INPUTS; i++)
		memory->input[i] = i % 3 ? i * 0x9e3779b9u : i;
	for (uint32_t i = 0; i < MOST_BLOCKS * MOST_THREADS; i++)
		for (uint32_t k = 0; k < OWN; k++)
			memory->own[i][k] = i * 7 + k;
}

/* False when the program runs too long. */
static bool interpret(const struct tree *tree, struct memory *memory)
{
	static struct machine machine;
	unsigned threads = tree->block[0] * tree->block[1];

	for (unsigned block = 0; block < tree->grid; block++) {
		memset(&machine, 0, sizeof(machine));
		machine.tree = tree;
		machine.input = memory->input;
		machine.sums = memory->sums;
		machine.block = block;
		memcpy(machine.own, memory->own[block * threads],
		       threads * sizeof(machine.own[0]));
		for (unsigned i = 0; i < threads; i++)
			set_frame(&machine, i);
		run_whole(&machine, threads, tree->function[FUNCTIONS]);
		if (machine.steps > MOST_STEPS)
			return false;
		memcpy(memory->own[block * threads], machine.own,
		       threads * sizeof(machine.own[0]));
		for (unsigned i = 0; i < threads; i++) {
			uint64_t *out = memory->out[block * threads + i];

			for (unsigned c = 0; c < CLASSES && !machine.left[i]; c++)
				for (unsigned k = 0; k < classes[c].count; k++)
					*out++ = machine.frames[i].registers[c][k];
		}
	}
	return true;
}

/* Runs all blocks, some together and interrupted, so that their turns mix. */
static void run(const struct kernel *kernel, const struct tree *tree,
		struct memory *memory, uint32_t slice, struct fault *fault)
{
	struct parameters parameters __attribute__((aligned(16))) = {
		(uint64_t)memory->input,
		(uint64_t)memory->out,
		(uint64_t)memory->own,
		(uint64_t)memory->sums,
		{ tree->arguments[0], tree->arguments[1] },
	};
	static uint64_t launches;
	struct launch launch = {
		.kernel = kernel,
		.id = ++launches,
		.grid = { tree->grid, 1, 1 },
		.block = { tree->block[0], tree->block[1], 1 },
		.cluster = { 1, 1, 1 },
		.params = (const uint8_t *)&parameters,
		.fault = fault,
	};
	struct cta *ctas[MOST_BLOCKS] = { NULL };
	unsigned left = tree->grid;
	struct err e;

	for (unsigned i = 0; i < tree->grid; i++)
		if (cta_new(&launch, i, 0, &ctas[i], &e))
			abort();
	for (unsigned turn = 0; left && turn < 10000000; turn++) {
		unsigned i = turn % tree->grid;

		if (!ctas[i] || cta_run(ctas[i], slice) == CTA_YIELDED)
			continue;
		cta_free(ctas[i]);
		ctas[i] = NULL;
		left--;
	}
	if (left)
		abort();
}

static bool same(const struct memory *got, const struct memory *want)
{
	for (unsigned i = 0; i < MOST_BLOCKS * MOST_THREADS; i++) {
		for (unsigned k = 0; k < SLOTS; k++) {
			uint64_t a = got->out[i][k], b = want->out[i][k];
			bool nan = k >= 20 && k < 23 && number64(a) != number64(a) &&
				   number64(b) != number64(b);

			if (a == b || nan)
				continue;
			fprintf(stderr,
				"thread %u, value %u: got %#llx, expected %#llx\n", i, k,
				(unsigned long long)a, (unsigned long long)b);
			return false;
		}
	}
	if (!memcmp(got->own, want->own, sizeof(got->own)) &&
	    !memcmp(got->sums, want->sums, sizeof(got->sums)))
		return true;
	fprintf(stderr, "memory differs\n");
	return false;
}

static void try_way(const struct way *way, const struct tree *tree,
		    const struct text *text, struct memory *device,
		    const struct memory *want)
{
	static struct fault fault;
	const char *options = way_options(way, tree);
	struct bytes bytes = { (const uint8_t *)text->bytes, text->length };
	struct program *program = NULL;
	const struct kernel *kernel;
	struct err e = { 0 };
	bool good = false;

	fault_reset(&fault);
	prepare(arena_bytes((uint64_t)device));
	if (!config_parse(options, &e) && !program_load(bytes, &program, &e) &&
	    !program_kernel(program, "kernel", &kernel, &e)) {
		run(kernel, tree, device, way->slice, &fault);
		good = !atomic_load(&fault.code) && same(arena_bytes((uint64_t)device), want);
	}
	if (!good) {
		fprintf(stderr,
			"%s%s with %s, slices of %u, grid %u, block %ux%u, arguments %u "
			"%u:\n%s",
			e.text, fault_text(&fault), options, way->slice, tree->grid,
			tree->block[0], tree->block[1], tree->arguments[0],
			tree->arguments[1], text->bytes);
		abort();
	}
	program_free(program);
	cta_thread_end();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct memory want, *device; /* its bytes are at arena_bytes() */
	static struct tree tree;
	static struct text text;
	struct err e;
	uint64_t address;

	if (!device) {
		config.memory = 64 << 20;
		config.jit_most = UINT64_MAX;
		if (arena_alloc(sizeof(*device), 256, BLOCK_DEVICE, &address, &e))
			abort();
		device = (struct memory *)address;
	}
	choose_tree(&tree, data, size);
	prepare(&want);
	if (!interpret(&tree, &want))
		return 0;
	text.length = 0;
	text.labels = 0;
	put_module(&text, &tree);
	if (getenv("RANDOM_PRINT"))
		fputs(text.bytes, stderr);
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		try_way(&ways[i], &tree, &text, device, &want);
	return 0;
}
