/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Branches, barriers, fences, the ends of threads and functions. */
#include "lower.h"

static int add_fixup(struct lowering *l, struct fixup **list, size_t *count, uint32_t target)
{
	struct fixup *fixup = array_grow(list, *count, sizeof(*fixup));

	if (!fixup)
		return err_set(l->e, GPURUN_NO_MEMORY, "no memory for branches");
	*fixup = (struct fixup){ l->code->op_count, target };
	++*count;
	return 0;
}

/* A branch to instruction @target under predicate @p (-1: always). */
static int branch_to(struct lowering *l, uint32_t target, int32_t p, bool negated)
{
	bool back = target <= l->index;
	unsigned handler = back ? HANDLER_bra_back : HANDLER_bra;

	if (p >= 0)
		handler += negated ? 2 : 1;
	TRY(add_fixup(l, &l->branches, &l->branch_count, target));
	return emit(l, handler, 0, p >= 0 ? p : 0, 0, 0, 0);
}

int lower_branch(struct lowering *l)
{
	const struct operand *target = &l->operands[0];
	int32_t p = -1;

	take_words(l, "uni");
	TRY(expect_operands(l, 1));
	if (l->opcode.part_count)
		return lower_unsupported(l);
	if (target->kind != OPERAND_LABEL)
		return lower_fail(l, GPURUN_FORMAT, "has no label");
	if (l->insn->guard != NO_GUARD)
		p = register_at(l, l->insn->guard);
	return branch_to(l, l->body->labels[target->index].insn, p, l->insn->guard_negated);
}

int lower_branch_table(struct lowering *l)
{
	const struct label_table *table;
	int32_t a;

	take_words(l, "idx uni");
	TRY(expect_operands(l, 2));
	if (l->opcode.part_count || l->operands[1].kind != OPERAND_TABLE)
		return lower_unsupported(l);
	table = &l->body->tables[l->operands[1].index];
	TRY(source_row(l, &l->operands[0], 4, ELEMENT_BITS, false, &a));
	TRY(emit(l, HANDLER_brx, 0, a, (int32_t)table->count, 0, 0));
	for (uint32_t i = 0; i < table->count; i++) {
		const struct operand *target = &l->body->operands[table->first + i];

		if (target->kind != OPERAND_LABEL)
			return lower_fail(l, GPURUN_FORMAT, "has a target that is no label");
		TRY(add_fixup(l, &l->branches, &l->branch_count,
			      l->body->labels[target->index].insn));
		TRY(emit(l, HANDLER_halt, 0, 0, 0, 0, 0));
	}
	return 0;
}

/* ret and exit. */
int lower_end(struct lowering *l)
{
	bool leave = name_is(l->opcode.base, "exit") || l->body->function->entry;

	take_words(l, "uni");
	if (l->opcode.part_count)
		return lower_unsupported(l);
	if (!leave)
		TRY(lower_registers(l, SYMBOL_RETURN));
	return emit(l, leave ? HANDLER_exit : HANDLER_ret, 0, 0, 0, 0, 0);
}

/* bar.sync, barrier.sync and their spellings; bar.warp.sync. */
int lower_barrier(struct lowering *l)
{
	int32_t id, count, rows = 0; /* rows: bit 0: the number is one, bit 1: the count */
	bool scalar;

	if (opcode_take(&l->opcode, "warp")) {
		int32_t members;

		take_words(l, "sync");
		TRY(expect_operands(l, 1));
		if (l->opcode.part_count)
			return lower_unsupported(l);
		TRY(source_row(l, &l->operands[0], 4, ELEMENT_BITS, false, &members));
		return emit(l, HANDLER_warp_barrier, 0, members, 0, 0, 0);
	}
	take_words(l, "cta aligned");
	if (!opcode_take(&l->opcode, "sync") || l->opcode.part_count)
		return lower_unsupported(l);
	if (l->insn->count < 1 || l->insn->count > 2)
		return expect_operands(l, 1);
	TRY(source_scalar(l, &l->operands[0], 4, ELEMENT_BITS, &scalar, &id));
	if (!scalar)
		TRY(source_row(l, &l->operands[0], 4, ELEMENT_BITS, false, &id));
	rows |= !scalar;
	TRY(constant_slot(l, 0, BASE_NONE, &count));
	if (l->insn->count == 2) {
		TRY(source_scalar(l, &l->operands[1], 4, ELEMENT_BITS, &scalar, &count));
		if (!scalar)
			TRY(source_row(l, &l->operands[1], 4, ELEMENT_BITS, false, &count));
		rows |= !scalar << 1;
	}
	return emit(l, HANDLER_barrier, 0, id, count, rows, 0);
}

int lower_fence(struct lowering *l)
{
	take_words(l, "proxy alias async async.global sc acq_rel acquire release sys gpu cta gl "
		      "cluster mbarrier_init sync_restrict::shared::cta "
		      "sync_restrict::shared::cluster");
	return l->opcode.part_count || l->insn->count ? lower_unsupported(l) :
							emit(l, HANDLER_fence, 0, 0, 0, 0, 0);
}

/* Instructions that take effect in no way that a program can see here. */
int lower_nothing(struct lowering *l)
{
	(void)l;
	return 0;
}

int lower_simple(struct lowering *l)
{
	static const struct {
		const char *base;
		enum handler handler;
	} simple[] = {
		{ "nanosleep", HANDLER_nanosleep },
		{ "trap", HANDLER_trap },
		{ "brkpt", HANDLER_trap },
	};

	take_words(l, "u32");
	for (size_t i = 0; i < sizeof(simple) / sizeof(simple[0]); i++)
		if (name_is(l->opcode.base, simple[i].base) && !l->opcode.part_count)
			return emit(l, simple[i].handler, 0, 0, 0, 0, 0);
	return lower_unsupported(l);
}
