/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* mbarrier: which form it is; its operands become rows. */
#include "bits.h"
#include "lower.h"

/* The forms, by the words that are left when space and order are removed. */
static const struct form {
	const char *pattern;
	const char *orders;  /* those it may have, each with a scope */
	uint8_t op;          /* enum mbarrier_op */
	bool result;         /* has one before the address: a state or a predicate */
	bool remote;         /* of other blocks, too: then without a state */
	uint8_t least, most; /* operands after the address */
} forms[] = {
	{ "mbarrier.init", "", MBARRIER_INIT, false, false, 1, 1 },
	{ "mbarrier.inval", "", MBARRIER_INVAL, false, false, 0, 0 },
	{ "mbarrier.arrive", "release relaxed", MBARRIER_ARRIVE, true, true, 0, 1 },
	{ "mbarrier.arrive.noComplete", "release", MBARRIER_ARRIVE, true, false, 1, 1 },
	{ "mbarrier.arrive.expect_tx", "release relaxed", MBARRIER_ARRIVE_EXPECT, true, true,
	  1, 1 },
	{ "mbarrier.arrive_drop", "release relaxed", MBARRIER_DROP, true, true, 0, 1 },
	{ "mbarrier.arrive_drop.noComplete", "release", MBARRIER_DROP, true, false, 1, 1 },
	{ "mbarrier.arrive_drop.expect_tx", "release relaxed", MBARRIER_DROP_EXPECT, true, true,
	  1, 1 },
	{ "mbarrier.expect_tx", "relaxed", MBARRIER_EXPECT, false, true, 1, 1 },
	{ "mbarrier.complete_tx", "relaxed", MBARRIER_COMPLETE, false, true, 1, 1 },
	{ "mbarrier.test_wait", "acquire relaxed", MBARRIER_TEST, true, false, 1, 1 },
	{ "mbarrier.test_wait.parity", "acquire relaxed", MBARRIER_TEST_PARITY, true, false, 1, 1 },
	{ "mbarrier.try_wait", "acquire relaxed", MBARRIER_TEST, true, false, 1, 2 },
	{ "mbarrier.try_wait.parity", "acquire relaxed", MBARRIER_TEST_PARITY, true, false, 1, 2 },
};

static const struct form *find_form(const struct lowering *l)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if (opcode_matches(&l->opcode, forms[i].pattern))
			return &forms[i];
	return NULL;
}

static enum ptx_space remove_shared(struct lowering *l)
{
	if (opcode_remove(&l->opcode, "shared") || opcode_remove(&l->opcode, "shared::cta"))
		return PTX_SHARED;
	return opcode_remove(&l->opcode, "shared::cluster") ? PTX_SHARED_CLUSTER : PTX_REG;
}

/* The order and scope words of an instruction; NULL where there is none. */
struct order_words {
	const char *order, *scope;
};

static struct order_words remove_order(struct lowering *l)
{
	static const char *const orders[] = { "release", "acquire", "relaxed" };
	static const char *const scopes[] = { "cta", "cluster" };
	struct order_words taken = { 0 };

	for (size_t i = 0; i < 3 && !taken.order; i++)
		if (opcode_remove(&l->opcode, orders[i]))
			taken.order = orders[i];
	for (size_t i = 0; i < 2 && !taken.scope; i++)
		if (opcode_remove(&l->opcode, scopes[i]))
			taken.scope = scopes[i];
	return taken;
}

/* Tells whether @form may have @order, and @space. */
static bool form_fits(const struct lowering *l, const struct form *form,
		      struct order_words order, enum ptx_space space)
{
	if (!order.order != !order.scope || (order.order && !strstr(form->orders, order.order)))
		return false;
	if (order.scope && !strcmp(form->orders, "release") && strcmp(order.scope, "cta") != 0)
		return false;
	return space != PTX_SHARED_CLUSTER ||
	       (form->remote && (!form->result || l->operands[0].kind == OPERAND_SINK));
}

/* mbarrier.pending_count.b64 d, state */
static int pending_count(struct lowering *l)
{
	int32_t d, a;

	TRY(expect_operands(l, 2));
	TRY(source_row(l, &l->operands[1], 8, ELEMENT_BITS, false, &a));
	TRY(result_row(l, &l->operands[0], 4, &d));
	TRY(emit(l, HANDLER_mbarrier_pending, d, a, 0, 0, 0));
	return result_done(l, &l->operands[0], 4, false, d);
}

static int lower_form(struct lowering *l, const struct form *form, enum ptx_space space)
{
	static const struct operand one = { .kind = OPERAND_INTEGER, .value = 1 };
	static const struct operand sink = { .kind = OPERAND_SINK };
	const bool tests = form->op == MBARRIER_TEST || form->op == MBARRIER_TEST_PARITY;
	const struct operand *result = form->result ? l->operands : &sink;
	const struct operand *address = l->operands + form->result, *value = address + 1;
	int32_t at, b, d = 0;
	int64_t offset;

	if (l->insn->count < 1u + form->result + form->least)
		return expect_operands(l, 1u + form->result + form->least);
	if (l->insn->count > 1u + form->result + form->most)
		return expect_operands(l, 1u + form->result + form->most);
	if (l->insn->count == 1u + form->result)
		value = &one;
	TRY(address_in(l, address, space, &at, &offset));
	TRY(source_row(l, value, form->op == MBARRIER_TEST ? 8 : 4, ELEMENT_BITS, false, &b));
	if (tests)
		TRY(result_predicate(l, result, &d));
	else if (form->result)
		TRY(result_row(l, result, 8, &d));
	TRY(emit(l, HANDLER_mbarrier, d, at, b, form->op, offset));
	return tests || !form->result ? 0 : result_done(l, result, 8, false, d);
}

int lower_mbarrier(struct lowering *l)
{
	const enum ptx_space space = remove_shared(l);
	const struct order_words order = remove_order(l);
	const struct form *form;

	if (!opcode_remove(&l->opcode, "b64"))
		return lower_unsupported(l);
	if (opcode_matches(&l->opcode, "mbarrier.pending_count") && !order.scope && !order.order &&
	    space == PTX_REG)
		return pending_count(l);
	form = find_form(l);
	return form && l->insn->count && form_fits(l, form, order, space) ?
		       lower_form(l, form, space) : lower_unsupported(l);
}

int lower_complete(struct lowering *l, const struct operand *operand, enum ptx_space space,
		   unsigned bytes)
{
	const struct operand value = { .kind = OPERAND_INTEGER, .value = bytes };
	int32_t at, count;
	int64_t offset;

	/* What was emitted for the instruction so far needs no scratch rows any more. */
	l->scratch = (struct scratch){ 0 };
	TRY(address_in(l, operand, space, &at, &offset));
	TRY(source_row(l, &value, 4, ELEMENT_BITS, false, &count));
	return emit(l, HANDLER_mbarrier, 0, at, count, MBARRIER_COMPLETE, offset);
}
