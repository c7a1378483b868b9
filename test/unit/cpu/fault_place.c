/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where a fault is said to be: the lines of PTX and of the source, with the callers of what was
 * inlined there. */
#include "grid.h"
#include "tap.h"

/* Line 9 has the access, in "deep.h", inlined into "k.cu" at line 20. */
static const char text[] = ".version 7.4\n.target sm_75\n.address_size 64\n"
			   ".visible .entry k(.param .u64 to) {\n"
			   ".reg .b64 %d; .reg .b32 %r;\n"
			   ".loc 1 20 3\n"
			   "ld.param.u64 %d, [to];\n"
			   ".loc 2 7 5, function_name $L, inlined_at 1 20 3\n"
			   "st.global.u32 [%d], 1;\n"
			   ".loc 1 21 3\n"
			   "ret;\n"
			   "}\n"
			   ".file 1 \"k.cu\"\n.file 2 \"deep.h\"\n"
			   ".section .debug_str { $L: .b8 100, 0 }\n";

static const char *said_of(const char *kernel_text)
{
	CLEANUP(free_program) struct program *program = NULL;
	const uint64_t nowhere = 64;
	const struct kernel *kernel;
	struct err e = { 0 };

	if (program_load((struct bytes){ (const uint8_t *)kernel_text, strlen(kernel_text) },
			 &program, &e) ||
	    program_kernel(program, "k", &kernel, &e)) {
		CHECK_STR(e.text, "");
		return "";
	}
	CHECK_INT(run_grid(kernel, (uint32_t[]){ 1, 1, 1 }, (uint32_t[]){ 3, 1, 1 }, 0, &nowhere),
		  CUDA_ERROR_ILLEGAL_ADDRESS);
	return fault_text(&grid_fault);
}

static void test_lines(void)
{
	const char *said = said_of(text);

	CHECK_HAS(said, "  kernel k, block (0,0,0), thread (0,0,0)\n"
			"  PTX line 9: st.global.u32 [%d], 1;\n"
			"  source deep.h:7\n"
			"  inlined at k.cu:20\n"
			"  grid (1,1,1) of blocks (3,1,1)");
}

/* Without a .loc there is no source. */
static void test_no_source(void)
{
	const char *said = said_of(".version 7.4\n.target sm_75\n.address_size 64\n"
				   ".visible .entry k(.param .u64 to) { .reg .b64 %d;\n"
				   "ld.param.u64 %d, [to]; st.global.u32 [%d], 1; ret; }\n");

	CHECK_HAS(said, "  PTX line 5: ");
	CHECK(!strstr(said, "source"));
}

int main(void)
{
	config_init(NULL);
	device_alloc(16);
	RUN(test_lines);
	RUN(test_no_source);
	return tap_end();
}
