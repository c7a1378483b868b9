/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Blocks that a compiler has put behind the place where lanes reconverge precede it afterwards. */
#include "block_order.h"

#include "analysed.h"

/* The labels of the blocks in their order, after order_blocks(). */
static const char *order(struct analysed *k, const char *text)
{
	struct err e;

	if (!analysed_from(k, text))
		return "";
	flow_release(&k->flow);
	k->flow = (struct flow){ 0 };
	if (!CHECK_INT(order_blocks(k->body, &e), 0) ||
	    !CHECK_INT(flow_find(k->body, &k->flow, &e), 0))
		return "";
	for (uint32_t b = 0; b < k->flow.block_count; b++) {
		char name[16];

		analysed_name(k, b, name);
		analysed_say(k, name);
	}
	return k->said;
}

/* What is in an order already keeps it. */
static void test_kept(void)
{
	CHECK_SAYS(order, "@%p bra B; mov.u32 %a, 1; B: mov.u32 %b, 2; ret;", "start ? B");
	CHECK_SAYS(order, "L: add.u32 %i, %i, 1; setp.lt.u32 %p, %i, %n; @%p bra L; E: ret;",
		   "L E");
	CHECK_SAYS(order, "@%p bra B; A: mov.u32 %a, 1; bra C; B: mov.u32 %a, 2; C: ret;",
		   "start A B C");
}

static void test_moved(void)
{
	CHECK_SAYS(order, "@%p bra B; A: mov.u32 %a, 1; C: mov.u32 %b, 2; ret;\n"
		   "B: mov.u32 %a, 3; bra C;", "start A B C");
	CHECK_SAYS(order, "@%p bra B; A: @%q bra D; mov.u32 %a, 1; C: ret;\n"
		   "B: mov.u32 %a, 3; bra C; D: mov.u32 %a, 4; bra C;", "start A ? D B C");
}

int main(void)
{
	RUN(test_kept);
	RUN(test_moved);
	return tap_end();
}
