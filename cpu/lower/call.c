/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Calls. Parameters are passed in memory, whatever they are declared as: a
 * callee's frame begins with its parameters, then its results; the caller
 * copies the arguments there before the call and the results back after it.
 * Where calls recurse, what the caller needs afterwards is saved in its frame.
 */
#include "asserts.h"
#include "builtin.h"
#include "lower_check.h"

/* A parameter or a result: where it is in the callee's frame. */
struct passed {
	uint64_t size, offset;
	bool joined;              /* the next one is of the same vector */
};

/* What a call passes: parameters, then results. */
struct passing {
	struct passed *items[2];  /* owned: parameters, results */
	size_t count[2];
	uint64_t end;
};

static void passing_release(struct passing *passing)
{
	free(passing->items[0]);
	free(passing->items[1]);
}

static int add_passed(struct lowering *l, struct passing *passing, unsigned which, uint64_t size,
		      uint64_t align)
{
	struct passed *item = array_grow(&passing->items[which], passing->count[which],
					 sizeof(*item));

	if (!item)
		return err_set(l->e, GPURUN_NO_MEMORY, "no memory for a call");
	passing->count[which]++;
	*item = (struct passed){ size, align_up(passing->end, align), false };
	passing->end = item->offset + size;
	return 0;
}

/* Registers are passed one by one: a vector as @lanes values, in its place as a whole. */
static int add_declared(struct lowering *l, struct passing *passing, unsigned which,
			uint64_t size, uint64_t align, uint32_t lanes)
{
	for (uint32_t i = 0; i < lanes; i++) {
		TRY(add_passed(l, passing, which, size / lanes, i ? 1 : align));
		passing->items[which][passing->count[which] - 1].joined = i + 1 < lanes;
	}
	return 0;
}

static int add_variable(struct lowering *l, struct passing *passing, unsigned which,
			const struct ptx_variable *variable)
{
	return add_declared(l, passing, which, variable->size, variable->align,
			    variable->space == PTX_REG ? variable->vector : 1);
}

uint32_t param_offsets(const struct ptx_function *function, uint32_t *offsets)
{
	const size_t params = function->param_count, count = params + function->return_count;
	uint64_t at = 0;

	for (size_t i = 0; i < count; i++) {
		const struct ptx_variable *variable =
			i < params ? &function->params[i] : &function->returns[i - params];

		at = align_up(at, variable->align);
		if (offsets)
			offsets[i] = (uint32_t)at;
		at += variable->size;
	}
	return (uint32_t)at;
}

static int function_passing(struct lowering *l, const struct ptx_function *function,
			    struct passing *passing)
{
	for (size_t i = 0; i < function->param_count; i++)
		TRY(add_variable(l, passing, 0, &function->params[i]));
	for (size_t i = 0; i < function->return_count; i++)
		TRY(add_variable(l, passing, 1, &function->returns[i]));
	return 0;
}

static int prototype_passing(struct lowering *l, const struct prototype *prototype,
			     struct passing *passing)
{
	for (unsigned which = 0; which < 2; which++) {
		for (uint32_t i = 0; i < prototype->counts[!which]; i++) {
			const struct prototype_item *item =
				&l->body->prototype_items[prototype->first[!which] + i];

			TRY(add_declared(l, passing, which, item->size, item->align, item->lanes));
		}
	}
	return 0;
}

/* What the functions of a .calltargets list pass, all of them alike. */
static int table_passing(struct lowering *l, const struct label_table *table,
			 struct passing *passing)
{
	const struct operand *first = &l->body->operands[table->first];

	if (!table->count || first->kind != OPERAND_FUNCTION)
		return lower_fail(l, GPURUN_FORMAT, "has a list of targets that names no function");
	return function_passing(l, &l->program->ptx->functions[first->index], passing);
}

/* The address of byte @offset of the frame: a row. */
static int frame_address(struct lowering *l, uint64_t offset, int32_t *row)
{
	*row = scratch_row(l);
	TRY(emit(l, HANDLER_frame, *row, 0, 0, 0, (int64_t)offset));
	return emit(l, HANDLER_local_address, *row, *row, 0, 0, 0);
}

static int access_frame(struct lowering *l, bool store, uint64_t offset, unsigned size,
			int32_t row)
{
	int32_t at, hit = next_hit(l, store);

	if (!size || size > 8 || (size & (size - 1)))
		return lower_unsupported(l);
	TRY(frame_address(l, offset, &at));
	return emit(l, handler_of_access(store ? ACCESS_STORE : ACCESS_LOAD, FORM_FLAT_R8, size, 1),
		    row, at, hit, 0, 0);
}

/* Stores @operand, @size bytes, at @offset of the frame; or loads it from there. */
static int pass(struct lowering *l, const struct operand *operand, uint64_t size,
		uint64_t offset, bool result)
{
	struct scratch used = l->scratch;
	int32_t row;

	if (operand->kind == OPERAND_SINK && result)
		return 0;
	if (operand->kind == OPERAND_VARIABLE) {
		const struct symbol *symbol = &l->body->symbols[operand->index];
		uint64_t at = l->now->frame_offsets[operand->index];

		if (symbol->space != PTX_PARAM ||
		    (symbol->home == SYMBOL_PARAM && l->body->function->entry))
			return lower_unsupported(l);
		size = size < symbol->size ? size : symbol->size;
		TRY(check_frame_copy(l, result ? at : offset, result ? offset : at, size));
		return emit(l, HANDLER_copy_frame, (int32_t)(result ? at : offset),
			    (int32_t)(result ? offset : at), 0, 0, (int64_t)size);
	}
	if (result) {
		TRY(result_row(l, operand, (unsigned)size, &row));
		TRY(access_frame(l, false, offset, (unsigned)size, row));
		TRY(result_done(l, operand, (unsigned)size, false, row));
	} else {
		const enum element_class class = operand->kind == OPERAND_FLOAT && size == 4 ?
							 ELEMENT_F32 : ELEMENT_BITS;

		TRY(source_row(l, operand, (unsigned)size, class, false, &row));
		TRY(access_frame(l, true, offset, (unsigned)size, row));
	}
	TRY(check_passed_register(l, operand, offset, (unsigned)size, result));
	l->scratch = used;
	return 0;
}

/* How many parameters a call has to pass: the last one may be an array without a size. */
static size_t fewest(const struct passing *passing)
{
	const size_t count = passing->count[0];

	return count && !passing->items[0][count - 1].size ? count - 1 : count;
}

static int pass_all(struct lowering *l, const struct operand *list, const struct passing *passing,
		    bool result)
{
	uint32_t count = list ? (uint32_t)list->value : 0;

	if (count > passing->count[result])
		return lower_fail(l, GPURUN_FORMAT, "passes %u %s, where %zu are declared", count,
				  result ? "results" : "parameters", passing->count[result]);
	if (!result && count < fewest(passing))
		return lower_fail(l, GPURUN_FORMAT, "passes %u parameters, where %zu are declared",
				  count, passing->count[0]);
	for (uint32_t i = 0; i < count; i++) {
		const struct operand *operand = &l->body->elements[list->index + i];
		const struct passed *item = &passing->items[result][i];

		if (operand->paired != item->joined)
			return lower_fail(l, GPURUN_FORMAT, "passes a vector where another one, or "
							    "none, is declared");
		TRY(pass(l, operand, item->size, l->now->frame + item->offset, result));
	}
	return 0;
}

/*
 * Sets l->now->live to the registers that are needed before and after instruction l->index. Calls
 * come in the order of instructions: each register enters once and leaves once.
 */
static void find_live(struct lowering *l)
{
	const struct interval *intervals = l->now->liveness.intervals;
	struct live_registers *live = &l->now->live;
	uint32_t kept = 0;

	ASSERT(live->next <= live->total && live->count <= live->next);
	ASSERT(!live->next || intervals[live->by_start[live->next - 1]].start < l->index);
	while (live->next < live->total && intervals[live->by_start[live->next]].start < l->index)
		live->now[live->count++] = live->by_start[live->next++];
	for (uint32_t i = 0; i < live->count; i++)
		if (intervals[live->now[i]].end > l->index)
			live->now[kept++] = live->now[i];
	live->count = kept;
}

/* Registers that the caller needs after a call that may recurse into it. */
static int save_registers(struct lowering *l, bool restore)
{
	uint64_t at = l->now->saves;

	if (!l->recursive)
		return 0;
	find_live(l);
	for (uint32_t i = 0; i < l->now->live.count; i++) {
		const uint32_t r = l->now->live.now[i];

		if (register_slot(l, r))
			continue;
		TRY(emit(l, restore ? HANDLER_restore : HANDLER_save, register_at(l, r), 0,
			 (int32_t)register_size(l, r), 0, (int64_t)at));
		TRY(check_saved(l, r, at, restore));
		at += 16;
	}
	return 0;
}

static int emit_direct(struct lowering *l, uint32_t index)
{
	const struct ptx_function *function = &l->program->ptx->functions[index];
	struct fixup *fixup;

	if (!function->defined) {
		int which = builtin_find(function->name);

		if (which < 0)
			return lower_fail(l, GPURUN_UNSUPPORTED, "calls '%.*s', which is declared "
					  "and defined nowhere", (int)function->name.length,
					  function->name.text);
		l->uses |= builtin_uses(which);
		return emit(l, HANDLER_builtin, 0, 0, (int32_t)l->now->frame, 0, which);
	}
	fixup = array_grow(&l->calls, l->call_count, sizeof(*fixup));
	if (!fixup)
		return err_set(l->e, GPURUN_NO_MEMORY, "no memory for calls");
	*fixup = (struct fixup){ l->code->op_count, index };
	l->call_count++;
	return emit(l, HANDLER_call, 0, 0, (int32_t)l->now->frame, 0, 0);
}

/* The operands of a call by what they are. */
struct call {
	const struct operand *results, *target, *arguments, *prototype;
};

static int parse_insn(struct lowering *l, struct call *call)
{
	unsigned i = 0, count = l->insn->count;

	if (i < count && l->operands[i].kind == OPERAND_LIST)
		call->results = &l->operands[i++];
	if (i < count)
		call->target = &l->operands[i++];
	if (i < count && l->operands[i].kind == OPERAND_LIST)
		call->arguments = &l->operands[i++];
	if (i < count)
		call->prototype = &l->operands[i++];
	if (i != count || !call->target)
		return lower_fail(l, GPURUN_FORMAT, "has operands of the wrong kind");
	return 0;
}

/* Tells whether the driver provides what is called. */
static bool call_is_provided(const struct lowering *l, const struct call *call)
{
	return call->target->kind == OPERAND_FUNCTION &&
	       !l->program->ptx->functions[call->target->index].defined;
}

/* Bytes beyond the frame: a driver's function has its own number, however it is declared. */
static uint64_t needed_beyond(const struct lowering *l, const struct call *call,
			      const struct passing *passing)
{
	return call_is_provided(l, call) && passing->end < BUILTIN_FRAME ? BUILTIN_FRAME :
									   passing->end;
}

int lower_call(struct lowering *l)
{
	struct call call = { 0 };
	CLEANUP(passing_release) struct passing passing = { 0 };
	int32_t a;

	remove_words(l, "uni");
	if (l->opcode.part_count)
		return lower_unsupported(l);
	TRY(parse_insn(l, &call));
	if (call.target->kind == OPERAND_FUNCTION)
		TRY(function_passing(l, &l->program->ptx->functions[call.target->index],
				     &passing));
	else if (call.target->kind == OPERAND_REGISTER && call.prototype &&
		 call.prototype->kind == OPERAND_PROTOTYPE)
		TRY(prototype_passing(l, &l->body->prototypes[call.prototype->index], &passing));
	else if (call.target->kind == OPERAND_REGISTER && call.prototype &&
		 call.prototype->kind == OPERAND_TABLE)
		TRY(table_passing(l, &l->body->tables[call.prototype->index], &passing));
	else
		return lower_unsupported(l);
	TRY(emit(l, HANDLER_reserve, 0, 0, 0, 0,
		 (int64_t)(l->now->frame + needed_beyond(l, &call, &passing))));
	TRY(check_passed(l, l->now->frame, l->now->frame + passing.end, false));
	TRY(pass_all(l, call.arguments, &passing, false));
	TRY(save_registers(l, false));
	if (call.target->kind == OPERAND_FUNCTION) {
		TRY(emit_direct(l, call.target->index));
	} else {
		TRY(source_row(l, call.target, 8, ELEMENT_BITS, false, &a));
		TRY(emit(l, HANDLER_call_indirect, 0, a, (int32_t)l->now->frame, 0, 0));
	}
	if (call_is_provided(l, &call))
		TRY(check_passed(l, l->now->frame, l->now->frame + passing.end, true));
	TRY(emit(l, HANDLER_leader, 0, 0, 0, 0, 0));
	TRY(save_registers(l, true));
	return pass_all(l, call.results, &passing, true);
}

/* Loads register @lane of symbol @index, a parameter, from the frame, or stores a result. */
static int lower_lane(struct lowering *l, size_t index, uint32_t lane)
{
	const struct symbol *symbol = &l->body->symbols[index];
	const unsigned size = (unsigned)symbol->size / symbol->lanes;
	const uint64_t at = l->now->frame_offsets[index] + lane * size;
	const struct operand operand = { .kind = OPERAND_REGISTER, .index = symbol->reg + lane };

	l->scratch = (struct scratch){ 0 };
	TRY(access_frame(l, symbol->home == SYMBOL_RETURN, at, size,
			 register_at(l, operand.index)));
	return check_passed_register(l, &operand, at, size, symbol->home == SYMBOL_PARAM);
}

/* Registers as parameters or results are loaded from, or stored to, the frame. */
int lower_registers(struct lowering *l, enum symbol_home home)
{
	for (size_t i = 0; i < l->body->symbol_count; i++) {
		const struct symbol *symbol = &l->body->symbols[i];

		if (symbol->home != home || symbol->space != PTX_REG)
			continue;
		for (uint32_t lane = 0; lane < symbol->lanes; lane++)
			TRY(lower_lane(l, i, lane));
	}
	return 0;
}

int lower_calls_done(struct lowering *l)
{
	struct code *code = l->code;

	/* The last one is the entry, which nothing calls. */
	for (size_t i = 0; i + 1 < l->function_count; i++) {
		struct callee *callee = array_grow(&code->callees, code->callee_count,
						   sizeof(*callee));

		if (!callee)
			return err_set(l->e, GPURUN_NO_MEMORY, "no memory for calls");
		*callee = (struct callee){ l->functions[i].function, l->functions[i].start,
					   l->functions[i].frame };
		code->callee_count++;
	}
	for (size_t i = 0; i < l->call_count; i++) {
		const uint32_t state = l->states[l->calls[i].target];
		struct op *op = &code->ops[l->calls[i].op];
		const struct callee *callee;

		ASSERT(l->calls[i].op < code->op_count);
		ASSERT(l->calls[i].target < l->program->ptx->function_count);
		if (state < REACHED || state - REACHED >= code->callee_count)
			continue;
		callee = &code->callees[state - REACHED];
		op->imm = (int64_t)callee->start - l->calls[i].op;
		op->c = (int32_t)callee->frame;
	}
	return 0;
}
