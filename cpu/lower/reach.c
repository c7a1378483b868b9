/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The functions that an entry reaches: each is decoded and analysed, and its
 * registers and variables are placed, after those of the functions that it calls.
 */
#include "block_order.h"
#include "builtin.h"
#include "config.h"
#include "lower_check.h"
#include "hoist.h"
#include "simplify.h"

/* Places the variables of a function: in its frame, or in shared memory. */
static int place_variables(struct lowering *l, struct reached *reached)
{
	const struct body *body = reached->body;
	uint64_t frame = body->function->entry ? 0 : param_offset(body->function, true, UINT32_MAX);

	reached->frame_offsets = calloc(body->symbol_count + 1, sizeof(uint32_t));
	if (!reached->frame_offsets)
		return err_set(l->e, GPURUN_NO_MEMORY, "no memory for variables");
	for (size_t i = 0; i < body->symbol_count; i++) {
		const struct symbol *symbol = &body->symbols[i];
		bool entry = body->function->entry;

		if (symbol->home == SYMBOL_MODULE || (entry && symbol->home == SYMBOL_PARAM))
			continue;
		if (symbol->home != SYMBOL_BODY) {
			reached->frame_offsets[i] = param_offset(
				body->function, symbol->home == SYMBOL_RETURN, symbol->index);
			continue;
		}
		if (symbol->space == PTX_SHARED) {
			TRY(place_shared(l, symbol, body->function->line,
					 &reached->frame_offsets[i]));
			continue;
		}
		frame = align_up(frame, symbol->align);
		reached->frame_offsets[i] = (uint32_t)frame;
		frame += symbol->size;
		if (frame > 1u << 24)
			return err_set(l->e, GPURUN_FORMAT, "line %u: the variables of '%.*s' are "
				"too large", body->function->line,
				(int)body->function->name.length, body->function->name.text);
	}
	reached->frame = align_up(frame, 16);
	return 0;
}

/*
 * An indirect call may reach every function; one in a function that is reached this
 * way adds none, and needs no further recursion.
 */
static int reach_all(struct lowering *l)
{
	const struct ptx *ptx = l->program->ptx;
	uint32_t depth;

	if (l->indirect)
		return 0;
	l->recursive = l->indirect = true;
	for (uint32_t i = 0; i < ptx->function_count; i++)
		if (!ptx->functions[i].entry && ptx->functions[i].defined)
			TRY(lower_reach(l, i, &depth));
	return 0;
}

static int reach_callee(struct lowering *l, const struct insn *insn, uint32_t function,
			uint32_t *depth)
{
	const struct ptx_function *callee = &l->program->ptx->functions[function];

	if (callee->entry)
		return err_set(l->e, GPURUN_FORMAT, "line %u: '%.*s' is an entry, which cannot be "
			       "called", insn->line, (int)callee->name.length, callee->name.text);
	return lower_reach(l, function, depth);
}

/* Reaches what @body calls; *@deepest is the stack that the deepest of them needs. */
static int reach_callees(struct lowering *l, const struct body *body, uint32_t *deepest)
{
	for (size_t i = 0; i < body->insn_count; i++) {
		const struct insn *insn = &body->insns[i];
		const struct operand *operands = insn_operands(body, insn);

		if (flow_kind(insn) != FLOW_CALL)
			continue;
		for (unsigned k = 0; k < insn->count; k++) {
			uint32_t depth = 0;

			if (operands[k].kind == OPERAND_FUNCTION)
				TRY(reach_callee(l, insn, operands[k].index, &depth));
			else if (operands[k].kind == OPERAND_PROTOTYPE ||
				 operands[k].kind == OPERAND_TABLE)
				TRY(reach_all(l));
			if (depth > *deepest)
				*deepest = depth;
		}
	}
	return 0;
}

static struct reached *find_reached(struct lowering *l, uint32_t function)
{
	for (size_t i = 0; i < l->function_count; i++)
		if (l->functions[i].function == function)
			return &l->functions[i];
	return NULL;
}

/* Places the registers of @reached. */
static int place_registers(struct lowering *l, struct reached *reached)
{
	const struct body *body = reached->body;
	const struct interval *intervals = reached->liveness.intervals;

	if (body->function->entry && !config.no_scalar)
		TRY(uniform_find(body, &reached->flow, &reached->liveness, l->aligned,
				 &reached->homes, l->e));
	TRY(rows_allocate(body, intervals, reached->homes, l->constants_at, &reached->places,
			  l->e));
	if (reached->places.variant_count <= MOST_VARIANTS)
		return reached->homes ? hoist_find(body, &reached->liveness, reached->homes,
						  &reached->hoisted, l->e) : 0;
	free(reached->homes);
	free(reached->places.offsets);
	reached->homes = NULL;
	return rows_allocate(body, intervals, NULL, l->constants_at, &reached->places, l->e);
}

static int note_blank(struct lowering *l, int32_t at, int32_t size)
{
	struct code *code = l->code;
	struct blank *blank = array_grow(&code->blanks, code->blank_count, sizeof(*blank));

	if (!blank)
		return err_set(l->e, GPURUN_NO_MEMORY, "no memory for registers");
	*blank = (struct blank){ at, size };
	code->blank_count++;
	return 0;
}

/*
 * Notes the registers that may be read before they are written: those that are live
 * where the function begins. The initial values of all others cannot be read.
 */
static int note_blanks(struct lowering *l, const struct reached *reached)
{
	const struct body *body = reached->body;

	for (uint32_t r = 0; reached->flow.block_count && r < body->register_count; r++) {
		const bool slot = reached->homes && reached->homes[r] != HOME_ROW;

		if (liveness_enters(&reached->liveness, 0, r))
			TRY(note_blank(l, reached->places.offsets[r],
				       slot ? 8 : rows_bytes(body->register_types[r])));
	}
	return reached->uninits ? note_blank(l, reached->uninit_at, sizeof(struct uninit)) : 0;
}

/* Notes which registers are in variant slots: they are few, and needed at each leader. */
static int note_variants(struct lowering *l, struct reached *reached)
{
	for (uint32_t r = 0; reached->homes && r < reached->body->register_count; r++) {
		uint32_t *slot;

		if (reached->homes[r] != HOME_VARIANT)
			continue;
		slot = array_grow(&reached->variants, reached->variant_count, sizeof(*slot));
		if (!slot)
			return err_set(l->e, GPURUN_NO_MEMORY, "no memory for registers");
		*slot = r;
		reached->variant_count++;
	}
	return 0;
}

/* Decodes and analyses @reached, after what it calls. */
static int analyse(struct lowering *l, struct reached *reached)
{
	if (!(config.check & CHECK_KERNELS) && !config.no_scalar)
		TRY(simplify(reached->body, l->e));
	TRY(order_blocks(reached->body, l->e));
	TRY(flow_find(reached->body, &reached->flow, l->e));
	TRY(liveness_find(reached->body, &reached->flow, &reached->liveness, l->e));
	TRY(place_registers(l, reached));
	TRY(note_variants(l, reached));
	TRY(check_registers_place(l, reached));
	TRY(note_blanks(l, reached));
	l->constants_at = (reached->places.end + 63) & ~63;
	if (reached->homes) {
		l->code->variants_at = reached->places.variants;
		l->code->variant_count = reached->places.variant_count;
	}
	return place_variables(l, reached);
}

void reached_release(struct reached *reached)
{
	body_free(reached->body);
	flow_release(&reached->flow);
	liveness_release(&reached->liveness);
	free(reached->variants);
	free(reached->homes);
	free(reached->hoisted);
	free(reached->places.offsets);
	free(reached->uninits);
	free(reached->frame_offsets);
}

int lower_reach(struct lowering *l, uint32_t function, uint32_t *depth)
{
	const struct ptx_function *declared = &l->program->ptx->functions[function];
	CLEANUP(reached_release) struct reached reached = { .function = function };
	struct reached *known = find_reached(l, function), *slot;
	uint32_t deepest = 0;

	*depth = known ? known->depth : 0;
	if (known)
		return 0;
	if (!declared->defined) {
		*depth = BUILTIN_FRAME;
		return 0;
	}
	for (size_t i = 0; i < l->visit_count; i++) {
		if (l->visits[i] == function) {
			l->recursive = true;
			return 0;
		}
	}
	if (l->visit_count == sizeof(l->visits) / sizeof(l->visits[0]))
		return err_set(l->e, GPURUN_UNSUPPORTED, "calls are nested too deeply");
	l->visits[l->visit_count++] = function;
	TRY(body_decode(l->program->ptx, &l->program->globals, declared, &reached.body, l->e));
	TRY(reach_callees(l, reached.body, &deepest));
	l->visit_count--;
	TRY(analyse(l, &reached));
	reached.depth = reached.frame + deepest;
	*depth = reached.depth;
	slot = array_grow(&l->functions, l->function_count, sizeof(*slot));
	if (!slot)
		return err_set(l->e, GPURUN_NO_MEMORY, "no memory for functions");
	*slot = reached;
	l->function_count++;
	memset(&reached, 0, sizeof(reached));
	return 0;
}
