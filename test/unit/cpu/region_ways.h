/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* For tests of compiled kernels: each is run by the interpreter, and by its code with every set of
 * instructions that this processor has; they have to leave the same words, or the same fault. */
#ifndef TEST_REGION_WAYS_H
#define TEST_REGION_WAYS_H

#include "compiled.h"
#include "lower_entry.h"
#include "region.h"

#include "grid.h"
#include "tap.h"

enum { WORDS = 4096 };

/* What a kernel is launched with. */
static struct parameters {
	uint32_t *out, *in;
	uint32_t n;
} params;

#define HEAD                                                                               \
	".version 8.0\n"                                                                   \
	".target sm_90\n"                                                                  \
	".address_size 64\n"                                                               \
	".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)\n"              \
	"{\n"                                                                              \
	".reg .b32 %a, %b, %c, %i, %j, %k, %t, %n, %x, %y;.reg .f32 %f, %g, %h;\n"         \
	".reg .b64 %out, %in, %to, %from, %wide, %long;.reg .pred %p, %q, %r;\n"                  \
	".shared .align 16 .b8 s[4096];\n"                                                 \
	"ld.param.u64 %out, [out];ld.param.u64 %in, [in];ld.param.u32 %n, [n];\n"          \
	"mov.u32 %x, %ntid.x;mov.u32 %y, %tid.y;mov.u32 %t, %tid.x;"                       \
	"mad.lo.u32 %t, %y, %x, %t;\n"                                                     \
	"mov.u32 %y, %ntid.y;mul.lo.u32 %x, %x, %y;mov.u32 %y, %ctaid.x;\n"                \
	"mad.lo.u32 %i, %y, %x, %t;mul.wide.u32 %wide, %i, 4;\n"                           \
	"add.u64 %to, %out, %wide;add.u64 %from, %in, %wide;\n"                            \
	"ld.global.u32 %a, [%from];\n"
/* %t: the thread in its block, %i: in the grid; %a: its word. */
#define END "st.global.u32 [%to], %c; ret; }\n"

static inline struct program *load(const char *body)
{
	CLEANUP(free_pointer) char *text = NULL;
	struct program *program = NULL;
	struct err e = { 0 };
	const int length = asprintf(&text, "%s%s", HEAD, body);
	const struct bytes bytes = { (uint8_t *)text, (size_t)length };

	if (length < 0 || program_load(bytes, &program, &e))
		CHECK_STR(e.text, "");
	return program;
}

static inline const struct kernel *kernel_of(struct program *program)
{
	const struct kernel *kernel = NULL;

	return program && !program_kernel(program, "k", &kernel, NULL) ? kernel : NULL;
}

/* The code that warps of blocks of @block run. */
static inline struct code *code_of(const struct kernel *kernel, const uint32_t block[3])
{
	struct code *code = NULL;

	CHECK(!entry_code(kernel->entry, block, compiled_wanted(), &code, NULL));
	return code;
}

/* Words of any bits: numbers, NaNs with and without payloads, infinities. */
static inline void fill_words(void)
{
	static const uint32_t special[] = { 0, 1, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000,
					    0x7fffffff, 0xffc12345, 0x7f812345, 0xff800001,
					    0x00400000, 0x3f800000, 0xffffffff };
	uint64_t state = 88172645463325252u;

	memset(params.out, 0, 4 * WORDS);
	for (unsigned i = 0; i < WORDS; i++) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		params.in[i] = state % 3 ? (uint32_t)(state >> 32) :
					   special[(state >> 32) % (sizeof(special) / 4)];
	}
}

/* ---- The same as the interpreter ---------------------------------------------------------- */

/* The sets of instructions, and whether kernels are compiled. */
static const struct way {
	const char *name;
	bool jit;
	enum config_isa isa;
} ways[] = {
	{ "interpreter", false, ISA_BEST },
	{ "AVX2", true, ISA_v3 },
	{ "best", true, ISA_BEST },
};

struct outcome {
	uint32_t out[WORDS];
	int status;
	char fault[1024];
};

/* Of an address that is in no buffer, as shared memory is, which is elsewhere in each run, the
 * digits that lie within its alignment stay; whether something of the host is there is not said. */
static inline void hide_address(char *text)
{
	static const char host[] = ": which is memory of the host: pass what cudaMalloc returned";
	char *at = strstr(text, " at 0x"), *end;
	uint64_t address;

	if (!at)
		return;
	at += strlen(" at 0x");
	address = strtoull(at, &end, 16);
	if (address - (uintptr_t)params.in < 8ull * WORDS ||
	    address - (uintptr_t)params.out < 8ull * WORDS)
		return;
	while (end - at > 2)
		*at++ = 'x';
	if (!strncmp(end, host, strlen(host)))
		memmove(end, end + strlen(host), strlen(end + strlen(host)) + 1);
}

/* Runs a kernel of @body in one way. */
static inline void run_way(const struct way *way, const char *body, const uint32_t block[3],
			   uint32_t grid, struct outcome *to)
{
	CLEANUP(free_program) struct program *program = NULL;
	const struct kernel *kernel;
	struct code *code;

	config.jit = way->jit ? JIT_ALWAYS : JIT_OFF;
	config.isa = way->isa;
	program = load(body);
	kernel = kernel_of(program);
	REQUIRE(kernel);
	fill_words();
	to->status = run_grid(kernel, (uint32_t[]){ grid, 1, 1 }, block, 0, &params);
	snprintf(to->fault, sizeof(to->fault),
			 "%s", to->status ? fault_text(&grid_fault) : "");
	hide_address(to->fault);
	memcpy(to->out, params.out, sizeof(to->out));
	code = code_of(kernel, block);
	CHECK_INT(!!code->region, way->jit);
}

static inline void run_ways(const char *name, const char *body, const uint32_t block[3],
			    uint32_t grid)
{
	static struct outcome want, got;
	char at[128];

	run_way(&ways[0], body, block, grid, &want);
	for (unsigned i = 1; i < sizeof(ways) / sizeof(ways[0]); i++) {
		unsigned differ = 0;

		run_way(&ways[i], body, block, grid, &got);
		while (differ < WORDS && want.out[differ] == got.out[differ])
			differ++;
		snprintf(at, sizeof(at), "%s, blocks of %ux%u, %s: word %u: %#x", name, block[0],
			 block[1], ways[i].name, differ, differ < WORDS ? got.out[differ] : 0);
		if (differ < WORDS)
			CHECK_STR(at, "");
		CHECK_INT(got.status, want.status);
		CHECK_STR(got.fault, want.fault);
	}
}

/* In blocks with whole warps, with a part of one, with several rows in a warp. */
static inline void run_shapes(const char *name, const char *body)
{
	static const uint32_t blocks[][3] = { { 64, 1, 1 }, { 40, 1, 1 }, { 8, 8, 1 },
					      { 16, 16, 1 }, { 5, 9, 1 }, { 256, 1, 1 } };

	for (unsigned i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++)
		run_ways(name, body, blocks[i], 3);
}

/* What every main() begins with; false: it said that it failed. */
static bool prepare_ways(void)
{
	struct err e = { 0 };

	if (config_init(&e) || config_parse("host_memory=shared", &e) || arena_prepare(&e)) {
		printf("not ok - setup: %s\n", e.text);
		return false;
	}
	params = (struct parameters){ device_alloc(4 * WORDS), device_alloc(4 * WORDS), 77 };
	return true;
}

/* Whether kernels can be compiled here; if not, this is what the test says. */
static bool can_compile(void)
{
	config.jit = JIT_ALWAYS;
	if (compiled_wanted())
		return true;
	printf("ok - # SKIP permanent: needs AVX2, and memory that is executed\n");
	return false;
}

#endif
