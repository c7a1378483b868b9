/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The IR as text: for dump= and for tests. */
#include <inttypes.h>

#include "ir.h"
#include "listing.h"

static void print_operand(FILE *to, const struct ir *ir, uint32_t index)
{
	const struct ir_value *value = &ir->values[index];
	char name[REGISTER_NAME];

	if (index == ir->staying)
		fputs(" staying", to);
	else if (value->known)
		fprintf(to, " %#" PRIx64, value->number);
	else if (value->reg != IR_NONE)
		fprintf(to, " %s", listing_register(ir->lowering->body, value->reg, name));
	else if (value->fixed)
		fprintf(to, " [%#x]", (unsigned)value->at);
	else
		fprintf(to, " t%u", index);
	fputs(value->kind == KIND_VECTOR ? "" : value->kind == KIND_PATTERN ? ":p" : ":u", to);
}

static const char *row_name(const struct ir_insn *insn)
{
	return op_rows[insn->row].spelling;
}

/* The form of what all lanes do at once. */
static const char *form_name(const struct ir_insn *insn)
{
	static const char *const shuffles[] = { [SHUFFLE_UP] = " up", [SHUFFLE_DOWN] = " down",
						[SHUFFLE_BFLY] = " bfly", [SHUFFLE_IDX] = " idx" };
	static const char *const votes[] = { [VOTE_ALL] = " all", [VOTE_ANY] = " any",
					     [VOTE_UNI] = " uni", [VOTE_BALLOT] = " ballot",
					     [VOTE_ACTIVE] = " active" };
	static const char *const reduces[] = {
		[REDUX_ADD] = " add", [REDUX_AND] = " and", [REDUX_OR] = " or",
		[REDUX_XOR] = " xor", [REDUX_MIN_U32] = " min.u32", [REDUX_MAX_U32] = " max.u32",
		[REDUX_MIN_S32] = " min.s32", [REDUX_MAX_S32] = " max.s32",
	};
	static const char *const matches[] = { [MATCH_ANY] = " any", [MATCH_ALL] = " all" };
	static const char *const atomics[] = {
		[ATOMIC_ADD] = " add", [ATOMIC_AND] = " and", [ATOMIC_OR] = " or",
		[ATOMIC_XOR] = " xor", [ATOMIC_EXCH] = " exch", [ATOMIC_CAS] = " cas",
		[ATOMIC_MIN_U] = " min.u", [ATOMIC_MAX_U] = " max.u", [ATOMIC_MIN_S] = " min.s",
		[ATOMIC_MAX_S] = " max.s", [ATOMIC_INC] = " inc", [ATOMIC_DEC] = " dec",
		[ATOMIC_ADD_F] = " add.f",
	};
	static const char *const *const names[IR_OPS] = {
		[IR_SHUFFLE] = shuffles,
		[IR_VOTE] = votes,
		[IR_REDUCE] = reduces,
		[IR_MATCH] = matches,
	};

	if (insn->op == IR_ATOMIC)
		return atomics[insn->row];
	return names[insn->op] ? names[insn->op][insn->form] : "";
}

/* The handlers of a call. */
static void print_handlers(FILE *to, const struct ir *ir, const struct ir_insn *insn)
{
	for (uint32_t i = insn->at; i < insn->end; i++)
		fprintf(to, "%s%s", i == insn->at ? " of " : ", ",
			handler_name(handler_of(&ir->lowering->code->ops[i])));
}

void ir_print_insn(FILE *to, const struct ir *ir, uint32_t index)
{
	const struct ir_insn *insn = &ir->insns[index];
	static const char *const texts[] = {
#define IR(name, text, result, effect) text,
#include "ops.def"
	};

	fprintf(to, "  %4u ", insn->at);
	if (insn->guard != IR_NONE) {
		fprintf(to, "@%s", insn->guard_negated ? "!" : "");
		print_operand(to, ir, insn->guard);
		fputc(' ', to);
	}
	for (unsigned i = 0; i < IR_RESULTS && insn->d[i] != IR_NONE; i++)
		print_operand(to, ir, insn->d[i]);
	if (insn->d[0] != IR_NONE)
		fputs(" =", to);
	fprintf(to, " %s", insn->op == IR_ROW ? row_name(insn) : texts[insn->op]);
	if (insn->op != IR_ROW && insn->size)
		fprintf(to, ".%u", insn->size * 8u);
	fputs(form_name(insn), to);
	if (insn->op == IR_BRANCH && insn->skipped)
		fputs(insn->back ? " any" : " all", to);
	if (insn->negated)
		fputs(" not", to);
	for (unsigned i = 0; i < insn->sources; i++)
		print_operand(to, ir, insn->a[i]);
	if (insn->op == IR_BRANCH)
		fprintf(to, " -> block %" PRId64 "%s", insn->imm, insn->back ? " (back)" : "");
	else if (ir_accesses(insn))
		fprintf(to, " + %" PRId64, insn->imm);
	if (insn->indexed) {
		fputs(" by", to);
		print_operand(to, ir, insn->a[0]);
		fprintf(to, " * %u", 1u << ir_made(ir, insn)->shift);
	}
	if (insn->op == IR_CALL)
		print_handlers(to, ir, insn);
	if (insn->checked != IR_NONE)
		fprintf(to, " if value fits %c%u", insn->check.sign ? 's' : 'u', insn->check.bits);
	fputc('\n', to);
}

void ir_print(FILE *to, const struct ir *ir)
{
	for (size_t i = 0; i < ir->block_count; i++) {
		const struct ir_block *block = &ir->blocks[i];

		fprintf(to, "block %zu:%s depth %u\n", i, block->joined ? " joined" : "",
			block->depth);
		for (uint32_t k = block->first; k < block->end; k++)
			ir_print_insn(to, ir, k);
	}
}
