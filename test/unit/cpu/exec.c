/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The execution core as a whole: small kernels, run to their end. */
#include "grid.h"
#include "tap.h"

#define HEAD ".version 7.0\n.target sm_70\n.address_size 64\n"

static struct program *load(const char *body)
{
	static char text[16384];
	struct program *program = NULL;
	struct err e = { 0 };
	size_t length = (size_t)snprintf(text, sizeof(text), HEAD "%s", body);

	if (program_load((struct bytes){ (const uint8_t *)text, length }, &program, &e))
		CHECK_STR(e.text, "");
	return program;
}

/* Runs entry k of @program; the fault's code. */
static int run(struct program *program, uint32_t grid, uint32_t block, const void *params)
{
	const struct kernel *kernel;
	struct err e = { 0 };

	if (!program)
		return -1;
	if (program_kernel(program, "k", &kernel, &e)) {
		CHECK_STR(e.text, "");
		return -1;
	}
	return run_grid(kernel, (uint32_t[]){ grid, 1, 1 }, (uint32_t[]){ block, 1, 1 }, 0, params);
}

#define GLOBAL_INDEX                                                                       \
	"mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"             \
	"mad.lo.s32 %r4, %r1, %r2, %r3;\n"                                                 \
	"mul.wide.s32 %rd2, %r4, 4; add.s64 %rd3, %rd1, %rd2;\n"
#define ENTRY                                                                              \
	".visible .entry k(.param .u64 out) {\n"                                           \
	".reg .pred %p<8>; .reg .b32 %r<32>; .reg .b64 %rd<16>; .reg .f32 %f<8>;\n"        \
	"ld.param.u64 %rd1, [out];\n"

/* A tail warp must not write for lanes that do not exist. */
static void test_tail(void)
{
	CLEANUP(free_program) struct program *program =
		load(ENTRY GLOBAL_INDEX "add.s32 %r5, %r4, 7; st.global.u32 [%rd3], %r5; ret; }");
	int32_t *out = device_alloc(4 * 128);

	CHECK_INT(run(program, 2, 45, &out), 0);
	for (int i = 0; i < 128; i++)
		CHECK_INT(out[i], i < 90 ? i + 7 : 0);
}

/* Lanes leave a loop after different numbers of turns, and exited lanes stay out. */
static void test_divergent_loop(void)
{
	CLEANUP(free_program) struct program *program =
		load(ENTRY GLOBAL_INDEX
		     "mov.u32 %r5, 0; mov.u32 %r6, 0;\n"
		     "setp.eq.s32 %p1, %r3, 3; @%p1 exit;\n"
		     "L: setp.ge.u32 %p2, %r6, %r3; @%p2 bra D;\n"
		     "add.s32 %r5, %r5, %r6; add.s32 %r6, %r6, 1; bra L;\n"
		     "D: st.global.u32 [%rd3], %r5; ret; }");
	int32_t *out = device_alloc(4 * 64);

	CHECK_INT(run(program, 1, 64, &out), 0);
	for (int i = 0; i < 64; i++)
		CHECK_INT(out[i], i == 3 ? 0 : i * (i - 1) / 2);
}

/* A tree in shared memory, with barriers. */
static void test_reduction(void)
{
	CLEANUP(free_program) struct program *program =
		load(ENTRY ".shared .align 4 .b8 s[1024];\n" GLOBAL_INDEX
		     "shl.b32 %r5, %r3, 2; mov.u32 %r6, s; add.s32 %r7, %r6, %r5;\n"
		     "st.shared.u32 [%r7], %r4; bar.sync 0; mov.u32 %r8, 128;\n"
		     "L: setp.ge.u32 %p1, %r3, %r8; @%p1 bra N;\n"
		     "shl.b32 %r9, %r8, 2; add.s32 %r10, %r7, %r9;\n"
		     "ld.shared.u32 %r11, [%r10]; ld.shared.u32 %r12, [%r7];\n"
		     "add.s32 %r13, %r11, %r12; st.shared.u32 [%r7], %r13;\n"
		     "N: bar.sync 0; shr.u32 %r8, %r8, 1; setp.ne.s32 %p2, %r8, 0; @%p2 bra L;\n"
		     "setp.ne.s32 %p3, %r3, 0; @%p3 bra E;\n"
		     "ld.shared.u32 %r14, [s]; mul.wide.u32 %rd4, %r1, 4; add.s64 %rd5, %rd1, %rd4;\n"
		     "st.global.u32 [%rd5], %r14;\n"
		     "E: ret; }");
	int32_t *out = device_alloc(4 * 4);

	CHECK_INT(run(program, 4, 256, &out), 0);
	for (int i = 0; i < 4; i++)
		CHECK_INT(out[i], 256 * 256 * i + 255 * 128);
}

/* What one block left in a register is not what the next one in its memory finds there. */
static void test_unwritten(void)
{
	CLEANUP(free_program) struct program *program =
		load(ENTRY GLOBAL_INDEX
		     "setp.lt.u32 %p1, %r1, 4; mov.u32 %r7, 5; @!%p1 bra S;\n"
		     "setp.ne.s32 %p2, %r3, 3; @%p2 add.s32 %r5, %r3, 9; mov.u32 %r6, 7;\n"
		     "S: add.s32 %r8, %r5, %r6; add.s32 %r8, %r8, %r7;\n"
		     "st.global.u32 [%rd3], %r8; ret; }");
	int32_t *out = device_alloc(4 * 64 * 16);

	CHECK_INT(run(program, 16, 64, &out), 0);
	for (int i = 0; i < 64 * 16; i++)
		CHECK_INT(out[i], i >= 256 ? 5 : i % 64 == 3 ? 12 : i % 64 + 21);
}

/* What follows from the launch alone is computed once; what follows from the block is not. */
static void test_once(void)
{
	CLEANUP(free_program) struct program *program =
		load(ENTRY GLOBAL_INDEX
		     "mov.u32 %r5, %nctaid.x; mul.lo.u32 %r6, %r5, %r2; add.u32 %r7, %r6, %r1;\n"
		     "setp.ge.u32 %p1, %r4, 96; @%p1 bra E; mov.u32 %r8, 1000;\n"
		     "add.u32 %r7, %r7, %r8;\n"
		     "E: st.global.u32 [%rd3], %r7; ret; }");
	int32_t *out = device_alloc(4 * 32 * 12);

	for (int blocks = 12; blocks; blocks -= 3) {
		CHECK_INT(run(program, (uint32_t)blocks, 32, &out), 0);
		for (int i = 0; i < 32 * blocks; i++)
			CHECK_INT(out[i], 32 * blocks + i / 32 + (i < 96 ? 1000 : 0));
	}
}

/* The same kernel in blocks with warps of one line, and of several. */
static void test_lines(void)
{
	static const uint32_t blocks[][2] = { { 32, 4 }, { 5, 9 }, { 64, 2 }, { 16, 8 } };
	CLEANUP(free_program) struct program *program =
		load(ENTRY "mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %ntid.x;\n"
		     "mad.lo.u32 %r4, %r2, %r3, %r1; mad.wide.u32 %rd3, %r4, 4, %rd1;\n"
		     "mad.lo.u32 %r5, %r2, 1000, %r1; st.global.u32 [%rd3], %r5; ret; }");
	int32_t *out = device_alloc(4 * 128);

	for (unsigned b = 0; b < sizeof(blocks) / sizeof(blocks[0]); b++) {
		const uint32_t x = blocks[b][0], y = blocks[b][1];
		const struct kernel *kernel;
		struct err e;

		CHECK_INT(program_kernel(program, "k", &kernel, &e), 0);
		CHECK_INT(run_grid(kernel, (uint32_t[]){ 1, 1, 1 }, (uint32_t[]){ x, y, 1 }, 0,
				   &out), 0);
		for (uint32_t i = 0; i < x * y; i++)
			CHECK_INT(out[i], i / x * 1000 + i % x);
	}
}

static void test_faults(void)
{
	CLEANUP(free_program) struct program *program =
		load(ENTRY GLOBAL_INDEX "st.global.u32 [%rd3+4], %r5; ret; }");
	CLEANUP(free_program) struct program *odd =
		load(ENTRY GLOBAL_INDEX "st.global.u32 [%rd3+2], %r5; ret; }");
	CLEANUP(free_program) struct program *stuck =
		load(ENTRY "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 32; @%p1 bar.sync 1, 64; "
			   "@!%p1 bar.sync 2, 64; ret; }");
	int32_t *out = device_alloc(4 * 64);

	CHECK_INT(run(program, 1, 64, &out), CUDA_ERROR_ILLEGAL_ADDRESS);
	CHECK_HAS(fault_text(&grid_fault), "thread (63,0,0)");
	CHECK_HAS(fault_text(&grid_fault), "st.global.u32 [%rd3+4], %r5");
	CHECK_INT(run(odd, 1, 64, &out), CUDA_ERROR_MISALIGNED_ADDRESS);
	CHECK_INT(run(stuck, 1, 64, &out), CUDA_ERROR_LAUNCH_FAILED);
	CHECK_HAS(fault_text(&grid_fault), "deadlock");
}

/* The ISA has barriers 0 to 15, and whole warps; in a register there may be anything. */
static void test_barrier_numbers(void)
{
	CLEANUP(free_program) struct program *number =
		load(ENTRY "mov.u32 %r1, %ntid.x; shr.u32 %r1, %r1, 2; bar.sync %r1; ret; }");
	CLEANUP(free_program) struct program *count =
		load(ENTRY "mov.u32 %r1, %ntid.x; add.u32 %r1, %r1, 1; bar.sync 1, %r1; ret; }");
	int32_t *out = device_alloc(4);

	CHECK_INT(run(number, 1, 60, &out), 0);
	CHECK_INT(run(number, 1, 64, &out), CUDA_ERROR_ILLEGAL_INSTRUCTION);
	CHECK_HAS(fault_text(&grid_fault), "barrier 16 does not exist");
	CHECK_HAS(fault_text(&grid_fault), "bar.sync %r1");
	CHECK_INT(run(count, 1, 64, &out), CUDA_ERROR_ILLEGAL_INSTRUCTION);
	CHECK_HAS(fault_text(&grid_fault), "barrier 1 for 65 threads, which are no whole warps");
}

/* What a block of 64 threads does at a barrier, its second warp before it only if it @spins. */
static CUresult wait_at(const char *op, bool spins)
{
	static char text[1024];
	CLEANUP(free_program) struct program *program = NULL;
	int32_t *out = device_alloc(4);

	snprintf(text, sizeof(text), "%s%s%u%s%s%s", ENTRY,
		 "mov.u32 %r1, 1; mov.u32 %r6, %ntid.x; mov.u32 %r7, %tid.x; "
		 "setp.lt.u32 %p1, %r7, ", spins ? 32 : 64, "; @!%p1 bra $spin; ", op,
		 "; st.volatile.global.u32 [%rd1], 1; ret; "
		 "$spin: ld.volatile.global.u32 %r7, [%rd1]; setp.eq.u32 %p1, %r7, 0; "
		 "@%p1 bra $spin; ret; }");
	program = load(text);
	*out = 0;
	return run(program, 1, 64, &out);
}

/*
 * A count of threads that the block does not have can never be met: no other warp that spins
 * hides it. Of an immediate and of a register; a count of more than a block can have traps.
 */
static void test_barrier_counts(void)
{
	static const struct {
		const char *op;
		CUresult result;
		const char *text;
	} rows[] = {
		{ "bar.sync 1, 96", CUDA_ERROR_LAUNCH_FAILED, "waits for 96 threads, where the" },
		{ "add.u32 %r6, %r6, 32; bar.sync 1, %r6", CUDA_ERROR_LAUNCH_FAILED,
		  "deadlock: barrier 1 waits for 96 threads, where the block has at most 64" },
		{ "shl.b32 %r6, %r6, 4; barrier.cta.sync.aligned %r1, %r6",
		  CUDA_ERROR_LAUNCH_FAILED, "barrier 1 waits for 1024 threads" },
		{ "barrier.sync %r1, 128", CUDA_ERROR_LAUNCH_FAILED, "waits for 128 threads" },
		{ "bar.red.popc.u32 %r7, 1, 96, %p1", CUDA_ERROR_LAUNCH_FAILED,
		  "waits for 96 threads" },
		{ "bar.sync 1, 2048", CUDA_ERROR_ILLEGAL_INSTRUCTION,
		  "barrier 1 for 2048 threads, where a block has at most 1024" },
		{ "sub.u32 %r6, %r6, 192; bar.sync 1, %r6", CUDA_ERROR_ILLEGAL_INSTRUCTION,
		  "barrier 1 for 4294967168 threads" },
		{ "sub.u32 %r6, %r6, 192; bar.arrive 1, %r6", CUDA_ERROR_ILLEGAL_INSTRUCTION,
		  "barrier 1 for 4294967168 threads" },
		{ "mov.u32 %r6, 0; bar.arrive 1, %r6", CUDA_ERROR_ILLEGAL_INSTRUCTION,
		  "barrier 1 for 0 threads, which are no whole warps" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (unsigned spins = 0; spins < 2; spins++) {
			CHECK_INT(wait_at(rows[i].op, spins), rows[i].result);
			CHECK_HAS(fault_text(&grid_fault), rows[i].text);
		}
	}
	CHECK_INT(wait_at("bar.sync 1, 64", false), 0);
	CHECK_INT(wait_at("bar.sync 1, 32", true), 0);
	CHECK_INT(wait_at("bar.arrive 1, 96", true), 0); /* which waits for nothing */
}

static void accept(const char *body)
{
	struct program *program = load(body);

	CHECK(program);
	program_free(program);
}

static void refuse(const char *body, const char *message)
{
	static char text[4096];
	struct program *program = NULL;
	struct err e = { 0 };
	size_t length = (size_t)snprintf(text, sizeof(text), HEAD "%s", body);

	CHECK_INT(program_load((struct bytes){ (const uint8_t *)text, length }, &program, &e),
		  GPURUN_FORMAT);
	CHECK_STR(e.text, message);
}

#define UNSIZED(line, may)                                                                 \
	"line " line ": 'x' is an array without a size, which " may

/* As ptxas, which takes [0] for []. */
/* The lanes that a warp lacks come once, though those that it has arrive in two parts: the
 * last twelve threads of the warp between open the barrier. */
static void test_arrive_in_parts(void)
{
	CLEANUP(free_program) struct program *program =
		load(ENTRY ".shared .align 4 .u32 s;\n" GLOBAL_INDEX
		     "mov.u32 %r5, 0; mov.u32 %r6, 0; mov.u32 %r7, 9;\n"
		     "setp.lt.u32 %p1, %r3, 32; @%p1 bra W;\n"
		     "setp.ge.u32 %p2, %r3, 74; @%p2 bra B;\n"
		     "setp.ge.u32 %p3, %r3, 52; setp.lt.and.u32 %p3, %r3, 64, %p3; @%p3 bra L;\n"
		     "bar.arrive 1, 96; bra D;\n"
		     "B: bar.arrive 1, 96; bra D;\n"
		     "L: nanosleep.u32 1; add.u32 %r6, %r6, 1;\n"
		     "setp.lt.u32 %p4, %r6, 200; @%p4 bra L;\n"
		     "st.shared.u32 [s], %r7; bar.arrive 1, 96; bra D;\n"
		     "W: st.shared.u32 [s], %r5; bar.sync 1, 96; ld.shared.u32 %r5, [s];\n"
		     "D: st.global.u32 [%rd3], %r5; ret; }");
	int32_t *out = device_alloc(4 * 84);

	CHECK_INT(run(program, 1, 84, &out), 0);
	for (int i = 0; i < 84; i++)
		CHECK_INT(out[i], i < 32 ? 9 : 0);
}

/* Runs @body, whose result is %r5, on 32 threads; the lane of the first of @expected that it
 * does not give; 32: none. */
static int first_wrong(const char *body, const int32_t expected[32])
{
	CLEANUP(free_program) struct program *program = NULL;
	int32_t *out = device_alloc(4 * 32);
	char text[2048];

	snprintf(text, sizeof(text), "%s%s%s", ENTRY GLOBAL_INDEX, body,
		 "st.global.u32 [%rd3], %r5; ret; }");
	program = load(text);
	CHECK_INT(run(program, 1, 32, &out), 0);
	for (int i = 0; i < 32; i++)
		if (out[i] != expected[i])
			return i;
	return 32;
}

/* A predicate that was the same for all lanes, and is no more where some of them write it. */
static void test_guarded_predicate(void)
{
	int32_t expected[32];

	for (int i = 0; i < 32; i++)
		expected[i] = i < 5 ? 1 : 2;
	CHECK_INT(first_wrong("setp.ne.u32 %p1, %r2, 32; setp.eq.u32 %p2, %r2, 32;\n"
			      "@%p2 setp.lt.u32 %p1, %r3, 5;\n"
			      "selp.u32 %r5, 1, 2, %p1;\n", expected), 32);
}

/* What a branch goes over is also come to from behind it, by those that went over it. */
static void test_label_in_side(void)
{
	int32_t expected[32];

	for (int i = 0; i < 32; i++)
		expected[i] = i < 5 ? 10 : 21;
	CHECK_INT(first_wrong("mov.u32 %r5, 0; mov.u32 %r6, 0;\n"
			      "setp.lt.u32 %p1, %r3, 5; @%p1 bra E;\n"
			      "add.u32 %r5, %r5, 1;\n"
			      "M: add.u32 %r5, %r5, 10;\n"
			      "E: setp.eq.u32 %p2, %r6, 0; add.u32 %r6, %r6, 1;\n"
			      "@%p2 bra M;\n", expected), 32);
}

/* The first of three groups stops where the second stands, not only at the third. */
static void test_three_groups(void)
{
	int32_t expected[32];

	for (int i = 0; i < 32; i++)
		expected[i] = i < 16 ? 0xffff : 7;
	CHECK_INT(first_wrong("mov.u32 %r5, 3; setp.lt.u32 %p1, %r3, 8;\n"
			      "setp.lt.u32 %p2, %r3, 16; @%p1 bra C; @%p2 bra B;\n"
			      "add.u32 %r5, %r5, 4; bra D;\n"
			      "B: add.u32 %r6, %r3, 4;\n"
			      "C: activemask.b32 %r5;\n"
			      "D:\n", expected), 32);
}

static void test_unsized(void)
{
	static const char *const spaces[] = { ".local", ".shared", ".param" };
	static const char own[] = UNSIZED("5", "a variable of a function cannot be");
	static const char may[] = UNSIZED("4", "only an .extern variable may be");
	static const char last[] =
		UNSIZED("4", "only the last parameter of a function may be");
	static const char prototype[] =
		"line 5: an array without a size is not the last parameter of a prototype";
	char text[64];

	for (size_t i = 0; i < sizeof(spaces) / sizeof(spaces[0]); i++) {
		snprintf(text, sizeof(text), ".entry k() {\n%s .b32 x[];\n}", spaces[i]);
		refuse(text, own);
		snprintf(text, sizeof(text), ".func f() {\n{ %s .b32 y, x[4][0]; }\n}", spaces[i]);
		refuse(text, own);
	}
	refuse(".entry k() {\n.reg .b32 x[];\n}", "line 5: expected ';', found '['");
	refuse(".shared .b32 x[];", may);
	refuse(".visible .global .b32 x[0];", may);
	refuse(".const .b32 x[];", may);
	refuse(".weak .global .b32 y, x[][2];", may);
	refuse(".extern .shared .b32 x[4][0];", may);
	refuse(".entry k(.param .b32 x[]) {}", last);
	refuse(".func f(.param .b32 x[], .param .b32 y) {}", last);
	refuse(".func (.param .b32 x[]) f(.param .b32 y) {}", last);
	refuse(".func f(.reg .b32 x[]) {}", last);
	refuse(".entry k() {\nP: .callprototype _ (.param .b8 _[], .param .b8 _);\n}", prototype);
	refuse(".entry k() {\nP: .callprototype (.param .b8 _[]) _ ();\n}", prototype);
	accept(".extern .shared .b32 x[], y[0];\n.global .b32 z[] = {1}, w[0] = {1};\n"
	       ".func f(.param .b32 a, .param .b32 b[]) {}\n"
	       ".entry k() {\nP: .callprototype _ (.param .b8 _[]);\n}");
}

static void test_refusals(void)
{
	refuse(".entry k() {\nadd.s32 %r1, 1, 2;\n}", "line 5: '%r1' is not declared");
	refuse(".entry k() {\nbra NOWHERE;\n}", "line 5: 'NOWHERE' is not declared");
	refuse(".entry k() {\n.reg .b32 %r<3>;\n@%r1 bra L;\nL: ret;\n}",
	       "line 6: '%r1' is no predicate");
	refuse(".func f(.reg .pred x) { ret; }\n",
	       "line 4: 'x' is a register of type .pred, which the CPU device passes to no function");
	refuse(".func (.reg .b128 x) f() { ret; }\n",
	       "line 4: 'x' is a register of type .b128, which the CPU device passes to no function");
	refuse(".entry k() {\n;\n}", "line 5: expected an instruction, found ';'");
	refuse(".entry k() {\nret;;\n}", "line 5: expected an instruction, found ';'");
	refuse(".entry k() {\nadd"
	       " .u32.u32.u32.u32.u32.u32.u32.u32.u32.u32 .u32.u32.u32.u32.u32.u32.u32.u32.u32.u32"
	       " .u32.u32.u32.u32.u32.u32.u32.u32.u32.u32 .u32.u32.u32.u32.u32.u32.u32.u32.u32.u32"
	       " a, a, a;\n}", "line 5: no opcode is that long");
}

/* Numbered names, of every kind, are those that there are, and no others. */
static void test_numbered(void)
{
	static const char *const spaces[] = { ".reg",	 ".local", ".shared",
					      ".global", ".const", ".param" };
	char text[128];

	for (size_t i = 0; i < sizeof(spaces) / sizeof(spaces[0]); i++) {
		snprintf(text, sizeof(text), ".entry k() {\n%s .u64 x<2>, y<0>;\n}", spaces[i]);
		accept(text);
		snprintf(text, sizeof(text), ".entry k() {\n%s .u64 x<2>;\n%s .u32 x1;\n}",
			 spaces[i], spaces[i]);
		refuse(text, "line 6: 'x1' is declared twice");
		snprintf(text, sizeof(text), ".entry k() {\n%s .u64 x<2>;\n{ %s .u32 x1, x; }\n}",
			 spaces[i], spaces[i]);
		accept(text);
		snprintf(text, sizeof(text), ".entry k() {\n%s .u64 x<2>, x<3>;\n}", spaces[i]);
		refuse(text, "line 5: 'x<' is declared twice");
		snprintf(text, sizeof(text), ".entry k() {\n%s .u64 x<2>[4];\n}", spaces[i]);
		refuse(text, i == 3 || i == 4 ? "line 5: expected ',' or ';', found '['" :
						"line 5: expected ';', found '['");
		snprintf(text, sizeof(text), ".entry k() {\n%s .u64 x<2> = 1;\n}", spaces[i]);
		refuse(text, i == 3 || i == 4 ? "line 5: expected ',' or ';', found '='" :
			     i ? "line 5: a variable of a function cannot be initialised" :
				 "line 5: expected ';', found '='");
	}
	refuse(".entry k() {\n.reg .b64 a;\n.local .u64 x<2>;\nmov.u64 a, x2;\n}",
	       "line 7: 'x2' is not declared");
	refuse(".func f(.reg .b64 x<2>) {}",
	       "line 4: a parameter has one name, not numbered ones");
	refuse(".shared .u32 x<2>;\n.shared .u64 x<3>;", "line 5: 'x<' is declared twice");
	refuse(".shared .u32 x<2>[4];", "line 4: expected ';', found '['");
	refuse(".const .u32 x<2> = 1;", "line 4: expected ';', found '='");
	accept(".global .u32 x<3>;\n.extern .global .u32 x<3>;\n"
	       ".entry k() {\n.reg .b64 a;\nmov.u64 a, x0;\n.reg .b32 x0;\n}");
}

/* What may be written instead of an operand, and where. */
static void test_operands(void)
{
#define REGISTERS ".entry k() {\n.reg .b64 d; .reg .b32 r<9>; .reg .f32 f; .reg .pred p;\n"
	static const char letters[] = "line 6: a number is added to a register that is no "
				      "integer of 16, 32 or 64 bits";

	refuse(REGISTERS "st.global.f32 [d], f + 1;\n}", letters);
	refuse(REGISTERS "mov.pred p, p + 1;\n}", letters);
	refuse(REGISTERS "add.u32 r1 + 1, r1, r2;\n}",
	       "line 6: 'add.u32' has a sum for its result");
	refuse(REGISTERS "st.global.v2.u32 [d], {r1 + 1, r2};\n}",
	       "line 6: expected ',', found '+'");
	refuse(REGISTERS "st.global.u32 [d], r1 - 1;\n}", "line 6: expected ';', found '-'");
	refuse(".global .u32 a[4], b;\n" REGISTERS "ld.global.u32 r1, [a[1]];\n}",
	       "line 7: expected ']', found '['");
	refuse(".global .u32 a[4], b;\n" REGISTERS "mov.u64 d, b[1];\n}",
	       "line 7: expected ',' or ';' behind what is no array, found '['");
	refuse(".global .u32 a[4], b;\n" REGISTERS "add.u64 d, d, a[1];\n}",
	       "line 7: 'add.u64' cannot have an element of an array");
	refuse(".func f(.reg .v2 .b32 v);\n" REGISTERS ".reg .v2 .b32 %v;\ncall f, (-%v);\n}",
	       "line 8: expected an operand, found ')'");
	refuse(REGISTERS "mov.u32 r1, %tid;\n}", "line 6: '%tid' is not declared");
	refuse(REGISTERS "st.global.v4.u32 [d], %tid;\n}", "line 6: '%tid' is not declared");
#undef REGISTERS
}

/* A lane that goes round by a table of branches leaves those behind it their turn. */
static void test_table_turns(void)
{
	CLEANUP(free_program) struct program *program =
		load(ENTRY "T: .branchtargets A, B;\n"
			   "mov.u32 %r1, %laneid; setp.ne.u32 %p1, %r1, 0; @%p1 bra S;\n"
			   "A: ld.volatile.global.u32 %r2, [%rd1]; brx.idx %r2, T;\n"
			   "S: st.volatile.global.u32 [%rd1], 1;\n"
			   "B: ret; }");
	int32_t *out = device_alloc(4);

	alarm(60);
	CHECK_INT(run(program, 1, 32, &out), 0);
	alarm(0);
	CHECK_INT(*out, 1);
}

int main(void)
{
	config_init(NULL);
	RUN(test_tail);
	RUN(test_divergent_loop);
	RUN(test_table_turns);
	RUN(test_reduction);
	RUN(test_unwritten);
	RUN(test_once);
	RUN(test_lines);
	RUN(test_faults);
	RUN(test_barrier_numbers);
	RUN(test_barrier_counts);
	RUN(test_refusals);
	RUN(test_numbered);
	RUN(test_operands);
	RUN(test_arrive_in_parts);
	RUN(test_guarded_predicate);
	RUN(test_label_in_side);
	RUN(test_three_groups);
	RUN(test_unsized);
	return tap_end();
}
