/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Hints about caches, which this device does not have: policies are numbers that
 * nothing reads, and instructions for cache lines do nothing. Their forms are
 * checked nevertheless.
 */
#include "lower.h"

#define PRIMARY   "L2::evict_last/L2::evict_normal/L2::evict_first/L2::evict_unchanged"
#define SECONDARY "L2::evict_first/L2::evict_unchanged"

static const struct form {
	const char *pattern;
	uint8_t least, most; /* operands */
} policies[] = {
	{ "createpolicy.fractional." PRIMARY ".b64", 1, 2 },
	{ "createpolicy.fractional." PRIMARY "." SECONDARY ".b64", 1, 2 },
	{ "createpolicy.range.global?." PRIMARY ".b64", 4, 4 },
	{ "createpolicy.range.global?." PRIMARY "." SECONDARY ".b64", 4, 4 },
	{ "createpolicy.cvt.L2.b64", 2, 2 },
}, lines[] = {
	{ "discard.global?.L2", 2, 2 },
	{ "applypriority.global?.L2::evict_normal", 2, 2 },
};

static int check(struct lowering *l, const struct form *forms, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!opcode_matches(&l->opcode, forms[i].pattern))
			continue;
		if (l->insn->count < forms[i].least)
			return expect_operands(l, forms[i].least);
		if (l->insn->count > forms[i].most)
			return expect_operands(l, forms[i].most);
		return 0;
	}
	return lower_unsupported(l);
}

int lower_policy(struct lowering *l)
{
	int32_t d, none;

	TRY(check(l, policies, sizeof(policies) / sizeof(policies[0])));
	if (opcode_has(&l->opcode, "fractional") && l->insn->count == 2 &&
	    l->operands[1].kind == OPERAND_INTEGER)
		return lower_fail(l, GPURUN_FORMAT, "has an integer for the fraction, which is an "
				  ".f32 (1.0)");
	TRY(constant_slot(l, 0, BASE_NONE, &none));
	TRY(result_row(l, &l->operands[0], 8, &d));
	TRY(emit(l, HANDLER_mov_8_s, d, none, 0, 0, 0));
	return result_done(l, &l->operands[0], 8, false, d);
}

/* discard and applypriority: of the 128 bytes at an address. */
int lower_line(struct lowering *l)
{
	TRY(check(l, lines, sizeof(lines) / sizeof(lines[0])));
	if (l->operands[0].kind != OPERAND_ADDRESS || l->operands[1].kind != OPERAND_INTEGER ||
	    l->operands[1].value != 128)
		return lower_fail(l, GPURUN_FORMAT, "is not for the 128 bytes at an address");
	return 0;
}
