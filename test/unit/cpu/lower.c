/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What lowering may not do in silence, and what the ops compute that it makes of instructions. */
#include "lower.h"

#include "grid.h"
#include "tap.h"

/* Draws @rows rows and @predicates predicates, then has one op emitted. */
static int emit_after(unsigned rows, unsigned predicates)
{
	static const struct insn insn = { .line = 7, .opcode = { "add.u32", 7 } };
	struct err e = { 0 };
	struct code code = { 0 };
	struct lowering l = { .code = &code, .insn = &insn, .e = &e, .most_ops = UINT64_MAX,
			      .handlers = handler_set_choose()->handlers };
	int status;

	for (unsigned i = 0; i < rows; i++)
		scratch_row(&l);
	for (unsigned i = 0; i < predicates; i++)
		scratch_predicate(&l);
	status = emit(&l, HANDLER_halt, 0, 0, 0, 0, 0);
	if (status)
		CHECK_STR(e.text, "line 7: add.u32 needs more scratch rows than there are");
	free(code.ops);
	free(code.lines);
	return status;
}

static void test_scratch(void)
{
	struct lowering l = { .overdrawn = false };

	CHECK_INT(scratch_row(&l), AT_SCRATCH);
	CHECK_INT(scratch_row(&l), AT_SCRATCH + SCRATCH_BYTES);
	CHECK_INT(scratch_predicate(&l), AT_SCRATCH_PREDICATES);
	CHECK_INT(scratch_predicate(&l), AT_SCRATCH_PREDICATES + 8);
	CHECK(AT_CARRY >= AT_SCRATCH_PREDICATES + 8 * SCRATCH_PREDICATES && AT_CARRY < AT_ROWS);
}

static void test_overdrawn(void)
{
	CHECK_INT(emit_after(SCRATCH_ROWS, SCRATCH_PREDICATES), 0);
	CHECK_INT(emit_after(SCRATCH_ROWS + 1, 0), GPURUN_INTERNAL);
	CHECK_INT(emit_after(0, SCRATCH_PREDICATES + 1), GPURUN_INTERNAL);
}

/* ---- What instructions compute ---------------------------------------------------------- */

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n.const .b32 table[4] = {5, 6, 7, 8};\n"
#define BEGIN                                                                              \
	".visible .entry k(.param .u64 out) {\n"                                           \
	".reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<16>; .reg .b64 %rd<8>;\n"         \
	".reg .f32 %f<8>; .shared .align 16 .b8 sm[1024]; .local .align 16 .b8 own[64];\n" \
	"mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 3; mov.u32 %r0, 0;\n"
#define END                                                                                \
	"\nld.param.u64 %rd7, [out]; mul.wide.u32 %rd6, %r1, 4; add.u64 %rd7, %rd7, %rd6;\n" \
	"st.global.u32 [%rd7], %r0; ret; }\n"

/* What @body makes of %r0 in lanes 0, 1, 2, 3 and 31, where %r1 is the lane's number and %p1 says
 * that it is below 3; @functions precede the kernel. */
static const struct computed {
	const char *functions, *body;
	uint32_t want[5];
} computed[] = {
	/* moves */
	{ "", "mov.b32 {%h1, %h2}, %r1; mov.u16 %h2, 7; mov.b32 %r0, {%h2, %h1};",
	  { 7, 0x10007, 0x20007, 0x30007, 0x1f0007 } },
	{ "", "mov.u64 %rd1, 0x500000004; mov.b64 {%r2, %r3}, %rd1; add.u32 %r0, %r3, %r1;",
	  { 5, 6, 7, 8, 36 } },
	{ "", "mov.b64 %rd1, {%r1, 9}; shr.u64 %rd2, %rd1, 32; cvt.u32.u64 %r0, %rd2;",
	  { 9, 9, 9, 9, 9 } },
	{ "", "selp.u32 %r0, %r1, 77, %p1;", { 0, 1, 2, 77, 77 } },
	{ "", "cvta.shared.u64 %rd1, sm; isspacep.shared %p2, %rd1; selp.u32 %r0, 4, 5, %p2;",
	  { 4, 4, 4, 4, 4 } },
	{ "", "not.pred %p2, %p1; xor.pred %p3, %p2, %p1; selp.u32 %r0, 1, 0, %p3;",
	  { 1, 1, 1, 1, 1 } },
	/* arithmetic */
	{ "", "mad.lo.u32 %r2, %r1, 10, 3; sub.u32 %r0, %r2, %r1;", { 3, 12, 21, 30, 282 } },
	{ "", "shl.b32 %r2, 1, %r1; shf.l.wrap.b32 %r0, %r2, %r2, 1;", { 2, 4, 8, 16, 1 } },
	{ "", "setp.ge.and.u32 %p2|%p3, %r1, 2, %p1; selp.u32 %r2, 1, 0, %p2;\n"
	      "selp.u32 %r3, 2, 0, %p3; or.b32 %r0, %r2, %r3;", { 2, 2, 1, 0, 0 } },
	{ "", "set.lt.u32.u32 %r0, %r1, 2;", { UINT32_MAX, UINT32_MAX, 0, 0, 0 } },
	{ "", "lop3.b32 %r0, %r1, 0xff, 3, 0x6a;", { 3, 2, 1, 0, 0x1c } },
	{ "", "cvt.rn.f32.u32 %f1, %r1; fma.rn.f32 %f2, %f1, 0f40000000, 0f3f800000;\n"
	      "cvt.rzi.u32.f32 %r0, %f2;", { 1, 3, 5, 7, 63 } },
	{ "", "add.cc.u32 %r2, %r1, 0xffffffff; addc.u32 %r0, 0, 0;", { 0, 1, 1, 1, 1 } },
	/* video */
	{ "", "mov.u32 %r2, 0x305; vadd.u32.u32.u32 %r0, %r1.b0, %r2.b1;", { 3, 4, 5, 6, 34 } },
	{ "", "vadd4.u32.u32.u32 %r0.b1, %r1.b0000, 0x01010101, 0x44332211;",
	  { 0x44330111, 0x44330211, 0x44330311, 0x44330411, 0x44332011 } },
	{ "", "vadd2.u32.u32.u32 %r0.h10, %r1.h00, 0x00050003, 0;",
	  { 0x50003, 0x60004, 0x70005, 0x80006, 0x240022 } },
	/* memory */
	{ "", "mul.wide.u32 %rd1, %r1, 4; mov.u64 %rd2, sm; add.u64 %rd1, %rd2, %rd1;\n"
	      "st.shared.u32 [%rd1], %r1; bar.sync 0; ld.shared.u32 %r0, [sm+12];",
	  { 3, 3, 3, 3, 3 } },
	{ "", "st.local.v4.u32 [own+16], {%r1, 1, 2, 3}; ld.local.v2.u32 {%r2, %r3}, [own+16];\n"
	      "ld.local.u8 %r4, [own+28]; add.u32 %r0, %r2, %r4;", { 3, 4, 5, 6, 34 } },
	{ "", "and.b32 %r2, %r1, 3; mul.wide.u32 %rd1, %r2, 4; mov.u64 %rd2, table;\n"
	      "add.u64 %rd1, %rd1, %rd2; ld.const.u32 %r0, [%rd1];", { 5, 6, 7, 8, 8 } },
	{ "", "mov.u32 %r2, 200; st.shared.u32 [sm], %r2; ld.shared.s8 %r0, [sm];",
	  { -56u, -56u, -56u, -56u, -56u } },
	{ "", "st.shared.u32 [sm], 0; bar.sync 0; atom.shared.add.u32 %r2, [sm], %r1; bar.sync 0;\n"
	      "ld.shared.u32 %r0, [sm];", { 496, 496, 496, 496, 496 } },
	{ "", "st.shared.u32 [sm], 7; bar.sync 0; setp.eq.u32 %p2, %r1, 2;\n"
	      "@%p2 atom.shared.cas.b32 %r2, [sm], 7, 9; bar.sync 0; ld.shared.u32 %r0, [sm];",
	  { 9, 9, 9, 9, 9 } },
	{ "", "st.shared.u32 [sm], 6; bar.sync 0; red.shared.max.u32 [sm], %r1; bar.sync 0;\n"
	      "ld.shared.u32 %r0, [sm];", { 31, 31, 31, 31, 31 } },
	{ "", "ld.param.u64 %rd1, [out]; mov.u32 %r2, 11; @!%p1 bra W; bra W;\n"
	      "W: cvta.to.global.u64 %rd1, %rd1; st.global.u32 [%rd1+128], %r2;\n"
	      "mul.wide.u32 %rd2, %r1, 4; mov.u64 %rd3, sm; add.u64 %rd3, %rd3, %rd2;\n"
	      "cp.async.ca.shared.global [%rd3], [%rd1+128], 4; cp.async.commit_group;\n"
	      "cp.async.wait_group 0; ld.shared.u32 %r0, [%rd3];", { 11, 11, 11, 11, 11 } },
	{ ".shared .b32 first; .shared .align 16 .b32 second[4];\n",
	  "mov.u32 %r2, first; mov.u32 %r3, second; st.shared.u32 [second], 9; st.shared.u32 [first], 8;\n"
	  "and.b32 %r2, %r2, 3; and.b32 %r3, %r3, 15; ld.shared.u32 %r0, [second];\n"
	  "add.u32 %r0, %r0, %r2; add.u32 %r0, %r0, %r3;", { 9, 9, 9, 9, 9 } },
	/* control */
	{ "", "@%p1 add.u32 %r0, %r1, 10; @!%p1 add.u32 %r0, %r1, 20;", { 10, 11, 12, 23, 51 } },
	{ "", "L: add.u32 %r0, %r0, 2; add.u32 %r2, %r0, 0; setp.le.u32 %p2, %r2, %r1; @%p2 bra L;",
	  { 2, 2, 4, 4, 32 } },
	{ "", "and.b32 %r2, %r1, 1; T: .branchtargets A, B; brx.idx %r2, T;\n"
	      "A: mov.u32 %r0, 5; bra E; B: mov.u32 %r0, 6; E:", { 5, 6, 5, 6, 6 } },
	{ "", "bar.red.popc.u32 %r0, 0, %p1;", { 3, 3, 3, 3, 3 } },
	{ "", "bar.red.or.pred %p2, 1, %p1; selp.u32 %r0, 1, 2, %p2;", { 1, 1, 1, 1, 1 } },
	{ "", "createpolicy.fractional.L2::evict_last.b64 %rd1, 1.0; membar.gl; mov.u32 %r0, %r1;",
	  { 0, 1, 2, 3, 31 } },
	/* calls */
	{ ".func (.param .b32 d) f(.param .b32 a, .param .b32 b) { .reg .b32 %x, %y;\n"
	  "ld.param.b32 %x, [a]; ld.param.b32 %y, [b]; mad.lo.u32 %x, %x, 100, %y;\n"
	  "st.param.b32 [d], %x; ret; }\n",
	  "call (%r0), f, (%r1, 7);", { 7, 107, 207, 307, 3107 } },
	{ ".func (.reg .b32 %d) g(.reg .b32 %a) { .reg .pred %p; .reg .b32 %x; mov.u32 %d, 1;\n"
	  "setp.lt.u32 %p, %a, 2; @%p ret; sub.u32 %x, %a, 1; call (%x), g, (%x);\n"
	  "mul.lo.u32 %d, %x, %a; ret; }\n",
	  "and.b32 %r2, %r1, 7; call (%r0), g, (%r2); add.u32 %r0, %r0, %r2;",
	  { 1, 2, 4, 9, 5047 } },
	{ ".func (.reg .b32 %d) h(.reg .b32 %a) { add.u32 %d, %a, 3; ret; }\n",
	  "mov.u64 %rd1, h; P: .callprototype (.reg .b32 _) _ (.reg .b32 _);\n"
	  "call (%r0), %rd1, (%r1), P;", { 3, 4, 5, 6, 34 } },
	/* warps */
	{ "", "shfl.sync.up.b32 %r0, %r1, 1, 0, 0xffffffff;", { 0, 0, 1, 2, 30 } },
	{ "", "shfl.sync.idx.b32 %r0|%p2, %r1, 3, 0x1c1f, 0xffffffff;", { 3, 3, 3, 3, 31 } },
	{ "", "vote.sync.ballot.b32 %r0, %p1, 0xffffffff;", { 7, 7, 7, 7, 7 } },
	{ "", "shr.u32 %r2, %r1, 1; match.any.sync.b32 %r0, %r2, 0xffffffff;",
	  { 3, 3, 12, 12, 0xc0000000 } },
	{ "", "redux.sync.add.u32 %r0, %r1, 0xffffffff;", { 496, 496, 496, 496, 496 } },
	{ "", "activemask.b32 %r0;", { -1u, -1u, -1u, -1u, -1u } },
	{ "", "movmatrix.sync.aligned.m8n8.trans.b16 %r0, %r1;",
	  { 0x40000, 0xc0008, 0x140010, 0x1c0018, 0 } },
	/* mbarriers and clusters */
	{ "", "setp.eq.u32 %p2, %r1, 0; @%p2 mbarrier.init.shared.b64 [sm], 32; bar.sync 0;\n"
	      "mbarrier.arrive.shared.b64 %rd1, [sm]; bar.sync 0;\n"
	      "mbarrier.test_wait.shared.b64 %p3, [sm], %rd1; selp.u32 %r0, 1, 2, %p3;",
	  { 1, 1, 1, 1, 1 } },
	{ "", "mapa.shared::cluster.u32 %r2, 16, 0; getctarank.shared::cluster.u32 %r3, %r2;\n"
	      "add.u32 %r0, %r3, 4; barrier.cluster.arrive; barrier.cluster.wait;",
	  { 4, 4, 4, 4, 4 } },
};

/* Loads the kernel of @functions and @body and lowers it. */
static int load(const char *functions, const char *body, struct program **program,
		const struct kernel **kernel, struct err *e)
{
	static char text[8192];
	const size_t length = (size_t)snprintf(text, sizeof(text), "%s%s%s%s%s", HEAD, functions,
					       BEGIN, body, END);

	TRY(program_load((struct bytes){ (const uint8_t *)text, length }, program, e));
	return program_kernel(*program, "k", kernel, e);
}

/* Why @body is refused, "" where it is not; until the next call. */
static const char *refusal_of(const char *body)
{
	static struct err e;
	CLEANUP(free_program) struct program *program = NULL;
	const struct kernel *kernel;

	e.text[0] = '\0';
	load("", body, &program, &kernel, &e);
	return e.text;
}

static void check_computed(const struct computed *row)
{
	static const unsigned lanes[] = { 0, 1, 2, 3, 31 };
	CLEANUP(free_program) struct program *program = NULL;
	const struct kernel *kernel;
	uint32_t *out = device_alloc(256);
	struct err e = { 0 };

	if (load(row->functions, row->body, &program, &kernel, &e)) {
		CHECK_STR(e.text, "");
		return;
	}
	CHECK_INT(run_grid(kernel, (uint32_t[]){ 1, 1, 1 }, (uint32_t[]){ 32, 1, 1 }, 0, &out), 0);
	for (unsigned i = 0; i < 5; i++)
		if (!CHECK_INT(out[lanes[i]], row->want[i]))
			printf("# lane %u of %s\n", lanes[i], row->body);
	CHECK_INT(arena_free((uint64_t)out, NULL), 0);
}

/* With scalar slots and without, and with the checks that place ops of their own. */
static void test_computed(void)
{
	static const char *const options[] = { "", "scalar=0", "check=init", "check=mem" };
	struct err e = { 0 };

	for (size_t k = 0; k < sizeof(options) / sizeof(options[0]); k++) {
		if (!CHECK_INT(config_parse(options[k], &e), 0))
			printf("# %s: %s\n", options[k], e.text);
		for (size_t i = 0; i < sizeof(computed) / sizeof(computed[0]); i++)
			check_computed(&computed[i]);
		config.check = 0;
		config.no_scalar = false;
	}
}

#define PARTS "names parts of registers that it cannot use"

/* What ptxas refuses as well. */
static void test_refused(void)
{
	static const struct {
		const char *body, *text;
	} rows[] = {
		{ "vadd4.u32.u32.u32 %r0.b4, %r1, %r1, 0;", PARTS },
		{ "vadd4.u32.u32.u32 %r0.b12, %r1, %r1, 0;", PARTS },
		{ "vadd2.u32.u32.u32 %r0.h2, %r1, %r1, 0;", PARTS },
		{ "vadd4.u32.u32.u32 %r0, %r1.b8000, %r1, 0;", PARTS },
		{ "vadd.u32.u32.u32 %r0, %r1.b4, %r1;", PARTS },
		{ "mov.b32 {%h1, %h2, %h3}, %r1;", "mov.b32 is not executed by the CPU device" },
		{ "bar.sync 16;", "names barrier 16, where the last is 15" },
		{ "bar.sync 0, 33;", "is for 33 threads, which are no whole warps" },
		{ "bfe.u32 %r0, %r1, 256, 1;", "has 256 as operand 3, where 0 to 255 is expected" },
		{ "discard.global.L2 [%rd1], 64;", "is not for the 128 bytes at an address" },
		{ "add.u32 %r0, %r1;", "has 2 operands, where 3 are expected" },
		{ "add.u32 %r0, %r1, %p1;", "has a register of 0 bits as operand 3" },
		{ "add.u32 %r0, %r1, 1.0;", "has an immediate of the wrong type" },
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		CHECK_HAS(refusal_of(rows[i].body), rows[i].text);
}

int main(void)
{
	config_init(NULL);
	RUN(test_scratch);
	RUN(test_overdrawn);
	RUN(test_computed);
	RUN(test_refused);
	return tap_end();
}
