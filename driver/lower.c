/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Lowering of an entry: the functions that it reaches are decoded and given
 * rows, callees first, then every instruction becomes ops. All of them stand
 * in one array: callees below their callers, so that lanes inside a callee run
 * before those that wait for them.
 */
#include "lower_check.h"

#include <stdarg.h>

#include "builtin.h"
#include "config.h"
#include "special.h"

enum { RECURSIVE_STACK = 1 << 16, ALLOCA_STACK = 1 << 16 };

int lower_fail(struct lowering *l, enum gpurun_status code, const char *fmt, ...)
{
	char text[256];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return err_set(l->e, code, "line %u: %.*s %s", l->insn->line,
		       (int)(l->insn->opcode.length < 100 ? l->insn->opcode.length : 100),
		       l->insn->opcode.text, text);
}

int lower_unsupported(struct lowering *l)
{
	return lower_fail(l, GPURUN_UNSUPPORTED, "is not executed by the CPU device");
}

int expect_operands(struct lowering *l, unsigned count)
{
	if (l->insn->count == count)
		return 0;
	return lower_fail(l, GPURUN_FORMAT, "has %u operands, where %u are expected",
			  l->insn->count, count);
}

int emit(struct lowering *l, enum handler handler, int32_t d, int32_t a, int32_t b, int32_t c,
	 int64_t imm)
{
	struct code *code = l->code;
	uint32_t *line = array_grow(&code->lines, code->op_count, sizeof(*line));
	struct op *op = line ? array_grow(&code->ops, code->op_count, sizeof(*op)) : NULL;

	if (!op)
		return err_set(l->e, GPURUN_NO_MEMORY, "no memory for %u ops", code->op_count);
	*op = (struct op){ l->handlers[handler], d, a, b, c, imm };
	*line = l->insn ? l->insn->line : 0;
	code->op_count++;
	return 0;
}

int32_t special_offset(unsigned special)
{
	if (special_infos[special].form == FORM_SLOT)
		return AT_SPECIAL_SLOTS + 8 * (int32_t)special;
	return AT_SPECIAL_ROWS + 128 * (int32_t)special_bit(special);
}

unsigned special_bit(unsigned special)
{
	return special_infos[special].row;
}

/* How an instruction is lowered; all others are looked up in the table's rows. */
static const struct base_lowering {
	const char *base;
	int (*lower)(struct lowering *l);
	bool parks; /* may leave lanes waiting, or end them: a guard becomes a branch */
} lowerings[] = {
	{ "activemask", lower_activemask, false },
	{ "alloca", lower_stack, false },
	{ "and", lower_logic, false },
	{ "applypriority", lower_line, false },
	{ "atom", lower_atom, false },
	{ "bar", lower_barrier, true },
	{ "barrier", lower_barrier, true },
	{ "bra", lower_branch, false },
	{ "brkpt", lower_simple, true },
	{ "brx", lower_branch_table, true },
	{ "call", lower_call, true },
	{ "cp", lower_copy, false },
	{ "createpolicy", lower_policy, false },
	{ "cvta", lower_cvta, false },
	{ "discard", lower_line, false },
	{ "elect", lower_elect, true },
	{ "exit", lower_end, true },
	{ "fence", lower_fence, false },
	{ "getctarank", lower_rank, false },
	{ "griddepcontrol", lower_nothing, false },
	{ "isspacep", lower_isspacep, false },
	{ "ld", lower_load, false },
	{ "ldmatrix", lower_ldmatrix, true },
	{ "ldu", lower_load, false },
	{ "mapa", lower_mapa, false },
	{ "match", lower_match, true },
	{ "mbarrier", lower_mbarrier, true },
	{ "membar", lower_fence, false },
	{ "mma", lower_mma, true },
	{ "mov", lower_mov, false },
	{ "movmatrix", lower_movmatrix, true },
	{ "nanosleep", lower_simple, true },
	{ "not", lower_logic, false },
	{ "or", lower_logic, false },
	{ "pmevent", lower_nothing, false },
	{ "prefetch", lower_nothing, false },
	{ "prefetchu", lower_nothing, false },
	{ "red", lower_atom, false },
	{ "redux", lower_redux, true },
	{ "ret", lower_end, true },
	{ "selp", lower_selp, false },
	{ "set", lower_set, false },
	{ "setp", lower_setp, false },
	{ "setmaxnreg", lower_nothing, false },
	{ "shfl", lower_shfl, true },
	{ "st", lower_store, false },
	{ "stmatrix", lower_stmatrix, true },
	{ "stackrestore", lower_stack, false },
	{ "stacksave", lower_stack, false },
	{ "tensormap", lower_tensormap, false },
	{ "trap", lower_simple, true },
	{ "vote", lower_vote, true },
	{ "wgmma", lower_wgmma, true },
	{ "wmma", lower_wmma, true },
	{ "xor", lower_logic, false },
};

static const struct base_lowering *find_lowering(struct ptx_name base)
{
	static const struct base_lowering row = { "", lower_alu, false };

	for (size_t i = 0; i < sizeof(lowerings) / sizeof(lowerings[0]); i++)
		if (name_is(base, lowerings[i].base))
			return &lowerings[i];
	return &row;
}

/* Tells whether other groups may run before @insn is over. */
static bool insn_parks(const struct insn *insn)
{
	const char *dot = memchr(insn->opcode.text, '.', insn->opcode.length);
	struct ptx_name base = insn->opcode;

	if (dot)
		base.length = (size_t)(dot - base.text);
	return find_lowering(base)->parks;
}

static int lower_one(struct lowering *l, int (*lower)(struct lowering *))
{
	TRY(check_reads(l));
	TRY(lower(l));
	return check_done(l);
}

/* Lanes that came together for the instruction may have to part again. */
static int lower_parking(struct lowering *l, int (*lower)(struct lowering *))
{
	TRY(lower_one(l, lower));
	return l->code->variant_count ? emit(l, HANDLER_split, 0, 0, 0, 0, 0) : 0;
}

/* Predicated: narrow the lanes for this instruction, or branch around it. */
static int lower_guarded(struct lowering *l, int (*lower)(struct lowering *), bool parks)
{
	int32_t p = register_at(l, l->insn->guard);
	bool negated = l->insn->guard_negated;
	uint32_t at = l->code->op_count;

	if (parks) {
		TRY(emit(l, negated ? HANDLER_bra_if : HANDLER_bra_unless, 0, p, 0, 0, 0));
		TRY(lower_parking(l, lower));
		l->code->ops[at].imm = l->code->op_count - at;
		return emit(l, HANDLER_leader, 0, 0, 0, 0, 0);
	}
	TRY(emit(l, negated ? HANDLER_guard_unless : HANDLER_guard_if, 0, p, 0, 0, 0));
	TRY(lower_one(l, lower));
	TRY(emit(l, HANDLER_guard_end, 0, 0, 0, 0, 0));
	l->code->ops[at].imm = l->code->op_count - at;
	return 0;
}

static int lower_instruction(struct lowering *l)
{
	const struct base_lowering *found;

	l->operands = insn_operands(l->body, l->insn);
	l->scratch = 0;
	if (!opcode_parse(l->insn->opcode, &l->opcode))
		return lower_unsupported(l);
	check_order(l);
	found = find_lowering(l->opcode.base);
	if (l->opcode.base.text[0] != 'v') /* a video instruction */
		TRY(check_registers(l));
	TRY(check_guard(l));
	if (l->insn->guard != NO_GUARD && found->lower != lower_branch)
		return lower_guarded(l, found->lower, found->parks);
	return found->parks ? lower_parking(l, found->lower) : lower_one(l, found->lower);
}

/* Fills in where the function's branches go. */
static void patch_branches(struct lowering *l)
{
	for (size_t i = 0; i < l->branch_count; i++) {
		const struct fixup *fixup = &l->branches[i];

		l->code->ops[fixup->op].imm =
			(int64_t)l->insn_ops[fixup->target] - (int64_t)fixup->op;
	}
	free(l->branches);
	l->branches = NULL;
	l->branch_count = 0;
}

/*
 * A bit for each variant slot that nothing needs from instruction @index on, a joined one.
 * A function has no slots itself and cannot know which ones its callers need.
 */
static int64_t unneeded_slots(const struct reached *reached, uint32_t index)
{
	uint64_t needed = 0;

	if (!reached->homes) /* what the entry needs afterwards is not known here */
		return 0;
	for (uint32_t r = 0; r < reached->body->register_count; r++) {
		int32_t at = reached->places.offsets[r] - reached->places.variants;

		if (reached->homes[r] == HOME_VARIANT && index < reached->body->insn_count &&
		    liveness_enters(&reached->liveness, reached->flow.block_of[index], r))
			needed |= 1ull << at / 8;
	}
	return (int64_t)~needed;
}

static int lower_function(struct lowering *l, struct reached *reached)
{
	size_t count = reached->body->insn_count;

	l->now = reached;
	l->body = reached->body;
	l->insn = NULL;
	reached->start = l->code->op_count;
	free(l->insn_ops);
	l->insn_ops = calloc(count + 1, sizeof(*l->insn_ops));
	if (!l->insn_ops)
		return err_set(l->e, GPURUN_NO_MEMORY, "no memory for %zu instructions", count);
	if (!l->body->function->entry) {
		TRY(emit(l, HANDLER_leader, 0, 0, 0, 0, 0));
		TRY(lower_registers(l, SYMBOL_PARAM));
	}
	TRY(check_registers_begin(l));
	for (uint32_t i = 0; i <= count; i++) {
		l->index = i;
		l->insn_ops[i] = l->code->op_count;
		if (i < count)
			l->insn = &l->body->insns[i];
		if (reached->flow.joined[i])
			TRY(emit(l, HANDLER_leader, 0, 0, 0, 0, unneeded_slots(reached, i)));
		if (i < count)
			TRY(lower_instruction(l));
	}
	if (!l->body->function->entry)
		TRY(lower_registers(l, SYMBOL_RETURN));
	TRY(emit(l, l->body->function->entry ? HANDLER_exit : HANDLER_ret, 0, 0, 0, 0, 0));
	patch_branches(l);
	return 0;
}

static uint32_t align_up(uint64_t value, uint64_t align)
{
	return (uint32_t)((value + (align ? align : 1) - 1) & ~((align ? align : 1) - 1));
}

/* Gives the variables of a function their places: in its frame, or in shared memory. */
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

static int reach(struct lowering *l, uint32_t function, uint32_t *depth);

/*
 * An indirect call may reach every function; one in a function that is reached so
 * adds none, and is no reason to go deeper.
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
			TRY(reach(l, i, &depth));
	return 0;
}

static int reach_callee(struct lowering *l, const struct insn *insn, uint32_t function,
			uint32_t *depth)
{
	const struct ptx_function *callee = &l->program->ptx->functions[function];

	if (callee->entry)
		return err_set(l->e, GPURUN_FORMAT, "line %u: '%.*s' is an entry, which cannot be "
			       "called", insn->line, (int)callee->name.length, callee->name.text);
	return reach(l, function, depth);
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

/* Gives the registers of @reached their places. */
static int place_registers(struct lowering *l, struct reached *reached)
{
	const struct body *body = reached->body;
	const struct interval *intervals = reached->liveness.intervals;

	if (body->function->entry && !config.no_scalar)
		TRY(uniform_find(body, &reached->flow, &reached->liveness, l->aligned, insn_parks,
				 &reached->homes, l->e));
	TRY(rows_allocate(body, intervals, reached->homes, l->constants_at, &reached->places,
			  l->e));
	if (reached->places.variant_count <= MOST_VARIANTS)
		return 0;
	free(reached->homes);
	free(reached->places.offsets);
	reached->homes = NULL;
	return rows_allocate(body, intervals, NULL, l->constants_at, &reached->places, l->e);
}

/* Decodes and analyses @function, after what it calls. */
static int analyse(struct lowering *l, struct reached *reached)
{
	TRY(flow_find(reached->body, &reached->flow, l->e));
	TRY(liveness_find(reached->body, &reached->flow, &reached->liveness, l->e));
	TRY(place_registers(l, reached));
	TRY(check_registers_place(l, reached));
	l->constants_at = reached->places.end;
	if (reached->homes) {
		l->code->variants_at = reached->places.variants;
		l->code->variant_count = reached->places.variant_count;
	}
	return place_variables(l, reached);
}

static void reached_release(struct reached *reached)
{
	body_free(reached->body);
	flow_release(&reached->flow);
	liveness_release(&reached->liveness);
	free(reached->homes);
	free(reached->places.offsets);
	free(reached->written);
	free(reached->frame_offsets);
}

/* Reaches @function: its entry in l->functions comes after those of its callees. */
static int reach(struct lowering *l, uint32_t function, uint32_t *depth)
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

static void lowering_release(struct lowering *l)
{
	for (size_t i = 0; i < l->function_count; i++)
		reached_release(&l->functions[i]);
	free(l->functions);
	free(l->insn_ops);
	free(l->branches);
	free(l->calls);
	free(l->shared_at);
	free(l->constant_next);
}

/* What the driver may ask about the entry. */
static int describe(struct program *program, const struct ptx_function *function,
		    struct entry *entry, struct err *e)
{
	struct kernel *kernel = &entry->kernel;
	uint64_t at = 0;

	entry->name = strndup(function->name.text, function->name.length);
	entry->slots = calloc(function->param_count + 1, sizeof(*entry->slots));
	if (!entry->name || !entry->slots)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for an entry");
	kernel->name = entry->name;
	kernel->params = entry->slots;
	kernel->param_count = (uint32_t)function->param_count;
	for (size_t i = 0; i < function->param_count; i++) {
		at = align_up(at, function->params[i].align);
		entry->slots[i] = (struct kernel_slot){ (uint32_t)at,
							(uint32_t)function->params[i].size };
		at += function->params[i].size;
	}
	kernel->param_bytes = (uint32_t)at;
	kernel->constant = program->constant;
	kernel->ptx_version = program->ptx->version_major * 10 + program->ptx->version_minor;
	kernel->program = program;
	memcpy(kernel->required_block, function->required_block, sizeof(kernel->required_block));
	memcpy(kernel->max_block, function->max_block, sizeof(kernel->max_block));
	memcpy(kernel->required_cluster, function->cluster, sizeof(kernel->required_cluster));
	kernel->must_cluster = function->must_cluster;
	return 0;
}

/* The most registers that any one instruction has to keep. */
static size_t most_live(const struct reached *reached)
{
	const struct interval *intervals = reached->liveness.intervals;
	size_t most = 0;

	for (uint32_t i = 0; i < reached->body->insn_count; i++) {
		size_t live = 0;

		if (flow_kind(&reached->body->insns[i]) != FLOW_CALL)
			continue;
		for (size_t r = 0; r < reached->body->register_count; r++)
			live += intervals[r].start < i && intervals[r].end > i;
		most = live > most ? live : most;
	}
	return most;
}

/* Lowers all that entry @function of @program reaches. */
static int lower_code(struct program *program, uint32_t function, bool aligned,
		      struct entry *entry, struct code *code, struct err *e)
{
	CLEANUP(lowering_release) struct lowering l = { .program = program, .aligned = aligned,
							.code = code, .e = e };
	const struct handler_set *set = handler_set_choose();
	uint32_t depth;

	l.handlers = set->handlers;
	code->run = set->run;
	code->leader = set->handlers[HANDLER_leader];
	l.constants_at = AT_ROWS;
	l.shared_at = calloc(program->ptx->variable_count + 1, sizeof(*l.shared_at));
	if (!l.shared_at)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for shared variables");
	TRY(reach(&l, function, &depth));
	TRY(emit(&l, HANDLER_halt, 0, 0, 0, 0, 0));
	for (size_t i = 0; l.recursive && i < l.function_count; i++) {
		l.functions[i].saves = l.functions[i].frame;
		l.functions[i].frame += 16 * (uint32_t)most_live(&l.functions[i]);
	}
	for (size_t i = 0; i < l.function_count; i++)
		TRY(lower_function(&l, &l.functions[i]));
	TRY(lower_calls_done(&l));
	code->start = l.functions[l.function_count - 1].start;
	code->constants_at = l.constants_at;
	code->row_bytes = align_up((uint64_t)l.constants_at + 8 * code->constant_count, 64);
	code->warp_bytes = code->row_bytes + LANES * 8 * code->variant_count;
	code->stack = align_up(depth + (l.recursive ? RECURSIVE_STACK : 0u), 16);
	if (l.stack_align)
		code->stack = align_up((uint64_t)code->stack + ALLOCA_STACK,
				       l.stack_align > 16 ? l.stack_align : 16);
	code->dynamic_at = align_up(l.shared_size, l.dynamic_align > 16 ? l.dynamic_align : 16);
	entry->kernel.static_shared = l.shared_size;
	entry->kernel.local = l.functions[l.function_count - 1].frame;
	entry->kernel.registers = ((uint32_t)l.constants_at - AT_ROWS) / 128;
	return 0;
}

int entry_lower(struct program *program, uint32_t function, struct entry **out, struct err *e)
{
	const uint32_t rows = 1u << special_bit(SPECIAL_TID_Y) | 1u << special_bit(SPECIAL_TID_Z);
	const uint32_t *required = program->ptx->functions[function].required_block;
	CLEANUP(free_entry) struct entry *entry = calloc(1, sizeof(*entry));
	bool aligned = required[0] && !(required[0] % LANES);

	*out = NULL;
	if (!entry)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for an entry");
	TRY(describe(program, &program->ptx->functions[function], entry, e));
	TRY(lower_code(program, function, aligned, entry, &entry->code, e));
	if (!aligned && !config.no_scalar && (entry->code.uses & rows))
		TRY(lower_code(program, function, true, entry, &entry->aligned, e));
	*out = STEAL(entry);
	return 0;
}

static void code_release(struct code *code)
{
	free(code->ops);
	free(code->lines);
	free(code->constants);
	free(code->callees);
}

void entry_free(struct entry *entry)
{
	if (!entry)
		return;
	code_release(&entry->code);
	code_release(&entry->aligned);
	free(entry->slots);
	free(entry->name);
	free(entry);
}
