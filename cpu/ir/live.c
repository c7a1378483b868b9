/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "live.h"

#include "array.h"

/* Values in all lists: a kernel that needs more stays with the interpreter. */
enum { MOST_LIVE = 1 << 22 };

/* ---- Uses and definitions ------------------------------------------------------------------ */

struct value_visit {
	const struct ir *ir;
	void (*visit)(void *context, uint32_t value, bool defines);
	void *context;
	bool defines; /* of registers: those that are written, else those that are read */
};

static void visit_register(void *context, uint32_t index, bool write)
{
	const struct value_visit *v = context;

	if (write == v->defines)
		v->visit(v->context, v->ir->by_register[index], write);
}

/* What handlers read and write are registers of PTX. */
static void visit_registers(struct value_visit *v, const struct ir_insn *insn)
{
	const struct body *body = v->ir->lowering->body;

	for (unsigned pass = 0; pass < 2; pass++) {
		v->defines = pass;
		for (uint32_t i = insn->source; i < insn->source_end && i < body->insn_count; i++)
			insn_registers(body, &body->insns[i], visit_register, v);
	}
}

void ir_visit(const struct ir *ir, const struct ir_insn *insn,
	      void (*visit)(void *context, uint32_t value, bool defines), void *context)
{
	struct value_visit v = { ir, visit, context, false };

	if (insn->op == IR_CALL || insn->op == IR_LEAVE)
		visit_registers(&v, insn);
	for (unsigned i = 0; i < insn->sources; i++)
		visit(context, insn->a[i], false);
	if (insn->guard != IR_NONE ||
	    (insn->under != IR_NONE && (insn->checked != IR_NONE || insn->op == IR_CALL ||
					insn->op == IR_FENCE)))
		visit(context, insn->guard != IR_NONE ? insn->guard : insn->under, false);
	/* What lanes share has no lanes that keep it: those without the guard never read it. */
	for (unsigned i = 0; i < IR_RESULTS && insn->d[i] != IR_NONE; i++)
		if (insn->guard != IR_NONE && !insn->whole &&
		    !ir->values[insn->d[i]].scratch && ir->values[insn->d[i]].kind == KIND_VECTOR)
			visit(context, insn->d[i], false);
	for (unsigned i = 0; i < IR_RESULTS && insn->d[i] != IR_NONE; i++)
		visit(context, insn->d[i], true);
}

/* ---- Sets ---------------------------------------------------------------------------------- */

/* The values that are needed at the present instruction, going backwards. */
struct live_search {
	const struct ir *ir;
	struct live *live;
	uint32_t *members;       /* owned: those that are */
	uint32_t *places;        /* owned: of each value: where it is in members, plus 1; or 0 */
	uint32_t count;
	uint32_t *registers;     /* owned: of each bit in the sets of struct liveness */
	bool kills;              /* what is defined is not needed before: that is visited now */
	bool partly;             /* ... but for registers: some lanes may keep what they have */
};

static void need_value(struct live_search *s, uint32_t value)
{
	if (s->places[value] || s->ir->values[value].fixed)
		return;
	s->members[s->count++] = value;
	s->places[value] = s->count;
	if (!s->ir->values[value].made.index)
		return;
	need_value(s, s->ir->values[value].made.index);
	need_value(s, s->ir->values[value].made.base);
}

static void drop_value(struct live_search *s, uint32_t value)
{
	const uint32_t place = s->places[value];

	if (!place)
		return;
	s->members[place - 1] = s->members[--s->count];
	s->places[s->members[place - 1]] = place;
	s->places[value] = 0;
}

static void step_back(void *context, uint32_t value, bool defines)
{
	struct live_search *s = context;

	if (defines && s->kills && (!s->partly || s->ir->values[value].scratch))
		drop_value(s, value);
	if (defines || s->kills)
		return;
	need_value(s, value);
	if (s->ir->values[value].temporary)
		need_value(s, s->ir->values[value].origin);
}

static int note_list(struct live_search *s, size_t insn, struct err *e)
{
	struct live *live = s->live;

	live->insns[insn] = (struct ir_live){ (uint32_t)live->value_count, s->count };
	if (live->value_count + s->count > MOST_LIVE)
		return err_set(e, GPURUN_UNSUPPORTED, "too many values are needed at one time");
	for (uint32_t i = 0; i < s->count; i++) {
		uint32_t *slot = array_grow(&live->values, live->value_count, sizeof(*slot));

		if (!slot)
			return err_set(e, GPURUN_NO_MEMORY, "no memory for values that are needed");
		*slot = s->members[i];
		live->value_count++;
	}
	return 0;
}

/* What registers block @block needs when it begins. */
static void need_entering(struct live_search *s, uint32_t block)
{
	const struct liveness *liveness = &s->ir->lowering->now->liveness;
	const size_t first = block * liveness->words;

	for (size_t w = 0; w < liveness->words; w++)
		for (uint64_t left = liveness->sets[first + w]; left; left &= left - 1)
			need_value(s, s->ir->by_register[s->registers[
				w * 64 + (size_t)__builtin_ctzll(left)]]);
}

/* What the blocks after @block need; nothing follows the last one, the end of the text. */
static void begin_block(struct live_search *s, size_t block)
{
	const struct reached *now = s->ir->lowering->now;
	const struct basic_block *from;

	while (s->count)
		drop_value(s, s->members[s->count - 1]);
	if (block == now->flow.block_count)
		return;
	from = &now->flow.blocks[block];
	for (uint32_t i = 0; i < from->count; i++) {
		const uint32_t to = now->flow.successors[from->successor + i];

		if (to < now->flow.block_count)
			need_entering(s, to);
	}
}

/*
 * Tells whether @insn may leave its results as they are in some lanes. Under a guard that lanes
 * share it may not be executed at all.
 */
static bool writes_partly(const struct ir *ir, const struct ir_insn *insn)
{
	const struct body *body = ir->lowering->body;
	const struct insn *source;

	if (insn->source >= body->insn_count || (insn->op == IR_CALL && insn->under != IR_NONE))
		return true;
	source = &body->insns[insn->source];
	return source->guard != NO_GUARD && !source->whole;
}

static int find_needed(struct live_search *s, size_t block, struct err *e)
{
	const struct ir *ir = s->ir;

	begin_block(s, block);
	for (uint32_t i = ir->blocks[block].end; i-- > ir->blocks[block].first;) {
		const struct ir_insn *insn = &ir->insns[i];

		s->kills = true;
		s->partly = writes_partly(ir, insn);
		ir_visit(ir, insn, step_back, s);
		s->kills = false;
		ir_visit(ir, insn, step_back, s);
		TRY(note_list(s, i, e));
	}
	return 0;
}

static void live_search_release(struct live_search *s)
{
	free(s->members);
	free(s->places);
	free(s->registers);
}

/* Which register each bit of a set is of. */
static void find_registers(struct live_search *s)
{
	const uint32_t *numbers = s->ir->lowering->now->liveness.numbers;

	for (uint32_t r = 0; r < s->ir->lowering->body->register_count; r++)
		if (numbers[r])
			s->registers[numbers[r] - 1] = r;
}

int live_find(const struct ir *ir, struct live *out, struct err *e)
{
	CLEANUP(live_release) struct live live = { 0 };
	CLEANUP(live_search_release) struct live_search s = { .ir = ir, .live = &live };

	memset(out, 0, sizeof(*out));
	live.insns = calloc(ir->insn_count + 1, sizeof(*live.insns));
	s.members = calloc(ir->value_count + 1, sizeof(*s.members));
	s.places = calloc(ir->value_count + 1, sizeof(*s.places));
	s.registers = calloc(ir->lowering->now->liveness.words * 64 + 1, sizeof(*s.registers));
	if (!live.insns || !s.members || !s.places || !s.registers)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for values that are needed");
	find_registers(&s);
	for (size_t block = 0; block < ir->block_count; block++)
		TRY(find_needed(&s, block, e));
	*out = live;
	memset(&live, 0, sizeof(live));
	return 0;
}

void live_release(struct live *live)
{
	free(live->values);
	free(live->insns);
}
