/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Compiled kernels, executed: each computes to the bit what the interpreter does, with every set of
 * instructions that this processor has; and what a region knows of itself.
 */
#include "refused.h"
#include "region_ways.h"

#include <sys/wait.h>
#include <unistd.h>

/* One side or the other; each has a loop, without which both would become guards. */
#define SIDES(one, other)                                                                  \
	"and.b32 %b, %a, 7;setp.lt.u32 %p, %b, 3;mov.u32 %j, 0;@%p bra L;" one "\n"          \
	"K: add.u32 %j, %j, 1;setp.lt.u32 %r, %j, %b;@%r bra K;\n"                          \
	"bra M;\nL: " other "\n"                                                            \
	"N: add.u32 %j, %j, 2;setp.lt.u32 %r, %j, %b;@%r bra N;\nM:\n"

static void test_ways(void)
{
	run_shapes("straight",
		   "mul.lo.u32 %c, %a, %t;xor.b32 %c, %c, %n;add.u32 %c, %c, %i;" END);
	/* One side or the other, or both; and nothing but a jump. */
	run_shapes("sides",
		   "and.b32 %b, %a, 7;setp.lt.u32 %p, %b, 3;@%p bra L;"
		   "add.u32 %c, %a, 5;xor.b32 %c, %c, %t;bra M;\n"
		   "L: mul.lo.u32 %c, %a, 3;sub.u32 %c, %c, %t;\n"
		   "M: add.u32 %c, %c, %b;" END);
	run_shapes("whole sides",
		   "shr.u32 %b, %t, 5;and.b32 %b, %b, 1;setp.eq.u32 %p, %b, 0;"
		   "@%p bra L;mov.u32 %c, %t;bra M;\n"
		   "L: mad.lo.u32 %c, %a, %t, 9;\n"
		   "M: add.u32 %c, %c, %a;" END);
	/* What is one value, or one and constants, on either side, but not behind both. */
	run_shapes("joined",
		   SIDES("mov.u32 %b, 5;add.u32 %k, %t, 4;", "mov.u32 %b, 9;add.u32 %k, %t, 8;")
		   "mul.lo.u32 %c, %b, %k;add.u32 %c, %c, %a;" END);
	run_shapes("joined predicates",
		   SIDES("setp.eq.u32 %q, %n, 77;", "setp.ne.u32 %q, %n, 77;")
		   "selp.b32 %b, 1000000, 0, %q;add.u32 %c, %a, %b;" END);
	run_shapes("exit",
		   "setp.gt.u32 %p, %a, 0x40000000;@%p exit;add.u32 %c, %a, 3;" END);
}

/* Rows of 4, 8 or 16 threads that do not follow each other in memory: runs, and one place each. */
static void test_rows(void)
{
	static const char body[] =
		".reg .b32 %column, %row, %narrow, %broad, %own;.reg .b64 %at<6>, %v;\n"
		"mov.u32 %column, %tid.x;mov.u32 %row, %tid.y;mul.lo.u32 %j, %row, 160;"
		"mad.lo.u32 %narrow, %column, 4, %j;mad.lo.u32 %broad, %column, 8, %j;\n"
		"cvt.u64.u32 %at0, %narrow;add.u64 %at1, %in, %at0;ld.global.u32 %c, [%at1];"
		"cvt.u64.u32 %at2, %j;add.u64 %at3, %in, %at2;ld.global.u32 %b, [%at3+4];"
		"ld.global.u64 %long, [%at3+8];cvt.u64.u32 %at4, %broad;add.u64 %at5, %in, %at4;"
		"ld.global.u64 %v, [%at5+16];xor.b64 %long, %long, %v;\n"
		"xor.b32 %c, %c, %b;st.shared.u32 [%narrow], %c;bar.sync 0;"
		"shl.b32 %own, %t, 2;ld.shared.u32 %b, [%own];bar.sync 0;"
		"st.shared.u64 [%broad], %long;bar.sync 0;ld.shared.u32 %c, [%own];bar.sync 0;"
		"st.shared.u32 [%j], %a;bar.sync 0;ld.shared.u32 %k, [%own];"
		"mad.lo.u32 %c, %c, 3, %b;xor.b32 %c, %c, %k;" END;

	run_shapes("rows", body);
	run_ways("rows", body, (uint32_t[]){ 4, 8, 1 }, 3);
}

static void test_loops(void)
{
	run_shapes("same count",
		   "mov.u32 %j, 0;mov.u32 %c, 1;\n"
		   "L: mad.lo.u32 %c, %c, %a, %j;add.u32 %j, %j, 1;"
		   "setp.lt.u32 %p, %j, 13;@%p bra L;\n" END);
	run_shapes("counts",
		   "and.b32 %b, %a, 31;mov.u32 %j, 0;mov.u32 %c, 1;\n"
		   "L: setp.ge.u32 %p, %j, %b;@%p bra D;mad.lo.u32 %c, %c, 7, %j;"
		   "add.u32 %j, %j, 1;bra L;\n"
		   "D: add.u32 %c, %c, %b;" END);
	run_shapes("nested",
		   "and.b32 %b, %a, 3;mov.u32 %j, 0;mov.u32 %c, %a;\n"
		   "L: mov.u32 %k, 0;\n"
		   "M: mad.lo.u32 %c, %c, 5, %k;add.u32 %k, %k, 1;"
		   "setp.le.u32 %p, %k, %b;@%p bra M;\n"
		   "add.u32 %j, %j, 1;setp.lt.u32 %q, %j, 4;@%q bra L;\n" END);
	run_shapes("many slices",
		   "mov.u32 %j, 0;mov.u32 %c, 1;\n"
		   "L: mad.lo.u32 %c, %c, 3, %t;add.u32 %j, %j, 1;"
		   "setp.lt.u32 %p, %j, 9000;@%p bra L;\n" END);
}

/* No lane, some and all of them; what only computes, and what stores. */
static void test_guards(void)
{
	static const char *const limits[] = { "0", "0x30000000", "0xffffffff" };
	char body[512];

	for (unsigned i = 0; i < 3; i++) {
		snprintf(body, sizeof(body), "setp.lt.u32 %%p, %%a, %s;%s", limits[i],
			 "mov.u32 %c, 3; @%p add.u32 %c, %a, 1;"
			 " @!%p xor.b32 %c, %t, %c;" END);
		run_shapes("pure guards", body);
		snprintf(body, sizeof(body), "setp.lt.u32 %%p, %%a, %s;%s", limits[i],
			 "mov.u32 %c, 3; @%p st.global.u32 [%to+8192], %a;"
			 "@!%p ld.global.u32 %c, [%from+4];"
			 "@%p atom.global.add.u32 %b, [%out+8188], 1;"
			 "@!%p add.u32 %c, %c, 1;" END);
		run_ways("guards", body, (uint32_t[]){ 64, 1, 1 }, 3);
		run_ways("guards", body, (uint32_t[]){ 16, 4, 1 }, 3);
		snprintf(body, sizeof(body), "setp.lt.u32 %%p, %%a, %s;%s", limits[i],
			 "@%p st.global.u32 [%to+8192], %t; xor.b32 %c, %a, %t;" END);
		run_shapes("spread inside", body);
	}
}

/* Handlers that are called, barriers, shared memory. */
static void test_calls(void)
{
	run_shapes("shuffle",
		   "shfl.sync.bfly.b32 %b, %a, 5, 31, 0xffffffff;activemask.b32 %j;"
		   "vote.sync.ballot.b32 %k, %p, 0xffffffff;add.u32 %c, %a, %b;" END);
	run_shapes("barrier",
		   "shl.b32 %b, %t, 2;mov.u32 %j, s;add.u32 %j, %j, %b;"
		   "st.shared.u32 [%j], %a;bar.sync 0;xor.b32 %b, %t, 1;"
		   "setp.ge.u32 %p, %b, %x;selp.b32 %b, %t, %b, %p;shl.b32 %b, %b, 2;"
		   "mov.u32 %j, s;add.u32 %j, %j, %b;ld.shared.u32 %c, [%j];" END);
	run_shapes("division",
		   "or.b32 %b, %t, 1;div.s32 %c, %a, %b;rem.u32 %b, %a, %b;"
		   "add.u32 %c, %c, %b;" END);
	run_shapes("parts",
		   "mov.b64 %long, {%t, %a};shr.u64 %long, %long, 5;mov.b64 {%b, %c}, %long;"
		   "xor.b32 %c, %c, %b;" END);
	run_shapes("carry", "add.cc.u32 %b, %a, %a;addc.u32 %c, %b, 0;" END);
}

/* What is needed behind calls outlives them, in each register: what lanes share, or share but for
 * constants, predicates, vectors; also what the called ops read, and what they write. */
static void test_kept(void)
{
#define HALVES "atom.global.add.noftz.f16x2 "
	run_shapes("kept",
		   ".reg .b32 %u<10>, %v<4>;.reg .b64 %w<6>;.reg .pred %s;"
		   "mul.lo.u32 %u0, %n, 3;add.u32 %u1, %n, %y;mul.lo.u32 %u2, %u1, %u1;"
		   "xor.b32 %u3, %u2, %n;add.u32 %u4, %u3, %u2;shl.b32 %u5, %u4, 3;"
		   "sub.u32 %u6, %u5, %u1;and.b32 %u7, %u6, 0xffff;setp.gt.u32 %s, %u7, 50;"
		   "add.u32 %v0, %t, %n;mul.lo.u32 %v1, %t, 5;add.u32 %v2, %v1, %u6;"
		   "cvt.u64.u32 %w0, %u4;mul.wide.u32 %w1, %v1, 8;setp.lt.u32 %q, %a, %b;"
		   "mov.f32 %f, 0f3f800000;mov.u32 %j, 0;mov.u32 %c, 0;\n"
		   "L: " HALVES "%b, [%to+8192], %u0;add.u32 %u1, %u1, %u2;"
		   HALVES "%k, [%to+8192], %v0;add.u32 %v0, %v0, %u3;"
		   "xor.b32 %u2, %u2, %u5;add.u32 %v2, %v2, %u7;div.s64 %w2, %w1, %w0;"
		   "div.s64 %w3, %w0, 7;add.u64 %w0, %w0, %w3;add.u64 %w1, %w1, %w3;"
		   "add.u64 %w1, %w1, 3;@%q " HALVES "%b, [%to+8192], %v2;"
		   "mad.lo.u32 %c, %c, 7, %b;xor.b32 %c, %c, %k;mad.lo.u32 %c, %c, 5, %u1;"
		   "mad.lo.u32 %c, %c, 5, %v2;mad.lo.u32 %c, %c, 5, %u6;"
		   "@%s add.u32 %c, %c, %u4;cvt.u32.u64 %k, %w2;xor.b32 %c, %c, %k;"
		   "cvt.u32.u64 %k, %w1;add.u32 %c, %c, %k;add.f32 %f, %f, %f;mov.b32 %k, %f;"
		   "xor.b32 %c, %c, %k;add.u32 %j, %j, 1;setp.lt.u32 %p, %j, 5;@%p bra L;\n"
		   END);
#undef HALVES
}

/* Bits of NaNs that are moved stay; those that are computed are the canonical one. */
static void test_nans(void)
{
#define F "mov.b32 %f, %a; ld.global.f32 %g, [%from+4];"
	run_shapes("moved", F "mov.f32 %h, %f;mov.b32 %c, %h;" END);
	run_shapes("selected",
		   F "setp.lt.f32 %p, %f, %g;selp.f32 %h, %f, %g, %p;mov.b32 %c, %h;"
		   END);
	run_shapes("stored",
		   F "add.f32 %h, %f, %g;st.global.f32 [%to+8192], %h;mov.b32 %c, %h;"
		   END);
	run_shapes("selected sum",
		   F
		   "add.f32 %h, %f, %g;setp.gt.f32 %p, %f, 0f00000000;"
		   "selp.f32 %h, %h, %g, %p;mov.b32 %c, %h;" END);
	run_shapes("chain",
		   F
		   "mul.f32 %h, %f, %g;fma.rn.f32 %h, %h, %g, %f;max.f32 %h, %h, %g;"
		   "neg.f32 %h, %h;mov.b32 %c, %h;" END);
	run_shapes("number",
		   F
		   "setp.gt.u32 %p, %a, 0x40000000;mov.f32 %h, 0fffc12345;"
		   "@%p add.f32 %h, %f, %g;mov.b32 %c, %h;" END);
	run_shapes("loop",
		   F
		   "mov.u32 %j, 0;mov.f32 %h, %f;\n"
		   "L: fma.rn.f32 %h, %h, %g, %f;add.u32 %j, %j, 1;"
		   "setp.lt.u32 %p, %j, 5;@%p bra L;\n"
		   "shfl.sync.idx.b32 %c, %h, 3, 31, 0xffffffff;mov.b32 %b, %h;"
		   "xor.b32 %c, %c, %b;" END);
#undef F
}

/* A counter that wraps around: widened, it is no longer one number and constants in that round. */
static void test_wraps(void)
{
	run_shapes("wraps",
		   "add.u32 %k, %t, 0xffffffc0;mov.u32 %j, 0;mov.u32 %c, 0;\n"
		   "L: cvt.u64.u32 %long, %k;shr.u64 %wide, %long, 8;"
		   "cvt.u32.u64 %b, %wide;add.u32 %c, %c, %b;add.u32 %k, %k, 9;"
		   "add.u32 %j, %j, 1;setp.lt.u32 %p, %j, 20;@%p bra L;\n" END);
	run_shapes("wraps, signed",
		   "add.u32 %k, %t, 0x7fffff00;mov.u32 %j, 0;mov.u32 %c, 0;\n"
		   "L: mul.wide.s32 %long, %k, 4;shr.s64 %wide, %long, 9;"
		   "cvt.u32.u64 %b, %wide;add.u32 %c, %c, %b;add.u32 %k, %k, 31;"
		   "add.u32 %j, %j, 1;setp.lt.u32 %p, %j, 20;@%p bra L;\n" END);
}

/* Numbers of 32 bits that are negative, as operands without a sign: they widen by zeros. */
static void test_wide_numbers(void)
{
	run_shapes("magic division",
		   "mul.wide.u32 %long, %t, -1431655765;shr.u64 %wide, %long, 35;"
		   "cvt.u32.u64 %b, %wide;add.u32 %c, %a, %b;" END);
	run_shapes("uniform",
		   "mul.wide.u32 %long, %n, -1431655765;shr.u64 %wide, %long, 35;"
		   "cvt.u32.u64 %b, %wide;mad.wide.u32 %wide, %n, -3, %long;"
		   "cvt.u32.u64 %k, %wide;shr.u64 %wide, %wide, 32;cvt.u32.u64 %j, %wide;"
		   "add.u32 %c, %a, %b;xor.b32 %c, %c, %k;add.u32 %c, %c, %j;" END);
	run_shapes("signed",
		   "mul.wide.s32 %long, %t, -1431655765;shr.s64 %wide, %long, 30;"
		   "cvt.u32.u64 %b, %wide;add.u32 %c, %a, %b;" END);
}

/* The text of the fault names the same thread, instruction and address. */
static void test_faults(void)
{
	run_shapes("outside",
		   "shl.b64 %wide, %wide, 30;add.u64 %wide, %in, %wide;"
		   "ld.global.u32 %c, [%wide];" END);
	run_shapes("misaligned", "add.u64 %wide, %in, 2;ld.global.u32 %c, [%wide];" END);
	run_shapes("misaligned lanes",
		   "add.u64 %wide, %from, 2;st.global.u32 [%wide], %a;mov.u32 %c, 0;"
		   END);
	run_shapes("some lanes",
		   "and.b32 %b, %a, 1;setp.eq.u32 %p, %b, 0;mov.u64 %wide, 64;"
		   "selp.b64 %wide, %wide, %from, %p;ld.global.u32 %c, [%wide];" END);
	run_shapes("shared",
		   "shl.b32 %b, %t, 8;mov.u32 %j, s;add.u32 %j, %j, %b;"
		   "st.shared.u32 [%j+3000], %a;mov.u32 %c, 0;" END);
	run_shapes("called",
		   "shl.b64 %wide, %wide, 30;add.u64 %wide, %in, %wide;"
		   "atom.global.add.u32 %c, [%wide], 1;" END);
	run_shapes("trap", "setp.eq.u32 %p, %t, 20;@%p trap;mov.u32 %c, 0;" END);
}

/* ---- Time slices ---------------------------------------------------------------------------- */

/* What a block of a kernel of @body has stored after each of up to @count slices; its state at
 * last. */
static enum cta_state say_slices(bool jit, const char *body, uint32_t slice, unsigned count,
				 char *said, size_t size)
{
	CLEANUP(free_program) struct program *program = NULL;
	struct launch launch = { .grid = { 1, 1, 1 }, .block = { 128, 1, 1 },
				 .cluster = { 1, 1, 1 } };
	FILE *to = fmemopen(said, size, "w");
	enum cta_state state = CTA_YIELDED;
	struct cta *cta = NULL;

	config.jit = jit ? JIT_ALWAYS : JIT_OFF;
	program = load(body);
	launch.kernel = kernel_of(program);
	launch.params = (const uint8_t *)&params;
	launch.id = ++launches;
	launch.fault = &grid_fault;
	fault_reset(&grid_fault);
	fill_words();
	CHECK(!cta_new(&launch, 0, 0, &cta, NULL));
	CHECK_INT(!!code_of(launch.kernel, launch.block)->region, jit);
	for (unsigned i = 0; i < count && state == CTA_YIELDED; i++) {
		state = cta_run(cta, slice);
		for (unsigned w = 0; w < 32; w++)
			fprintf(to, "%u ", params.out[w]);
		fputs("; ", to);
	}
	fclose(to);
	cta_free(cta);
	cta_thread_end();
	return state;
}

/* Endless loops end with their slices. Where loops wait for what other threads write, warps do as
 * much in each slice as when they are interpreted. */
static void test_slices(void)
{
	static const char endless[] = "mov.u32 %c, 0;\nL: add.u32 %c, %c, 1;"
			 " st.global.u32 [%out], %c;"
				      "bra L;\n}";
	/* In which order warps come to a place of their own. */
	static const char order[] =
		"shr.u32 %k, %t, 5; mov.u32 %j, 0;\n"
		"L: atom.global.add.u32 %b, [%out], 1; and.b32 %b, %b, 0x3ff;"
		"mul.wide.u32 %wide, %b, 4; add.u64 %wide, %out, %wide;"
		"st.global.u32 [%wide+4], %k; add.u32 %j, %j, 1;"
		"setp.lt.u32 %p, %j, 200; @%p bra L;\nret; }";
	char want[4096], got[4096];

	CHECK_INT(say_slices(true, endless, 50, 8, got, sizeof(got)), CTA_YIELDED);
	CHECK(params.out[0]); /* it got as far as to its store */
	say_slices(false, order, 50, 8, want, sizeof(want));
	say_slices(true, order, 50, 8, got, sizeof(got));
	CHECK_STR(got, want);
}

/* In which order warps pass barriers: the last one to arrive continues, others follow in turn. So
 * many barriers are one slice of the block. */
static void test_barriers(void)
{
	static const char body[] =
		"shr.u32 %k, %t, 5; mov.u32 %j, 0;\n"
		"L: and.b32 %b, %t, 31; setp.ne.u32 %p, %b, 0; @%p bra S;"
		"atom.global.add.u32 %b, [%out], 1; and.b32 %b, %b, 0x3ff;"
		"mul.wide.u32 %wide, %b, 4; add.u64 %wide, %out, %wide;"
		"st.global.u32 [%wide+4], %k;\n"
		"S: bar.sync 0; add.u32 %j, %j, 1;"
		"setp.lt.u32 %p, %j, 64; @%p bra L;\nret; }";
	static const char order[] = "0 1 2 3 3 0 1 2 2 3 0 1 1 2 3 0 ";
	char said[4096];

	for (unsigned jit = 0; jit < 2; jit++) {
		CHECK_INT(say_slices(jit, body, 2048, 1, said, sizeof(said)), CTA_DONE);
		CHECK(strstr(said, order));
	}
}

/* ---- The region ------------------------------------------------------------------------------ */

#define TWO_CALLS                                                                          \
	"mov.u32 %c, 0;\n"                                                                 \
	"L: atom.global.add.noftz.f16x2 %b, [%out], %t;add.u32 %c, %c, %b;"                \
	"atom.global.add.noftz.f16x2 %b, [%out+4], %t;setp.lt.u32 %p, %c, 9;@%p bra L;\n" END

/* Compiles a kernel of TWO_CALLS. */
static const struct code *compiled_code(struct program **program)
{
	const uint32_t block[3] = { 32, 1, 1 };
	struct launch launch = { .block = { 32, 1, 1 } };
	struct code *code;

	config.jit = JIT_ALWAYS;
	config.isa = ISA_BEST;
	*program = load(TWO_CALLS);
	launch.kernel = kernel_of(*program);
	code = code_of(launch.kernel, block);
	compiled_prepare(&launch, code);
	return code;
}

static void test_original(void)
{
	CLEANUP(free_program) struct program *program = NULL;
	const struct code *code = compiled_code(&program);
	const struct code_region *region = code->region;
	const struct op *copy;

	REQUIRE(region && region->call_count == 2);
	copy = region->copies;
	for (size_t i = 0; i < region->call_count; i++) {
		for (uint32_t k = 0; k < region->calls[i].count; k++, copy++) {
			CHECK_INT(region_original(region, copy), region->calls[i].op + k);
			CHECK(copy->fn == code->ops[region->calls[i].op + k].fn &&
			      copy->imm == code->ops[region->calls[i].op + k].imm);
		}
		CHECK_INT(region_original(region, copy++), UINT32_MAX); /* the end behind them */
	}
	CHECK_INT(region_original(region, copy), UINT32_MAX);
	CHECK_INT(region_original(region, code->ops), UINT32_MAX);
}

/* Entries are code of the region; the handler of each is what the op has without it. */
static void test_handler(void)
{
	CLEANUP(free_program) struct program *program = NULL;
	CLEANUP(free_program) struct program *other = NULL;
	const struct code *code = compiled_code(&program), *plain;
	const struct code_region *region = code->region;
	unsigned entries = 0;

	config.jit = JIT_OFF;
	other = load(TWO_CALLS);
	plain = code_of(kernel_of(other), (uint32_t[]){ 32, 1, 1 });
	REQUIRE(region && code->op_count == plain->op_count);
	for (uint32_t i = 0; i < code->op_count; i++) {
		const uintptr_t at = (uintptr_t)code->ops[i].fn;
		const uintptr_t begin = (uintptr_t)mcode_address(region->code);
		op_fn *handler = region_handler(region, i);

		CHECK_INT(!!handler, at >= begin && at < begin + mcode_size(region->code));
		CHECK((handler ? handler : code->ops[i].fn) == plain->ops[i].fn);
		entries += !!handler;
	}
	CHECK_INT(entries, region->entry_count);
	CHECK(region_handler(region, code->again)); /* where every warp begins */
	region_free(NULL);
}

/* ---- When nothing is compiled ---------------------------------------------------------------- */

static void test_unwanted(void)
{
	config.jit = JIT_ALWAYS;
	config.isa = ISA_BEST;
	CHECK(compiled_wanted());
	for (unsigned check = CHECK_MEM; check <= CHECK_API; check <<= 1) {
		config.check = check;
		CHECK(!compiled_wanted());
	}
	config.check = 0;
	config.count = true;
	CHECK(!compiled_wanted());
	config.count = false;
	snprintf(config.trace.kernel, sizeof(config.trace.kernel), "k");
	CHECK(!compiled_wanted());
	*config.trace.kernel = 0;
	config.isa = ISA_baseline;
	CHECK(!compiled_wanted());
	config.isa = ISA_BEST;
	config.jit = JIT_OFF;
	CHECK(!compiled_wanted());
}

/* Runs a kernel where memory may not be executed: 0 if it was interpreted, and right. */
static int run_refused(void)
{
	CLEANUP(free_program) struct program *program = NULL;
	const uint32_t block[3] = { 64, 1, 1 };

	if (!refuse_execution())
		return NO_FILTER;
	config.jit = JIT_ALWAYS;
	program = load("add.u32 %c, %a, %i;" END);
	fill_words();
	if (run_grid(kernel_of(program), (uint32_t[]){ 2, 1, 1 }, block, 0, &params))
		return 2;
	for (unsigned i = 0; i < 128; i++)
		if (params.out[i] != params.in[i] + i)
			return 3;
	return compiled_wanted() || code_of(kernel_of(program), block)->region ? 4 : 0;
}

/* The first test: nothing has asked for executable memory in this process. */
static void test_refused(void)
{
	pid_t child = fork();
	int status = -1;

	if (!child)
		_exit(run_refused());
	REQUIRE(child > 0 && waitpid(child, &status, 0) == child);
	if (WIFEXITED(status) && WEXITSTATUS(status) == NO_FILTER)
		SKIP("needs seccomp filters");
	CHECK_INT(status, 0);
}

int main(void)
{
	if (!prepare_ways())
		return 1;
	RUN(test_refused);
	if (!can_compile())
		return tap_end();
	RUN(test_ways);
	RUN(test_rows);
	RUN(test_loops);
	RUN(test_guards);
	RUN(test_calls);
	RUN(test_kept);
	RUN(test_nans);
	RUN(test_wraps);
	RUN(test_wide_numbers);
	RUN(test_faults);
	RUN(test_slices);
	RUN(test_barriers);
	RUN(test_original);
	RUN(test_handler);
	RUN(test_unwanted);
	return tap_end();
}
