/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From ops to the IR: those that move parts of elements, and those of all lanes at once. */
#include "build.h"

/* ---- Parts of elements ---------------------------------------------------------------- */

static bool has_row(const struct build *b, unsigned row)
{
	return b->options->has_row(b->options->context, &op_rows[row]);
}

/* Tells whether parts of elements can be moved as @op, insert or extract, does. */
bool build_has_parts(const struct build *b, const struct op *op)
{
	const struct part_rows *rows = part_rows_find(op->b, op->c);
	const bool inserts = translations[handler_of(op)].action == ACTION_INSERT;

	if (!rows || (inserts && op->d >= AT_ROWS))
		return false;
	return build_has_rows(b, rows, inserts);
}

bool build_has_rows(const struct build *b, const struct part_rows *rows, bool inserts)
{
	if (inserts)
		return has_row(b, rows->widen) && has_row(b, rows->left) && has_row(b, rows->join);
	return has_row(b, rows->right) && has_row(b, rows->cut);
}

/* A row of values; @b_value: IR_NONE where it has one source. */
static int add_part_row(struct build *b, unsigned row, uint32_t d, uint32_t a_value,
			uint32_t b_value)
{
	struct ir_insn *insn = build_insn(b, IR_ROW);

	if (!insn)
		return build_full(b);
	insn->row = row;
	insn->size = op_rows[row].sizes[0];
	insn->sources = op_rows[row].sources;
	insn->d[0] = d;
	insn->a[0] = a_value;
	insn->a[1] = b_value;
	return 0;
}

int build_cut(struct build *b, const struct part_rows *rows, uint32_t d, uint32_t a, unsigned i)
{
	uint32_t count, moved;

	if (!i)
		return add_part_row(b, rows->cut, d, a, IR_NONE);
	TRY(build_temporary(b, rows->wide, &moved));
	TRY(build_number(b, 8u * rows->narrow * (uint64_t)i, &count));
	TRY(add_part_row(b, rows->right, moved, a, count));
	return add_part_row(b, rows->cut, d, moved, IR_NONE);
}

int build_join(struct build *b, const struct part_rows *rows, uint32_t d, uint32_t old, uint32_t a,
	       unsigned i)
{
	uint32_t wide, count, moved;

	if (!i)
		return add_part_row(b, rows->widen, d, a, IR_NONE);
	TRY(build_temporary(b, rows->wide, &wide));
	TRY(build_temporary(b, rows->wide, &moved));
	TRY(build_number(b, 8u * rows->narrow * (uint64_t)i, &count));
	TRY(add_part_row(b, rows->widen, wide, a, IR_NONE));
	TRY(add_part_row(b, rows->left, moved, wide, count));
	return add_part_row(b, rows->join, d, old, moved);
}

/* d = a part of a. */
int build_extract(struct build *b, const struct op *op)
{
	const struct part_rows *rows = part_rows_find(op->b, op->c);
	uint32_t a, d;

	TRY(build_operand(b, op->a, &a));
	TRY(build_result(b, op->d, rows->narrow, &d));
	return build_cut(b, rows, d, a, (unsigned)op->imm);
}

/*
 * Makes a a part of scratch row d. Parts are put there from the lowest to the highest,
 * as lower_mov() has them, so that the first one makes all of d.
 */
int build_insert(struct build *b, const struct op *op)
{
	const struct part_rows *rows = part_rows_find(op->b, op->c);
	uint32_t a, d, old = IR_NONE;

	TRY(build_operand(b, op->a, &a));
	if (op->imm)
		TRY(build_operand(b, op->d, &old));
	TRY(build_result(b, op->d, rows->wide, &d));
	return build_join(b, rows, d, old, a, (unsigned)op->imm);
}

/* ---- All lanes at once ---------------------------------------------------------------- */

/*
 * An instruction of all lanes, with the sources at @at. The last of them are member masks, which
 * nothing is computed of: the interpreter needs them where a region is left.
 */
static int add_meeting(struct build *b, enum ir_op op, const struct translation *t,
		       unsigned sources, const int32_t *at, struct ir_insn **out)
{
	struct ir_insn *insn = *out = build_insn(b, op);

	if (!insn)
		return build_full(b);
	insn->size = t->size;
	insn->form = t->form;
	insn->sources = (uint8_t)sources;
	for (unsigned i = 0; i < sources; i++)
		TRY(build_operand(b, at[i], &insn->a[i]));
	return 0;
}

int build_shuffle(struct build *b, const struct translation *t, const struct op *op)
{
	const int32_t at[4] = { op->a, op->b, op->c, (int32_t)op->imm };
	struct ir_insn *insn;

	TRY(add_meeting(b, IR_SHUFFLE, t, 4, at, &insn));
	insn->end++;
	TRY(build_result(b, op->d, t->size, &insn->d[0]));
	/* A predicate in the scratch rows is one that nothing reads. */
	return op[1].d < AT_ROWS ? 0 : build_result(b, op[1].d, 0, &insn->d[1]);
}

int build_vote(struct build *b, const struct translation *t, const struct op *op)
{
	const int32_t at[2] = { op->a, op->b };
	struct ir_insn *insn;

	TRY(add_meeting(b, IR_VOTE, t, t->form == VOTE_ACTIVE ? 0 : 2, at, &insn));
	return build_result(b, op->d, t->size, &insn->d[0]);
}

int build_reduce(struct build *b, const struct translation *t, const struct op *op)
{
	const int32_t at[2] = { op->a, op->b };
	struct ir_insn *insn;

	TRY(add_meeting(b, IR_REDUCE, t, 2, at, &insn));
	return build_result(b, op->d, t->size, &insn->d[0]);
}

int build_match(struct build *b, const struct translation *t, const struct op *op)
{
	const int32_t at[2] = { op->a, op->c };
	struct ir_insn *insn;

	TRY(add_meeting(b, IR_MATCH, t, 2, at, &insn));
	TRY(build_result(b, op->d, 4, &insn->d[0]));
	if (t->form == MATCH_ANY || op->b < AT_ROWS)
		return 0;
	return build_result(b, op->b, 0, &insn->d[1]);
}
