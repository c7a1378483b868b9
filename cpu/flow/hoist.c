/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "hoist.h"

#include "special.h"
#include "uniform.h"

struct hoist_search {
	const struct body *body;
	const struct liveness *liveness;
	const uint8_t *homes;
	uint8_t *ready;            /* of each register: its only value is already computed */
	bool fits;                 /* the present instruction does */
	bool writes;               /* a register */
};

/* Whether the value of @special is the same in every CTA of a launch. */
static bool special_is_constant(enum special special)
{
	switch (special) {
	case SPECIAL_CTAID_X ... SPECIAL_CTAID_Z:
	case SPECIAL_CLUSTERID_X ... SPECIAL_CLUSTERID_Z:
	case SPECIAL_CLUSTER_CTAID_X ... SPECIAL_CLUSTER_CTARANK:
		return false;
	default:
		return true;
	}
}

static void check_register(void *context, uint32_t r, bool write)
{
	struct hoist_search *search = context;

	search->writes |= write;
	if (!write)
		search->fits &= search->ready[r];
	else
		search->fits &= search->homes[r] == HOME_INVARIANT &&
				!liveness_enters(search->liveness, 0, r);
}

/* Whether @insn loads one element, inside of the parameter that @address names. */
static bool load_fits(const struct body *body, const struct insn *insn,
		      const struct operand *address)
{
	const struct operand *result = insn_operands(body, insn);
	const struct symbol *symbol;
	uint64_t size;

	if (address->base != OPERAND_VARIABLE || result->kind != OPERAND_REGISTER)
		return false;
	symbol = &body->symbols[address->index];
	size = type_size(body->register_types[result->index]);
	return address->value >= 0 && !((uint64_t)address->value % size) &&
	       symbol->align >= size && (uint64_t)address->value + size <= symbol->size;
}

/* What might fault is not hoisted. */
static bool operand_fits(const struct hoist_search *search, const struct insn *insn,
			 const struct operand *operand)
{
	if (operand->kind == OPERAND_SPECIAL)
		return special_is_constant(operand->index);
	return operand->kind != OPERAND_ADDRESS || load_fits(search->body, insn, operand);
}

static void mark_ready(void *context, uint32_t r, bool write)
{
	struct hoist_search *search = context;

	search->ready[r] |= write;
}

static bool insn_fits(struct hoist_search *search, const struct insn *insn)
{
	const struct operand *operands = insn_operands(search->body, insn);

	search->fits = insn->guard == NO_GUARD && insn->count > 1 && flow_kind(insn) == FLOW_NEXT;
	search->writes = false;
	insn_registers(search->body, insn, check_register, search);
	for (unsigned i = 1; i < insn->count && search->fits; i++)
		search->fits = operand_fits(search, insn, &operands[i]);
	return search->fits && search->writes;
}

int hoist_find(const struct body *body, const struct liveness *liveness, const uint8_t *homes,
	       uint8_t **hoisted, struct err *e)
{
	CLEANUP(free_pointer) uint8_t *out = calloc(body->insn_count + 1, 1);
	CLEANUP(free_pointer) uint8_t *ready = calloc(body->register_count + 1, 1);
	struct hoist_search search = { body, liveness, homes, ready, false, false };

	*hoisted = NULL;
	if (!out || !ready)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the analysis of a kernel");
	for (size_t i = 0; i < body->insn_count; i++) {
		if (!insn_fits(&search, &body->insns[i]))
			continue;
		out[i] = 1;
		insn_registers(body, &body->insns[i], mark_ready, &search);
	}
	*hoisted = STEAL(out);
	return 0;
}
