/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* check=sync: kernels whose threads wait for others that do not arrive, and what is found in them. */
#include "sync.h"

#include "findings.h"
#include "grid.h"
#include "tap.h"

#define HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"
#define BEGIN                                                                              \
	".reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<4>; .shared .b32 sm[4];\n"       \
	"mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 16;\n"

/*
 * Runs @body in a block of @threads; the text of what was found, "" where that is nothing. A finding
 * of a line of a kernel is reported one time: each kernel has another name.
 */
static const char *found(const char *body, uint32_t threads)
{
	static unsigned kernels;
	static char text[4096];
	CLEANUP(free_program) struct program *program = NULL;
	CLEANUP(free_pointer) void *record = NULL;
	const struct kernel *kernel;
	struct gpurun_report report;
	const uint64_t params = 0;
	struct err e = { 0 };
	char name[16];
	size_t length;

	snprintf(name, sizeof(name), "k%u", kernels++);
	length = (size_t)snprintf(text, sizeof(text), "%s.visible .entry %s(.param .u64 out) {\n%s%s"
				  " ret; }", HEAD, name, BEGIN, body);
	if (program_load((struct bytes){ (const uint8_t *)text, length }, &program, &e) ||
	    program_kernel(program, name, &kernel, &e)) {
		CHECK_STR(e.text, "");
		return "";
	}
	CHECK_INT(run_grid(kernel, (uint32_t[]){ 1, 1, 1 }, (uint32_t[]){ threads, 1, 1 }, 0,
			   &params), 0);
	record = finding_pop(&report);
	snprintf(text, sizeof(text), "%s", record ? report.what : "");
	CHECK_INT(findings_left(), 0);
	return text;
}

static void test_divergent_barrier(void)
{
	CHECK_HAS(found("@%p1 bra L; bar.sync 0; bra E; L: bar.sync 0; E:", 32),
		  "divergent barrier: lanes 0xffff0000 of the warp are here, lanes 0xffff elsewhere");
	CHECK_STR(found("@%p1 bra L; mov.u32 %r2, 1; L: bar.sync 0;", 32), "");
}

/* Lanes that wait for some of their warp, which have exited or wait for these. */
static void test_lanes(void)
{
	CHECK_HAS(found("@%p1 bra L; bar.warp.sync 0xffff0001; bra E;\n"
			"L: bar.warp.sync 0x8000ffff; E:", 32),
		  "deadlock: 32 threads of the block wait for others that never arrive: lanes ");
	CHECK_STR(found("@%p1 bra L; bar.warp.sync 0xffff0000; bra E;\n"
			"L: bar.warp.sync 0x0000ffff; E:", 32), "");
}

static void test_nonmember(void)
{
	CHECK_HAS(found("bar.warp.sync 0x7fffffff;", 32),
		  "lanes 0x80000000 are not in their own member mask");
}

static void test_unmet(void)
{
	CHECK_HAS(found("bar.arrive 1, 128;", 64),
		  "arrives at barrier 1 for 128 threads, where the block has at most 64");
	CHECK_STR(found("bar.arrive 1, 96;", 64), "arrives at barrier 1 for 96 threads, where the "
		  "block has at most 64");
	CHECK_STR(found("bar.sync 1, 64;", 64), "");
}

/* A loop that reads what no thread writes; its only other path is not taken. */
static void test_spin(void)
{
	CHECK_HAS(found("L: ld.volatile.shared.u32 %r2, [sm]; setp.eq.u32 %p2, %r2, 1;\n"
			"@!%p2 bra L;", 64),
		  "deadlock: 64 threads of the block wait for ever: this loop reads shared memory");
}

/* What a warp had as a group before is no longer one. */
static void test_old_group(void)
{
	enum { BYTES = sizeof(struct cta) + sizeof(struct warp) };
	CLEANUP(free_pointer) struct cta *cta = aligned_alloc(64, (BYTES + 63) & ~63);
	CLEANUP(free_pointer) struct cta_check *check = calloc(1, sizeof(*check));
	const struct op ops[2] = { { .fn = (op_fn *)(uintptr_t)16 } };

	REQUIRE(cta && check);
	memset(cta, 0, BYTES);
	cta->check = check;
	cta->warp_count = 1;
	cta->live = 1;
	cta->warps[0].cta = cta;
	cta->warps[0].live = 1;
	cta->warps[0].groups[0] = (struct group){ .pc = ops, .mask = 1, .state = GROUP_SYNC };
	check->barrier = ops[0].fn;
	sync_resolve_deadlock(cta);
	CHECK(!cta->live && !cta->warps[0].live && !check->split_barrier[0]);
	CHECK_INT(findings_left(), 0);
}

int main(void)
{
	struct err e;

	if (config_init(&e) || config_parse("check=sync", &e)) {
		printf("not ok - %s\n", e.text);
		return 1;
	}
	RUN(test_divergent_barrier);
	RUN(test_lanes);
	RUN(test_nonmember);
	RUN(test_unmet);
	RUN(test_spin);
	RUN(test_old_group);
	return tap_end();
}
