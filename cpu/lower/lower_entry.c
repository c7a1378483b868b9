/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Lowering of an entry: the ops of all functions that it reaches are in one array,
 * callees below their callers, so that lanes inside a callee run before those
 * that wait for them.
 */
#include "asserts.h"
#include "bits.h"
#include "budget.h"
#include "builtin.h"
#include "config.h"
#include "device_limits.h"
#include "dump.h"
#include "lock.h"
#include "lower.h"
#include "lower_entry.h"
#include "lower_trace.h"
#include "region.h"
#include "special.h"

/* Blocks of so many shapes have code of their own. */
enum { MOST_SHAPES = 16 };

enum { RECURSIVE_STACK = 1 << 16, ALLOCA_STACK = 1 << 16 };

/*
 * No thread of a GPU has more, and the largest block no more than a multiprocessor has; others
 * would be spilled. A program that divides one by the other, as GCC's libgomp does, then finds
 * room for at least one block.
 */
enum { MOST_REGISTERS = 255 };

static uint32_t most_registers(const struct kernel *kernel, const struct ptx_function *function)
{
	uint32_t most = DEVICE_REGISTERS / kernel_max_threads(kernel);

	if (most > MOST_REGISTERS)
		most = MOST_REGISTERS;
	if (function->max_registers && most > function->max_registers)
		most = function->max_registers;
	return most > DEVICE_LEAST_REGISTERS ? most : DEVICE_LEAST_REGISTERS;
}

static void lowering_release(struct lowering *l)
{
	for (size_t i = 0; i < l->function_count; i++)
		reached_release(&l->functions[i]);
	free(l->functions);
	free(l->insn_ops);
	free(l->branches);
	free(l->calls);
	free(l->states);
	free(l->shared_at);
	free(l->constant_next);
}

/* What the driver may query of the entry. */
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
		const struct ptx_variable *param = &function->params[i];
		struct kernel_slot *slot = &entry->slots[i];

		at = align_up(at, param->align);
		slot->offset = (uint32_t)at;
		slot->size = (uint32_t)param->size;
		if (!param->array && param->vector == 1)
			snprintf(slot->type, sizeof(slot->type), "%s", param->type);
		at += param->size;
	}
	kernel->param_bytes = (uint32_t)at;
	kernel->constant = program->constant;
	kernel->target = program->ptx->arch;
	kernel->program = program;
	kernel->entry = entry;
	memcpy(kernel->required_block, function->required_block, sizeof(kernel->required_block));
	memcpy(kernel->max_block, function->max_block, sizeof(kernel->max_block));
	memcpy(kernel->required_cluster, function->cluster, sizeof(kernel->required_cluster));
	kernel->must_cluster = function->must_cluster;
	return 0;
}

/* A register, with the instruction at which its value is needed first. */
struct beginning {
	uint32_t start, index;
};

static int compare_beginnings(const void *left, const void *right)
{
	const struct beginning *a = left, *b = right;

	return a->start != b->start ? (a->start > b->start) - (a->start < b->start) :
				      (a->index > b->index) - (a->index < b->index);
}

/* Sets *@most to the most registers that a call of @reached has to save. */
static int most_live(const struct reached *reached, uint32_t *most, struct err *e)
{
	const struct interval *intervals = reached->liveness.intervals;
	const size_t count = reached->body->insn_count;
	CLEANUP(free_pointer) int32_t *changes = calloc(count + 2, sizeof(*changes));
	int32_t live = 0;

	*most = 0;
	if (!changes)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for %zu instructions", count);
	for (size_t r = 0; r < reached->body->register_count; r++) {
		if (intervals[r].start >= intervals[r].end)
			continue;
		changes[intervals[r].start + 1]++; /* at its ends it need not be saved */
		changes[intervals[r].end]--;
	}
	for (size_t i = 0; i < count; i++) {
		live += changes[i];
		ASSERT(live >= 0);
		if (flow_kind(&reached->body->insns[i]) == FLOW_CALL && live > (int32_t)*most)
			*most = (uint32_t)live;
	}
	return 0;
}

/* Prepares @reached for calls that save registers in its frame. */
static int prepare_saves(struct reached *reached, struct err *e)
{
	const struct interval *intervals = reached->liveness.intervals;
	const size_t count = reached->body->register_count;
	CLEANUP(free_pointer) struct beginning *order = calloc(count + 1, sizeof(*order));
	struct live_registers *live = &reached->live;
	uint32_t most;

	live->by_start = calloc(count + 1, sizeof(*live->by_start));
	live->now = calloc(count + 1, sizeof(*live->now));
	if (!order || !live->by_start || !live->now)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for %zu registers", count);
	for (uint32_t r = 0; r < count; r++)
		if (intervals[r].start < intervals[r].end)
			order[live->total++] = (struct beginning){ intervals[r].start, r };
	qsort(order, live->total, sizeof(*order), compare_beginnings);
	for (uint32_t i = 0; i < live->total; i++)
		live->by_start[i] = order[i].index;
	TRY(most_live(reached, &most, e));
	reached->saves = reached->frame;
	reached->frame += 16 * most;
	return 0;
}

/* Lowers all that entry @function of @program reaches. @visitor may be NULL: entry_visit(). */
static int lower_code(struct program *program, uint32_t function, bool aligned,
		      struct kernel *kernel, struct code *code,
		      const struct lower_visitor *visitor, struct err *e)
{
	CLEANUP(lowering_release) struct lowering l = { .program = program, .aligned = aligned,
							.code = code, .e = e };
	const struct handler_set *set = handler_set_choose();
	uint32_t depth, most;

	l.most_ops = budget_of(program->text.size);
	l.traced = trace_wants(kernel->name);
	l.handlers = set->handlers;
	code->lowered_aligned = aligned;
	code->run = set->run;
	code->leader = set->handlers[HANDLER_leader];
	l.constants_at = AT_ROWS;
	l.shared_at = calloc(program->ptx->variable_count + 1, sizeof(*l.shared_at));
	if (!l.shared_at)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for shared variables");
	TRY(lower_reach(&l, function, &depth));
	ASSERT(!code->constant_count); /* they follow the last register, which is known now */
	TRY(emit(&l, HANDLER_halt, 0, 0, 0, 0, 0));
	for (size_t i = 0; l.recursive && i < l.function_count; i++)
		TRY(prepare_saves(&l.functions[i], e));
	for (size_t i = 0; i < l.function_count; i++) {
		TRY(lower_function(&l, &l.functions[i]));
		if (!visitor)
			TRY(dump_function(&l, kernel->name));
	}
	TRY(lower_calls_done(&l));
	ASSERT(l.functions[l.function_count - 1].function == function);
	code->stack = align_up(depth + (l.recursive ? RECURSIVE_STACK : 0u), 16);
	if (l.stack_align)
		code->stack = align_up((uint64_t)code->stack + ALLOCA_STACK,
				       l.stack_align > 16 ? l.stack_align : 16);
	if (visitor)
		return visitor->visit(&l, visitor->context, e);
	code->start = l.functions[l.function_count - 1].start;
	code->constants_at = l.constants_at;
	code->row_bytes = align_up((uint64_t)l.constants_at + 8 * code->constant_count, 64);
	code->warp_bytes = code->row_bytes + LANES * 8 * code->variant_count;
	code->dynamic_at = align_up(l.shared_size, l.dynamic_align > 16 ? l.dynamic_align : 16);
	kernel->uses = l.uses;
	kernel->static_shared = l.shared_size;
	kernel->local = l.functions[l.function_count - 1].frame;
	kernel->registers = ((uint32_t)l.constants_at - AT_ROWS) / 128;
	most = most_registers(kernel, &program->ptx->functions[function]);
	if (kernel->registers > most)
		kernel->registers = most;
	return 0;
}

static void code_release(struct code *code)
{
	free(code->ops);
	free(code->lines);
	free(code->constants);
	free(code->callees);
	free(code->variables);
	free(code->blanks);
	trace_free(code->trace);
	region_free(code->region);
}

/* As entry_lower(), into @entry; as most blocks are: a warp's threads differ in %tid.x alone. */
static int lower_first(struct program *program, struct entry *entry, struct err *e)
{
	const uint32_t *required = program->ptx->functions[entry->function].required_block;
	CLEANUP(code_release) struct code code = { 0 };
	struct code *to;

	ASSERT(lock_is_held(LOCK_PROGRAM) && !entry->code.ops && !entry->aligned.ops);
	TRY(lower_code(program, entry->function, !config.no_scalar, &entry->kernel, &code,
		       NULL, e));
	to = !code.aligned || (required[0] && !(required[0] % LANES)) ? &entry->code :
									&entry->aligned;
	atomic_store(&entry->lowered, to == &entry->code);
	*to = code;
	memset(&code, 0, sizeof(code));
	return 0;
}

int entry_lower(struct program *program, uint32_t function, struct entry **out, struct err *e)
{
	CLEANUP(free_entry) struct entry *entry = calloc(1, sizeof(*entry));

	*out = NULL;
	if (!entry)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for an entry");
	ASSERT(function < program->ptx->function_count);
	entry->function = function;
	TRY(describe(program, &program->ptx->functions[function], entry, e));
	TRY(lower_first(program, entry, e));
	*out = STEAL(entry);
	return 0;
}

/* Lowers the code for any block, unless another thread has done so. */
static int lower_second(struct entry *entry, struct err *e)
{
	struct program *program = entry->kernel.program;
	CLEANUP(code_release) struct code code = { 0 };
	struct kernel known = entry->kernel; /* to those who have it */

	LOCKED_BY(&program->lock, LOCK_PROGRAM);
	if (atomic_load(&entry->lowered))
		return 0;
	ASSERT(!entry->code.ops && entry->aligned.ops); /* the only way not to be lowered */
	TRY(lower_code(program, entry->function, false, &known, &code, NULL, e));
	entry->code = code;
	memset(&code, 0, sizeof(code));
	atomic_store_explicit(&entry->lowered, true, memory_order_release);
	return 0;
}

uint32_t entry_shape(const uint32_t block[3])
{
	static_assert(DEVICE_MAX_THREADS < 1 << 11, "x and y have 11 bits each");
	return block[0] % LANES ? block[0] << 1 | block[1] << 12 | block[2] << 23 : SHAPE_LINES;
}

static struct shaped *find_shape(const struct entry *entry, uint32_t shape)
{
	struct shaped *shaped = atomic_load_explicit(&entry->shapes, memory_order_acquire);

	while (shaped && shaped->shape != shape)
		shaped = shaped->next;
	return shaped;
}

/* Lowers code that @shape, or SHAPE_ANY, has alone, unless another thread has done so. */
static int lower_shape(struct entry *entry, uint32_t shape, struct code **out, struct err *e)
{
	CLEANUP(code_release) struct code code = { 0 };
	struct kernel known = entry->kernel;
	struct shaped *shaped = find_shape(entry, shape);

	ASSERT(lock_is_held(LOCK_PROGRAM));
	if (!shaped) {
		TRY(lower_code(known.program, entry->function, false, &known, &code, NULL, e));
		shaped = calloc(1, sizeof(*shaped));
		if (!shaped)
			return err_set(e, GPURUN_NO_MEMORY, "no memory for the code of a kernel");
		shaped->shape = shape;
		shaped->code = code;
		memset(&code, 0, sizeof(code));
		shaped->next = entry->shapes;
		atomic_store_explicit(&entry->shapes, shaped, memory_order_release);
	}
	*out = &shaped->code;
	return 0;
}

/* The code that @shape uses alone, lowered at its first use; or the code of all others. */
static int shaped_code(struct entry *entry, uint32_t shape, struct code **out, struct err *e)
{
	struct shaped *shaped = find_shape(entry, shape);
	unsigned count = 0;

	if (!shaped)
		shaped = find_shape(entry, SHAPE_ANY); /* there are too many */
	if (shaped) {
		*out = &shaped->code;
		return 0;
	}
	LOCKED_BY(&entry->kernel.program->lock, LOCK_PROGRAM);
	for (shaped = entry->shapes; shaped; shaped = shaped->next)
		count++;
	return lower_shape(entry, count < MOST_SHAPES ? shape : SHAPE_ANY, out, e);
}

/* Tells whether the code for any block is that of @shape alone: the first one takes it. */
static bool is_first(struct entry *entry, uint32_t shape)
{
	unsigned first = atomic_load_explicit(&entry->shape, memory_order_relaxed);

	return first == shape ||
	       (first == SHAPE_ANY &&
		(atomic_compare_exchange_strong(&entry->shape, &first, shape) || first == shape));
}

int entry_code(struct entry *entry, const uint32_t block[3], bool shaped, struct code **out,
	       struct err *e)
{
	const uint32_t shape = entry_shape(block);

	*out = &entry->aligned;
	if (shape == SHAPE_LINES && entry->aligned.op_count)
		return 0;
	if (shaped && !is_first(entry, shape))
		return shaped_code(entry, shape, out, e);
	*out = &entry->code;
	return atomic_load_explicit(&entry->lowered, memory_order_acquire) ?
		       0 : lower_second(entry, e);
}

uint32_t entry_code_shape(const struct entry *entry, const struct code *code)
{
	const struct shaped *shaped = entry->shapes;

	if (code == &entry->aligned)
		return SHAPE_LINES;
	if (code == &entry->code)
		return entry->shape;
	while (&shaped->code != code)
		shaped = shaped->next;
	return shaped->shape;
}

int entry_visit(struct entry *entry, const struct code *of, const struct lower_visitor *visitor,
		struct err *e)
{
	CLEANUP(code_release) struct code code = { 0 };
	struct kernel known = entry->kernel;

	return lower_code(entry->kernel.program, entry->function, of->lowered_aligned, &known,
			  &code, visitor, e);
}

static void shapes_free(struct shaped *shaped)
{
	while (shaped) {
		struct shaped *next = shaped->next;

		code_release(&shaped->code);
		free(shaped);
		shaped = next;
	}
}

void entry_free(struct entry *entry)
{
	if (!entry)
		return;
	code_release(&entry->code);
	code_release(&entry->aligned);
	shapes_free(entry->shapes);
	free(entry->slots);
	free(entry->name);
	free(entry);
}
