/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The functions that an entry reaches: each is decoded and analysed, and its
 * registers and variables are placed, after those of the functions that it calls.
 */
#include "asserts.h"
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
	const size_t params = body->function->param_count;
	CLEANUP(free_pointer) uint32_t *offsets =
		calloc(params + body->function->return_count + 1, sizeof(*offsets));
	uint64_t frame;

	reached->frame_offsets = calloc(body->symbol_count + 1, sizeof(uint32_t));
	if (!reached->frame_offsets || !offsets)
		return err_set(l->e, GPURUN_NO_MEMORY, "no memory for variables");
	frame = param_offsets(body->function, offsets);
	if (body->function->entry)
		frame = 0;
	for (size_t i = 0; i < body->symbol_count; i++) {
		const struct symbol *symbol = &body->symbols[i];
		bool entry = body->function->entry;

		if (symbol->home == SYMBOL_MODULE || (entry && symbol->home == SYMBOL_PARAM))
			continue;
		if (symbol->home != SYMBOL_BODY) {
			reached->frame_offsets[i] = offsets[
				(symbol->home == SYMBOL_RETURN ? params : 0) + symbol->index];
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
	ASSERT(reached->places.end >= l->constants_at);
	/* What is counted is executed by each thread that gets there. */
	if (reached->places.variant_count <= MOST_VARIANTS && config.count)
		return 0;
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
	if (!(config.check & CHECK_KERNELS) && !config.no_scalar && !config.count)
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
	free(reached->live.by_start);
	free(reached->live.now);
	free(reached->homes);
	free(reached->hoisted);
	free(reached->places.offsets);
	free(reached->uninits);
	free(reached->frame_offsets);
}

/*
 * A function whose callees are being reached. Calls nest as deep as a text likes, so what a
 * recursive function would keep on the stack is here.
 */
struct visit {
	struct reached reached;
	uint32_t insn, operand; /* of the next call: where it continues */
	uint32_t deepest;       /* the stack that its callees need so far */
	bool all;               /* an indirect call, which may reach every function: insn is the
				 * next of them */
};

struct visits {
	struct visit *items;    /* owned */
	size_t count, room;
};

static void visits_release(struct visits *visits)
{
	for (size_t i = 0; i < visits->count; i++)
		reached_release(&visits->items[i].reached);
	free(visits->items);
}

static int push(struct lowering *l, struct visits *visits, struct visit **out)
{
	if (visits->count == visits->room) {
		if (!array_grow(&visits->items, visits->room, sizeof(*visits->items)))
			return err_set(l->e, GPURUN_NO_MEMORY, "no memory for calls");
		visits->room++;
	}
	*out = &visits->items[visits->count++];
	memset(*out, 0, sizeof(**out));
	return 0;
}

static void need(struct visit *visit, uint32_t depth)
{
	if (depth > visit->deepest)
		visit->deepest = depth;
}

/* Visits @function, which @visits' last function calls, unless it is known. */
static int visit_function(struct lowering *l, struct visits *visits, uint32_t function)
{
	const struct ptx *ptx = l->program->ptx;
	struct visit *caller = visits->count ? &visits->items[visits->count - 1] : NULL, *visit;
	const uint32_t state = l->states[function];

	ASSERT(function < ptx->function_count && (caller || state == REACH_UNKNOWN));
	if (state >= REACHED) {
		need(caller, l->functions[state - REACHED].depth);
		return 0;
	}
	if (state == REACH_VISITING) {
		l->recursive = true;
		return 0;
	}
	if (!ptx->functions[function].defined) {
		need(caller, BUILTIN_FRAME);
		return 0;
	}
	TRY(push(l, visits, &visit));
	visit->reached.function = function;
	l->states[function] = REACH_VISITING;
	return body_decode(ptx, &l->program->globals, &ptx->functions[function],
			   &visit->reached.body, l->e);
}

/*
 * An indirect call may reach every function; one in a function that is reached this
 * way adds none, and needs no further visit.
 */
static int visit_all(struct lowering *l, struct visits *visits)
{
	struct visit *visit;

	if (l->indirect)
		return 0;
	l->recursive = l->indirect = true;
	TRY(push(l, visits, &visit));
	visit->all = true;
	return 0;
}

/* The next function that the module defines is visited; the visit of all ends after the last. */
static int next_of_all(struct lowering *l, struct visits *visits, struct visit *visit)
{
	const struct ptx *ptx = l->program->ptx;

	while (visit->insn < ptx->function_count) {
		const struct ptx_function *function = &ptx->functions[visit->insn++];

		if (!function->entry && function->defined)
			return visit_function(l, visits, visit->insn - 1);
	}
	visits->count--;
	return 0;
}

static int visit_callee(struct lowering *l, struct visits *visits, const struct insn *insn,
			uint32_t function)
{
	const struct ptx_function *callee = &l->program->ptx->functions[function];

	if (callee->entry)
		return err_set(l->e, GPURUN_FORMAT, "line %u: '%.*s' is an entry, which cannot be "
			       "called", insn->line, (int)callee->name.length, callee->name.text);
	return visit_function(l, visits, function);
}

/* Finds the next operand of a call in the body of @visit that leads to functions; NULL: none. */
static const struct operand *next_call(struct visit *visit, const struct insn **insn)
{
	const struct body *body = visit->reached.body;

	for (; visit->insn < body->insn_count; visit->insn++, visit->operand = 0) {
		*insn = &body->insns[visit->insn];
		while (flow_kind(*insn) == FLOW_CALL && visit->operand < (*insn)->count) {
			const struct operand *operand =
				&insn_operands(body, *insn)[visit->operand++];

			if (operand->kind == OPERAND_FUNCTION ||
			    operand->kind == OPERAND_PROTOTYPE || operand->kind == OPERAND_TABLE)
				return operand;
		}
	}
	return NULL;
}

/* All callees of the last function are reached: it becomes the next row of l->functions. */
static int leave(struct lowering *l, struct visits *visits)
{
	struct visit *visit = &visits->items[visits->count - 1];
	struct reached *slot;

	ASSERT(l->states[visit->reached.function] == REACH_VISITING);
	TRY(analyse(l, &visit->reached));
	visit->reached.depth = visit->reached.frame + visit->deepest;
	slot = array_grow(&l->functions, l->function_count, sizeof(*slot));
	if (!slot)
		return err_set(l->e, GPURUN_NO_MEMORY, "no memory for functions");
	*slot = visit->reached;
	l->states[slot->function] = REACHED + (uint32_t)l->function_count++;
	if (--visits->count)
		need(&visits->items[visits->count - 1], slot->depth);
	return 0;
}

static int continue_visit(struct lowering *l, struct visits *visits)
{
	struct visit *visit = &visits->items[visits->count - 1];
	const struct operand *operand;
	const struct insn *insn;

	if (visit->all)
		return next_of_all(l, visits, visit);
	operand = next_call(visit, &insn);
	if (!operand)
		return leave(l, visits);
	if (operand->kind == OPERAND_FUNCTION)
		return visit_callee(l, visits, insn, operand->index);
	return visit_all(l, visits);
}

int lower_reach(struct lowering *l, uint32_t function, uint32_t *depth)
{
	CLEANUP(visits_release) struct visits visits = { 0 };

	l->states = calloc(l->program->ptx->function_count + 1, sizeof(*l->states));
	if (!l->states)
		return err_set(l->e, GPURUN_NO_MEMORY, "no memory for functions");
	TRY(visit_function(l, &visits, function));
	while (visits.count)
		TRY(continue_visit(l, &visits));
	*depth = l->functions[l->function_count - 1].depth;
	return 0;
}
