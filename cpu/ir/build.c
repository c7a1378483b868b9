/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From the ops of an entry to its IR. */
#include "array.h"
#include "build.h"
#include "special.h"

/* ---- Instructions -------------------------------------------------------------------------- */

/* What has to hold for the result of the present instruction of PTX to be of its kind. */
static void add_check(struct build *b, struct ir_insn *insn)
{
	const struct body *body = b->l->body;
	const struct insn *source = &body->insns[insn->source];
	const struct kind_check *check = &b->ir->kinds.results[insn->source].check;
	const struct operand *operand;

	if (!check->operand)
		return;
	operand = insn_operands(body, source) + check->operand;
	insn->check = *check;
	if (operand->kind == OPERAND_REGISTER)
		insn->checked = b->ir->by_register[operand->index];
	else if (operand->kind == OPERAND_SPECIAL)
		insn->checked = build_special(b, operand->index);
	if (insn->checked == IR_NONE)
		b->ir->values[insn->d[0]].kind = KIND_VECTOR;
}

/* The number that scratch value @value is always, or itself: numbers are spread into scratch
 * rows. */
static uint32_t constant_of(const struct build *b, uint32_t value)
{
	const struct ir *ir = b->ir;

	for (size_t i = ir->insn_count - 1; ir->values[value].scratch && i-- > 0;)
		if (ir->insns[i].d[0] == value)
			return ir->insns[i].op == IR_MOVE && ir->values[ir->insns[i].a[0]].known ?
				       ir->insns[i].a[0] : value;
	return value;
}

static int add_row_insn(struct build *b, unsigned row, int32_t d, const int32_t at[4])
{
	const struct op_row *r = &op_rows[row];
	struct ir_insn *insn = build_insn(b, IR_ROW);

	if (!insn)
		return build_full(b);
	insn->row = row;
	insn->size = r->sizes[0];
	insn->sources = r->sources;
	for (unsigned i = 0; i < r->sources; i++)
		TRY(build_operand(b, at[i], &insn->a[i]));
	if (b->options->has_number(b->options->context, r))
		insn->a[r->sources - 1] = constant_of(b, insn->a[r->sources - 1]);
	TRY(build_result(b, d, r->sizes[0], &insn->d[0]));
	add_check(b, insn);
	return 0;
}

/* The value that instruction @source of PTX computes first. */
static uint32_t result_of(const struct build *b, uint32_t source)
{
	const struct body *body = b->l->body;
	const struct operand *operand = insn_operands(body, &body->insns[source]);

	return operand->kind == OPERAND_REGISTER ? b->ir->by_register[operand->index] : IR_NONE;
}

/* The instruction after @source that is a part of the same op. */
static uint32_t follower(const struct build *b, uint32_t source)
{
	const struct reached *now = b->l->now;

	do
		source++;
	while (now->hoisted && now->hoisted[source]);
	return source;
}

/* ---- Ops ----------------------------------------------------------------------------------- */

static int add_fused(struct build *b, const struct translation *t, const struct op *op)
{
	const struct op_row *second = &op_rows[t->second];
	const int32_t others[2] = { (int32_t)op->imm, (int32_t)(op->imm >> 32) };
	const uint32_t value = result_of(b, b->source), first = b->source;
	int32_t at[4] = { op->a, op->b, op->c }, in[4] = { 0 };

	if (value == IR_NONE)
		return err_set(b->e, GPURUN_INTERNAL, "a fused op has no value between its rows");
	TRY(add_row_insn(b, t->row, b->ir->values[value].at, at));
	b->source = follower(b, first);
	for (unsigned i = 0, other = 0; i < second->sources; i++)
		in[i] = i == t->place ? b->ir->values[value].at : others[other++];
	TRY(add_row_insn(b, t->second, op->d, in));
	b->source = first;
	return 0;
}

/* The first of the blocks that begin at op @target, or behind it: they are in order. */
static size_t block_of(const struct ir *ir, uint32_t target)
{
	size_t first = 0, end = ir->block_count;

	while (first < end) {
		const size_t middle = first + (end - first) / 2;

		if (ir->blocks[middle].op < target)
			first = middle + 1;
		else
			end = middle;
	}
	return first;
}

static int add_branch(struct build *b, uint32_t predicate, bool negated, int64_t distance)
{
	struct ir_insn *insn = build_insn(b, IR_BRANCH);
	const uint32_t target = b->at + (uint32_t)distance;

	if (!insn)
		return build_full(b);
	insn->sources = predicate != IR_NONE;
	insn->a[0] = predicate;
	insn->negated = negated;
	insn->back = distance <= 0;
	insn->guard = IR_NONE;
	insn->imm = (int64_t)block_of(b->ir, target);
	if ((size_t)insn->imm < b->ir->block_count && b->ir->blocks[insn->imm].op == target)
		return 0;
	return err_set(b->e, GPURUN_INTERNAL,
		       "op %u branches to op %u, where no block begins", b->at, target);
}

/* A comparison and the branch by it, after an addition or not. */
static int add_compare(struct build *b, const struct translation *t, const struct op *op)
{
	const uint32_t first = b->source;
	const bool counts = t->action == ACTION_COUNT;
	int32_t sum[4] = { op->a, op->b }, in[4] = { op->a, op->b };
	uint32_t predicate;

	if (counts) {
		TRY(add_row_insn(b, t->row, op->d, sum));
		b->source = follower(b, first);
		in[0] = op->d;
		in[1] = op->c;
	}
	predicate = result_of(b, b->source);
	if (predicate == IR_NONE)
		return err_set(b->e, GPURUN_INTERNAL,
			       "a comparison that branches has no predicate");
	TRY(add_row_insn(b, counts ? t->second : t->row, b->ir->values[predicate].at, in));
	b->source = first;
	return add_branch(b, predicate, !counts && op->c, op->imm);
}

static int add_move(struct build *b, enum ir_op ir, const struct translation *t,
		    const struct op *op)
{
	const int32_t at[3] = { op->a, op->b, op->c };
	struct ir_insn *insn = build_insn(b, ir);

	if (!insn)
		return build_full(b);
	insn->size = t->size;
	insn->sources = ir == IR_SELECT ? 3 : ir == IR_AND || ir == IR_OR || ir == IR_XOR ? 2 : 1;
	for (unsigned i = 0; i < insn->sources; i++)
		TRY(build_operand(b, at[i], &insn->a[i]));
	TRY(build_result(b, op->d, t->size, &insn->d[0]));
	if (ir != IR_TAKE)
		add_check(b, insn);
	return 0;
}

/* All of an instruction of PTX, and of those that are in its last op, by handlers. */
static int add_rest(struct build *b, enum ir_op op, uint32_t end)
{
	struct ir_insn *insn = build_insn(b, op);

	if (!insn)
		return build_full(b);
	insn->guard = IR_NONE;
	insn->end = end;
	while (build_is_part(b, insn->source_end))
		insn->source_end++;
	return 0;
}

static int add_op(struct build *b, const struct op *op)
{
	static const uint8_t moves[] = { [ACTION_MOVE] = IR_MOVE, [ACTION_SELECT] = IR_SELECT,
					 [ACTION_TAKE] = IR_TAKE };
	const struct translation *t = &translations[handler_of(op)];
	const int32_t at[4] = { op->a, op->b, op->c, (int32_t)op->imm };
	uint32_t predicate = IR_NONE;

	switch ((enum action)t->action) {
	case ACTION_ROW:
		return add_row_insn(b, t->row, op->d, at);
	case ACTION_FUSED:
		return add_fused(b, t, op);
	case ACTION_COMPARE:
	case ACTION_COUNT:
		return add_compare(b, t, op);
	case ACTION_MOVE:
	case ACTION_SELECT:
	case ACTION_TAKE:
		return add_move(b, moves[t->action], t, op);
	case ACTION_LOGIC:
		return add_move(b, t->op, t, op);
	case ACTION_LOAD:
	case ACTION_STORE:
		return build_access(b, t, op);
	case ACTION_ATOMIC:
		return build_atomic(b, t, op);
	case ACTION_FRAME:
		return build_frame(b, op);
	case ACTION_LOCAL:
		return build_local(b, op);
	case ACTION_FENCE:
		return build_insn(b, IR_FENCE) ? 0 : build_full(b);
	case ACTION_SHUFFLE:
		return build_shuffle(b, t, op);
	case ACTION_VOTE:
		return build_vote(b, t, op);
	case ACTION_REDUCE:
		return build_reduce(b, t, op);
	case ACTION_MATCH:
		return build_match(b, t, op);
	case ACTION_INSERT:
		return build_insert(b, op);
	case ACTION_EXTRACT:
		return build_extract(b, op);
	case ACTION_BRANCH:
		if (t->op)
			TRY(build_operand(b, op->a, &predicate));
		return add_branch(b, predicate, t->op == 2, op->imm);
	default:
		return 0;
	}
}

/* ---- Guards -------------------------------------------------------------------------------- */

/* Begins or ends a guard; IR_GUARD is at its begin. */
static int add_guard(struct build *b, const struct translation *t, const struct op *op)
{
	struct ir_insn *insn;

	if (b->guard_insn != IR_NONE)
		b->ir->insns[b->guard_insn].imm = (int64_t)b->ir->insn_count;
	b->guard = b->guard_insn = IR_NONE;
	if (t->action == ACTION_END)
		return 0;
	insn = build_insn(b, IR_GUARD);
	if (!insn)
		return build_full(b);
	b->guard_insn = (uint32_t)b->ir->insn_count - 1;
	insn->sources = 1;
	insn->negated = t->op == 2;
	TRY(build_operand(b, op->a, &insn->a[0]));
	b->guard = b->ir->insns[b->guard_insn].a[0];
	b->guard_negated = t->op == 2;
	return 0;
}

static bool is_guard(unsigned action)
{
	return action == ACTION_GUARD || action == ACTION_ELSE || action == ACTION_END;
}

/* ---- Instructions of PTX ------------------------------------------------------------------- */

/*
 * Tells whether lanes may take part in the present instruction in several groups: each names
 * those that it waits for, last.
 */
static bool may_split(const struct build *b)
{
	const struct insn *insn = &b->l->body->insns[b->source];
	const struct operand *members = insn_operands(b->l->body, insn) + insn->count - 1;

	if (insn_parks(insn) && insn->count && members->kind == OPERAND_SPECIAL)
		return true;
	return insn_parks(insn) && insn->count && members->kind == OPERAND_REGISTER &&
	       b->l->body->register_types[members->index] != TYPE_PRED &&
	       register_kind(&b->ir->kinds, members->index) != KIND_UNIFORM;
}

/* Whether all of the ops from @from to @end can be said in the IR; else what becomes of them. */
static enum action find_action(const struct build *b, uint32_t from, uint32_t end)
{
	const struct op *ops = b->l->code->ops;
	enum action found = ACTION_NOTHING;

	for (uint32_t i = from; i < end; i++) {
		const struct translation *t = &translations[handler_of(&ops[i])];
		const bool inside = t->action == ACTION_BRANCH && i + 1 < end;

		if (t->action == ACTION_LEAVE || inside || may_split(b))
			return ACTION_LEAVE;
		if (t->action == ACTION_CALL ||
		    (t->action == ACTION_WINDOW && !build_has_window(b, i)) ||
		    ((t->action == ACTION_INSERT || t->action == ACTION_EXTRACT) &&
		     !build_has_parts(b, &ops[i])) ||
		    (t->action >= ACTION_ROW && t->action <= ACTION_COUNT &&
		     !b->options->has_row(b->options->context, &op_rows[t->row])) ||
		    ((t->action == ACTION_FUSED || t->action == ACTION_COUNT) &&
		     !b->options->has_row(b->options->context, &op_rows[t->second])))
			found = ACTION_CALL;
		i += translation_ops(t) - 1;
	}
	return found;
}

/* Where lanes go on by themselves behind an instruction that only some of them execute. */
static int add_leave(struct build *b, const struct op *first, uint32_t end)
{
	const struct translation *t = &translations[handler_of(first)];
	struct ir_insn *insn;

	TRY(add_rest(b, IR_LEAVE, end));
	if (t->action != ACTION_BRANCH || !t->op)
		return 0;
	insn = &b->ir->insns[b->ir->insn_count - 1];
	insn->sources = 1;
	insn->negated = t->op == 1; /* the branch is around it */
	return build_operand(b, first->a, &insn->a[0]);
}

/* The ops of instruction @source of PTX. */
static int add_ptx_insn(struct build *b, uint32_t source)
{
	const struct op *ops = b->l->code->ops;
	uint32_t from = b->l->insn_ops[source], end = b->l->insn_ops[source + 1];
	enum action action;

	TRY(build_source(b, source));
	for (; from < end && translations[handler_of(&ops[from])].action == ACTION_NOTHING; from++)
		;
	for (; from < end && is_guard(translations[handler_of(&ops[from])].action); from++) {
		b->at = from;
		TRY(add_guard(b, &translations[handler_of(&ops[from])], &ops[from]));
	}
	/* The end of a guard is behind the instruction. */
	while (end > from && is_guard(translations[handler_of(&ops[end - 1])].action))
		end--;
	b->at = from;
	action = find_action(b, from, end);
	if (from < end && action == ACTION_LEAVE)
		TRY(add_leave(b, &ops[from], end));
	else if (from < end && action == ACTION_CALL)
		TRY(add_rest(b, IR_CALL, end));
	else
		for (; b->at < end; b->at += b->step) {
			const struct translation *t = &translations[handler_of(&ops[b->at])];

			b->step = translation_ops(t);
			TRY(add_op(b, &ops[b->at]));
		}
	for (; end < b->l->insn_ops[source + 1]; end++)
		TRY(add_guard(b, &translations[handler_of(&ops[end])], &ops[end]));
	return 0;
}

/* ---- Blocks -------------------------------------------------------------------------------- */

static int find_blocks(struct build *b)
{
	const struct flow *flow = &b->l->now->flow;
	struct ir *ir = b->ir;

	ir->blocks = calloc(flow->block_count + 1, sizeof(*ir->blocks));
	if (!ir->blocks)
		return build_full(b);
	ir->block_count = flow->block_count + 1;
	for (size_t i = 0; i < ir->block_count; i++) {
		const uint32_t first = i < flow->block_count ? flow->blocks[i].first :
							       (uint32_t)b->l->body->insn_count;

		ir->blocks[i].op = b->l->insn_ops[first];
		ir->blocks[i].joined = flow->joined[first];
		ir->blocks[i].loop = IR_NONE;
	}
	return 0;
}

enum { MOST_DEPTH = 6 }; /* deeper loops count as these */

/* How many loops, from the target of a branch back to it, are around each block. */
static int find_depths(struct build *b)
{
	struct ir *ir = b->ir;
	CLEANUP(free_pointer) int32_t *begins = calloc(ir->block_count + 1, sizeof(*begins));
	int32_t depth = 0;

	if (!begins)
		return build_full(b);
	/* Loops that begin at a block, less those that end in front of it. */
	for (size_t i = 0; i < ir->block_count; i++)
		for (uint32_t k = ir->blocks[i].first; k < ir->blocks[i].end; k++)
			if (ir->insns[k].op == IR_BRANCH && ir->insns[k].back) {
				begins[ir->insns[k].imm]++;
				begins[i + 1]--;
			}
	for (size_t i = 0; i < ir->block_count; i++) {
		depth += begins[i];
		ir->blocks[i].depth = (uint8_t)(depth < MOST_DEPTH ? depth : MOST_DEPTH);
	}
	return 0;
}

static int add_blocks(struct build *b)
{
	const struct flow *flow = &b->l->now->flow;
	struct ir *ir = b->ir;

	for (size_t i = 0; i < ir->block_count; i++) {
		struct ir_block *block = &ir->blocks[i];

		block->first = (uint32_t)ir->insn_count;
		b->guard = b->guard_insn = IR_NONE;
		for (uint32_t k = i < flow->block_count ? flow->blocks[i].first : 0;
		     i < flow->block_count && k < flow->blocks[i].end; k++)
			TRY(add_ptx_insn(b, k));
		if (i == flow->block_count) {
			/* The op behind a leader: what the end of the text is. */
			b->at = block->op + (block->joined ? 1 : 0);
			b->source = (uint32_t)b->l->body->insn_count;
			if (!build_insn(b, IR_LEAVE))
				return build_full(b);
		}
		block->end = (uint32_t)ir->insn_count;
	}
	return find_depths(b);
}

int ir_build(struct lowering *l, const struct ir_options *options, struct ir *out, struct err *e)
{
	CLEANUP(ir_release) struct ir ir = { .lowering = l };
	CLEANUP(build_release) struct build b = { .l = l, .options = options, .ir = &ir, .e = e };

	memset(out, 0, sizeof(*out));
	TRY(kinds_find(l->body, &l->now->liveness, &options->shape, &ir.kinds, e));
	TRY(build_registers(&b));
	TRY(find_blocks(&b));
	TRY(add_blocks(&b));
	TRY(build_kinds(&b));
	TRY(build_spreads(&b));
	TRY(build_indices(&b));
	ASSERT(!ir_verify(&ir));
	*out = ir;
	memset(&ir, 0, sizeof(ir));
	return 0;
}
