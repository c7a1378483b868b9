/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Ops that are executed by their handlers from inside the region. What these read is in the row
 * file then. Other values have to outlive the call alone: vectors in their memory, what lanes share
 * in its register where functions leave that as it is, or else in its memory, without a row; not
 * in vectors that repeat it.
 */
#include "array.h"
#include "compile.h"
#include "state.h"

#define EMIT(name, ...) x86_emit(c->x, X86_##name, __VA_ARGS__)

/* How a call uses a value; or that the row file had it before. */
enum { CALL_READS = 1, CALL_WRITES = 2, CALL_CLEAN = 4 };

/* What a vector is spread of has the row that handlers read. */
static void note_use(void *context, uint32_t value, bool defines)
{
	struct compile *c = context;

	c->called[value] |= defines ? CALL_WRITES : CALL_READS;
	if (value_of(c, value)->temporary)
		c->called[value_of(c, value)->origin] |= CALL_READS;
}

static void forget_use(void *context, uint32_t value, bool defines)
{
	struct compile *c = context;

	(void)defines;
	c->called[value] = 0;
	if (value_of(c, value)->temporary)
		c->called[value_of(c, value)->origin] = 0;
}

/* Tells whether functions that are called change the only register of @value, which lanes share. */
static bool is_lost(const struct compile *c, uint32_t value)
{
	static const uint32_t kept = 1u << X86_RBP | 1u << X86_R12 | 1u << X86_R13;
	const struct value_place *place = &c->places[value];

	return place->alone || (place->gpr != NO_PLACE && !(kept >> place->gpr & 1));
}

static void keep_value(struct compile *c, uint32_t value)
{
	const bool reads = c->called[value] & CALL_READS && !value_of(c, value)->temporary;

	if (in_vectors(c, value) || reads)
		state_store_value(c, value);
	if (in_vectors(c, value) || !is_lost(c, value))
		return;
	/* Where its home is in the frame, it is not in the row file that it is found again. */
	if (!reads || c->places[value].frame >= 0)
		value_store(c, value);
}

static void restore_value(struct compile *c, uint32_t value)
{
	const struct value_place *place = &c->places[value];
	const struct x86_operand home = home_memory(c, value);

	if (in_vectors(c, value) || c->called[value] & (CALL_WRITES | CALL_CLEAN)) {
		state_load_value(c, value);
		return;
	}
	if (is_lost(c, value) && !place->alone)
		EMIT(mov, x86_r64(place->gpr), home);
	value_repeat(c, value, place->alone || place->gpr == NO_PLACE ? home :
								x86_r64(place->gpr));
}

static void keep_needed(struct compile *c, uint32_t index)
{
	const struct ir_live *live = &c->live.insns[index];

	for (uint32_t i = live->first; i < live->first + live->count; i++) {
		const uint32_t value = c->live.values[i];

		if (c->clean[i] && !value_of(c, value)->temporary)
			c->called[value] |= CALL_CLEAN;
		else
			keep_value(c, value);
	}
}

static void restore_needed(struct compile *c, uint32_t index)
{
	const struct ir_live *before = &c->live.insns[index], *live = &c->live.insns[index + 1];

	for (uint32_t i = live->first; i < live->first + live->count; i++)
		restore_value(c, c->live.values[i]);
	for (uint32_t i = before->first; i < before->first + before->count; i++)
		c->called[c->live.values[i]] &= (uint8_t)~CALL_CLEAN;
}

/* The ops of @insn, with an end behind them; NULL: no memory. */
static const struct op *copy_ops(struct compile *c, const struct ir_insn *insn)
{
	const uint32_t count = insn->end - insn->at;
	struct region_call *call = array_grow(&c->calls, c->call_count, sizeof(*call));
	struct op *copy = c->copies + c->copied;

	if (!call) {
		c->no_memory = true;
		return NULL;
	}
	*call = (struct region_call){ insn->at, count };
	c->call_count++;
	memcpy(copy, c->request->ops + insn->at, count * sizeof(*copy));
	copy[count] = (struct op){ .fn = c->request->end };
	c->copied += count + 1;
	return copy;
}

static void call_ops(struct compile *c, const struct op *copy)
{
	const uint32_t on = x86_label(c->x);

	EMIT(mov, x86_r64(X86_RDI), x86_r64(AT_WARP));
	load_pointer(c, X86_RSI, copy);
	x86_emit_all(c->x, X86_vzeroupper, NULL, 0);
	region_rest(c);
	call_function(c, (uintptr_t)c->request->exits->call);
	region_resume(c);
	EMIT(test, x86_gpr(1, X86_RAX), x86_gpr(1, X86_RAX));
	EMIT(jne, x86_to(on));
	region_epilogue(c);
	x86_emit_all(c->x, X86_ret, NULL, 0);
	x86_bind(c->x, on);
}

void step_call(struct compile *c, uint32_t index)
{
	const struct ir_insn *insn = &c->ir->insns[index];
	const bool partial = insn->under != IR_NONE;
	const uint32_t none = x86_label(c->x);
	const struct op *copy = copy_ops(c, insn);

	if (!copy)
		return;
	if (partial) {
		partial_collect(c, insn);
		EMIT(test, x86_r32(X86_RAX), x86_r32(X86_RAX));
		EMIT(je, x86_to(none));
	}
	ir_visit(c->ir, insn, note_use, c);
	keep_needed(c, index);
	if (partial) {
		partial_collect(c, insn);
		partial_run(c);
	}
	call_ops(c, copy);
	if (partial) {
		EMIT(mov, x86_r32(X86_RAX), x86_immediate(-1));
		partial_run(c);
	}
	restore_needed(c, index);
	ir_visit(c->ir, insn, forget_use, c);
	c->mode = MODE_UNKNOWN;
	mode_set(c, c->only_mode);
	x86_bind(c->x, none);
}
