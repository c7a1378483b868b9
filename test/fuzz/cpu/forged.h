/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * For targets that run prepared kernels with operands out of the fuzzer's bytes. A target has
 * bodies of PTX; each becomes two entries, loaded once: one where each thread has words of its
 * own, one where all have the same. In a body there are
 *
 *	%w0-%w3   words as they are; %v0-%v3 their lower halves
 *	%a0-%a2   generic addresses made of the words: in shared memory of this block or another,
 *	          the buffer, parameters, the stack, constants, a function, or anywhere
 *	%s0-%s2   the same in shared memory, of 32 bits
 *	%x0-%x9   u32; %y0-%y5 u64; %f0-%f7 f32; %d0-%d3 f64; %p, %q
 *
 * FORGED_PRINT=1 prints how each run ends. Input: a byte of flags (1: with the checker, 2: slices of one turn), one for the entry, words.
 */
#ifndef FORGED_H
#define FORGED_H

#include <stdio.h>
#include <string.h>

#include "arena.h"
#include "config.h"
#include "exec.h"
#include "fault_text.h"
#include "fuzz.h"
#include "heap.h"
#include "order.h"
#include "race.h"
#include "segment.h"

enum { WORDS = 64, BUFFER = 4096, MOST_TURNS = 4096, TEXT = 1 << 20 };

/* What a target is. */
struct forged {
	const char *declarations; /* of the module, or "" */
	const char *const *bodies;
	unsigned count;
	unsigned threads, cluster;
	unsigned checks;          /* enum check */
};

enum { ALL_CHECKS = CHECK_MEM | CHECK_INIT | CHECK_RACE | CHECK_SYNC };

struct text {
	char bytes[TEXT];
	size_t length;
};

#define PUT(text, ...)                                                                     \
	((text)->length += (size_t)snprintf((text)->bytes + (text)->length,                \
					    TEXT - (text)->length, __VA_ARGS__))

/* Words and addresses number @i; @own: of each thread. */
static inline void put_operands(struct text *text, unsigned i, bool own)
{
	static const char *const bases[] = { "gsm", "buf", "par", "loc", "fun", "other", "con" };

	PUT(text, "ld.global.u64 %%w%u, [%s+%u]; cvt.u32.u64 %%v%u, %%w%u;\n", i,
	    own ? "%mine" : "%in", 8 * i, i, i);
	if (i > 2)
		return;
	PUT(text,
	    "shr.u64 %%k, %%w%u, 61; shl.b64 %%o, %%w%u, 44; shr.s64 %%o, %%o, 44;\n"
	    "shr.u64 %%y0, %%w%u, 56; cvt.u32.u64 %%rank, %%y0; and.b32 %%rank, %%rank, 31;\n"
	    "mapa.u64 %%other, %%gsm, %%rank; mov.u64 %%b, %%w%u;\n", i, i, i, i);
	for (unsigned k = 0; k < sizeof(bases) / sizeof(bases[0]); k++)
		PUT(text, "setp.eq.u64 %%p, %%k, %u; selp.b64 %%b, %%%s, %%b, %%p;\n", k + 1,
		    bases[k]);
	PUT(text,
	    "add.u64 %%a%u, %%b, %%o; cvt.u32.u64 %%s%u, %%o; add.u32 %%s%u, %%s%u, %%ssm;\n"
	    "mapa.shared::cluster.u32 %%x0, %%s%u, %%rank; setp.gt.u64 %%p, %%k, 5;\n"
	    "selp.b32 %%s%u, %%x0, %%s%u, %%p; setp.eq.u64 %%p, %%k, 0;\n"
	    "selp.b32 %%s%u, %%v%u, %%s%u, %%p;\n", i, i, i, i, i, i, i, i, i, i);
}

static inline void put_entry(struct text *text, const struct forged *forged, unsigned index)
{
	PUT(text, ".visible .entry e%u(.param .u64 in, .param .u64 buffer) .reqntid %u, 1, 1\n",
	    index, forged->threads);
	if (forged->cluster > 1)
		PUT(text, ".reqnctapercluster %u, 1, 1\n", forged->cluster);
	PUT(text, "{\n.reg .u64 %%w<4>, %%a<3>, %%y<6>, %%in, %%mine, %%k, %%o, %%b;\n"
		  ".reg .u64 %%gsm, %%buf, %%par, %%loc, %%fun, %%other, %%con;\n"
		  ".reg .u32 %%v<4>, %%s<3>, %%x<10>, %%rank, %%ssm; .reg .pred %%p, %%q;\n"
		  ".reg .f32 %%f<8>; .reg .f64 %%d<4>; .local .align 16 .b8 frame[256];\n"
		  "ld.param.u64 %%in, [in]; ld.param.u64 %%buf, [buffer];\n"
		  "mov.u32 %%x0, %%tid.x; and.b32 %%x0, %%x0, 15; mad.wide.u32 %%mine, %%x0, 32, "
		  "%%in;\n"
		  "mov.u64 %%gsm, sm; cvta.shared.u64 %%gsm, %%gsm; mov.u32 %%ssm, sm;\n"
		  "mov.b64 %%par, in; cvta.param.u64 %%par, %%par;\n"
		  "mov.u64 %%loc, frame; cvta.local.u64 %%loc, %%loc; mov.u64 %%fun, function;\n"
		  "mov.u64 %%con, constant; cvta.const.u64 %%con, %%con;\n");
	for (unsigned i = 0; i < 4; i++)
		put_operands(text, i, index % 2);
	PUT(text, "%s\nret;\n}\n", forged->bodies[index / 2]);
}

static inline struct program *forged_load(const struct forged *forged)
{
	static struct text text;
	struct program *program = NULL;
	struct err e = { 0 };

	text.length = 0;
	PUT(&text, ".version 8.5\n.target sm_90a\n.address_size 64\n"
		   ".shared .align 1024 .b8 sm[16384];\n.const .b32 constant[64];\n"
		   ".func function() { ret; }\n%s\n", forged->declarations);
	for (unsigned i = 0; i < 2 * forged->count; i++)
		put_entry(&text, forged, i);
	if (program_load((struct bytes){ (const uint8_t *)text.bytes, text.length }, &program,
			 &e)) {
		fprintf(stderr, "%s\n%s\n", text.bytes, e.text);
		abort();
	}
	return program;
}

static inline const struct kernel *forged_kernel(struct program *program, unsigned index)
{
	const struct kernel *kernel;
	struct err e = { 0 };
	char name[16];

	snprintf(name, sizeof(name), "e%u", index);
	if (program_kernel(program, name, &kernel, &e)) {
		fprintf(stderr, "%s: %s\n", name, e.text);
		abort();
	}
	return kernel;
}

static struct heap forged_heap;

static inline bool forged_owned(uint64_t owner, uint64_t ending)
{
	return owner == ending;
}

/* Runs @kernel until it ends, faults, or had its turns. */
static inline void forged_launch(const struct forged *forged, const struct kernel *kernel,
				 const uint64_t params[2], uint32_t slice)
{
	static struct fault fault;
	static struct order *order;
	static uint64_t launches;
	struct launch launch = {
		.kernel = kernel, .id = ++launches, .grid = { forged->cluster, 1, 1 },
		.block = { forged->threads, 1, 1 }, .cluster = { forged->cluster, 1, 1 },
		.clustered = forged->cluster > 1, .params = (const uint8_t *)params,
		.fault = &fault, .heap = &forged_heap,
	};
	struct cta *cta = NULL;
	struct err e;

	if (!order)
		order = order_new();
	if (config.check) {
		launch.order = order;
		launch.floor = race_launch(true);
	}
	fault_reset(&fault);
	heap_init(&forged_heap, 1);
	if (cta_new(&launch, 0, 0, &cta, &e))
		abort();
	for (unsigned i = 0; i < MOST_TURNS; i++)
		if (cta_run(cta, slice) != CTA_YIELDED)
			break;
	cta_free(cta);
	if (getenv("FORGED_PRINT"))
		fprintf(stderr, "%s: %.*s\n", kernel->name,
			(int)strcspn(fault_text(&fault), "\n"), fault_text(&fault));
	if (atomic_load(&forged_heap.used) > atomic_load(&forged_heap.most))
		abort();
	arena_clear(forged_owned, 1);
}

static inline void *forged_memory(size_t size)
{
	uint64_t address = 0;
	struct err e;

	config.shared_with_host = true;
	if (arena_alloc(size, 256, BLOCK_DEVICE, &address, &e))
		abort();
	return (void *)address;
}

/* What a target's LLVMFuzzerTestOneInput() does. */
static inline int forged_run(const struct forged *forged, const uint8_t *data, size_t size)
{
	static struct program *programs[2];
	static uint64_t *words, params[2] __attribute__((aligned(128)));
	unsigned which;
	struct err e;

	if (!words) {
		if (forged->checks & CHECK_RACE && race_prepare(&e))
			abort();
		config.memory = 64 << 20;
		config.check = forged->checks; /* the arena has what is beside it then */
		words = forged_memory(WORDS * sizeof(*words));
		params[0] = (uint64_t)words;
		params[1] = (uint64_t)forged_memory(BUFFER);
	}
	if (size < 2)
		return 0;
	which = data[0] & 1;
	config.check = which ? forged->checks : 0;
	if (!programs[which])
		programs[which] = forged_load(forged);
	memset(words, 0, WORDS * sizeof(*words));
	memcpy(words, data + 2, size - 2 < WORDS * sizeof(*words) ? size - 2 :
								     WORDS * sizeof(*words));
	forged_launch(forged, forged_kernel(programs[which], data[1] % (2 * forged->count)),
		      params, data[0] & 2 ? 1 : 10000);
	return 0;
}

#define FORGED(declares, list, threads_, cluster_, checks_)                                \
	int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)                        \
	{                                                                                  \
		static const struct forged forged = {                                      \
			.declarations = declares, .bodies = list,                          \
			.count = sizeof(list) / sizeof((list)[0]), .threads = threads_,    \
			.cluster = cluster_, .checks = checks_,                            \
		};                                                                         \
                                                                                           \
		return forged_run(&forged, data, size);                                    \
	}

#endif
