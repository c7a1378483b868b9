/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* simplify.h: bodies as they are afterwards, an instruction per line. */
#include "simplify.h"

#include "tap.h"

#define HEAD                                                                               \
	".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n"          \
	".reg .pred %p<8>; .reg .b32 %r<8>;\n"

/* "[!pN ]OPCODE[ whole]\n" for each instruction. */
static void print_body(const struct body *body, char *text, size_t size)
{
	size_t at = 0;

	text[0] = 0;
	for (size_t i = 0; i < body->insn_count && at < size; i++) {
		const struct insn *insn = &body->insns[i];
		char guard[16] = "";

		if (insn->guard != NO_GUARD)
			snprintf(guard, sizeof(guard), "%sp%u ", insn->guard_negated ? "!" : "",
				 insn->guard);
		at += (size_t)snprintf(text + at, size - at, "%s%.*s%s\n", guard,
				       (int)insn->opcode.length, insn->opcode.text,
				       insn->whole ? " whole" : "");
	}
}

static void check(const char *body_text, const char *expected)
{
	static char text[4096], found[4096];
	CLEANUP(free_ptx) struct ptx *ptx = NULL;
	CLEANUP(free_body) struct body *body = NULL;
	struct names none = { 0 };
	struct err e = { 0 };
	size_t length = (size_t)snprintf(text, sizeof(text), "%s%s}\n", HEAD,
					 body_text);

	if (ptx_open((struct bytes){ (const uint8_t *)text, length }, &ptx, &e) ||
	    body_decode(ptx, &none, &ptx->functions[0], &body, &e) ||
	    simplify(body, &e)) {
		CHECK_STR(e.text, "");
		return;
	}
	print_body(body, found, sizeof(found));
	CHECK_STR(found, expected);
}

#define TEST "setp.eq.u32 %p1, %r1, %r2;\n"

static void test_predicates(void)
{
	check(TEST "mov.pred %p2, 0; xor.pred %p3, %p1, %p2; not.pred %p4, %p3;\n"
	      "@%p4 ret; ret;\n",
	      "setp.eq.u32\n!p1 ret\nret\n");
	check(TEST "or.pred %p3, %p1, 0; and.pred %p4, 1, %p3; @%p4 ret; ret;\n",
	      "setp.eq.u32\np1 ret\nret\n");
	/* the source changes; the block ends; both are needed */
	check(TEST "not.pred %p2, %p1; setp.ne.u32 %p1, %r1, 3; @%p2 ret; @%p1 ret; ret;\n",
	      "setp.eq.u32\nnot.pred\nsetp.ne.u32\np2 ret\np1 ret\nret\n");
	check(TEST "not.pred %p2, %p1;\nL: @%p2 ret; bra L;\n",
	      "setp.eq.u32\nnot.pred\np2 ret\nbra\n");
	check(TEST "and.pred %p2, %p1, %p0; @%p2 ret; ret;\n",
	      "setp.eq.u32\nand.pred\np2 ret\nret\n");
	check(TEST "not.pred %p1, %p1; @%p1 ret; ret;\n",
	      "setp.eq.u32\nnot.pred\np1 ret\nret\n");
}

static void test_sides(void)
{
	check(TEST "@%p1 bra L; add.u32 %r3, %r1, 1; st.local.u32 [%r4], %r3;\nL: ret;\n",
	      "setp.eq.u32\n!p1 add.u32 whole\n!p1 st.local.u32 whole\nret\n");
	check(TEST "@!%p1 bra E; add.u32 %r3, %r1, 1; bra.uni D;\n"
		   "E: sub.u32 %r3, %r1, 1;\nD: mov.u32 %r4, %r3; ret;\n",
	      "setp.eq.u32\np1 add.u32\n!p1 sub.u32\nmov.u32\nret\n");
	/* the spelling of nvcc: a branch around a branch */
	check(TEST "@%p1 bra A; bra.uni B;\nA: mov.u32 %r3, 1; bra.uni D;\n"
		   "B: mov.u32 %r3, 2;\nD: mov.u32 %r4, %r3; ret;\n",
	      "setp.eq.u32\np1 mov.u32\n!p1 mov.u32\nmov.u32\nret\n");
}

/* Each of these keeps its branch. */
static void test_no_sides(void)
{
	/* others wait in it; it ends; it writes the predicate; it is predicated */
	check(TEST "@%p1 bra L; bar.sync 0;\nL: ret;\n", "setp.eq.u32\np1 bra\nbar.sync\nret\n");
	check(TEST "@%p1 bra L; exit;\nL: ret;\n", "setp.eq.u32\np1 bra\nexit\nret\n");
	check(TEST "@%p1 bra L; setp.ne.u32 %p1, %r1, 1;\nL: @%p1 exit; ret;\n",
	      "setp.eq.u32\np1 bra\nsetp.ne.u32\np1 exit\nret\n");
	check(TEST "@%p1 bra L; @%p0 mov.u32 %r1, 1;\nL: ret;\n",
	      "setp.eq.u32\np1 bra\np0 mov.u32\nret\n");
	/* another branch leads into it */
	check(TEST "@%p1 bra L;\nM: mov.u32 %r1, 1;\nL: @%p0 bra M; ret;\n",
	      "setp.eq.u32\np1 bra\nmov.u32\np0 bra\nret\n");
	/* the predicate is an old one */
	check(TEST "N: @%p1 bra L; mov.u32 %r1, 1;\nL: bra N;\n",
	      "setp.eq.u32\np1 bra\nmov.u32\nbra\n");
	/* back */
	check("L: " TEST "@%p1 bra L; ret;\n", "setp.eq.u32\np1 bra\nret\n");
}

/* What is needed behind the side, or was there before it, is not whole. */
static void test_whole(void)
{
	check(TEST "@%p1 bra L; add.u32 %r3, %r1, 1; add.u32 %r4, %r3, 1;\n"
		   "L: mov.u32 %r5, %r4; ret;\n",
	      "setp.eq.u32\n!p1 add.u32 whole\n!p1 add.u32\nmov.u32\nret\n");
	check(TEST "@%p1 bra L; add.u32 %r3, %r3, 1; mov.u32 %r4, %r3;\nL: ret;\n",
	      "setp.eq.u32\n!p1 add.u32\n!p1 mov.u32 whole\nret\n");
	/* the predicate changes between the two */
	check(TEST "@%p1 mov.u32 %r3, 1; @%p1 setp.eq.u32 %p1, %r1, 1; @%p1 mov.u32 %r4, %r3;\n"
		   "ret;\n",
	      "setp.eq.u32\np1 mov.u32\np1 setp.eq.u32\np1 mov.u32 whole\nret\n");
}

int main(void)
{
	RUN(test_predicates);
	RUN(test_sides);
	RUN(test_no_sides);
	RUN(test_whole);
	return tap_end();
}
