/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* flow_postdominators(): where all ways from a block meet, of small kernels. */
#include "analysed.h"

/* "BLOCK>POSTDOMINATOR" of every block of a kernel of @text. */
static const char *postdominators(struct analysed *k, const char *text)
{
	CLEANUP(free_pointer) uint32_t *out = NULL;
	char from[16], to[16], pair[40];

	if (!analysed_from(k, text) || !CHECK_INT(flow_postdominators(&k->flow, &out, NULL), 0))
		return "";
	for (uint32_t b = 0; b < k->flow.block_count; b++) {
		analysed_name(k, b, from);
		analysed_name(k, out[b], to);
		snprintf(pair, sizeof(pair), "%s>%s", from, to);
		analysed_say(k, pair);
	}
	return k->said;
}

static void test_straight(void)
{
	CHECK_SAYS(postdominators, "mov.u32 %a, 1;\nA: mov.u32 %b, 2;\nB: ret;\n",
		   "start>A A>B B>end");
}

static void test_nothing(void)
{
	CHECK_SAYS(postdominators, "", "");
}

static void test_diamond(void)
{
	CHECK_SAYS(postdominators, "@%p bra B;\n"
				   "A: mov.u32 %a, 1;\nbra C;\n"
				   "B: mov.u32 %a, 2;\n"
				   "C: ret;\n",
		   "start>C A>C B>C C>end");
}

/* One side leaves: the ways meet behind the kernel only. */
static void test_early_exit(void)
{
	CHECK_SAYS(postdominators, "@%p bra B;\n"
				   "A: exit;\n"
				   "B: mov.u32 %a, 2;\n"
				   "C: ret;\n",
		   "start>end A>end B>C C>end");
}

/* Those that a guarded ret takes away are not met again: the others go on alone. */
static void test_guarded_ret(void)
{
	CHECK_SAYS(postdominators, "@%p ret;\nA: mov.u32 %a, 1;\nret;\n", "start>A A>end");
}

static void test_loop(void)
{
	CHECK_SAYS(postdominators, "mov.u32 %i, 0;\n"
				   "LOOP: add.u32 %i, %i, 1;\n@%p bra LOOP;\n"
				   "OUT: ret;\n",
		   "start>LOOP LOOP>OUT OUT>end");
}

/* A loop that is left in its middle, and at its end. */
static void test_loop_with_break(void)
{
	CHECK_SAYS(postdominators, "LOOP: @%p bra OUT;\n"
				   "REST: add.u32 %i, %i, 1;\n@%q bra LOOP;\n"
				   "TAIL: mov.u32 %a, 1;\n"
				   "OUT: ret;\n",
		   "LOOP>OUT REST>OUT TAIL>OUT OUT>end");
}

static void test_nested_loops(void)
{
	CHECK_SAYS(postdominators, "mov.u32 %i, 0;\n"
				   "OUTER: mov.u32 %j, 0;\n"
				   "INNER: @%p bra ODD;\n"
				   "EVEN: mov.u32 %a, 1;\nbra NEXT;\n"
				   "ODD: mov.u32 %a, 2;\n"
				   "NEXT: @%q bra INNER;\n"
				   "AGAIN: @%p bra OUTER;\n"
				   "OUT: ret;\n",
		   "start>OUTER OUTER>INNER INNER>NEXT EVEN>NEXT ODD>NEXT NEXT>AGAIN AGAIN>OUT "
		   "OUT>end");
}

/* Nothing leads to what stands behind bra; it leads to others. */
static void test_unreachable(void)
{
	CHECK_SAYS(postdominators, "bra B;\n"
				   "A: mov.u32 %a, 1;\n"
				   "B: mov.u32 %a, 2;\nbra D;\n"
				   "C: bra B;\n"
				   "D: ret;\n",
		   "start>B A>B B>D C>B D>end");
}

/* No way leads out of LOOP: what goes there reconverges with no lanes. */
static void test_endless(void)
{
	CHECK_SAYS(postdominators, "@%p bra LOOP;\n"
				   "A: ret;\n"
				   "LOOP: mov.u32 %a, 1;\nbra LOOP;\n",
		   "start>A A>end LOOP>none");
}

/* A loop with two entries. */
static void test_irreducible(void)
{
	CHECK_SAYS(postdominators, "@%p bra B;\n"
				   "A: add.u32 %a, %a, 1;\n@%q bra OUT;\n"
				   "B: add.u32 %b, %b, 1;\nbra A;\n"
				   "OUT: ret;\n",
		   "start>A A>OUT B>A OUT>end");
}

/* Two entries and two ways out. */
static void test_irreducible_exits(void)
{
	CHECK_SAYS(postdominators, "@%p bra B;\n"
				   "A: add.u32 %a, %a, 1;\n@%q bra LEFT;\n"
				   "B: add.u32 %b, %b, 1;\n@%p bra A;\n"
				   "RIGHT: mov.u32 %c, 1;\nbra OUT;\n"
				   "LEFT: mov.u32 %c, 2;\n"
				   "OUT: ret;\n",
		   "start>OUT A>OUT B>OUT RIGHT>OUT LEFT>OUT OUT>end");
}

static void test_table(void)
{
	CHECK_SAYS(postdominators, "ways: .branchtargets A, B, C;\n"
				   "brx.idx %a, ways;\n"
				   "A: mov.u32 %b, 1;\nbra D;\n"
				   "B: mov.u32 %b, 2;\n"
				   "C: mov.u32 %c, 1;\n"
				   "D: ret;\n",
		   "start>D A>D B>C C>D D>end");
}

enum { MOST = 12 };

/* Whether the end can be reached from @from without @without; marks what is reached in @seen. */
static bool reaches(const struct flow *flow, uint32_t from, uint32_t without, bool *seen)
{
	const struct basic_block *block = &flow->blocks[from];

	if (from == without)
		return false;
	if (from == flow->block_count || !block->count)
		return from == flow->block_count || without != flow->block_count;
	if (seen[from])
		return false;
	seen[from] = true;
	for (uint32_t s = 0; s < block->count; s++)
		if (reaches(flow, flow->successors[block->successor + s], without, seen))
			return true;
	return false;
}

static bool postdominates(const struct flow *flow, uint32_t d, uint32_t b)
{
	bool seen[MOST + 1] = { false };

	return d != b && !reaches(flow, b, d, seen);
}

/* By definition: of those that postdominate @b the one that all others postdominate, too. */
static uint32_t expected(const struct flow *flow, uint32_t b)
{
	bool seen[MOST + 1] = { false };

	if (!reaches(flow, b, UINT32_MAX, seen))
		return UINT32_MAX;
	for (uint32_t d = 0; d <= flow->block_count; d++) {
		bool nearest = postdominates(flow, d, b);

		for (uint32_t o = 0; nearest && o <= flow->block_count; o++)
			nearest = o == d || !postdominates(flow, o, b) ||
				  postdominates(flow, o, d);
		if (nearest)
			return d;
	}
	return UINT32_MAX;
}

static uint32_t random_below(uint32_t limit)
{
	static uint64_t state = 1;

	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((state >> 33) % limit);
}

/* Any graphs: also those that no compiler makes, with loops that have two entries. */
static void test_random(void)
{
	for (int round = 0; round < 20000; round++) {
		CLEANUP(free_pointer) uint32_t *out = NULL;
		struct basic_block blocks[MOST];
		uint32_t successors[3 * MOST], wrong = 0;
		struct flow flow = { .blocks = blocks, .successors = successors };

		flow.block_count = 1 + random_below(MOST);
		for (uint32_t b = 0; b < flow.block_count; b++) {
			blocks[b] = (struct basic_block){ b, b + 1, (uint32_t)flow.successor_count,
							  random_below(4) };
			for (uint32_t s = 0; s < blocks[b].count; s++)
				successors[flow.successor_count++] =
					random_below((uint32_t)flow.block_count + 1);
		}
		REQUIRE(!flow_postdominators(&flow, &out, NULL));
		for (uint32_t b = 0; b < flow.block_count; b++)
			wrong += out[b] != expected(&flow, b);
		if (!CHECK_INT(wrong, 0))
			return;
	}
}

int main(void)
{
	RUN(test_straight);
	RUN(test_nothing);
	RUN(test_diamond);
	RUN(test_early_exit);
	RUN(test_guarded_ret);
	RUN(test_loop);
	RUN(test_loop_with_break);
	RUN(test_nested_loops);
	RUN(test_unreachable);
	RUN(test_endless);
	RUN(test_irreducible);
	RUN(test_irreducible_exits);
	RUN(test_table);
	RUN(test_random);
	return tap_end();
}
