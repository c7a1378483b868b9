/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What kernels may put where the CPU device reads it: docs/hostile.md has the list. */
#include "grid.h"
#include "tap.h"

#define HEAD ".version 8.5\n.target sm_90\n.address_size 64\n"
#define ENTRY                                                                              \
	".visible .entry k(.param .u64 out, .param .u64 value) {\n"                        \
	".reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>;\n"                           \
	".shared .align 128 .b8 sm[1024];\n"                                               \
	"ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [value];\n"

static struct {
	uint64_t out, value;
} params;

static char refusal[sizeof(((struct err *)0)->text)]; /* of the program that was run last, or "" */

/* Runs entry k of @body with one thread; the fault's code, -1 when it is refused. */
static int run(const char *body, uint64_t value)
{
	static char text[16384];
	CLEANUP(free_program) struct program *program = NULL;
	const struct kernel *kernel;
	struct err e = { 0 };
	size_t length = (size_t)snprintf(text, sizeof(text), HEAD "%s", body);

	refusal[0] = '\0';
	params.value = value;
	if (program_load((struct bytes){ (const uint8_t *)text, length }, &program, &e) ||
	    program_kernel(program, "k", &kernel, &e)) {
		snprintf(refusal, sizeof(refusal), "%s", e.text);
		return -1;
	}
	return run_grid(kernel, (uint32_t[]){ 1, 1, 1 }, (uint32_t[]){ 1, 1, 1 }, 0, &params);
}

static uint64_t *out(size_t size)
{
	uint64_t *at = device_alloc(size);

	params.out = (uint64_t)at;
	return at;
}

/* ---- mbarriers ---------------------------------------------------------------------- */

#define INIT "mbarrier.init.shared.b64 [sm], 2; cvt.u32.u64 %r1, %rd2;\n"

static void test_mbarrier_bytes(void)
{
	static const char more[] =
		ENTRY INIT "mbarrier.expect_tx.relaxed.cta.shared.b64 [sm], 1048575;\n"
			   "mbarrier.expect_tx.relaxed.cta.shared.b64 [sm], %r1; ret; }";
	static const char less[] =
		ENTRY INIT "mbarrier.complete_tx.relaxed.cta.shared.b64 [sm], 1048575;\n"
			   "mbarrier.complete_tx.relaxed.cta.shared.b64 [sm], %r1; ret; }";

	CHECK_INT(run(more, 0), 0);
	CHECK_INT(run(more, 1), CUDA_ERROR_LAUNCH_FAILED);
	CHECK_HAS(fault_text(&grid_fault), "waits for more than 1048575 bytes");
	CHECK_INT(run(more, UINT32_MAX), CUDA_ERROR_LAUNCH_FAILED);
	CHECK_INT(run(less, 0), 0);
	CHECK_INT(run(less, 1), CUDA_ERROR_LAUNCH_FAILED);
	CHECK_HAS(fault_text(&grid_fault), "waits for more than 1048575 bytes");
}

static void test_mbarrier_overwritten(void)
{
	static const char body[] =
		ENTRY INIT "st.shared.u64 [sm], %rd2; mbarrier.arrive.shared.b64 _, [sm]; ret; }";
	static const char never[] =
		ENTRY "st.shared.u64 [sm], 0; mbarrier.arrive.shared.b64 _, [sm]; ret; }";

	CHECK_INT(run(body, 0x1234), CUDA_ERROR_LAUNCH_FAILED);
	CHECK_HAS(fault_text(&grid_fault), "is used without mbarrier.init, or something else was written "
				   "there since: its 8 bytes are 0x1234");
	CHECK_INT(run(never, 0), CUDA_ERROR_LAUNCH_FAILED);
	CHECK_HAS(fault_text(&grid_fault), "is used without mbarrier.init, or something else was written "
				   "there since: its 8 bytes are 0\n");
}

/* ---- Stacks ------------------------------------------------------------------------ */

/* A function with a frame of 1 KiB, called while alloca has taken all but as much as is asked. */
static void test_call_beside_alloca(void)
{
	static const char body[] =
		".func f() { .local .align 16 .b8 frame[1024]; .reg .b64 %a; mov.u64 %a, frame;\n"
		"st.local.u64 [%a], 7; ret; }\n"
		ENTRY "stacksave.u64 %rd3; sub.u64 %rd3, %rd3, %rd2; alloca.u64 %rd4, %rd3;\n"
		      "call f; ret; }";

	CHECK_INT(run(body, 4096), 0);
	CHECK_INT(run(body, 512), CUDA_ERROR_LAUNCH_FAILED);
	CHECK_HAS(fault_text(&grid_fault), "stack overflow: 1 calls deep");
}

static void test_stackrestore(void)
{
	static const char any[] = ENTRY "stackrestore.u64 %rd2; ret; }";
	static const char moved[] =
		ENTRY "stacksave.u64 %rd3; alloca.u64 %rd4, 64; add.u64 %rd5, %rd3, %rd2;\n"
		      "stackrestore.u64 %rd5; stacksave.u64 %rd6; st.global.u64 [%rd1], %rd6;\n"
		      "st.global.u64 [%rd1+8], %rd3; ret; }";
	uint64_t *at = out(16);

	CHECK_INT(run(any, 0), CUDA_ERROR_LAUNCH_FAILED);
	CHECK_HAS(fault_text(&grid_fault), "stackrestore of 0, which no stacksave gave");
	CHECK_INT(run(any, UINT64_MAX), CUDA_ERROR_LAUNCH_FAILED);
	CHECK_INT(run(moved, 0), 0);
	CHECK(at[0] == at[1] && at[0]);
	CHECK_INT(run(moved, (uint64_t)-64), 0);
	CHECK(at[0] == at[1] - 64);
	CHECK_INT(run(moved, 1), CUDA_ERROR_LAUNCH_FAILED);
	CHECK_HAS(fault_text(&grid_fault), "which no stacksave gave");
	CHECK_INT(run(moved, (uint64_t)-80), CUDA_ERROR_LAUNCH_FAILED);
	CHECK_HAS(fault_text(&grid_fault), "which no stacksave gave");
}

/* Any alignment is taken, as by ptxas; there may be no room for it. The address is never 0. */
static void test_alloca(void)
{
	static const char far[] = ENTRY "alloca.u64 %rd3, 16, 1048576; ret; }";
	static const char all[] =
		ENTRY "stacksave.u64 %rd3; sub.u64 %rd3, %rd3, %rd2; alloca.u64 %rd4, %rd3;\n"
		      "ret; }";

	CHECK_INT(run(far, 0), CUDA_ERROR_LAUNCH_FAILED);
	CHECK_HAS(fault_text(&grid_fault), "stack overflow: alloca of 16 bytes");
	CHECK_HAS(fault_text(&grid_fault), "thread (0,0,0)");
	CHECK_INT(run(all, 16), 0);
	CHECK_INT(run(all, 0), CUDA_ERROR_LAUNCH_FAILED);
	CHECK_INT(run(all, (uint64_t)-16), CUDA_ERROR_LAUNCH_FAILED);
	CHECK_INT(run(ENTRY "alloca.u64 %rd3, 16, 24; ret; }", 0), -1);
}

/* ---- Functions and tables ----------------------------------------------------------- */

static void test_function_address(void)
{
	static const char read[] =
		".func f() { ret; }\n"
		ENTRY "mov.u64 %rd3, f; ld.u32 %r1, [%rd3]; st.global.u32 [%rd1], %r1; ret; }";
	static const char write[] =
		".func f() { ret; }\n" ENTRY "mov.u64 %rd3, f; st.u32 [%rd3], %r1; ret; }";
	static const char call[] =
		".func f() { ret; }\n"
		ENTRY "mov.u64 %rd3, f; add.u64 %rd3, %rd3, %rd2;\n"
		      "P: .callprototype _ (); call %rd3, P; ret; }";

	out(16);
	CHECK_INT(run(read, 0), CUDA_ERROR_ILLEGAL_ADDRESS);
	CHECK_HAS(fault_text(&grid_fault), "which are functions");
	CHECK_INT(run(write, 0), CUDA_ERROR_ILLEGAL_ADDRESS);
	CHECK_INT(run(call, 0), 0);
	for (int i = 0; i < 64; i++)
		CHECK_INT(run(call, 1ull << i), CUDA_ERROR_INVALID_PC);
}

static void test_branch_table(void)
{
	static const char body[] =
		ENTRY "cvt.u32.u64 %r1, %rd2; T: .branchtargets A, B; brx.idx %r1, T;\n"
		      "A: st.global.u32 [%rd1], 1; ret; B: st.global.u32 [%rd1], 2; ret; }";

	out(16);
	CHECK_INT(run(body, 0), 0);
	CHECK_INT(run(body, 1), 0);
	CHECK_INT(run(body, 2), CUDA_ERROR_LAUNCH_FAILED);
	CHECK_HAS(fault_text(&grid_fault), "branch index 2 in a table of 2 targets");
	CHECK_INT(run(body, UINT32_MAX), CUDA_ERROR_LAUNCH_FAILED);
}

/* ---- Places of more than one lane's bytes ------------------------------------------- */

/* One lane's copy ends beyond the block; no other lane is blamed. */
static void test_lane_of_a_copy(void)
{
	static const char body[] =
		ENTRY "cvt.u32.u64 %r1, %rd2; mbarrier.init.shared.b64 [sm], 1;\n"
		      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes\n"
		      "[sm+128], [%rd1], %r1, [sm]; ret; }";

	out(640);
	CHECK_INT(run(body, 640), 0);
	CHECK_INT(run(body, 800), CUDA_ERROR_ILLEGAL_ADDRESS);
	CHECK_HAS(fault_text(&grid_fault), "thread (0,0,0)");
	CHECK_HAS(fault_text(&grid_fault), "1 byte beyond the 640 bytes");
}

/* ---- What ptxas refuses ------------------------------------------------------------- */

static void test_refused_forms(void)
{
	CHECK_INT(run(".const .b32 c[4];\n" ENTRY "prefetchu.L1 [c]; ret; }", 0), -1);
	CHECK_HAS(refusal, "prefetchu.L1 names 'c', which is in another state space");
	CHECK_INT(run(".global .b32 g[4];\n" ENTRY "prefetchu.L1 [g]; ret; }", 0), 0);
	CHECK_INT(run(ENTRY "createpolicy.fractional.L2::evict_last.b64 %rd3, 1; ret; }", 0), -1);
	CHECK_HAS(refusal, "has an integer for the fraction");
	CHECK_INT(run(ENTRY "createpolicy.fractional.L2::evict_last.b64 %rd3, 1.0; ret; }", 0), 0);
}

#define ODD ".func f(.param .align 1 .b8 p[3]) { ret; }\n"

/* A register or a number for a parameter that has as many bytes as none of them. */
static void test_odd_parameter(void)
{
	CHECK_INT(run(ODD ENTRY "call f, (%rd2); ret; }", 0), -1);
	CHECK_HAS(refusal, "call is not executed by the CPU device");
	CHECK_INT(run(ODD ENTRY "call f, (5); ret; }", 0), -1);
	CHECK_HAS(refusal, "call is not executed by the CPU device");
}

int main(void)
{
	config_init(NULL);
	out(64);
	RUN(test_mbarrier_bytes);
	RUN(test_mbarrier_overwritten);
	RUN(test_call_beside_alloca);
	RUN(test_stackrestore);
	RUN(test_alloca);
	RUN(test_function_address);
	RUN(test_branch_table);
	RUN(test_lane_of_a_copy);
	RUN(test_refused_forms);
	RUN(test_odd_parameter);
	return tap_end();
}
