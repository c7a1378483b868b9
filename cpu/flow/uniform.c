/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "uniform.h"

#include "special.h"

enum {
	/* Instructions inspected for regions, per instruction. Those not inspected cost
	 * time, not correctness: groups with unequal slots never become one. */
	MOST_STEPS = 64,
	MOST_PASSES = 64, /* a compiler's code needs as many as its loops are deep, and one */
};

/* What the analysis knows of an instruction. */
enum insn_kind {
	KIND_OTHER,       /* reads and writes rows */
	KIND_PURE,        /* results follow from the operands alone */
	KIND_LOAD,        /* from what its address reaches, now */
	KIND_READ_PARAM,  /* from the entry's parameters, which never change */
	KIND_USE,         /* reads registers, wherever they are, and writes none */
	KIND_STORE,       /* KIND_USE, when it stores one element */
};

struct analysis {
	const struct body *body;
	const struct flow *flow;
	const struct liveness *liveness;
	uint32_t *postdominators;  /* owned */
	uint8_t *kinds;            /* owned: of each instruction */
	uint8_t *divergent;        /* owned: of each register */
	uint8_t *branches;         /* owned: of each block: its branch was seen to be divergent */
	uint32_t *marks;           /* owned: of each block: the search that reached it last */
	uint32_t *stack;           /* owned: blocks */
	uint32_t *fresh;           /* owned: of each predicate: the stretch that computed it */
	uint8_t *invariant;        /* owned: of each register */
	uint32_t *writes;          /* owned: of each register */
	uint32_t *parking;         /* owned: for each instruction, how many before it may let
				    * other groups run */
	uint32_t stretch;          /* instructions between which no groups reconverge */
	uint32_t mark;
	uint64_t steps;
	bool aligned, changed;
	bool guarded;              /* the present instruction is */
	bool uniform;              /* all operands of the present instruction are */
	bool steady;               /* and invariant */
};

/* ---- Instructions ------------------------------------------------------------- */

bool symbol_uniform(const struct body *body, const struct symbol *symbol)
{
	if (symbol->space == PTX_LOCAL || symbol->space == PTX_REG)
		return false;
	return symbol->home == SYMBOL_MODULE || symbol->space == PTX_SHARED ||
	       (symbol->home == SYMBOL_PARAM && body->function->entry);
}

static enum insn_kind load_kind(const struct body *body, const struct insn *insn)
{
	const struct operand *address = &insn_operands(body, insn)[insn->count - 1];
	const struct symbol *symbol;

	if (insn->count != 2 || address->kind != OPERAND_ADDRESS || insn_has(insn, ".local"))
		return KIND_OTHER;
	if (address->base != OPERAND_VARIABLE)
		return address->base == OPERAND_REGISTER ? KIND_LOAD : KIND_OTHER;
	symbol = &body->symbols[address->index];
	if (!symbol_uniform(body, symbol))
		return KIND_OTHER;
	return symbol->home == SYMBOL_PARAM ? KIND_READ_PARAM : KIND_LOAD;
}

static bool is_vector(const struct body *body, const struct insn *insn)
{
	const struct operand *operands = insn_operands(body, insn);

	for (unsigned i = 0; i < insn->count; i++)
		if (operands[i].kind == OPERAND_VECTOR)
			return true;
	return false;
}

static enum insn_kind kind_of(const struct body *body, const struct insn *insn)
{
	static const uint8_t kinds[] = {
#define BASE(id, spelling, lowering, parks, results, control, kind, ...) KIND_##kind,
#include "bases.def"
	};
	const enum insn_kind kind = kinds[insn->base];

	if (!insn->count)
		return KIND_OTHER;
	if (kind == KIND_LOAD)
		return load_kind(body, insn);
	if (kind == KIND_STORE)
		return insn->count == 2 ? KIND_USE : KIND_OTHER;
	if (kind != KIND_PURE)
		return kind;
	if (insn_has(insn, ".cc") || insn_has(insn, ".local") || is_vector(body, insn))
		return KIND_OTHER;
	return insn_operands(body, insn)[0].paired && insn->base != INSN_SETP ? KIND_OTHER :
									       KIND_PURE;
}

/* ---- Operands ------------------------------------------------------------------ */

static bool is_predicate(const struct analysis *a, uint32_t r)
{
	return a->body->register_types[r] == TYPE_PRED;
}

static void check_read(void *context, uint32_t r, bool write)
{
	struct analysis *a = context;

	if (write)
		return;
	if (is_predicate(a, r)) {
		a->uniform &= a->fresh[r] == a->stretch;
		a->steady = false;
		return;
	}
	a->uniform &= !a->divergent[r];
	a->steady &= a->invariant[r];
}

/* Operands that are no registers, and differ between lanes. */
static void check_operand(struct analysis *a, const struct operand *operand)
{
	enum special special = operand->index;

	switch (operand->kind) {
	case OPERAND_SPECIAL:
		if (special_infos[special].form == FORM_SLOT ||
		    special_infos[special].form == FORM_ZERO)
			return;
		if (a->aligned && (special == SPECIAL_TID_Y || special == SPECIAL_TID_Z))
			return;
		break;
	case OPERAND_VARIABLE:
		if (symbol_uniform(a->body, &a->body->symbols[operand->index]))
			return;
		break;
	case OPERAND_REGISTER:
	case OPERAND_INTEGER:
	case OPERAND_FLOAT:
	case OPERAND_FUNCTION:
	case OPERAND_ADDRESS: /* its base is known by now */
	case OPERAND_SINK:
	case OPERAND_VECTOR:  /* of a load's results */
		return;
	default:
		break;
	}
	a->uniform = a->steady = false;
}

/* Inspects what @insn reads: sets a->uniform and a->steady. */
static void check_sources(struct analysis *a, const struct insn *insn,
			  enum insn_kind kind)
{
	const struct operand *operands = insn_operands(a->body, insn);

	a->uniform = kind != KIND_OTHER;
	a->steady = kind != KIND_OTHER && kind != KIND_LOAD;
	insn_registers(a->body, insn, check_read, a);
	for (unsigned i = 1; i < insn->count && a->uniform; i++)
		check_operand(a, &operands[i]);
}

/* ---- Divergence ------------------------------------------------------------------- */

static void diverge(struct analysis *a, uint32_t r)
{
	a->changed |= !a->divergent[r];
	a->divergent[r] = 1;
}

static void note_result(void *context, uint32_t r, bool write)
{
	struct analysis *a = context;

	if (!write)
		return;
	if (!a->uniform)
		diverge(a, r);
	if (is_predicate(a, r) && (!a->guarded || !a->uniform))
		a->fresh[r] = a->uniform ? a->stretch : 0;
}

/* What an instruction of KIND_OTHER reads has to be in rows. */
static void diverge_read(void *context, uint32_t r, bool write)
{
	struct analysis *a = context;

	if (!write && !is_predicate(a, r))
		diverge(a, r);
}

static void scan_block(struct analysis *a, uint32_t b)
{
	const struct basic_block *block = &a->flow->blocks[b];

	a->stretch++;
	for (uint32_t i = block->first; i < block->end; i++) {
		const struct insn *insn = &a->body->insns[i];

		check_sources(a, insn, a->kinds[i]);
		a->guarded = insn->guard != NO_GUARD;
		insn_registers(a->body, insn, note_result, a);
		if (a->kinds[i] == KIND_OTHER)
			insn_registers(a->body, insn, diverge_read, a);
		a->stretch += a->parking[i + 1] - a->parking[i];
	}
}

/* The registers of @body written in a region and live where its paths reconverge. */
struct branch_region {
	struct analysis *analysis;
	uint32_t join;
};

static void diverge_live(void *context, uint32_t r, bool write)
{
	const struct branch_region *region = context;

	if (write && liveness_enters(region->analysis->liveness, region->join, r))
		diverge(region->analysis, r);
}

/* Lanes that diverged at the end of block @b may reconverge with what they wrote since. */
static void diverge_region(struct analysis *a, uint32_t b)
{
	uint32_t end = (uint32_t)a->flow->block_count, depth = 0;
	struct branch_region region = { a, a->postdominators[b] };

	if (region.join >= end)
		return;
	a->mark++;
	a->stack[depth++] = b;
	while (depth && a->steps < (uint64_t)MOST_STEPS * (a->body->insn_count + 1024)) {
		uint32_t at = a->stack[--depth];
		const struct basic_block *block = &a->flow->blocks[at];

		for (uint32_t s = 0; s < block->count; s++) {
			uint32_t to = a->flow->successors[block->successor + s];

			if (to == region.join || to >= end || a->marks[to] == a->mark)
				continue;
			a->marks[to] = a->mark;
			a->stack[depth++] = to;
			a->steps += a->flow->blocks[to].end - a->flow->blocks[to].first;
			for (uint32_t i = a->flow->blocks[to].first;
			     i < a->flow->blocks[to].end; i++)
				insn_registers(a->body, &a->body->insns[i], diverge_live, &region);
		}
	}
}

static void check_branch(struct analysis *a, uint32_t b)
{
	const struct basic_block *block = &a->flow->blocks[b];
	const struct insn *last = &a->body->insns[block->end - 1];
	bool diverges = flow_kind(last) == FLOW_TABLE;

	if (last->guard != NO_GUARD)
		diverges |= a->divergent[last->guard];
	if (!diverges || a->branches[b] || block->count < 2)
		return;
	a->branches[b] = 1;
	diverge_region(a, b);
}

/* ---- Homes ------------------------------------------------------------------------ */

static void count_write(void *context, uint32_t r, bool write)
{
	struct analysis *a = context;

	a->writes[r] += write;
}

static void mark_invariant(void *context, uint32_t r, bool write)
{
	struct analysis *a = context;

	if (!write || a->invariant[r] || a->divergent[r] || a->writes[r] != 1 || !a->steady)
		return;
	a->invariant[r] = 1;
	a->changed = true;
}

static void find_invariants(struct analysis *a)
{
	for (uint32_t i = 0; i < a->body->insn_count; i++) {
		const struct insn *insn = &a->body->insns[i];

		if (insn->guard != NO_GUARD)
			continue;
		check_sources(a, insn, a->kinds[i]);
		a->steady &= a->kinds[i] == KIND_PURE || a->kinds[i] == KIND_READ_PARAM;
		insn_registers(a->body, insn, mark_invariant, a);
	}
}

static uint32_t *count_parking(const struct body *body)
{
	uint32_t *counts = calloc(body->insn_count + 1, sizeof(*counts));

	for (size_t i = 0; counts && i < body->insn_count; i++)
		counts[i + 1] = counts[i] + insn_parks(&body->insns[i]);
	return counts;
}

static int choose_homes(struct analysis *a, uint8_t **homes, struct err *e)
{
	CLEANUP(free_pointer) uint8_t *out = calloc(a->body->register_count + 1, 1);

	if (!out)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the homes of registers");
	for (uint32_t r = 0; r < a->body->register_count; r++) {
		const struct interval *interval = &a->liveness->intervals[r];

		if (a->divergent[r] || is_predicate(a, r))
			continue;
		if (a->invariant[r])
			out[r] = HOME_INVARIANT;
		else if (a->liveness->numbers[r] ||
			 a->parking[interval->end] != a->parking[interval->start])
			out[r] = HOME_VARIANT;
		else
			out[r] = HOME_TEMPORARY;
	}
	*homes = STEAL(out);
	return 0;
}

/* ---- All of it ---------------------------------------------------------------------- */

static void analysis_release(struct analysis *a)
{
	free(a->postdominators);
	free(a->kinds);
	free(a->divergent);
	free(a->branches);
	free(a->marks);
	free(a->stack);
	free(a->fresh);
	free(a->invariant);
	free(a->writes);
	free(a->parking);
}

static int prepare(struct analysis *a, struct err *e)
{
	size_t insns = a->body->insn_count, registers = a->body->register_count;
	size_t blocks = a->flow->block_count;

	a->kinds = calloc(insns + 1, 1);
	a->divergent = calloc(registers + 1, 1);
	a->branches = calloc(blocks + 1, 1);
	a->marks = calloc(blocks + 1, sizeof(*a->marks));
	a->stack = calloc(blocks + 1, sizeof(*a->stack));
	a->fresh = calloc(registers + 1, sizeof(*a->fresh));
	a->invariant = calloc(registers + 1, 1);
	a->writes = calloc(registers + 1, sizeof(*a->writes));
	a->parking = count_parking(a->body);
	if (!a->kinds || !a->divergent || !a->branches || !a->marks || !a->stack || !a->fresh ||
	    !a->invariant || !a->writes || !a->parking)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the analysis of registers");
	for (size_t i = 0; i < insns; i++) {
		a->kinds[i] = (uint8_t)kind_of(a->body, &a->body->insns[i]);
		insn_registers(a->body, &a->body->insns[i], count_write, a);
	}
	for (size_t r = 0; r < registers; r++)
		a->divergent[r] = type_size(a->body->register_types[r]) > 8 || !a->writes[r];
	return flow_postdominators(a->flow, &a->postdominators, e);
}

/*
 * Finds the registers that differ between lanes. What nothing shows to differ does not, so that
 * this has to end by itself; where it takes too long all do.
 */
static void find_divergent(struct analysis *a)
{
	for (unsigned pass = 0; pass < MOST_PASSES; pass++) {
		a->changed = false;
		for (uint32_t b = 0; b < a->flow->block_count; b++) {
			scan_block(a, b);
			check_branch(a, b);
		}
		if (!a->changed)
			return;
	}
	memset(a->divergent, 1, a->body->register_count);
}

int uniform_find(const struct body *body, const struct flow *flow,
		 const struct liveness *liveness, bool aligned,
		 uint8_t **homes, struct err *e)
{
	CLEANUP(analysis_release) struct analysis a = { .body = body, .flow = flow,
							.liveness = liveness, .aligned = aligned };

	*homes = NULL;
	TRY(prepare(&a, e));
	find_divergent(&a);
	a.changed = true;
	for (unsigned pass = 0; a.changed && pass < MOST_PASSES; pass++) {
		a.changed = false;
		find_invariants(&a);
	}
	return choose_homes(&a, homes, e);
}
