/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "insn.h"

#include <stdlib.h>

#include "asserts.h"

_Static_assert(INSN_BASES <= UINT8_MAX, "insn->base has 8 bits");
_Static_assert(OPERAND_SINK <= UINT8_MAX, "operand->kind has 8 bits");

static int compare_base(const void *key, const void *row)
{
	const struct ptx_name *name = key;
	const char *base = *(const char *const *)row;
	int order = strncmp(name->text, base, name->length);

	return order ? order : -(base[name->length] != 0);
}

enum insn_base insn_base_find(struct ptx_name opcode)
{
	static const char *const spellings[] = {
#define BASE(id, spelling, ...) spelling,
#include "bases.def"
	};
	const char *dot = memchr(opcode.text, '.', opcode.length);
	const char *const *found;

	if (dot)
		opcode.length = (uint32_t)(dot - opcode.text);
	found = bsearch(&opcode, spellings, INSN_BASES, sizeof(spellings[0]), compare_base);
	return found ? (enum insn_base)(found - spellings) : INSN_BASES;
}

enum flow_kind flow_kind(const struct insn *insn)
{
	static const uint8_t kinds[] = {
#define BASE(id, spelling, lowering, parks, results, control, ...) FLOW_##control,
#include "bases.def"
	};

	ASSERT(insn->base < INSN_BASES);
	return kinds[insn->base];
}

bool insn_parks(const struct insn *insn)
{
	enum { STAYS, PARKS };
	static const uint8_t parking[] = {
#define BASE(id, spelling, lowering, parks, ...) parks,
#include "bases.def"
	};

	ASSERT(insn->base < INSN_BASES);
	return parking[insn->base];
}

bool insn_has(const struct insn *insn, const char *part)
{
	return memmem(insn->opcode.text, insn->opcode.length, part, strlen(part));
}

/* ---- Registers ------------------------------------------------------------------ */

/* Tells whether the first operand of @insn is its result. */
static bool has_result(const struct body *body, const struct insn *insn)
{
	enum { NONE, FIRST, LIST, REDUCED };
	static const uint8_t written[] = {
#define BASE(id, spelling, lowering, parks, results, ...) results,
#include "bases.def"
	};

	switch (written[insn->base]) {
	case FIRST:
		return true;
	case LIST:
		return insn_operands(body, insn)[0].kind == OPERAND_LIST;
	case REDUCED:
		return insn_has(insn, ".red");
	default:
		return false;
	}
}

unsigned insn_results(const struct body *body, const struct insn *insn)
{
	if (!insn->count || !has_result(body, insn))
		return 0;
	return insn_operands(body, insn)[0].paired ? 2 : 1;
}

static void visit_operand(const struct body *body, const struct operand *operand, bool write,
			  void (*visit)(void *, uint32_t, bool), void *context)
{
	switch (operand->kind) {
	case OPERAND_REGISTER:
		ASSERT(operand->index < body->register_count);
		visit(context, operand->index, write);
		break;
	case OPERAND_ADDRESS:
	case OPERAND_TENSOR:
		if (operand->base == OPERAND_REGISTER)
			visit(context, operand->index, false);
		break;
	case OPERAND_VECTOR:
	case OPERAND_LIST:
		ASSERT(operand->index + (uint64_t)operand->value <= body->element_count);
		for (int64_t i = 0; i < operand->value; i++)
			visit_operand(body, &body->elements[operand->index + i], write, visit,
				      context);
		break;
	default:
		break;
	}
}

void insn_registers(const struct body *body, const struct insn *insn,
		    void (*visit)(void *context, uint32_t index, bool write), void *context)
{
	const struct operand *operands = insn_operands(body, insn);
	const unsigned results = insn->results;

	ASSERT(results <= insn->count && insn->operand + insn->count <= body->operand_count);
	if (insn->guard != NO_GUARD)
		visit(context, insn->guard, false);
	/* What wgmma adds to is read, too. */
	for (unsigned i = insn->base == INSN_WGMMA ? 0 : results; i < insn->count; i++)
		visit_operand(body, &operands[i], false, visit, context);
	for (unsigned i = 0; i < results; i++)
		visit_operand(body, &operands[i], operands[i].kind != OPERAND_ADDRESS, visit,
			      context);
}

struct written {
	uint32_t index;
	bool found;
};

static void match_written(void *context, uint32_t index, bool write)
{
	struct written *written = context;

	written->found |= write && index == written->index;
}

bool insn_writes(const struct body *body, const struct insn *insn, uint32_t index)
{
	const struct operand *results = insn_operands(body, insn);
	struct written written = { index, false };

	for (unsigned i = 0; i < insn->results; i++)
		visit_operand(body, &results[i], results[i].kind != OPERAND_ADDRESS,
			      match_written, &written);
	return written.found;
}
