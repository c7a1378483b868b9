/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* liveness_find(): where registers of small kernels are needed. */
#include "analysed.h"

/* "BLOCK(REGISTER...)" of every block: what is live where it begins. */
static const char *entering(struct analysed *k, const char *text)
{
	char word[40], name[16];

	if (!analysed_from(k, text))
		return "";
	for (uint32_t b = 0; b < k->flow.block_count; b++) {
		analysed_name(k, b, name);
		snprintf(word, sizeof(word), "%s(", name);
		analysed_say(k, word);
		for (uint32_t r = 0; r < k->body->register_count; r++) {
			struct ptx_name of = analysed_register(k, r);

			snprintf(word, sizeof(word), "%.*s", (int)of.length, of.text);
			if (liveness_enters(&k->liveness, b, r))
				analysed_say(k, word);
		}
		analysed_say(k, ")");
	}
	return k->said;
}

/* "REGISTER:FIRST-LAST" of every register that is used: instructions, from 0. */
static const char *intervals(struct analysed *k, const char *text)
{
	char word[48];

	if (!analysed_from(k, text))
		return "";
	for (uint32_t r = 0; r < k->body->register_count; r++) {
		struct interval at = k->liveness.intervals[r];
		struct ptx_name of = analysed_register(k, r);

		snprintf(word, sizeof(word), "%.*s:%u-%u", (int)of.length, of.text, at.start,
			 at.end);
		if (at.start <= at.end)
			analysed_say(k, word);
	}
	return k->said;
}

static void test_one_block(void)
{
	const char *text = "mov.u32 %a, 1;\nmov.u32 %b, 2;\nadd.u32 %c, %a, 1;\n"
			   "add.u32 %a, %b, %c;\nret;\n";

	CHECK_SAYS(entering, text, "start( )");
	CHECK_SAYS(intervals, text, "%a:0-3 %b:1-3 %c:2-3");
}

/* What is read before it is written is needed from the beginning. */
static void test_never_written(void)
{
	const char *text = "mov.u32 %a, 1;\nadd.u32 %b, %a, %c;\nret;\n";

	CHECK_SAYS(entering, text, "start( %c )");
	CHECK_SAYS(intervals, text, "%a:0-1 %b:1-1 %c:0-1");
}

static void test_diamond(void)
{
	const char *text = "mov.u32 %a, 1;\nmov.u32 %b, 2;\n@%p bra B;\n" /* 0-2 */
			   "A: add.u32 %c, %a, 1;\nbra C;\n"              /* 3-4 */
			   "B: mov.u32 %c, %b;\n"                         /* 5 */
			   "C: add.u32 %x, %c, 1;\nret;\n";               /* 6-7 */

	CHECK_SAYS(entering, text, "start( %p ) A( %a ) B( %b ) C( %c )");
	CHECK_SAYS(intervals, text, "%a:0-3 %b:1-5 %c:3-6 %x:6-6 %p:0-2");
}

/* What a loop reads of the round before is needed in all of it. */
static void test_loop(void)
{
	const char *text = "mov.u32 %i, 0;\nmov.u32 %n, 9;\n"                  /* 0-1 */
			   "LOOP: add.u32 %a, %i, 1;\nadd.u32 %i, %a, 1;\n"    /* 2-3 */
			   "setp.lt.u32 %p, %i, %n;\n@%p bra LOOP;\n"          /* 4-5 */
			   "OUT: add.u32 %b, %a, 1;\nret;\n";                  /* 6-7 */

	CHECK_SAYS(entering, text, "start( ) LOOP( %i %n ) OUT( %a )");
	CHECK_SAYS(intervals, text, "%a:2-6 %b:6-6 %i:0-5 %n:1-5 %p:4-5");
}

/* What is needed behind a short loop has an interval that begins with the loop, whose other
 * registers may have ended before it is written. */
static void test_left_loop(void)
{
	const char *text = "LOOP: mov.u32 %x, 5;\nadd.u32 %y, %x, 1;\n"           /* 0-1 */
			   "setp.lt.u32 %q, %y, 7;\n@%q bra OUT;\n"              /* 2-3 */
			   "mov.u32 %a, %y;\nmov.u32 %b, %a;\n"                  /* 4-5 */
			   "setp.lt.u32 %p, %b, %n;\n@%p bra LOOP;\n"            /* 6-7 */
			   "OUT: add.u32 %c, %a, 1;\nret;\n";                    /* 8-9 */

	CHECK_SAYS(intervals, text, "%a:0-8 %b:5-6 %c:8-8 %n:0-7 %x:0-1 %y:1-4 %p:6-7 %q:2-3");
	CHECK_SAYS(intervals, "mov.u32 %i, 0;\n"
			      "LOOP: mov.u32 %x, 5;\nadd.u32 %i, %i, %x;\nmov.u32 %a, %i;\n"
			      "setp.lt.u32 %p, %a, 7;\n@%p bra LOOP;\n"
			      "OUT: add.u32 %b, %a, 1;\nret;\n",
		   "%a:1-6 %b:6-6 %i:0-5 %x:1-2 %p:4-5");
}

/* Through the inner loop goes what the outer one needs. */
static void test_nested_loops(void)
{
	CHECK_SAYS(entering, "mov.u32 %i, 0;\n"
			     "OUTER: mov.u32 %j, 0;\n"
			     "INNER: add.u32 %j, %j, 1;\nsetp.lt.u32 %p, %j, 3;\n@%p bra INNER;\n"
			     "NEXT: add.u32 %i, %i, %j;\nsetp.lt.u32 %p, %i, 9;\n@%p bra OUTER;\n"
			     "OUT: ret;\n",
		   "start( ) OUTER( %i ) INNER( %i %j ) NEXT( %i %j ) OUT( )");
}

/* What a guard may leave alone is needed in front of it. */
static void test_guard(void)
{
	CHECK_SAYS(entering, "mov.u32 %a, 1;\nmov.u32 %b, 1;\nbra A;\n"
			     "A: @%p mov.u32 %a, 2;\nmov.u32 %b, 2;\n"
			     "add.u32 %c, %a, %b;\nret;\n",
		   "start( %p ) A( %a %p )");
}

static void test_unreachable(void)
{
	CHECK_SAYS(entering, "mov.u32 %a, 1;\nbra B;\n"
			     "A: add.u32 %b, %c, 1;\n"
			     "B: add.u32 %x, %a, %b;\nret;\n",
		   "start( %b ) A( %a %c ) B( %a %b )");
}

static void test_irreducible(void)
{
	CHECK_SAYS(entering, "mov.u32 %a, 1;\nmov.u32 %b, 1;\n@%p bra B;\n"
			     "A: add.u32 %c, %b, 1;\n@%q bra OUT;\n"
			     "B: add.u32 %b, %a, 1;\nbra A;\n"
			     "OUT: add.u32 %x, %c, 1;\nret;\n",
		   "start( %p %q ) A( %a %b %q ) B( %a %q ) OUT( %c )");
}

/* Which operands are written: all of a vector, both of p|q, none of st and red. */
static void test_results(void)
{
	CHECK_SAYS(entering, "bra A;\n"
			     "A: ld.global.v2.u32 {%a, %b}, [%to];\n"
			     "setp.lt.u32 %p|%q, %a, %c;\n"
			     "st.global.v2.u32 [%from], {%x, %y};\n"
			     "red.global.add.u32 [%from], %i;\n"
			     "atom.global.add.u32 %j, [%from], %n;\nret;\n",
		   "start( %c %i %n %x %y %to %from ) A( %c %i %n %x %y %to %from )");
}

/* A product adds to its first operand; wgmma alone reads it. */
static void test_products(void)
{
	CHECK_SAYS(entering, "bra A;\n"
			     "A: wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8 {%a, %b, %c, %i}, "
			     "%to, %from, 1;\n"
			     "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%x, %y}, {%t}, {%u}, "
			     "{%n, %n};\nret;\n",
		   "start( %a %b %c %i %t %u %n %to %from ) A( %a %b %c %i %t %u %n %to %from )");
}

int main(void)
{
	RUN(test_one_block);
	RUN(test_never_written);
	RUN(test_diamond);
	RUN(test_loop);
	RUN(test_left_loop);
	RUN(test_nested_loops);
	RUN(test_guard);
	RUN(test_unreachable);
	RUN(test_irreducible);
	RUN(test_results);
	RUN(test_products);
	return tap_end();
}
