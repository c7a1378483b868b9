/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Whole programs, made of the fuzzer's bytes: functions that call each other and themselves, with
 * frames, alloca, malloc, printf, barriers, divergence, and loads and stores through any of the
 * pointers that a thread has. Each is run without and under each check. An orderly program touches
 * what is its own and has given a value to: it computes the same each time, and the checker finds
 * nothing. A wild one adds any distance to its pointers, into frames of its callers, saved
 * registers, blocks of others: it ends, however it does. WHOLE_PRINT=1 prints the PTX.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "arena.h"
#include "config.h"
#include "exec.h"
#include "fault_text.h"
#include "findings.h"
#include "fuzz.h"
#include "fuzz_text.h"
#include "heap.h"
#include "order.h"
#include "race.h"
#include "segment.h"

enum {
	THREADS = 32, BLOCKS = 2, FUNCTIONS = 3, DEPTH = 3,
	VALUES = 6,   /* registers %r of a function, */
	POINTERS = 4, /* and %p: its frame, the caller's pointer, what it allocated, its own words */
	AREA = 64,    /* bytes behind each pointer */
	MOST_MS = 50, /* of a run: what is saved of a loop's counter may be overwritten */
	MOST_STATEMENTS = 48,
};

/* What a thread has in device memory: its words, and what it computed. */
struct own {
	uint64_t words[AREA / 8], out[VALUES];
};

/* ---- The text --------------------------------------------------------------------- */

static struct {
	unsigned labels, statements;
	bool wild;
} now;

/* Sets %a to an address behind one of the pointers: aligned, and within, unless it is wild. */
static void put_address(void)
{
	const unsigned pointer = take(POINTERS);

	put("\tand.b64 %%a, %%r%u, %u; add.u64 %%a, %%a, %%p%u;\n", take(VALUES), AREA - 8,
	    pointer);
	if (!now.wild)
		return;
	/* Mostly in what is around: a fault ends the program. */
	if (take(16) == 1)
		put("\tadd.s64 %%a, %%a, %d;\n", (int)(take(256) * 256 + take(256)) - 32768);
	else if (pointer < 3)
		put("\tadd.s64 %%a, %%a, %d;\n", 8 * ((int)take(128) - 64));
}

static void put_call(void)
{
	const unsigned label = now.labels++;

	put("\tsetp.eq.u64 %%q, %%n, 0; @%%q bra L%u;\n"
	    "\t{ .param .b64 a; .param .b64 b; .param .b64 c; .param .b64 d; .param .b64 e;\n"
	    "\tsub.u64 %%a, %%n, 1; st.param.b64 [a], %%a; st.param.b64 [b], %%p%u;\n"
	    "\tst.param.b64 [c], %%r%u; st.param.b64 [d], %%own;\n"
	    "\tcall (e), f%u, (a, b, c, d); ld.param.b64 %%r%u, [e]; }\nL%u:\n",
	    label, take(POINTERS), take(VALUES), take(FUNCTIONS), take(VALUES), label);
}

/* %p2 becomes AREA bytes that have a value, of the stack or of the heap. */
static void put_allocation(bool heap)
{
	if (heap)
		put("\t{ .param .b64 m; .param .b64 r; st.param.b64 [m], %u;\n"
		    "\tcall (r), malloc, (m); ld.param.b64 %%a, [r]; }\n"
		    "\tsetp.eq.u64 %%q, %%a, 0; selp.b64 %%a, %%p3, %%a, %%q;\n", AREA);
	else
		put("\talloca.u64 %%a, %u, 16; cvta.local.u64 %%a, %%a;\n", AREA);
	for (unsigned i = 0; i < AREA; i += 8)
		put("\tst.u64 [%%a+%u], %%r%u;\n", i, i / 8 % VALUES);
	put("\tmov.u64 %%p2, %%a;\n");
}

static void put_printf(void)
{
	put("\tst.local.u64 [f_args], %%r%u; mov.u64 %%a, format; cvta.const.u64 %%a, %%a;\n"
	    "\t{ .param .b64 f; .param .b64 v; .param .b32 r; st.param.b64 [f], %%a;\n"
	    "\tmov.u64 %%a, f_args; cvta.local.u64 %%a, %%a; st.param.b64 [v], %%a;\n"
	    "\tcall (r), vprintf, (f, v); }\n", take(VALUES));
}

static void put_list(unsigned depth, bool entry);

static void put_branch(unsigned depth)
{
	const unsigned label = now.labels;

	now.labels += 2;
	put("\tand.b64 %%a, %%r%u, %u; setp.ne.u64 %%q, %%a, 0; @%%q bra L%u;\n", take(VALUES),
	    1 + take(7), label);
	put_list(depth + 1, false);
	put("\tbra L%u;\nL%u:\n", label + 1, label);
	put_list(depth + 1, false);
	put("L%u:\n", label + 1);
}

static void put_loop(unsigned depth)
{
	const unsigned label = now.labels++;

	put("\tmov.u32 %%c%u, %u;\nL%u:\n", depth, 1 + take(3), label);
	put_list(depth + 1, false);
	put("\tsub.u32 %%c%u, %%c%u, 1; setp.ne.u32 %%q, %%c%u, 0; @%%q bra L%u;\n", depth, depth,
	    depth, label);
}

static void put_statement(unsigned depth, bool entry)
{
	static const char *const ops[] = { "add.u64", "sub.u64", "mul.lo.u64", "xor.b64", "max.u64" };
	unsigned count;

	switch (take(12)) {
	case 0:
	case 1:
		put("\t%s %%r%u, %%r%u, %%r%u;\n", ops[take(5)], take(VALUES), take(VALUES),
		    take(VALUES));
		break;
	case 2:
	case 3:
		put_address();
		/* A wild one may fill what is around, saved registers too. */
		count = now.wild && take(2) ? AREA / 8 : 1;
		for (unsigned i = 0; i < count; i++)
			put("\tst.u64 [%%a+%u], %%r%u;\n", 8 * i, take(VALUES));
		break;
	case 4:
		put_address();
		put("\tst.u8 [%%a], %%r%u;\n", take(VALUES));
		break;
	case 5:
		put_address();
		put("\tld.u64 %%r%u, [%%a];\n", take(VALUES));
		break;
	case 6:
		put_call();
		break;
	case 7:
		put_allocation(take(2));
		break;
	case 8:
		if (depth < DEPTH)
			put_branch(depth);
		break;
	case 9:
		if (depth < DEPTH)
			put_loop(depth);
		break;
	case 10:
		put_printf();
		break;
	default:
		if (entry)
			put("\tbar.sync 0;\n");
		else
			put("\tmov.u64 %%r%u, %u;\n", take(VALUES), take(256));
	}
}

static void put_list(unsigned depth, bool entry)
{
	for (unsigned count = 1 + take(6); count && now.statements < MOST_STATEMENTS; count--) {
		now.statements++;
		put_statement(depth, entry);
	}
}

/* Registers, and a frame that has a value. */
static void put_begin(void)
{
	put("\t.reg .b64 %%r<%u>, %%p<%u>, %%a, %%n, %%own; .reg .b32 %%c<%u>; .reg .pred %%q;\n"
	    "\t.local .align 8 .b8 frame[%u]; .local .align 8 .b8 f_args[8];\n",
	    VALUES, POINTERS, DEPTH + 1, AREA);
}

static void put_start(const char *value)
{
	for (unsigned i = 0; i < VALUES; i++)
		put("\tmul.lo.u64 %%r%u, %s, %u;\n", i, value, 2 * i + 1);
	for (unsigned i = 0; i < AREA; i += 8)
		put("\tst.local.u64 [frame+%u], %%r%u;\n", i, i / 8 % VALUES);
	put("\tmov.u64 %%p0, frame; cvta.local.u64 %%p0, %%p0; mov.u64 %%p2, %%p0;\n"
	    "\tmov.u64 %%p3, %%own;\n");
}

static void put_function(unsigned number)
{
	now.statements = 0;
	put(".func (.param .b64 e) f%u(.param .b64 n, .param .b64 p, .param .b64 v, .param .b64 o)\n"
	    "{\n", number);
	put_begin();
	put("\tld.param.u64 %%n, [n]; ld.param.u64 %%p1, [p]; ld.param.u64 %%a, [v];\n"
	    "\tld.param.u64 %%own, [o]; mov.u64 %%r0, %%a;\n");
	put_start("%r0");
	put_list(0, false);
	put("\tst.param.b64 [e], %%r%u; ret;\n}\n", take(VALUES));
}

static void put_kernel(void)
{
	now.statements = 0;
	put(".visible .entry kernel(.param .u64 own)\n{\n");
	put_begin();
	put("\tmov.u32 %%c0, %%ctaid.x; mov.u32 %%c1, %%tid.x; mad.lo.u32 %%c1, %%c0, %u, %%c1;\n"
	    "\tld.param.u64 %%own, [own]; mad.wide.u32 %%own, %%c1, %zu, %%own;\n"
	    "\tcvt.u64.u32 %%a, %%c1; add.u64 %%r0, %%a, 3; mov.u64 %%n, %u;\n"
	    "\tmov.u32 %%c1, %%tid.x; mul.lo.u32 %%c1, %%c1, %u; mov.u64 %%p1, sm;\n"
	    "\tcvta.shared.u64 %%p1, %%p1; cvt.u64.u32 %%a, %%c1; add.u64 %%p1, %%p1, %%a;\n",
	    THREADS, sizeof(struct own), 2 + take(4), AREA);
	put_start("%r0");
	for (unsigned i = 0; i < AREA; i += 8)
		put("\tst.u64 [%%p1+%u], %%r%u; st.global.u64 [%%own+%u], 0;\n", i,
		    i / 8 % VALUES, i);
	put_list(0, true);
	for (unsigned i = 0; i < VALUES; i++)
		put("\tst.global.u64 [%%own+%u], %%r%u;\n", AREA + 8 * i, i);
	put("\tret;\n}\n");
}

static void put_module(void)
{
	static const char head[] =
		".version 8.5\n.target sm_90\n.address_size 64\n"
		".extern .func (.param .b64 r) malloc(.param .b64 m);\n"
		".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 v);\n"
		".const .align 1 .b8 format[6] = {37, 108, 108, 117, 10, 0};\n";

	drawn.length = 0;
	now.labels = 0;
	put("%s.shared .align 16 .b8 sm[%u];\n", head, THREADS * AREA);
	for (unsigned i = 0; i < FUNCTIONS; i++)
		put(".func (.param .b64 e) f%u(.param .b64 n, .param .b64 p, .param .b64 v, "
		    ".param .b64 o);\n", i);
	for (unsigned i = 0; i < FUNCTIONS; i++)
		put_function(i);
	put_kernel();
}

/* In the places of finding_print() and output_printf(), by test/tests.mk: nothing is printed. */
void __wrap_finding_print(uint64_t key, const struct gpurun_report *report);
void __wrap_finding_print(uint64_t key, const struct gpurun_report *report)
{
	(void)key, (void)report;
}

void __wrap_output_printf(const char *text, size_t length);
void __wrap_output_printf(const char *text, size_t length)
{
	(void)text, (void)length;
}

/* ---- Running it ------------------------------------------------------------------- */

/* What is checked, how many turns a slice has, and whether it tells more of wild programs too. */
static const struct way {
	unsigned check;
	uint32_t slice;
	bool wild;
} ways[] = {
	{ 0, 200, true }, { 0, 3, false }, { CHECK_MEM, 200, false }, { CHECK_INIT, 200, true },
	{ CHECK_INIT, 5, false }, { CHECK_RACE, 200, false }, { CHECK_SYNC, 7, false },
	{ CHECK_MEM | CHECK_INIT | CHECK_RACE | CHECK_SYNC, 50, true },
};

static struct heap heap;
static struct fault fault;

static bool is_owned(uint64_t owner, uint64_t ending)
{
	return owner == ending;
}

static uint64_t milliseconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

/* True when it came to its end in time. */
static bool run(const struct kernel *kernel, const struct way *way, struct own *own)
{
	static struct order *order;
	static uint64_t launches;
	uint64_t params[1] __attribute__((aligned(16))) = { (uint64_t)own };
	struct launch launch = {
		.kernel = kernel, .id = ++launches, .grid = { BLOCKS, 1, 1 },
		.block = { THREADS, 1, 1 }, .cluster = { 1, 1, 1 },
		.params = (const uint8_t *)params, .fault = &fault, .heap = &heap,
	};
	const uint64_t end = milliseconds() + MOST_MS;
	struct cta *ctas[BLOCKS];
	unsigned left = BLOCKS;
	struct err e;

	order = order ? order : order_new();
	if (way->check) {
		launch.order = order;
		launch.floor = race_launch(true);
	}
	fault_reset(&fault);
	heap_init(&heap, 1);
	for (unsigned i = 0; i < BLOCKS; i++)
		if (cta_new(&launch, i, 0, &ctas[i], &e))
			abort();
	for (unsigned turn = 0; left && milliseconds() < end; turn++) {
		struct cta **cta = &ctas[turn % BLOCKS];

		if (!*cta || cta_run(*cta, way->slice) == CTA_YIELDED)
			continue;
		cta_free(*cta);
		*cta = NULL;
		left--;
	}
	for (unsigned i = 0; i < BLOCKS; i++)
		if (ctas[i])
			cta_free(ctas[i]);
	arena_clear(is_owned, 1);
	cta_thread_end();
	return !left;
}

static void complain(const char *what, const struct way *way)
{
	fprintf(stderr, "%s with checks %#x, slices of %u: %s\n%s", what, way->check, way->slice,
		fault_text(&fault), drawn.text);
	abort();
}

/* @want: what an orderly program computes; NULL: not known yet. False: it takes too long. */
static bool try_way(const struct way *way, struct own *own, const struct own *want)
{
	const struct bytes bytes = { (const uint8_t *)drawn.text, drawn.length };
	const uint64_t found = findings_count();
	struct program *program = NULL;
	const struct kernel *kernel;
	struct err e = { 0 };
	bool ended;

	config.check = way->check;
	if (program_load(bytes, &program, &e) || program_kernel(program, "kernel", &kernel, &e)) {
		fprintf(stderr, "%s\n%s", drawn.text, e.text);
		abort();
	}
	memset(arena_bytes((uint64_t)own), 0, BLOCKS * THREADS * sizeof(*own));
	ended = run(kernel, way, own);
	program_free(program);
	if (now.wild || !ended)
		return ended;
	if (atomic_load(&fault.code))
		complain("fault", way);
	if (findings_count() != found)
		complain("finding", way);
	if (want && memcmp(arena_bytes((uint64_t)own), want, BLOCKS * THREADS * sizeof(*own)))
		complain("other results", way);
	return true;
}

/* Returns an address of device memory: its bytes are at arena_bytes(). */
static struct own *prepare(void)
{
	uint64_t address;
	struct err e;

	config.memory = 64 << 20;
	config.check = CHECK_MEM | CHECK_INIT | CHECK_RACE | CHECK_SYNC;
	if (race_prepare(&e) ||
	    arena_alloc(BLOCKS * THREADS * sizeof(struct own), 256, BLOCK_DEVICE, &address, &e))
		abort();
	return (struct own *)address;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct own *own, want[BLOCKS * THREADS];

	own = own ? own : prepare();
	drawn.data = data;
	drawn.left = size;
	now.wild = take(2);
	put_module();
	if (getenv("WHOLE_PRINT"))
		fputs(drawn.text, stderr);
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (now.wild && !ways[i].wild)
			continue;
		if (!try_way(&ways[i], own, i ? want : NULL))
			return 0;
		if (!i)
			memcpy(want, arena_bytes((uint64_t)own), sizeof(want));
	}
	return 0;
}
