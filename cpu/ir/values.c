/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The values of the IR: which one an op means by an offset in the row file, and their kinds. */
#include "array.h"
#include "build.h"
#include "special.h"

static int new_value(struct build *b, const struct ir_value *value, uint32_t *index)
{
	struct ir_value *slot = array_grow(&b->ir->values, b->ir->value_count, sizeof(*slot));

	if (!slot)
		return build_full(b);
	*slot = *value;
	*index = (uint32_t)b->ir->value_count++;
	return 0;
}

void build_release(struct build *b)
{
	free(b->constants);
	free(b->owners);
}

/* ---- Registers ----------------------------------------------------------------------------- */

/* What is hoisted has been computed before any region is entered, and is never written again. */
static void fix_hoisted(struct build *b)
{
	const struct body *body = b->l->body;
	const uint8_t *hoisted = b->l->now->hoisted;

	for (size_t i = 0; hoisted && i < body->insn_count; i++) {
		const struct operand *d = insn_operands(body, &body->insns[i]);

		if (hoisted[i] && d->kind == OPERAND_REGISTER)
			b->ir->values[b->ir->by_register[d->index]].fixed = true;
	}
}

int build_registers(struct build *b)
{
	const struct body *body = b->l->body;
	const struct lowering *l = b->l;
	uint32_t value;

	/* 0 is what tables have for values that are not there yet. */
	TRY(new_value(b, &(struct ir_value){ .reg = IR_NONE, .fixed = true }, &value));
	b->ir->by_register = calloc(body->register_count + 1, sizeof(*b->ir->by_register));
	b->constants = calloc(l->code->constant_count + 1, sizeof(*b->constants));
	b->owners = calloc((size_t)l->constants_at / 8 + 1, sizeof(*b->owners));
	if (!b->ir->by_register || !b->constants || !b->owners)
		return build_full(b);
	for (uint32_t r = 0; r < body->register_count; r++) {
		const struct register_kind *kind = &b->ir->kinds.registers[r];
		struct ir_value new = { .at = register_at(l, r), .reg = r,
					.bytes = (uint8_t)register_size(l, r),
					.slot = register_slot(l, r),
					.kind = (uint8_t)register_kind(&b->ir->kinds, r),
					.pattern = kind->pattern };

		new.slot &= new.bytes != 0;
		if (new.slot) {
			new.kind = KIND_UNIFORM;
			new.pattern = 0;
		}
		if (new.bytes > 8)
			new.kind = KIND_VECTOR;
		if (!new.bytes && new.kind == KIND_PATTERN) /* a mask is one already */
			new.kind = KIND_VECTOR;
		TRY(new_value(b, &new, &value));
		b->ir->by_register[r] = value;
	}
	fix_hoisted(b);
	return 0;
}

/* ---- Who has a place ----------------------------------------------------------------------- */

static struct build_owner *owner_at(struct build *b, int32_t at)
{
	ASSERT(at >= 0 && at <= b->l->constants_at);
	return &b->owners[at / 8];
}

/* Notes registers that the present instructions read, and those that they write. */
static void note_register(void *context, uint32_t index, bool write)
{
	struct build *b = context;
	struct build_owner *owner = owner_at(b, register_at(b->l, index));
	const uint32_t value = b->ir->by_register[index];

	if (write) {
		owner->result = value;
		owner->written = b->group;
	} else if (owner->written != b->group || owner->result != value) {
		/* but for what the first rows of a fused op give to later ones */
		owner->value = value;
		owner->read = b->group;
	}
}

bool build_is_part(const struct build *b, uint32_t source)
{
	const struct lowering *l = b->l;

	if (source >= l->body->insn_count)
		return false;
	for (uint32_t i = l->insn_ops[source]; i < l->insn_ops[source + 1]; i++)
		if (translations[handler_of(&l->code->ops[i])].action != ACTION_END)
			return false;
	return true;
}

int build_source(struct build *b, uint32_t source)
{
	const struct body *body = b->l->body;

	b->source = source;
	if (source < b->group_end)
		return 0;
	b->group++;
	b->group_end = source + 1;
	while (build_is_part(b, b->group_end))
		b->group_end++;
	for (uint32_t i = source; i < b->group_end && i < body->insn_count; i++)
		if (!b->l->now->hoisted || !b->l->now->hoisted[i])
			insn_registers(body, &body->insns[i], note_register, b);
	return 0;
}

/* ---- Others -------------------------------------------------------------------------------- */

int build_pattern(struct build *b, const int64_t steps[KIND_LANES], uint16_t *pattern)
{
	struct kinds *kinds = &b->ir->kinds;
	int64_t (*slot)[KIND_LANES];

	*pattern = 0;
	for (size_t i = 1; i < kinds->pattern_count; i++) {
		if (memcmp(kinds->patterns[i], steps, sizeof(kinds->patterns[0])))
			continue;
		*pattern = (uint16_t)i;
		return 0;
	}
	if (kinds->pattern_count == UINT16_MAX)
		return 0;
	slot = array_grow(&kinds->patterns, kinds->pattern_count, sizeof(*slot));
	if (!slot)
		return build_full(b);
	memcpy(*slot, steps, sizeof(*slot));
	*pattern = (uint16_t)kinds->pattern_count++;
	return 0;
}

/* The value of special register @special, whose place is @at. */
static int add_special(struct build *b, unsigned special, int32_t at, uint32_t *index)
{
	const struct special_info *info = &special_infos[special];
	struct ir_value new = { .at = at, .reg = IR_NONE, .bytes = info->bytes, .fixed = true,
				.slot = at < AT_SPECIAL_ROWS && info->bytes };
	struct block_lanes lanes;
	struct values values;

	block_lanes_find(&b->options->shape, &lanes);
	block_lanes_special(&lanes, (enum special)special, &values);
	new.kind = KIND_UNIFORM;
	if (at >= AT_SPECIAL_ROWS) {
		if (values.varies)
			TRY(build_pattern(b, values.steps, &new.pattern));
		if (values.form != VALUES_BASE || (values.varies && !new.pattern))
			new.kind = KIND_VECTOR;
		else if (new.pattern)
			new.kind = KIND_PATTERN;
	}
	return new_value(b, &new, index);
}

/* The special register whose place is @at. */
static unsigned special_of(int32_t at)
{
	if (at < AT_SPECIAL_ROWS)
		return (unsigned)(at - AT_SPECIAL_SLOTS) / 8;
	for (unsigned i = 0; i < SPECIAL_NAMED; i++)
		if (special_infos[i].form == FORM_ROW && special_offset(i) == at)
			return i;
	return SPECIAL_NAMED;
}

static int special_value(struct build *b, int32_t at, uint32_t *index)
{
	const unsigned special = special_of(at);

	if (special >= SPECIAL_NAMED)
		return err_set(b->e, GPURUN_INTERNAL, "no special register is at %#x", at);
	if (!b->specials[special][at >= AT_SPECIAL_ROWS])
		TRY(add_special(b, special, at, &b->specials[special][at >= AT_SPECIAL_ROWS]));
	*index = b->specials[special][at >= AT_SPECIAL_ROWS];
	return 0;
}

uint32_t build_special(struct build *b, uint32_t special)
{
	uint32_t index = IR_NONE;
	const int32_t slot = AT_SPECIAL_SLOTS + 8 * (int32_t)special;

	if (special >= SPECIAL_NAMED)
		return IR_NONE;
	if (special_infos[special].form == FORM_SLOT ||
	    ((special == SPECIAL_TID_Y || special == SPECIAL_TID_Z) && b->l->aligned))
		return special_value(b, slot, &index) ? IR_NONE : index;
	if (special_infos[special].form != FORM_ROW)
		return IR_NONE;
	return special_value(b, special_offset(special), &index) ? IR_NONE : index;
}

static int constant_value(struct build *b, int32_t at, uint32_t *index)
{
	const size_t i = (size_t)(at - b->l->constants_at) / 8;
	const struct constant *constant = &b->l->code->constants[i];
	const struct ir_value new = { .at = at, .reg = IR_NONE, .bytes = 8, .fixed = true,
				      .slot = true, .kind = KIND_UNIFORM,
				      .known = constant->base == BASE_NONE,
				      .number = constant->value };

	ASSERT(i < b->l->code->constant_count);
	if (!b->constants[i])
		TRY(new_value(b, &new, &b->constants[i]));
	*index = b->constants[i];
	return 0;
}

/* ---- Operands ------------------------------------------------------------------------------ */

int build_operand(struct build *b, int32_t at, uint32_t *value)
{
	const struct build_owner *owner;

	if (at < AT_SCRATCH)
		return special_value(b, at, value);
	if (at >= b->l->constants_at)
		return constant_value(b, at, value);
	owner = owner_at(b, at);
	*value = owner->value;
	if (owner->read == b->group)
		return 0;
	return err_set(b->e, GPURUN_INTERNAL, "op %u reads %#x, which no register has", b->at, at);
}

int build_result(struct build *b, int32_t at, unsigned bytes, uint32_t *value)
{
	const struct ir_value scratch = { .at = at, .reg = IR_NONE, .bytes = (uint8_t)bytes,
					  .kind = KIND_UNIFORM, .scratch = true };
	struct build_owner *owner = owner_at(b, at);

	if (at >= AT_SCRATCH && at < AT_ROWS)
		TRY(new_value(b, &scratch, value));
	else if (owner->written == b->group)
		*value = owner->result;
	else
		return err_set(b->e, GPURUN_INTERNAL, "op %u writes %#x, which no register has",
			       b->at, at);
	owner->value = *value;
	owner->read = b->group;
	return 0;
}

int build_temporary(struct build *b, unsigned bytes, uint32_t *value)
{
	return new_value(b, &(struct ir_value){ .reg = IR_NONE, .bytes = (uint8_t)bytes,
						.kind = KIND_UNIFORM, .scratch = true,
						.temporary = true }, value);
}

int build_staying(struct build *b, uint32_t *value)
{
	return new_value(b, &(struct ir_value){ .reg = IR_NONE, .kind = KIND_VECTOR, .fixed = true,
						.temporary = true }, value);
}

int build_number(struct build *b, uint64_t number, uint32_t *value)
{
	return new_value(b, &(struct ir_value){ .reg = IR_NONE, .bytes = 8, .fixed = true,
						.slot = true, .kind = KIND_UNIFORM, .known = true,
						.number = number }, value);
}

/* ---- Kinds --------------------------------------------------------------------------------- */

static bool is_vector(const struct ir *ir, uint32_t value)
{
	return value != IR_NONE && ir->values[value].kind == KIND_VECTOR;
}

/* Tells whether all lanes get the same from @insn, whatever they have. */
static bool is_shared(const struct ir_insn *insn)
{
	return insn->op == IR_VOTE || insn->op == IR_REDUCE ||
	       (insn->op == IR_MATCH && insn->form == MATCH_ALL);
}

/* Tells whether the first result of @insn can be what its kind says. */
static bool keeps_kind(const struct build *b, const struct ir_insn *insn)
{
	const struct ir *ir = b->ir;

	if (insn->op == IR_TAKE || insn->op == IR_CALL || is_shared(insn))
		return true;
	if (ir_effect(insn) == IR_MEETS || insn->op == IR_ATOMIC)
		return false;
	if (insn->op == IR_LOAD)
		return ir->values[insn->a[0]].kind == KIND_UNIFORM;
	for (unsigned i = 0; i < insn->sources; i++)
		if (is_vector(ir, insn->a[i]))
			return false;
	if (insn->op == IR_SELECT && ir->values[insn->a[2]].kind != KIND_UNIFORM)
		return false;
	return insn->op != IR_ROW ||
	       b->options->has_value(b->options->context, &op_rows[insn->row]);
}

/* Of scratch rows: one value where all operands have one. */
static void scratch_kind(struct ir *ir, const struct ir_insn *insn, struct ir_value *d)
{
	for (unsigned i = 0; i < insn->sources && !is_shared(insn); i++)
		if (ir->values[insn->a[i]].kind != KIND_UNIFORM)
			d->kind = KIND_VECTOR;
}

/* What a handler that is called reads and writes. */
struct called_kinds {
	struct ir *ir;
	bool reads_vectors;
	bool demotes;   /* what it writes becomes a vector */
	bool changed;
};

static void visit_called_kind(void *context, uint32_t index, bool write)
{
	struct called_kinds *called = context;
	struct ir_value *v = &called->ir->values[called->ir->by_register[index]];

	called->reads_vectors |= !write && v->kind == KIND_VECTOR;
	if (!write || !called->demotes || v->slot || v->kind == KIND_VECTOR)
		return;
	v->kind = KIND_VECTOR;
	called->changed = true;
}

/* What lanes compute by a handler, of what has become a vector, is a vector. */
static bool demote_called(struct build *b, const struct ir_insn *insn)
{
	const struct body *body = b->l->body;
	struct called_kinds called = { .ir = b->ir };

	for (unsigned pass = 0; pass < 2; pass++) {
		for (uint32_t i = insn->source; i < insn->source_end && i < body->insn_count; i++)
			insn_registers(body, &body->insns[i], visit_called_kind, &called);
		called.demotes = called.reads_vectors;
	}
	return called.changed;
}

void build_demote(struct build *b)
{
	struct ir *ir = b->ir;
	bool changed;

	do {
		changed = false;
		for (size_t i = 0; i < ir->insn_count; i++) {
			struct ir_insn *insn = &ir->insns[i];

			if (insn->op == IR_CALL)
				changed |= demote_called(b, insn);
			for (unsigned k = 0; k < IR_RESULTS && insn->d[k] != IR_NONE; k++) {
				struct ir_value *d = &ir->values[insn->d[k]];
				const uint8_t kind = d->kind;

				if (d->scratch)
					scratch_kind(ir, insn, d);
				if (d->kind != KIND_VECTOR && !d->slot && !keeps_kind(b, insn))
					d->kind = KIND_VECTOR;
				changed |= d->kind != kind;
			}
		}
	} while (changed);
}

static bool writes(const struct ir_insn *insn, uint32_t value)
{
	for (unsigned i = 0; i < IR_RESULTS && insn->d[i] != IR_NONE; i++)
		if (insn->d[i] == value)
			return true;
	return false;
}

struct called {
	const struct ir *ir;
	bool shares;             /* a result that lanes share has a row, which is written partly */
};

static void check_called(void *context, uint32_t index, bool write)
{
	struct called *called = context;
	const struct ir_value *value = &called->ir->values[called->ir->by_register[index]];

	called->shares |= write && !value->slot && value->kind != KIND_VECTOR;
}

/* Tells whether handlers can execute @insn, a call, for some of the lanes that run. */
static bool can_be_called(const struct build *b, const struct ir_insn *insn)
{
	const struct body *body = b->l->body;
	struct called called = { b->ir, false };

	for (uint32_t i = insn->source; i < insn->source_end && i < body->insn_count; i++) {
		if (insn_parks(&body->insns[i]))
			return false;
		insn_registers(body, &body->insns[i], check_called, &called);
	}
	return !called.shares;
}

bool build_is_partial(const struct build *b, const struct ir_insn *insn)
{
	if (insn->op == IR_CALL)
		return can_be_called(b, insn);
	if (ir_accesses(insn))
		return b->options->has_masked(b->options->context, b->ir, insn);
	if (insn->op == IR_TAKE) /* of the first lane that runs */
		return !is_vector(b->ir, insn->a[0]);
	return ir_effect(insn) == IR_PURE || insn->op == IR_FENCE;
}

/* Tells whether a guard has to be in front of @insn, not a part of it: lanes share what it
 * computes, and those behind the guard need that. */
static bool shares_result(const struct ir *ir, const struct ir_insn *insn)
{
	const struct ir_value *d = insn->d[0] == IR_NONE ? NULL : &ir->values[insn->d[0]];

	return d && (ir_effect(insn) == IR_PURE || insn->op == IR_LOAD) && insn->op != IR_TAKE &&
	       d->kind != KIND_VECTOR && !d->scratch &&
	       !ir->lowering->body->insns[insn->source].whole;
}

bool build_guard_fits(const struct build *b, size_t at)
{
	const struct ir *ir = b->ir;
	const struct ir_insn *guard = &ir->insns[at];

	for (size_t i = at + 1; i < (size_t)guard->imm; i++)
		if (!build_is_partial(b, &ir->insns[i]) || shares_result(ir, &ir->insns[i]) ||
		    (i + 1 < (size_t)guard->imm && writes(&ir->insns[i], guard->a[0])))
			return false;
	return true;
}

/*
 * Guards that differ between lanes are a part of what they guard, if each of it can be executed by
 * some lanes alone, and none before the last writes the predicate.
 */
static void settle_guard(struct build *b, size_t at)
{
	struct ir *ir = b->ir;
	struct ir_insn *guard = &ir->insns[at];

	guard->skipped = ir->values[guard->a[0]].kind != KIND_UNIFORM && build_guard_fits(b, at);
	for (size_t i = at + 1; i < (size_t)guard->imm; i++) {
		struct ir_insn *insn = &ir->insns[i];

		guard->tested |= guard->skipped && ir_effect(insn) != IR_PURE;
		if (guard->skipped)
			insn->under = guard->a[0];
		insn->whole = guard->skipped && (insn->op == IR_LOAD || insn->op == IR_ATOMIC) &&
			      ir->lowering->body->insns[insn->source].whole;
		if (!guard->skipped || insn->op == IR_CALL || insn->op == IR_FENCE ||
		    (!ir_accesses(insn) && (ir->values[insn->d[0]].scratch ||
					  ir->lowering->body->insns[insn->source].whole)))
			insn->guard = IR_NONE;
	}
}

/* Tells whether what has to be a number of @insn, a row, is one: its last source. */
static bool has_numbers(const struct build *b, const struct ir_insn *insn)
{
	return b->ir->values[insn->a[insn->sources - 1]].known ||
	       !b->options->has_number(b->options->context, &op_rows[insn->row]);
}

/* Not known are rows that need numbers; what writes a slot and has sources that are vectors here;
 * and some accesses. */
bool build_is_known(const struct build *b, const struct ir_insn *insn)
{
	if (insn->op == IR_ROW && !has_numbers(b, insn))
		return false;
	if (insn->op == IR_ROW || insn->op == IR_SELECT)
		return !b->ir->values[insn->d[0]].slot || keeps_kind(b, insn);
	return !ir_accesses(insn) || b->options->has_access(b->options->context, b->ir, insn);
}

/* Makes calls of what is not known. */
static void find_calls(struct build *b)
{
	for (size_t i = 0; i < b->ir->insn_count; i++)
		if (!build_is_known(b, &b->ir->insns[i]))
			b->ir->insns[i].op = IR_CALL;
}

int build_kinds(struct build *b)
{
	struct ir *ir = b->ir;

	build_demote(b);
	TRY(build_loops(b));
	find_calls(b);
	for (size_t i = 0; i < ir->insn_count; i++) {
		struct ir_insn *insn = &ir->insns[i];

		if (insn->op == IR_GUARD)
			settle_guard(b, i);
		if (insn->checked != IR_NONE &&
		    (is_vector(ir, insn->d[0]) || is_vector(ir, insn->checked)))
			insn->checked = IR_NONE;
	}
	return build_converted(b);
}
