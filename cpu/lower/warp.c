/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* shfl, vote, match, redux, elect, activemask. Without .sync, the running lanes participate. */
#include "lower_check.h"

/* An operand as a row or a slot of 32 bits. */
static int row_or_slot(struct lowering *l, const struct operand *operand, int32_t *at, bool *row)
{
	bool scalar;

	TRY(source_scalar(l, operand, 4, ELEMENT_BITS, &scalar, at));
	*row = !scalar;
	return scalar ? 0 : source_row(l, operand, 4, ELEMENT_BITS, false, at);
}

/* The member mask: operand @index, or for the forms without .sync the running lanes. */
static int members(struct lowering *l, bool sync, unsigned index, int32_t *at, bool *row)
{
	if (sync)
		return row_or_slot(l, &l->operands[index], at, row);
	*row = true;
	*at = scratch_row(l);
	return emit(l, HANDLER_activemask, *at, 0, 0, 0, 0);
}

/* From sm_70 on every form has .sync. */
static bool may_omit_sync(const struct lowering *l)
{
	const struct ptx_name *target = &l->program->ptx->target;

	return target->length > 3 && atoi(target->text + 3) < 70;
}

int lower_shfl(struct lowering *l)
{
	static const char *const modes[] = { "up", "down", "bfly", "idx" };
	static const uint16_t handlers[] = { HANDLER_shfl_up, HANDLER_shfl_down,
					     HANDLER_shfl_bfly, HANDLER_shfl_idx };
	bool sync = opcode_remove(&l->opcode, "sync"), rows[3];
	bool two = l->insn->count && l->operands[0].paired;
	unsigned mode = 0, first = two ? 2 : 1;
	int32_t d, p, a, b, c, m, how, from;

	while (mode < 4 && !opcode_remove(&l->opcode, modes[mode]))
		mode++;
	if (mode == 4 || l->opcode.part_count != 1 || l->opcode.types[0] != TYPE_B32 ||
	    (!sync && !may_omit_sync(l)))
		return lower_unsupported(l);
	TRY(expect_operands(l, first + 3 + sync));
	if (l->operands[0].kind == OPERAND_SINK)
		return lower_fail(l, GPURUN_FORMAT, "has no register for its result");
	TRY(source_row(l, &l->operands[first], 4, ELEMENT_BITS, false, &a));
	TRY(row_or_slot(l, &l->operands[first + 1], &b, &rows[0]));
	TRY(row_or_slot(l, &l->operands[first + 2], &c, &rows[1]));
	TRY(members(l, sync, first + 3, &m, &rows[2]));
	TRY(result_row(l, &l->operands[0], 4, &d));
	p = scratch_predicate(l);
	if (two)
		TRY(result_predicate(l, &l->operands[1], &p));
	how = rows[0] | rows[1] << 1 | rows[2] << 2;
	TRY(check_shuffle(l, handlers[mode], b, c, m, how, &from));
	TRY(emit(l, handlers[mode], d, a, b, c, m));
	TRY(emit(l, HANDLER_halt, p, 0, 0, 0, how));
	TRY(check_shuffled(l, from));
	return result_done(l, &l->operands[0], 4, false, d);
}

int lower_vote(struct lowering *l)
{
	static const char *const modes[] = { "all", "any", "uni", "ballot" };
	static const uint16_t handlers[] = { HANDLER_vote_all, HANDLER_vote_any,
					     HANDLER_vote_uni, HANDLER_vote_ballot };
	bool sync = opcode_remove(&l->opcode, "sync"), row;
	unsigned mode = 0;
	int32_t d, a, m;

	while (mode < 4 && !opcode_remove(&l->opcode, modes[mode]))
		mode++;
	if (mode == 4 || l->opcode.part_count != 1 || (!sync && !may_omit_sync(l)) ||
	    l->opcode.types[0] != (mode == 3 ? TYPE_B32 : TYPE_PRED))
		return lower_unsupported(l);
	TRY(expect_operands(l, 2u + sync));
	TRY(source_predicate(l, &l->operands[1], &a));
	TRY(members(l, sync, 2, &m, &row));
	if (mode == 3)
		TRY(result_row(l, &l->operands[0], 4, &d));
	else
		TRY(result_predicate(l, &l->operands[0], &d));
	TRY(emit(l, handlers[mode], d, a, m, 0, row));
	return mode == 3 ? result_done(l, &l->operands[0], 4, false, d) : 0;
}

int lower_activemask(struct lowering *l)
{
	int32_t d;

	TRY(expect_operands(l, 1));
	if (!opcode_matches(&l->opcode, "activemask.b32"))
		return lower_unsupported(l);
	TRY(result_row(l, &l->operands[0], 4, &d));
	TRY(emit(l, HANDLER_activemask, d, 0, 0, 0, 0));
	return result_done(l, &l->operands[0], 4, false, d);
}

int lower_match(struct lowering *l)
{
	static const uint16_t handlers[2][2] = { { HANDLER_match_any_4, HANDLER_match_any_8 },
						 { HANDLER_match_all_4, HANDLER_match_all_8 } };
	bool sync = opcode_remove(&l->opcode, "sync"), all = opcode_remove(&l->opcode, "all"), row;
	bool two = l->insn->count && l->operands[0].paired;
	unsigned size = type_size(l->opcode.types[0]), first = two ? 2 : 1;
	int32_t d, p = scratch_predicate(l), a, m;

	if (!all && !opcode_remove(&l->opcode, "any"))
		return lower_unsupported(l);
	if (!sync || l->opcode.part_count != 1 || (two && !all) ||
	    (l->opcode.types[0] != TYPE_B32 && l->opcode.types[0] != TYPE_B64))
		return lower_unsupported(l);
	TRY(expect_operands(l, first + 2));
	TRY(source_row(l, &l->operands[first], size, ELEMENT_BITS, false, &a));
	TRY(row_or_slot(l, &l->operands[first + 1], &m, &row));
	TRY(result_row(l, &l->operands[0], 4, &d));
	if (two)
		TRY(result_predicate(l, &l->operands[1], &p));
	TRY(emit(l, handlers[all][size == 8], d, a, p, m, row));
	return result_done(l, &l->operands[0], 4, false, d);
}

int lower_redux(struct lowering *l)
{
	static const struct {
		const char *op;
		enum ptx_type types[2];
		uint16_t handler;
	} rows[] = {
		{ "add", { TYPE_U32, TYPE_S32 }, HANDLER_redux_add },
		{ "and", { TYPE_B32, TYPE_B32 }, HANDLER_redux_and },
		{ "or", { TYPE_B32, TYPE_B32 }, HANDLER_redux_or },
		{ "xor", { TYPE_B32, TYPE_B32 }, HANDLER_redux_xor },
		{ "min", { TYPE_U32, TYPE_U32 }, HANDLER_redux_min_u32 },
		{ "max", { TYPE_U32, TYPE_U32 }, HANDLER_redux_max_u32 },
		{ "min", { TYPE_S32, TYPE_S32 }, HANDLER_redux_min_s32 },
		{ "max", { TYPE_S32, TYPE_S32 }, HANDLER_redux_max_s32 },
	};
	enum ptx_type type = l->opcode.types[0];
	int32_t d, a, m;
	bool row;

	TRY(expect_operands(l, 3));
	if (!opcode_remove(&l->opcode, "sync") || l->opcode.part_count != 2)
		return lower_unsupported(l);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!name_is(l->opcode.parts[0], rows[i].op) ||
		    (rows[i].types[0] != type && rows[i].types[1] != type))
			continue;
		TRY(source_row(l, &l->operands[1], 4, ELEMENT_BITS, false, &a));
		TRY(row_or_slot(l, &l->operands[2], &m, &row));
		TRY(result_row(l, &l->operands[0], 4, &d));
		TRY(emit(l, rows[i].handler, d, a, m, 0, row));
		return result_done(l, &l->operands[0], 4, false, d);
	}
	return lower_unsupported(l);
}

int lower_elect(struct lowering *l)
{
	int32_t d, p, m;
	bool row;

	TRY(expect_operands(l, 3));
	if (!opcode_matches(&l->opcode, "elect.sync"))
		return lower_unsupported(l);
	if (l->operands[1].kind == OPERAND_SINK)
		return lower_fail(l, GPURUN_FORMAT, "needs a predicate");
	TRY(row_or_slot(l, &l->operands[2], &m, &row));
	TRY(result_row(l, &l->operands[0], 4, &d));
	TRY(result_predicate(l, &l->operands[1], &p));
	TRY(emit(l, HANDLER_elect, d, p, m, 0, row));
	return result_done(l, &l->operands[0], 4, false, d);
}
