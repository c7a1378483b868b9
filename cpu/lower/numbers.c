/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Immediates of which only some values are allowed: those that ptxas refuses. Families that need
 * the number themselves, as bar, check it themselves.
 */
#include "lower.h"

#define ANY INT64_MAX

/* Operand @operand of @base with @part, but not @without, when it is a number. */
struct rule {
	uint8_t base;          /* enum insn_base */
	const char *part, *without;
	uint8_t operand;
	uint8_t limit;         /* the operand that it must not exceed; 0: @most */
	uint8_t step;          /* it is a multiple of */
	bool word;             /* its low 32 bits are the value */
	int64_t least, most;
};

// clang-format off
static const struct rule rules[] = {
	{ INSN_BFE, NULL, NULL, 2, 0, 1, false, 0, 255 },
	{ INSN_BFE, NULL, NULL, 3, 0, 1, false, 0, 255 },
	{ INSN_BFI, NULL, NULL, 3, 0, 1, false, 0, 255 },
	{ INSN_BFI, NULL, NULL, 4, 0, 1, false, 0, 255 },
	{ INSN_CP, "async", "bulk", 3, 2, 1, false, 0, ANY },
	{ INSN_CP, "bulk", "tensor", 2, 0, 16, true, 0, 1048560 },
	{ INSN_CP, "prefetch", "tensor", 1, 0, 16, false, 0, 1048560 },
	{ INSN_CREATEPOLICY, "range", NULL, 2, 3, 1, true, 0, ANY },
	{ INSN_FENCE, "tensormap::generic", NULL, 1, 0, 1, false, 128, 128 },
	{ INSN_MBARRIER, "arrive", "expect_tx", 2, 0, 1, false, 1, ANY },
	{ INSN_MBARRIER, "arrive_drop", "expect_tx", 2, 0, 1, false, 1, ANY },
	{ INSN_MBARRIER, "parity", NULL, 2, 0, 1, false, 0, 1 },
	{ INSN_SETMAXNREG, NULL, NULL, 0, 0, 8, false, 24, 256 },
	{ INSN_WGMMA, "wait_group", NULL, 0, 0, 1, false, 0, ANY },
};
// clang-format on

static bool applies(const struct rule *rule, const struct lowering *l)
{
	return rule->base == l->insn->base &&
	       rule->operand < l->insn->count &&
	       (!rule->part || opcode_has(&l->opcode, rule->part)) &&
	       (!rule->without || !opcode_has(&l->opcode, rule->without)) &&
	       l->operands[rule->operand].kind == OPERAND_INTEGER;
}

static int64_t number(const struct rule *rule, const struct operand *operand)
{
	return rule->word ? (int64_t)(uint32_t)operand->value : operand->value;
}

static int check_rule(struct lowering *l, const struct rule *rule)
{
	const int64_t value = number(rule, &l->operands[rule->operand]);
	const unsigned place = rule->operand + 1u;
	int64_t most = rule->most;

	if (rule->limit && rule->limit < l->insn->count &&
	    l->operands[rule->limit].kind == OPERAND_INTEGER)
		most = number(rule, &l->operands[rule->limit]);
	if (value % rule->step)
		return lower_fail(l, GPURUN_FORMAT,
				  "has %lld as operand %u, where a multiple of %u is expected",
				  (long long)value, place, rule->step);
	if (value >= rule->least && value <= most)
		return 0;
	if (most == ANY)
		return lower_fail(l, GPURUN_FORMAT,
				  "has %lld as operand %u, where at least %lld is expected",
				  (long long)value, place, (long long)rule->least);
	return lower_fail(l, GPURUN_FORMAT,
			  "has %lld as operand %u, where %lld to %lld is expected",
			  (long long)value, place, (long long)rule->least, (long long)most);
}

int check_numbers(struct lowering *l)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (applies(&rules[i], l))
			TRY(check_rule(l, &rules[i]));
	return 0;
}
