/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A NaN that an f32 instruction makes is the canonical one; x86 makes others. Most instructions
 * that read it do not care which one it is. So values whose every NaN comes from such
 * instructions may have any, and become canonical where it matters: where bits are read, and
 * where they leave registers. Moves pass them on, from values that may be any NaN to others.
 */
#include "compile.h"

bool loose_source(const struct ir_insn *insn, unsigned i)
{
	if (insn->op == IR_ROW)
		return op_rows[insn->row].classes[i + 1] == ELEMENT_F32 &&
		       select_any_nan(&op_rows[insn->row]);
	return false;
}

/* The same of what is read of @value, by an instruction that moves it. */
static bool passes_canonical(const struct compile *c, uint32_t value)
{
	const struct ir_value *from = value_of(c, value);
	float number;

	if (!from->known)
		return c->places[value].loose;
	memcpy(&number, &from->number, sizeof(number));
	return number == number;
}

/* Tells whether the NaNs that @insn writes are canonical, or could be made so. */
static bool makes_canonical(const struct compile *c, const struct ir_insn *insn)
{
	if (insn->op == IR_ROW)
		return op_rows[insn->row].classes[0] == ELEMENT_F32 &&
		       select_any_nan(&op_rows[insn->row]);
	if (insn->size != 4)
		return false;
	if (insn->op == IR_SELECT)
		return passes_canonical(c, insn->a[0]) && passes_canonical(c, insn->a[1]);
	return (insn->op == IR_MOVE || insn->op == IR_SHUFFLE) && passes_canonical(c, insn->a[0]);
}

/* What handlers write may be any bits. */
static void visit_called(void *context, uint32_t value, bool defines)
{
	struct compile *c = context;

	if (defines)
		c->places[value].loose = false;
}

/* The place of what @insn writes, as long as that may have any NaN; or NULL. */
static struct value_place *loose_result(struct compile *c, const struct ir_insn *insn)
{
	struct value_place *place = insn->d[0] == IR_NONE ? NULL : &c->places[insn->d[0]];

	return place && place->loose ? place : NULL;
}

/* Values that may have any NaN, if only what they are made of says so. */
static void find_canonical(struct compile *c)
{
	bool changed;

	do {
		changed = false;
		for (size_t i = 0; i < c->ir->insn_count; i++) {
			const struct ir_insn *insn = &c->ir->insns[i];
			struct value_place *place = loose_result(c, insn);

			if (!place || makes_canonical(c, insn))
				continue;
			place->loose = false;
			changed = true;
		}
	} while (changed);
}

/* Numbers that are moved about, and nothing else, are no NaNs: reading their bits costs nothing. */
static void find_floats(struct compile *c)
{
	bool changed;

	do {
		changed = false;
		for (size_t i = 0; i < c->ir->insn_count; i++) {
			const struct ir_insn *insn = &c->ir->insns[i];
			struct value_place *place = loose_result(c, insn);

			if (!place || place->computed)
				continue;
			place->computed = insn->op == IR_ROW || c->places[insn->a[0]].computed ||
					  (insn->op == IR_SELECT &&
					   c->places[insn->a[1]].computed);
			changed |= place->computed;
		}
	} while (changed);
}

void loose_find(struct compile *c)
{
	for (size_t v = 0; v < c->ir->value_count; v++) {
		const struct ir_value *value = &c->ir->values[v];

		c->places[v].loose = value->kind == KIND_VECTOR && value->bytes == 4 &&
				     !value->fixed && !value->temporary;
	}
	for (size_t i = 0; i < c->ir->insn_count; i++) {
		const struct ir_insn *insn = &c->ir->insns[i];

		if (insn->op == IR_CALL || insn->op == IR_LEAVE)
			ir_visit(c->ir, insn, visit_called, c);
		if (ir_accesses(insn)) /* its address is read as it is, many times */
			c->places[insn->a[0]].loose = false;
		for (unsigned k = 1; k < IR_RESULTS && insn->d[k] != IR_NONE; k++)
			c->places[insn->d[k]].loose = false;
	}
	find_canonical(c);
	find_floats(c);
	for (size_t v = 0; v < c->ir->value_count; v++)
		c->places[v].loose &= c->places[v].computed;
}
