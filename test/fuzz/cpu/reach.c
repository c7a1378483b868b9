/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* covers: cpu/emit/access_check.c cpu/emit/access_range.c */
/* covers: cpu/emit/access_group.c */
/*
 * Addresses that are data: an input draws some loads, stores and atomics, of every space and size,
 * whose addresses come from memory, step from lane to lane, wrap around, end at the last byte or lie
 * anywhere. Compiled they leave the same memory and the same fault as interpreted, and never
 * touch what is not the device's. REACH_PRINT=1 prints the PTX. How much of access_lanes.c is
 * covered depends on the processor: a part of it is for AVX-512.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "compiled.h"
#include "config.h"
#include "exec.h"
#include "fault_text.h"
#include "fuzz.h"
#include "fuzz_text.h"

enum { WORDS = 192, THREADS = 64, BUFFER = 2048, MOST_TURNS = 20000, MOST_STATEMENTS = 14 };

/* What a program has of device memory: one block, which ends with the buffer. */
struct memory {
	uint64_t words[WORDS];
	uint32_t out[THREADS][8];
	uint8_t buffer[BUFFER];
};

/* Bytes of the host's that no kernel may touch. */
static uint8_t host[4096];

static struct {
	uint64_t words[WORDS];
	unsigned word_count, labels;
} now;

/* ---- Addresses -------------------------------------------------------------------------- */

/* Puts @value into memory; returns where it is, behind %in. */
static unsigned word(uint64_t value)
{
	const unsigned at = now.word_count < WORDS - 64 ? now.word_count++ : WORDS - 65;

	now.words[at] = value;
	return 8 * at;
}

/* How far from its base an address is, mostly within; @near: not into what may be another's. */
static uint64_t distance(unsigned unit, bool near)
{
	const unsigned kind = take(24);
	const int64_t small = (int64_t)take(256) - 128;

	switch (kind) {
	case 0:
		return (uint64_t)(small * unit);
	case 1:
		return (uint64_t)small;
	case 2:
	case 6:
	case 7:
		return BUFFER - unit * (uint64_t)(small & 63);
	case 3:
		return near ? 0 : (1ull << take(64)) + (uint64_t)small;
	case 4:
		return near ? unit : (uint64_t)small - (1ull << take(64));
	case 5:
		return near ? 0 : (uint64_t)take(256) << 56 | (uint64_t)take(256) << 32 |
				  (uint64_t)(small * unit);
	default:
		return (uint64_t)(small & 31) * unit;
	}
}

/* Adds to %a what lanes differ by. */
static void put_steps(unsigned unit)
{
	static const uint32_t steps[] = { 1, 2, 4, 8, 12, 16, 24, 32, 64, 1u << 16, 1u << 31, ~0u };

	switch (take(16)) {
	case 0:
		put("\tmad.wide.%c32 %%a, %%lane, %d, %%a;\n", "us"[take(2)],
		    (int32_t)steps[take(sizeof(steps) / sizeof(steps[0]))]);
		break;
	case 1:
	case 2:
		put("\tld.global.u64 %%b, [%%in+%u]; cvt.u64.u32 %%c, %%lane;\n"
		    "\tmad.lo.u64 %%a, %%c, %%b, %%a;\n",
		    word(take(4) ? take(4) * (uint64_t)unit : distance(unit, false)));
		break;
	case 3:
	case 4:
		put("\tmad.wide.u32 %%b, %%lane, 8, %%in; ld.global.u64 %%b, [%%b+%u];\n"
		    "\tadd.s64 %%a, %%a, %%b;\n", 8 * (WORDS - 64));
		break;
	case 5:
		put("\txor.b32 %%i, %%lane, %u; mad.wide.u32 %%a, %%i, %u, %%a;\n", take(32), unit);
		break;
	case 6:
		put("\tadd.s32 %%i, %%lane, %d; mad.wide.%c32 %%a, %%i, %u, %%a;\n",
		    take(2) ? -(int)take(40) : 0x7fffffff - (int)take(40), "us"[take(2)], unit);
		break;
	case 7:
	case 8:
		break;
	default:
		put("\tmad.wide.u32 %%a, %%lane, %u, %%a;\n", unit);
	}
}

/*
 * What an access is of: its name in the opcode, its base, whether addresses are to be next to that,
 * whether it can only be read, whether .volatile is known of it.
 */
static const struct place {
	const char *space, *base;
	bool near, reads, volatile_;
} places[] = {
	{ ".global", "%buf", false, false, true },
	{ ".global", "%buf", false, false, true },
	{ "", "%buf", false, false, true },
	{ ".global", "%in", false, true, true },
	{ ".shared", "%sm", false, false, true },
	{ ".shared", "%sm", true, false, true },
	{ "", "%gsm", true, false, true },
	{ ".local", "%loc", false, false, false },
	{ ".local", "%loc", true, false, false },
	{ "", "%gloc", true, false, true },
	{ "", "%gpar", true, true, true },
	{ ".global", "%freed", false, false, true },
	{ "", "%host", true, false, true },
	{ "", "0", false, false, true },
	{ ".global", "%host", true, false, true },
};

enum { PLACES = sizeof(places) / sizeof(places[0]), SOUND = PLACES - 4 };

/* Sets %a, or %s; returns its name in brackets, with what is added to it. */
static const char *put_address(const struct place *place, unsigned unit)
{
	static const int64_t added[] = { 0, 0, 0, 4, 16, -16, INT32_MAX, INT32_MIN, INT64_MIN,
					 INT64_MAX - 7, INT64_MAX - ((int64_t)1 << 33) + 1 };
	static char text[48];
	const int64_t more = added[take(sizeof(added) / sizeof(added[0]))];
	const bool narrow = !strcmp(place->space, ".shared") && more == (int32_t)more && take(2);

	put("\tld.global.u64 %%b, [%%in+%u]; mov.u64 %%a, %s; add.s64 %%a, %%a, %%b;\n",
	    word(distance(unit, place->near) - (take(8) ? (uint64_t)more : 0)),
	    place->base);
	put_steps(unit);
	if (narrow)
		put("\tcvt.u32.u64 %%s, %%a;\n");
	snprintf(text, sizeof(text), "[%s+%" PRId64 "]", narrow ? "%s" : "%a", more);
	return text;
}

/* ---- Accesses --------------------------------------------------------------------------- */

static const struct type {
	const char *name;
	unsigned unit;
	char letter;
	unsigned count;
} types[] = {
	{ "b32", 4, 'r', 1 }, { "b32", 4, 'r', 1 }, { "u8", 1, 'r', 1 }, { "s8", 1, 'r', 1 },
	{ "b16", 2, 'h', 1 }, { "s16", 2, 'r', 1 }, { "b64", 8, 'd', 1 }, { "v2.b32", 8, 'r', 2 },
	{ "v4.b32", 16, 'r', 4 }, { "v2.b64", 16, 'd', 2 }, { "v2.b16", 4, 'h', 2 },
	{ "v4.b16", 8, 'h', 4 }, { "v4.u8", 4, 'r', 4 },
};

/* A guard, which other lanes have in each program. */
static const char *guard(void)
{
	static const char *const guards[] = { "", "", "", "@%p ", "@!%p ", "@%q ", "@!%q " };

	return guards[take(sizeof(guards) / sizeof(guards[0]))];
}

static const char *values(const struct type *type)
{
	static char text[64];
	size_t length = 0;

	if (type->count == 1) {
		snprintf(text, sizeof(text), "%%%c%u", type->letter, take(4));
		return text;
	}
	for (unsigned i = 0; i < type->count; i++)
		length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%%%c%u",
					   i ? ", " : "{", type->letter, i);
	snprintf(text + length, sizeof(text) - length, "}");
	return text;
}

static void put_atomic(const struct place *place)
{
	static const char *const atomics[] = {
		"atom%s.add.u32 %%r1, %s, %%r0", "atom%s.cas.b32 %%r1, %s, %%r0, %%r2",
		"atom%s.exch.b64 %%d1, %s, %%d0", "red%s.max.u32 %s, %%r0",
		"red%s.add.u64 %s, %%d0", "atom%s.add.f32 %%r1, %s, %%r0",
		"red%s.xor.b32 %s, %%r3", "atom%s.cas.b64 %%d0, %s, %%d1, %%d2",
	};
	const char *const form = atomics[take(sizeof(atomics) / sizeof(atomics[0]))];
	const char *const address = put_address(place, strstr(form, "64") ? 8 : 4);

	put("\t%s", guard());
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	put(form, place->space, address);
#pragma GCC diagnostic pop
	put(";\n");
}

static void put_access(void)
{
	const struct place *place = &places[take(4) ? take(SOUND) : take(PLACES)];
	const struct type *type = &types[take(sizeof(types) / sizeof(types[0]))];
	const unsigned what = take(8);
	const char *address;

	if (what == 0 && !place->reads && strcmp(place->space, ".local")) {
		put_atomic(place);
		return;
	}
	address = put_address(place, type->unit);
	if (what < 4 && !place->reads)
		put("\t%sst%s.%s %s, %s;\n", guard(), place->space, type->name, address,
		    values(type));
	else
		put("\t%sld%s%s.%s %s, %s;\n", guard(),
		    what == 7 && place->volatile_ ? ".volatile" : "", place->space,
		    type->name, values(type), address);
}

static void put_statements(unsigned depth, unsigned most)
{
	for (unsigned i = 1 + take(most); i-- && drawn.left;) {
		const unsigned what = take(12), label = now.labels;

		if (what == 0 && depth < 2) {
			now.labels++;
			put("\tmov.u32 %%n%u, 0;\nL%u:\n", depth, label);
			put_statements(depth + 1, 4);
			put("\tadd.u32 %%n%u, %%n%u, 1; add.s64 %%buf, %%buf, %u;\n"
			    "\tsetp.lt.u32 %%q, %%n%u, 3; @%%q bra L%u;\n", depth, depth,
			    4 * take(64), depth, label);
		} else if (what == 1 && depth < 2) {
			now.labels++;
			put("\t@%%p bra L%u;\n", label);
			put_statements(depth + 2, 3);
			put("L%u:\n", label);
		} else if (what == 2) {
			put("\tadd.u32 %%r0, %%r0, %%r1; xor.b64 %%d0, %%d0, %%d1;\n"
			    "\tsetp.lt.u32 %%p, %%lane, %u;\n", take(33));
		} else if (what == 3 && !depth) {
			put("\tbar.sync 0;\n");
		} else {
			put_access();
		}
	}
}

static void put_module(void)
{
	drawn.length = now.word_count = now.labels = 0;
	memset(now.words, 0, sizeof(now.words));
	put(".version 8.3\n.target sm_90\n.address_size 64\n"
	    ".visible .entry kernel(.param .u64 in, .param .u64 out, .param .u64 buffer,\n"
	    "\t.param .u64 freed, .param .u64 host)\n{\n"
	    "\t.reg .b64 %%a, %%b, %%c, %%in, %%out, %%buf, %%freed, %%host, %%sm, %%gsm, %%loc, "
	    "%%gloc, %%gpar, %%d<4>;\n"
	    "\t.reg .b32 %%i, %%s, %%lane, %%n<2>, %%r<4>;\n\t.reg .b16 %%h<4>;\n"
	    "\t.reg .pred %%p, %%q;\n\t.shared .align 16 .b8 shared[%u];\n"
	    "\t.local .align 16 .b8 frame[%u];\n", BUFFER, BUFFER);
	for (unsigned i = 0; i < 4; i++)
		put("\tmov.u32 %%r%u, %%tid.x; mov.b16 %%h%u, %u; mov.b64 %%d%u, %u;\n", i, i,
		    i + 5, i, 77 * i);
	put("\tmov.u32 %%lane, %%tid.x; ld.param.u64 %%in, [in]; ld.param.u64 %%out, [out];\n"
	    "\tld.param.u64 %%buf, [buffer]; ld.param.u64 %%freed, [freed];\n"
	    "\tld.param.u64 %%host, [host]; mov.u64 %%sm, shared; cvta.shared.u64 %%gsm, %%sm;\n"
	    "\tmov.u64 %%loc, frame; cvta.local.u64 %%gloc, %%loc;\n"
	    "\tmov.b64 %%gpar, in; cvta.param.u64 %%gpar, %%gpar;\n"
	    "\tmad.wide.u32 %%out, %%lane, 32, %%out;\n"
	    "\tsetp.lt.u32 %%p, %%lane, %u; ld.global.u32 %%i, [%%in+%u];\n"
	    "\tsetp.ne.u32 %%q, %%i, 0;\n", take(33), word(take(2)));
	put_statements(0, MOST_STATEMENTS);
	for (unsigned i = 0; i < 4; i++)
		put("\tst.global.b32 [%%out+%u], %%r%u;\n", 4 * i, i);
	put("\tst.global.b64 [%%out+16], %%d0; st.global.b64 [%%out+24], %%d1;\n\tret;\n}\n");
	for (unsigned i = 0; i < 64; i++)
		now.words[WORDS - 64 + i] = drawn.left ? distance(4, true) : 4 * i;
}

/* ---- Execution -------------------------------------------------------------------------- */

struct result {
	struct memory memory;
	char fault[1024];
};

/*
 * Addresses of shared and local memory are the host's, and others each time. What is next to such a
 * one, or that it is the host's, is not noted either.
 */
static void note_fault(const struct fault *fault, char text[1024])
{
	const char *from = atomic_load(&fault->code) ? fault_text(fault) : "";
	size_t length = 0;

	while (*from && length < 1020) {
		size_t digits = 0;

		text[length++] = *from++;
		if (length < 2 || text[length - 2] != '0' || text[length - 1] != 'x')
			continue;
		digits = strspn(from, "0123456789abcdef");
		if (digits <= 8)
			continue;
		if (!arena_owns(strtoull(from, NULL, 16)))
			digits = strcspn(from, "\n");
		from += digits;
	}
	text[length] = '\0';
}

static struct memory *device; /* its bytes are at arena_bytes() */
static uint64_t freed;        /* where memory was */

static void allocate(void)
{
	uint64_t address;
	struct err e;

	config.memory = 64 << 20;
	config.jit_most = UINT64_MAX;
	if (arena_alloc(BUFFER, 256, BLOCK_DEVICE, &freed, &e) ||
	    arena_alloc(sizeof(struct memory), 256, BLOCK_DEVICE, &address, &e) ||
	    arena_free(freed, &e))
		abort();
	device = (struct memory *)address;
}

static void run(const struct kernel *kernel, unsigned threads, uint32_t slice,
		struct result *result)
{
	static struct fault fault;
	static uint64_t launches;
	struct memory *bytes = arena_bytes((uint64_t)device);
	const uint64_t params[] __attribute__((aligned(16))) = {
		(uint64_t)device->words, (uint64_t)device->out, (uint64_t)device->buffer, freed,
		(uint64_t)(host + sizeof(host) / 2),
	};
	struct launch launch = {
		.kernel = kernel, .id = ++launches, .grid = { 1, 1, 1 },
		.block = { threads, 1, 1 }, .cluster = { 1, 1, 1 },
		.params = (const uint8_t *)params, .fault = &fault,
	};
	struct cta *cta;
	struct err e;

	memset(bytes, 0x11, sizeof(*bytes));
	memcpy(bytes->words, now.words, sizeof(now.words));
	memset(host, 0x5a, sizeof(host));
	fault_reset(&fault);
	if (cta_new(&launch, 0, 0, &cta, &e))
		abort();
	for (unsigned i = 0; i < MOST_TURNS; i++)
		if (cta_run(cta, slice) != CTA_YIELDED)
			break;
	cta_free(cta);
	for (size_t i = 0; i < sizeof(host); i++)
		if (host[i] != 0x5a)
			abort();
	result->memory = *bytes;
	note_fault(&fault, result->fault);
}

static void try_way(const char *options, unsigned threads, uint32_t slice, struct result *result)
{
	const struct bytes bytes = { (const uint8_t *)drawn.text, drawn.length };
	struct program *program = NULL;
	const struct kernel *kernel;
	struct err e = { 0 };

	memset(result, 0, sizeof(*result));
	if (config_parse(options, &e) || program_load(bytes, &program, &e) ||
	    program_kernel(program, "kernel", &kernel, &e)) {
		fprintf(stderr, "%s\n%s", e.text, drawn.text);
		abort();
	}
	run(kernel, threads, slice, result);
	/* Blocks of other shapes have a code of their own. */
	if (config.jit && threads % 32 == 0 && compiled_wanted() && !kernel->entry->code.region)
		abort();
	program_free(program);
	cta_thread_end();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum { WAYS = 3 };
	static const unsigned shapes[] = { 32, 64, 32, 48, 7, 33 };
	static struct result want, got;
	unsigned threads, seed;
	uint32_t slice;
	char options[64];

	if (!device)
		allocate();
	drawn.data = data;
	drawn.left = size;
	threads = shapes[take(sizeof(shapes) / sizeof(shapes[0]))];
	slice = take(4) ? 10000 : 1 + take(3);
	seed = take(256);
	put_module();
	if (getenv("REACH_PRINT"))
		fputs(drawn.text, stderr);
	try_way("jit=off,isa=best", threads, slice, &want);
	if (getenv("REACH_PRINT"))
		fprintf(stderr, "%s\n", *want.fault ? want.fault : "no fault");
	for (unsigned i = 0; i < WAYS; i++) {
		if (i < 2)
			snprintf(options, sizeof(options), "jit=always,isa=%s", i ? "v3" : "best");
		else
			snprintf(options, sizeof(options), "jit=exits:%u,isa=v3", seed);
		try_way(options, threads, slice, &got);
		if (!memcmp(&got, &want, sizeof(got)))
			continue;
		fprintf(stderr, "%u threads, slices of %u, %s: %s\ninterpreted: %s\n%s", threads,
			slice, options, got.fault, want.fault, drawn.text);
		abort();
	}
	return 0;
}
