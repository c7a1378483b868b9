/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What lowering may not do in silence. */
#include "lower.h"
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

int main(void)
{
	RUN(test_scratch);
	RUN(test_overdrawn);
	return tap_end();
}
