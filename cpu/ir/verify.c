/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ir.h"

enum results { RESULTS_NONE, RESULTS_VALUE, RESULTS_VALUES };

/* Tells whether @insn has as many results as its op; what becomes a call keeps its own. */
static bool has_results(const struct ir_insn *insn)
{
	static const uint8_t results[] = {
#define IR(name, text, result, effect) RESULTS_##result,
#include "ops.def"
	};
	unsigned count = 0;

	while (count < IR_RESULTS && insn->d[count] != IR_NONE)
		count++;
	for (unsigned i = count; i < IR_RESULTS; i++)
		if (insn->d[i] != IR_NONE)
			return false;
	if (insn->op == IR_CALL)
		return true;
	if (insn->op == IR_SHUFFLE || insn->op == IR_MATCH)
		return count == 1 || count == 2;
	if (insn->op == IR_INDEX)
		return count == 2;
	return count == (results[insn->op] == RESULTS_VALUES ? insn->count : results[insn->op]);
}

/* A slot has one value for all lanes; a mask is no pattern. */
static const char *verify_value(const struct ir *ir, const struct ir_value *value)
{
	if (value->slot && value->kind != KIND_UNIFORM)
		return "a slot has a value for each lane";
	if (value->kind == KIND_PATTERN &&
	    (!value->bytes || !value->pattern || value->pattern >= ir->kinds.pattern_count))
		return "a value has no such pattern";
	return NULL;
}

static const char *verify_values(const struct ir *ir, const struct ir_insn *insn)
{
	for (unsigned i = 0; i < IR_SOURCES; i++)
		if ((i < insn->sources) != (insn->a[i] != IR_NONE) ||
		    (insn->a[i] != IR_NONE && insn->a[i] >= ir->value_count))
			return "an instruction has another number of sources than it says";
	if (!has_results(insn))
		return "an instruction has another number of results than its op";
	for (unsigned i = 0; i < IR_RESULTS; i++)
		if (insn->d[i] != IR_NONE &&
		    (insn->d[i] >= ir->value_count || ir->values[insn->d[i]].fixed ||
		     (insn->op == IR_CALL && ir->values[insn->d[i]].temporary)))
			return "an instruction has a result that cannot be written";
	if (insn->guard != IR_NONE &&
	    (insn->guard >= ir->value_count || ir->values[insn->guard].bytes))
		return "a guard is no predicate";
	if (insn->checked != IR_NONE && insn->checked >= ir->value_count)
		return "a check is about no value";
	return NULL;
}

/* The source of each op that is a predicate, plus 1; 0: none, or all of them and the result. */
static const uint8_t conditions[IR_OPS] = { [IR_SELECT] = 3, [IR_GUARD] = 1, [IR_BRANCH] = 1 };

static const char *verify_predicates(const struct ir *ir, const struct ir_insn *insn)
{
	const bool logic = insn->op >= IR_AND && insn->op <= IR_COPY;

	for (unsigned i = 0; i < insn->sources; i++) {
		const struct ir_value *a = &ir->values[insn->a[i]];

		/* A number of any size may be one. */
		if ((logic || conditions[insn->op] == i + 1) && a->bytes && !a->known)
			return "a condition is no predicate";
	}
	return logic && ir->values[insn->d[0]].bytes ? "a condition is no predicate" : NULL;
}

/* What is computed one time has sources that are not vectors. */
static const char *verify_kinds(const struct ir *ir, const struct ir_insn *insn)
{
	const struct ir_value *d = insn->d[0] == IR_NONE ? NULL : &ir->values[insn->d[0]];

	if (!d || ir_effect(insn) != IR_PURE || insn->op == IR_TAKE || d->kind == KIND_VECTOR)
		return NULL;
	for (unsigned i = 0; i < insn->sources; i++)
		if (ir->values[insn->a[i]].kind == KIND_VECTOR)
			return "a result that lanes share has a source in which they differ";
	return insn->guard == IR_NONE ? NULL : "a result that lanes share has a guard of its own";
}

static const char *verify_sizes(const struct ir *ir, const struct ir_insn *insn)
{
	const struct op_row *row;

	if (insn->op != IR_ROW)
		return NULL;
	row = &op_rows[insn->row < op_row_count ? insn->row : 0];
	if (insn->row >= op_row_count || insn->sources != row->sources)
		return "a row has another number of sources";
	if (!ir->values[insn->d[0]].slot && ir->values[insn->d[0]].bytes != row->sizes[0])
		return "a row has a result of another size";
	for (unsigned i = 0; i < insn->sources; i++) {
		const struct ir_value *a = &ir->values[insn->a[i]];

		if (a->slot ? a->bytes < row->sizes[i + 1] : a->bytes != row->sizes[i + 1])
			return "a row has a source of another size";
	}
	return NULL;
}

static const char *verify_lanes(const struct ir *ir, const struct ir_insn *insn)
{
	if (insn->op == IR_SHUFFLE) {
		if (ir->values[insn->d[0]].kind != KIND_VECTOR || ir->values[insn->d[0]].bytes != 4)
			return "a shuffle has a result that is no vector of 4 bytes";
		if (insn->d[1] != IR_NONE && (ir->values[insn->d[1]].kind != KIND_VECTOR ||
					      ir->values[insn->d[1]].bytes))
			return "a shuffle has another result that is no predicate of each lane";
	}
	if ((insn->op == IR_REDUCE || insn->op == IR_MATCH) &&
	    ir->values[insn->a[0]].bytes < insn->size)
		return "what lanes compare or combine has another size";
	if (insn->op == IR_MATCH && insn->form == MATCH_ANY &&
	    ir->values[insn->d[0]].kind != KIND_VECTOR)
		return "lanes with the same value are no vector";
	if (insn->op == IR_VOTE) {
		if (insn->sources && ir->values[insn->a[0]].bytes)
			return "a vote is of no predicate";
		if (ir->values[insn->d[0]].bytes != insn->size)
			return "a vote has a result of another size";
	}
	return ir_effect(insn) != IR_MEETS || insn->guard == IR_NONE ?
		       NULL : "what all lanes do at once has a guard of its own";
}

/* What is made has an index of 32 bits and a base that stays; accesses have both. */
static const char *verify_made(const struct ir *ir, const struct ir_insn *insn)
{
	const uint32_t d = insn->op == IR_INDEX ? insn->d[1] : insn->d[0];
	const struct ir_made *made = NULL;

	if (insn->indexed)
		made = ir_made(ir, insn);
	else if (insn->op == IR_INDEX || insn->op == IR_MADE)
		made = &ir->values[d].made;
	if (!made)
		return NULL;
	if (!made->index || ir->values[made->index].bytes != 4 ||
	    ir->values[made->index].kind != KIND_VECTOR || !ir->values[made->base].fixed)
		return "an address is made of no index, or of a base that is written";
	if (insn->indexed && (insn->a[0] != made->index || !made->base || insn->count != 1))
		return "an access has another index than its address";
	return NULL;
}

static const char *verify_insn(const struct ir *ir, const struct ir_block *block, uint32_t i)
{
	const struct ir_insn *insn = &ir->insns[i];
	const char *wrong = verify_values(ir, insn);

	if (!wrong)
		wrong = verify_predicates(ir, insn);
	if (!wrong)
		wrong = verify_kinds(ir, insn);
	if (!wrong)
		wrong = verify_sizes(ir, insn);
	if (!wrong)
		wrong = verify_lanes(ir, insn);
	if (!wrong)
		wrong = verify_made(ir, insn);
	if (wrong)
		return wrong;
	if (insn->op == IR_BRANCH &&
	    (insn->imm < 0 || (size_t)insn->imm >= ir->block_count || i + 1 < block->end))
		return "a branch is not the last of its block, or goes nowhere";
	if (insn->op == IR_GUARD && (insn->imm <= i || insn->imm > block->end))
		return "a guard ends outside of its block";
	return insn->at < insn->end ? NULL : "an instruction is of no op";
}

const char *ir_verify(const struct ir *ir)
{
	uint32_t next = 0;

	for (size_t v = 0; v < ir->value_count; v++) {
		const char *wrong = verify_value(ir, &ir->values[v]);

		if (wrong)
			return wrong;
	}
	for (size_t b = 0; b < ir->block_count; b++) {
		const struct ir_block *block = &ir->blocks[b];

		if (block->first != next || block->end < block->first)
			return "blocks do not follow each other";
		next = block->end;
		for (uint32_t i = block->first; i < block->end; i++) {
			const char *wrong = verify_insn(ir, block, i);

			if (wrong)
				return wrong;
		}
	}
	return next == ir->insn_count ? NULL : "instructions are in no block";
}
