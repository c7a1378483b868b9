/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Two rows of ptx_ops.def as one op (fused.def), if they are adjacent and only the
 * second reads what the first wrote. Neither can fault, so that the state between
 * them is never visible.
 */
#include "asserts.h"
#include "config.h"
#include "fused.h"
#include "lower.h"

enum first {
	FIRST_NONE,
#define FIRST(name, form, ...) FIRST_##name##_##form,
#define SECOND(...)
#define FUSE(...)
#define FUSE_SETP(...)
#include "fused.def"
	FIRST_COUNT,
};

enum second {
#define FIRST(...)
#define SECOND(name, form, ...) SECOND_##name##_##form,
#define FUSE(...)
#define FUSE_SETP(...)
#include "fused.def"
	SECOND_COUNT,
};

_Static_assert(FIRST_COUNT <= UINT8_MAX, "firsts has them in 8 bits");

/* Which of the rows a handler computes. */
static const uint8_t firsts[HANDLER_COUNT] = {
#define FIRST(name, form, ...) [HANDLER_##name##_##form] = FIRST_##name##_##form,
#define SECOND(...)
#define FUSE(...)
#define FUSE_SETP(...)
#include "fused.def"
};

/* The handlers of second rows, and which operands the value may be (bits). */
static const struct {
	uint16_t handler;
	uint8_t places;
} seconds[] = {
#define FIRST(...)
#define SECOND(name, form, ...) { FUSED_##form(name) },
#define FUSE(...)
#define FUSE_SETP(...)
#include "fused.def"
};

static const uint16_t pairs[FIRST_COUNT][SECOND_COUNT] = {
#define FIRST(...)
#define SECOND(...)
#define FUSE(second, form2, op2, D, X, Y, first, form1, ...)                               \
	[FIRST_##first##_##form1][SECOND_##second##_##form2] =                             \
		HANDLER_##first##_##form1##_##second##_##form2,
#define FUSE_SETP(...) FUSE(__VA_ARGS__)
#include "fused.def"
};

/* The op that computes row @first and then @handler, which reads its value at @place alone. */
static unsigned find_pair(unsigned first, unsigned handler, unsigned place)
{
	ASSERT(first && first < FIRST_COUNT && handler < HANDLER_COUNT && place < 4);
	for (unsigned i = 0; i < SECOND_COUNT; i++)
		if (seconds[i].handler == handler && seconds[i].places >> place & 1)
			return pairs[first][i];
	return 0;
}

/* The index of @value among the @count operands; @count: not there. */
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

/* Tells whether register @index is not read after the present instruction, which writes @d. */
static bool read_last(const struct lowering *l, uint32_t index, int32_t d)
{
	const struct liveness *liveness = &l->now->liveness;

	return register_at(l, index) == d ||
	       (!liveness->numbers[index] && liveness->intervals[index].end == l->index);
}

/* The last row's op, when it is the one before; or NULL. Op 0 is no row's. */
static struct op *last_op(const struct lowering *l)
{
	if (!l->last.handler || l->last.op + 1 != l->code->op_count)
		return NULL;
	ASSERT(l->last.op && l->code->ops[l->last.op].fn == l->handlers[l->last.handler]);
	return &l->code->ops[l->last.op];
}

/* Makes the preceding op compute @handler, too; false when that is not possible. */
static bool fuse(struct lowering *l, const struct op_row *row, unsigned handler, int32_t d,
		 const int32_t at[4])
{
	struct op *op = last_op(l);
	unsigned place, pair;
	int32_t others[2] = { 0 };

	if (!op || config.no_scalar || !firsts[l->last.handler] || !read_last(l, l->last.reg, d))
		return false;
	place = place_of(at, row->sources, op->d);
	if (place == row->sources)
		return false;
	pair = find_pair(firsts[l->last.handler], handler, place);
	if (!pair)
		return false;
	ASSERT(row->sources - 1u <= sizeof(others) / sizeof(others[0]));
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

	if ((row->shape == SHAPE_ALU || row->shape == SHAPE_SETP) && fuse(l, row, handler, d, at)) {
		l->last.handler = 0;
		return 0;
	}
	TRY(emit(l, handler, d, at[0], at[1], at[2], imm));
	l->last.handler = 0;
	if (result->kind == OPERAND_REGISTER && register_at(l, result->index) == d)
		l->last = (struct last_row){ l->code->op_count - 1, result->index,
					     (uint16_t)handler };
	return 0;
}

/* ---- Comparisons and branches ---------------------------------------------------------- */

/* For each comparison that can branch: the handlers that branch, forward and back; and for
 * the end of a loop. */
static const struct {
	uint16_t forward, back, count;
} branching[HANDLER_COUNT] = {
#define COMPARE(name, op, A)                                                               \
	[HANDLER_##name##_rr] = { .forward = HANDLER_##name##_rr_bra,                      \
				  .back = HANDLER_##name##_rr_back },                      \
	[HANDLER_##name##_rs] = { .forward = HANDLER_##name##_rs_bra,                      \
				  .back = HANDLER_##name##_rs_back },                      \
	[HANDLER_##name##_s] = { .forward = HANDLER_##name##_s_bra,                        \
				 .back = HANDLER_##name##_s_back },
#define COUNT(name, op, A)
#include "branches.def"
};
static const uint16_t counting[HANDLER_COUNT] = {
#define COMPARE(name, op, A)
#define COUNT(name, op, A) [HANDLER_##name##_s] = HANDLER_##name##_count,
#include "branches.def"
};

/* Makes the addition before comparison @op compare and branch as well; false: it is none. */
static bool fuse_count(struct lowering *l, const struct op *op)
{
	struct op *add = &l->code->ops[l->last.op - 1];

	if (!counting[l->last.handler] || add->fn != l->handlers[HANDLER_add_u32_s] ||
	    op->a != add->d || !read_last(l, l->last.reg, -1))
		return false;
	add->fn = l->handlers[counting[l->last.handler]];
	add->c = op->b;
	l->code->op_count--;
	l->insn_ops[l->index] = l->code->op_count; /* the branch has no op of its own */
	return true;
}

int emit_branch(struct lowering *l, enum handler handler, int32_t p, uint32_t *at)
{
	bool back = handler == HANDLER_bra_back_if || handler == HANDLER_bra_back_unless;
	bool negated = handler == HANDLER_bra_unless || handler == HANDLER_bra_back_unless;
	struct op *op = last_op(l);
	unsigned pair = 0;

	if (op && op->d == p && !config.no_scalar && p)
		pair = back ? branching[l->last.handler].back : branching[l->last.handler].forward;
	if (!pair) {
		*at = l->code->op_count;
		return emit(l, handler, 0, p, 0, 0, 0);
	}
	if (!back || negated || !fuse_count(l, op)) {
		op->fn = l->handlers[pair];
		op->c = negated ? -1 : 0;
	}
	*at = l->code->op_count - 1;
	l->last.handler = 0; /* it branches now: nothing more is fused into it */
	return 0;
}
