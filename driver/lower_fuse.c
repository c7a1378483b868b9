/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Two rows of ptx_ops.def as one op (fused.def), where they stand side by side and what
 * the first wrote is read by the second alone. Neither can fault, so that nobody
 * sees what stands between them.
 */
#include "fused.h"
#include "lower.h"

enum first {
	FIRST_NONE,
#define FIRST(name, form, ...) FIRST_##name##_##form,
#define SECOND(...)
#define FUSE(...)
#include "fused.def"
	FIRST_COUNT,
};

enum second {
#define FIRST(...)
#define SECOND(name, form, ...) SECOND_##name##_##form,
#define FUSE(...)
#include "fused.def"
	SECOND_COUNT,
};

/* Which of the rows a handler computes. */
static const uint8_t firsts[HANDLER_COUNT] = {
#define FIRST(name, form, ...) [HANDLER_##name##_##form] = FIRST_##name##_##form,
#define SECOND(...)
#define FUSE(...)
#include "fused.def"
};

/* The handlers of second rows, and where the value may stand in them (bits). */
static const struct {
	uint16_t handler;
	uint8_t places;
} seconds[] = {
#define FIRST(...)
#define SECOND(name, form, ...) { FUSED_##form(name) },
#define FUSE(...)
#include "fused.def"
};

static const uint16_t pairs[FIRST_COUNT][SECOND_COUNT] = {
#define FIRST(...)
#define SECOND(...)
#define FUSE(second, form2, op2, D, X, Y, first, form1, ...)                               \
	[FIRST_##first##_##form1][SECOND_##second##_##form2] =                             \
		HANDLER_##first##_##form1##_##second##_##form2,
#include "fused.def"
};

/* The op that computes row @first and then @handler, which reads its value at @place alone. */
static unsigned find_pair(unsigned first, unsigned handler, unsigned place)
{
	for (unsigned i = 0; i < SECOND_COUNT; i++)
		if (seconds[i].handler == handler && seconds[i].places >> place & 1)
			return pairs[first][i];
	return 0;
}

/* Where among the @count operands @value stands; @count: not once. */
static unsigned place_of(const int32_t *at, unsigned count, int32_t value)
{
	unsigned place = count;

	for (unsigned i = 0; i < count; i++) {
		if (at[i] != value)
			continue;
		if (place < count)
			return count;
		place = i;
	}
	return place;
}

/* Tells whether nobody reads register @index behind the present instruction, which writes @d. */
static bool read_last(const struct lowering *l, uint32_t index, int32_t d)
{
	const struct liveness *liveness = &l->now->liveness;

	return register_at(l, index) == d ||
	       (!liveness->numbers[index] && liveness->intervals[index].end == l->index);
}

/* Makes the op before compute @handler, too; false when it cannot. */
static bool fuse(struct lowering *l, const struct op_row *row, unsigned handler, int32_t d,
		 const int32_t at[4])
{
	const struct last_row *last = &l->last;
	struct op *op;
	unsigned place, pair;
	int32_t others[2] = { 0 };

	if (!last->first || last->op + 1 != l->code->op_count ||
	    !read_last(l, last->reg, d))
		return false;
	op = &l->code->ops[last->op];
	place = place_of(at, row->sources, op->d);
	if (place == row->sources)
		return false;
	pair = find_pair(last->first, handler, place);
	if (!pair)
		return false;
	for (unsigned i = 0, other = 0; i < row->sources; i++)
		if (i != place)
			others[other++] = at[i];
	op->fn = l->handlers[pair];
	op->d = d;
	op->imm = (int64_t)((uint64_t)(uint32_t)others[1] << 32 | (uint32_t)others[0]);
	return true;
}

int emit_row(struct lowering *l, const struct op_row *row, unsigned handler, int32_t d,
	     const int32_t at[4], int64_t imm)
{
	const struct operand *result = &l->operands[0];

	if (row->shape == SHAPE_ALU && fuse(l, row, handler, d, at)) {
		l->last.first = FIRST_NONE;
		return 0;
	}
	TRY(emit(l, handler, d, at[0], at[1], at[2], imm));
	l->last.first = FIRST_NONE;
	if (result->kind == OPERAND_REGISTER && register_at(l, result->index) == d)
		l->last = (struct last_row){ l->code->op_count - 1, result->index,
					     firsts[handler] };
	return 0;
}
