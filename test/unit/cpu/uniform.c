/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* uniform_find(): which registers of small kernels are slots, and of which kind. */
#include "analysed.h"
#include "lower.h"
#include "uniform.h"

/* "REGISTER:HOME" of every register but predicates that a kernel of @text writes. */
static const char *homes_of(struct analysed *k, bool aligned, const char *text)
{
	static const char *const names[] = {
		[HOME_ROW] = "row", [HOME_TEMPORARY] = "temporary",
		[HOME_VARIANT] = "variant", [HOME_INVARIANT] = "invariant",
	};
	CLEANUP(free_pointer) uint8_t *homes = NULL;
	char pair[40];

	if (!analysed_from(k, text) ||
	    !CHECK_INT(uniform_find(k->body, &k->flow, &k->liveness, aligned, &homes,
				    NULL), 0))
		return "";
	for (uint32_t r = 0; r < k->body->register_count; r++) {
		struct ptx_name name = analysed_register(k, r);
		const struct interval *interval = &k->liveness.intervals[r];

		if (k->body->register_types[r] == TYPE_PRED || interval->start > interval->end)
			continue;
		snprintf(pair, sizeof(pair), "%.*s:%s", (int)name.length, name.text,
			 names[homes[r]]);
		analysed_say(k, pair);
	}
	return k->said;
}

static const char *aligned(struct analysed *k, const char *text)
{
	return homes_of(k, true, text);
}

static const char *unaligned(struct analysed *k, const char *text)
{
	return homes_of(k, false, text);
}

#define TID "mov.u32 %t, %tid.x;\n"
#define N "ld.param.u32 %n, [n];\n"
/* %p differs between lanes, %q does not. */
#define DIVERGE TID "setp.lt.u32 %p, %t, 3;\n"
#define AGREE N "setp.lt.u32 %q, %n, 3;\n"

static void test_sources(void)
{
	CHECK_SAYS(aligned, TID N "mov.u32 %a, %ctaid.x;\n"
			    "add.u32 %b, %n, %a;\n"
			    "add.u32 %c, %b, %t;\n"
			    "mov.u32 %x, %laneid;\nmov.u32 %y, 7;\nret;\n",
		   "%a:invariant %b:invariant %c:row %t:row %n:invariant %x:row %y:invariant");
}

/* %tid.y is the same in a warp when rows of the block are whole warps. */
static void test_aligned(void)
{
	CHECK_SAYS(aligned, "mov.u32 %a, %tid.y;\nmov.u32 %b, %tid.z;\nret;\n",
		   "%a:invariant %b:invariant");
	CHECK_SAYS(unaligned, "mov.u32 %a, %tid.y;\nmov.u32 %b, %tid.z;\nret;\n",
		   "%a:row %b:row");
}

/* What memory holds may change: a slot, but not one for good. */
static void test_loads(void)
{
	CHECK_SAYS(aligned, "ld.param.u64 %to, [to];\n"
			    "ld.global.u32 %a, [%to];\nst.global.u32 [%to], %a;\n"
			    "ld.global.u32 %b, [%to+4];\nbar.sync 0;\n"
			    "st.global.u32 [%to], %b;\n"
			    "ld.param.u64 %from, [to];\nld.local.u32 %c, [%from];\n"
			    "ld.volatile.global.u32 %x, [%to];\nret;\n",
		   "%a:temporary %b:variant %c:row %x:temporary %to:invariant %from:row");
}

/* Instructions that are not known have rows, and want them. */
static void test_others(void)
{
	CHECK_SAYS(aligned, N "mov.u32 %a, 1;\n"
			    "shfl.sync.idx.b32 %b, %n, %a, 31, 0xffffffff;\n"
			    "add.cc.u32 %c, 1, 2;\n"
			    "mov.b64 %to, {%c, %x};\nret;\n",
		   "%a:row %b:row %c:row %n:row %x:row %to:row");
}

/* Nothing but what both sides write for what comes behind them is in danger. */
static void test_divergent_diamond(void)
{
	CHECK_SAYS(aligned, DIVERGE "mov.u32 %c, 5;\n@%p bra B;\n"
			    "A: mov.u32 %a, 1;\nadd.u32 %x, %c, 1;\nadd.u32 %i, %x, 1;\n"
			    "bra C;\n"
			    "B: mov.u32 %a, 2;\n"
			    "C: add.u32 %b, %a, %c;\nret;\n",
		   "%a:row %b:row %c:invariant %i:invariant %t:row %x:invariant");
}

static void test_uniform_diamond(void)
{
	CHECK_SAYS(aligned, AGREE "@%q bra B;\n"
			    "A: mov.u32 %a, 1;\nbra C;\n"
			    "B: mov.u32 %a, 2;\n"
			    "C: add.u32 %b, %a, 1;\nret;\n",
		   "%a:variant %b:temporary %n:invariant");
}

/* One side leaves the kernel: there is no reconvergence. */
static void test_side_exits(void)
{
	CHECK_SAYS(aligned, DIVERGE "mov.u32 %a, 1;\n@%p bra B;\n"
			    "A: add.u32 %a, %a, 1;\nst.global.u32 [%to], %a;\nexit;\n"
			    "B: add.u32 %b, %a, 2;\nret;\n",
		   "%a:variant %b:temporary %t:row %to:row");
}

static void test_uniform_loop(void)
{
	CHECK_SAYS(aligned, N "mov.u32 %i, 0;\n"
			    "LOOP: add.u32 %a, %i, 1;\nadd.u32 %i, %i, 1;\n"
			    "setp.lt.u32 %q, %i, %n;\n@%q bra LOOP;\n"
			    "OUT: add.u32 %b, %i, %a;\nret;\n",
		   "%a:variant %b:temporary %i:variant %n:invariant");
}

/* Lanes leave a loop at different times: what it counts differs behind it, not in it. */
static void test_divergent_exit(void)
{
	CHECK_SAYS(aligned, TID "mov.u32 %i, 0;\nmov.u32 %j, 0;\n"
			    "LOOP: add.u32 %i, %i, 1;\nadd.u32 %j, %j, 2;\n"
			    "setp.lt.u32 %p, %j, %t;\n@%p bra LOOP;\n"
			    "OUT: add.u32 %a, %i, 1;\nret;\n",
		   "%a:row %i:row %j:variant %t:row");
	CHECK_SAYS(aligned, TID "mov.u32 %i, 0;\n"
			    "LOOP: setp.ge.u32 %p, %i, %t;\n@%p bra OUT;\n"
			    "REST: add.u32 %i, %i, 1;\nsetp.lt.u32 %q, %i, 9;\n@%q bra LOOP;\n"
			    "OUT: add.u32 %a, %i, 1;\nret;\n",
		   "%a:row %i:row %t:row");
}

/* Lanes leave the inner loop apart and meet behind it: the outer one counts together. */
static void test_nested_loops(void)
{
	CHECK_SAYS(aligned, TID N "mov.u32 %i, 0;\n"
			    "OUTER: mov.u32 %j, 0;\nmov.u32 %x, 0;\n"
			    "INNER: add.u32 %j, %j, 1;\nadd.u32 %x, %x, 3;\n"
			    "setp.lt.u32 %p, %j, %t;\n@%p bra INNER;\n"
			    "NEXT: add.u32 %y, %x, 1;\nadd.u32 %i, %i, 1;\n"
			    "setp.lt.u32 %q, %i, %n;\n@%q bra OUTER;\n"
			    "OUT: add.u32 %a, %i, 1;\nret;\n",
		   "%a:temporary %i:variant %j:variant %t:row %n:invariant %x:row %y:row");
}

/* What an outer loop counts differs in the next round when lanes go on without each other. */
static void test_divergent_continue(void)
{
	CHECK_SAYS(aligned, TID "mov.u32 %i, 0;\nmov.u32 %x, 0;\n"
			    "LOOP: add.u32 %i, %i, 1;\nsetp.eq.u32 %p, %i, %t;\n"
			    "@%p bra NEXT;\n"
			    "MORE: add.u32 %x, %x, 1;\n"
			    "NEXT: setp.lt.u32 %q, %i, 9;\n@%q bra LOOP;\n"
			    "OUT: add.u32 %a, %i, %x;\nret;\n",
		   "%a:row %i:variant %t:row %x:row");
}

/* No lane reaches A; it may not prevent others from meeting. */
static void test_unreachable(void)
{
	CHECK_SAYS(aligned, N "bra B;\n"
			    "A: mov.u32 %a, %tid.x;\nadd.u32 %c, %n, 1;\n"
			    "B: add.u32 %b, %n, 1;\nret;\n",
		   "%a:row %b:invariant %c:invariant %n:invariant");
}

/* The ways part and never meet: no register has to be the same. */
static void test_endless(void)
{
	CHECK_SAYS(aligned, DIVERGE "mov.u32 %i, 0;\n@%p bra LOOP;\n"
			    "A: ret;\n"
			    "LOOP: add.u32 %i, %i, 1;\nbra LOOP;\n",
		   "%i:variant %t:row");
}

/* A loop with two entries: lanes meet in A, and some of them were in B. */
static void test_irreducible(void)
{
	CHECK_SAYS(aligned, DIVERGE "mov.u32 %a, 0;\nmov.u32 %b, 0;\nmov.u32 %c, 0;\n"
			    "@%p bra B;\n"
			    "A: add.u32 %a, %a, 1;\nsetp.gt.u32 %q, %a, 4;\n@%q bra OUT;\n"
			    "B: add.u32 %b, %b, 1;\nadd.u32 %c, %c, 1;\nbra A;\n"
			    "OUT: add.u32 %x, %b, 1;\nret;\n",
		   "%a:variant %b:row %c:row %t:row %x:row");
}

/* A guard that differs between lanes writes some of them. */
static void test_guards(void)
{
	CHECK_SAYS(aligned, DIVERGE AGREE "mov.u32 %a, 1;\n@%p mov.u32 %a, 2;\n"
			    "mov.u32 %b, 1;\n@%q mov.u32 %b, 2;\n"
			    "selp.b32 %c, 1, 2, %p;\nselp.b32 %x, 1, 2, %q;\n"
			    "add.u32 %y, %a, %b;\nret;\n",
		   "%a:row %b:temporary %c:row %t:row %n:invariant %x:temporary %y:row");
}

/* A predicate has no slot: what other groups did since it was computed is not known. */
static void test_stale_predicate(void)
{
	CHECK_SAYS(aligned, AGREE "selp.b32 %a, 1, 2, %q;\nbar.sync 0;\n"
			    "selp.b32 %b, 1, 2, %q;\nsetp.lt.u32 %q, %n, 4;\n"
			    "selp.b32 %c, 1, 2, %q;\nbra A;\n"
			    "A: selp.b32 %x, 1, 2, %q;\nret;\n",
		   "%a:temporary %b:row %c:temporary %n:invariant %x:row");
}

/* Lanes take several ways at a table, whatever its index is. */
static void test_table(void)
{
	CHECK_SAYS(aligned, N "ways: .branchtargets A, B;\nmov.u32 %c, 1;\n"
			    "brx.idx %n, ways;\n"
			    "A: mov.u32 %a, 1;\nbra C;\n"
			    "B: mov.u32 %a, 2;\n"
			    "C: add.u32 %b, %a, %c;\nret;\n",
		   "%a:row %b:row %c:invariant %n:row");
}

int main(void)
{
	RUN(test_sources);
	RUN(test_aligned);
	RUN(test_loads);
	RUN(test_others);
	RUN(test_divergent_diamond);
	RUN(test_uniform_diamond);
	RUN(test_side_exits);
	RUN(test_uniform_loop);
	RUN(test_divergent_exit);
	RUN(test_nested_loops);
	RUN(test_divergent_continue);
	RUN(test_unreachable);
	RUN(test_endless);
	RUN(test_irreducible);
	RUN(test_guards);
	RUN(test_stale_predicate);
	RUN(test_table);
	return tap_end();
}
