/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* wgmma: products of a warpgroup, from shared memory. */
#include "asserts.h"
#include "lower_mma.h"

/* A descriptor, the same in every lane, as a fragment. */
static int descriptor(struct lowering *l, const struct operand *operand, int32_t *at)
{
	bool scalar;

	TRY(source_scalar(l, operand, 8, ELEMENT_BITS, &scalar, at));
	if (!scalar)
		return source_row(l, operand, 8, ELEMENT_BITS, false, at);
	*at |= FRAGMENT_SLOT;
	return 0;
}

/* Immediate @index, which has to be @low or @high; *@set: it is @high. */
static int immediate(struct lowering *l, unsigned index, int low, int high, bool *set)
{
	const struct operand *operand = &l->operands[index];

	if (operand->kind != OPERAND_INTEGER || (operand->value != low && operand->value != high))
		return lower_fail(l, GPURUN_FORMAT, "has an operand %u that is neither %d nor %d",
				  index + 1, low, high);
	*set = operand->value == high;
	return 0;
}

/*
 * What follows scale-d, operand @first - 1: signs of A and B, then their orders in
 * memory, where there is a choice.
 */
static int parse_immediates(struct lowering *l, enum mma_type a, bool registers, unsigned first,
			    int32_t *flags)
{
	bool halves = a == MMA_F16 || a == MMA_BF16, real = a < MMA_F64;
	bool plus[2] = { true, true }, trans[2] = { false, false };
	unsigned orders = halves ? 2 - registers : 0, order = first + (real ? 2 : 0);

	TRY(expect_operands(l, order + orders));
	for (unsigned i = 0; real && i < 2; i++)
		TRY(immediate(l, first + i, -1, 1, &plus[i]));
	for (unsigned i = 0; i < orders; i++)
		TRY(immediate(l, order + i, 0, 1, &trans[i + 2 - orders]));
	*flags |= (plus[0] != plus[1] ? WGMMA_NEGATE : 0) | (trans[0] ? WGMMA_TRANS_A : 0) |
		  (trans[1] ? WGMMA_TRANS_B : 0) | (registers ? WGMMA_REGISTERS : 0);
	return 0;
}

/* Tells whether there is such an instruction, with half of A when it is @sparse. */
static bool exists(const struct mma_form *form, bool sparse, uint8_t *flags)
{
	const uint8_t *t = form->types;
	unsigned step;

	if (form->type_count != 3 || form->layouts || t[1] == MMA_F64 || t[1] == MMA_S4 ||
	    t[1] == MMA_U4 || !mma_types_fit(t[0], t[1], t[2], t[0]) ||
	    !mma_flags(form, t[1], flags) || (t[1] == MMA_B1 && (sparse || form->xor)))
		return false;
	step = t[0] == MMA_S32 && form->n > 32 ? 16 : 8;
	return form->m == 64 && form->k == (sparse ? 512 : 256) / mma_bits(t[1]) &&
	       form->n % step == 0 && form->n && form->n <= 256;
}

/* Metadata and selector, operands 3 and 4. */
static int parse_metadata(struct lowering *l, enum mma_type a, struct fragments *all,
			  int32_t *flags)
{
	int32_t *at = &all->at[all->count++];
	bool scalar, selector = false;

	ASSERT(all->count <= MOST_FRAGMENTS);
	if (l->insn->count < 6)
		return expect_operands(l, 6);
	TRY(immediate(l, 4, 0, mma_bits(a) >= 16, &selector));
	*flags |= WGMMA_SPARSE | (selector && mma_bits(a) >= 16 ? WGMMA_SELECTOR : 0);
	TRY(source_scalar(l, &l->operands[3], 4, ELEMENT_BITS, &scalar, at));
	if (!scalar)
		return source_row(l, &l->operands[3], 4, ELEMENT_BITS, false, at);
	*at |= FRAGMENT_SLOT;
	return 0;
}

static int lower_product(struct lowering *l)
{
	bool sparse = opcode_remove(&l->opcode, "sp"), registers;
	struct fragments all = { .count = 0 };
	int32_t scale, a = 0, b, flags = 0;
	struct mma_form form;
	uint8_t plan_flags;

	TRY(mma_parse(l, &form));
	if (!exists(&form, sparse, &plan_flags) || l->insn->count < 4)
		return lower_unsupported(l);
	registers = l->operands[1].kind == OPERAND_VECTOR;
	TRY(parse_immediates(l, form.types[1], registers, sparse ? 6 : 4, &flags));
	TRY(fragment_results(l, &l->operands[0], mma_registers(form.types[0], 16 * form.n), 4,
			     &all));
	if (registers)
		TRY(fragment_sources(l, &l->operands[1], 4, 4, &all));
	else
		TRY(descriptor(l, &l->operands[1], &a));
	TRY(descriptor(l, &l->operands[2], &b));
	if (sparse)
		TRY(parse_metadata(l, form.types[1], &all, &flags));
	TRY(source_predicate(l, &l->operands[sparse ? 5 : 3], &scale));

	struct mma_plan plan = { 2, (uint8_t)(form.n / 8), (uint8_t)(form.k / 4), form.types[1],
				 form.types[2], form.types[0], form.types[0], plan_flags };

	TRY(emit(l, form.types[1] == MMA_B1 ? HANDLER_wgmma_b1 : HANDLER_wgmma, scale, a, b,
		 flags, mma_pack(plan)));
	return fragments_emit(l, &all);
}

int lower_wgmma(struct lowering *l)
{
	static const char *const orders[] = { "fence", "commit_group", "wait_group" };

	TRY(expect_aligned(l));
	if (opcode_remove(&l->opcode, "mma_async"))
		return lower_product(l);
	for (unsigned i = 0; i < 3; i++) /* products are complete when they are issued */
		if (opcode_remove(&l->opcode, orders[i]) && !l->opcode.part_count)
			return expect_operands(l, i == 2);
	return lower_unsupported(l);
}
