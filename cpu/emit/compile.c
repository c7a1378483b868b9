/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "compile.h"

#include "array.h"
#include "state.h"

#define EMIT(name, ...) x86_emit(c->x, X86_##name, __VA_ARGS__)

/* ---- What is known ------------------------------------------------------------------------- */

static bool has_row(void *context, const struct op_row *row)
{
	const struct compile *c = context;

	return select_has_strip(c->select.isa, row);
}

static bool has_number(void *context, const struct op_row *row)
{
	(void)context;
	return select_needs_number(row);
}

static bool has_value(void *context, const struct op_row *row)
{
	(void)context;
	return select_has_value(row);
}

static bool has_access(void *context, const struct ir *ir, const struct ir_insn *insn)
{
	(void)context;
	return access_known(ir, insn);
}

static bool has_index(void *context, const struct ir_insn *insn)
{
	(void)context;
	return access_has_index(insn);
}

static bool has_masked(void *context, const struct ir *ir, const struct ir_insn *insn)
{
	(void)context;
	return access_masks(ir, insn);
}

/* ---- Steps ------------------------------------------------------------------------------- */

static void emit_step(struct compile *c, const struct step *step)
{
	const struct ir_insn *insn = &c->ir->insns[step->insn];

	code_mark(c, MARK_STEP, step->insn);
	mode_set(c, insn_mode(insn));
	if (step->strip != WHOLE) {
		step_strip(c, step->insn, step->strip);
		return;
	}
	if (ir_effect(insn) == IR_EXITS && insn->guard == IR_NONE && way_forced(c, step->insn))
		EMIT(jmp, x86_to(way_out(c, step->insn, WAY_INTERPRET)));
	switch ((enum ir_op)insn->op) {
	case IR_LOAD:
		step_load(c, step->insn);
		break;
	case IR_STORE:
		step_store(c, step->insn);
		break;
	case IR_ATOMIC:
		step_atomic(c, step->insn);
		break;
	case IR_FENCE:
		step_fence(c);
		break;
	case IR_SHUFFLE:
		step_shuffle(c, step->insn);
		break;
	case IR_VOTE:
		step_vote(c, step->insn);
		break;
	case IR_REDUCE:
		step_reduce(c, step->insn);
		break;
	case IR_MATCH:
		step_match(c, step->insn);
		break;
	case IR_GUARD:
		step_guard(c, step->insn);
		break;
	case IR_CALL:
		step_call(c, step->insn);
		break;
	case IR_LEAVE:
		step_leave(c, step->insn);
		break;
	case IR_BRANCH:
		step_branch(c, step->insn);
		break;
	default:
		step_value(c, step->insn);
		break;
	}
}

/* Stores what @step has written and the row file has to have: nothing else, since the next one may
 * have its result there. */
static void store_through(struct compile *c, const struct step *step)
{
	const struct ir_insn *insn = &c->ir->insns[step->insn];

	if (insn->op == IR_CALL || insn->op == IR_LEAVE)
		return;
	for (unsigned i = 0; i < IR_RESULTS && insn->d[i] != IR_NONE; i++) {
		if (!c->places[insn->d[i]].through)
			continue;
		if (step->strip == WHOLE)
			state_store_value(c, insn->d[i]);
		else
			state_store_strip(c, insn->d[i], step->strip);
	}
}

/* What is behind a guard may be reached without it. */
static void bind_insn(struct compile *c, uint32_t insn)
{
	if (!c->insn_labels[insn])
		return;
	x86_bind(c->x, c->insn_labels[insn] - 1);
	c->mode = c->only_mode;
}

static void emit_blocks(struct compile *c)
{
	size_t step = 0;

	for (size_t b = 0; b < c->ir->block_count && !c->x->failed; b++) {
		const struct ir_block *block = &c->ir->blocks[b];
		uint32_t bound = block->first;

		c->loops = block->loop != IR_NONE;
		/* where a guard of the block before ends: not in the loop that begins here */
		if (block->first < block->end)
			bind_insn(c, bound++);
		if (ir_begins_loop(c->ir, (uint32_t)b))
			partial_begin(c, (uint32_t)b);
		else
			x86_bind(c->x, c->block_labels[b]);
		c->mode = c->only_mode;
		for (; step < c->step_count && c->steps[step].insn < block->end && !c->x->failed;
		     step++) {
			/* Labels are where runs begin: instructions up to there are done. */
			for (; c->steps[step].first && bound <= c->steps[step].insn; bound++)
				bind_insn(c, bound);
			emit_step(c, &c->steps[step]);
			store_through(c, &c->steps[step]);
		}
		for (; bound < block->end; bound++)
			bind_insn(c, bound);
		if (b + 1 == c->ir->block_count || c->ir->blocks[b + 1].first != block->end)
			bind_insn(c, block->end);
	}
}

/* ---- Entries ------------------------------------------------------------------------------- */

/* A region is entered where control flow joins, at its begin, and behind what leaves it. */
static int find_entries(struct compile *c)
{
	const struct ir *ir = c->ir;

	TRY(entry_add(c, ir->lowering->code->again, ir->blocks[0].first));
	for (size_t b = 0; b < ir->block_count; b++) {
		const struct ir_block *block = &ir->blocks[b];

		if (block->joined && block->first < block->end)
			TRY(entry_add(c, block->op, block->first));
		for (uint32_t i = block->first; i + 1 < block->end; i++)
			if (ir->insns[i].op == IR_LEAVE)
				TRY(entry_add(c, ir->insns[i + 1].at, i + 1));
	}
	return 0;
}

/* Labels of blocks, and of instructions in their middle at which the region is entered. */
static int make_labels(struct compile *c)
{
	const struct ir *ir = c->ir;

	c->block_labels = calloc(ir->block_count + 1, sizeof(*c->block_labels));
	c->insn_blocks = calloc(ir->insn_count + 1, sizeof(*c->insn_blocks));
	c->entry_labels = calloc(ir->insn_count + 1, sizeof(*c->entry_labels));
	if (!c->block_labels || !c->insn_blocks || !c->entry_labels)
		return err_set(c->e, GPURUN_NO_MEMORY, "no memory for labels");
	c->reach_label = x86_label(c->x);
	for (uint32_t b = 0; b < ir->block_count; b++) {
		c->block_labels[b] = x86_label(c->x);
		if (ir_begins_loop(ir, b))
			x86_label(c->x);
		for (uint32_t i = ir->blocks[b].first; i < ir->blocks[b].end; i++) {
			c->insn_blocks[i] = b;
			if (i > ir->blocks[b].first && ir->insns[i - 1].op == IR_LEAVE &&
			    !c->insn_labels[i])
				c->insn_labels[i] = x86_label(c->x) + 1;
		}
	}
	return 0;
}

/* ---- The region ---------------------------------------------------------------------------- */

static int allocate_copies(struct compile *c)
{
	size_t count = 0;

	for (size_t i = 0; i < c->ir->insn_count; i++)
		if (c->ir->insns[i].op == IR_CALL)
			count += c->ir->insns[i].end - c->ir->insns[i].at + 1;
	c->copies = calloc(count + 1, sizeof(*c->copies));
	c->called = calloc(c->ir->value_count + 1, 1);
	return c->copies && c->called ? 0 :
	       err_set(c->e, GPURUN_NO_MEMORY, "no memory for copies of ops");
}

/* The end of the frame: where all registers are saved in misses. With what is pushed, and the
 * caller's return address, it is a multiple of 16. */
static void finish_frame(struct compile *c)
{
	c->saved = 1u << AT_WARP | 1u << AT_HITS | 1u << AT_FILE;
	for (size_t v = 0; v < c->ir->value_count; v++)
		if (c->places[v].gpr != NO_PLACE)
			c->saved |= (1u << c->places[v].gpr) & CALLEE_SAVED;
	c->frame = (c->frame + 63) & ~63u;
	c->save_at = c->frame;
	c->frame += 8 * 5 + 8 * SELECT_MASK + 32 * c->vector;
	c->frame = (c->frame + 15) & ~15u;
	c->frame += __builtin_popcount(c->saved) % 2 ? 0 : 8;
}

static void compile_release(struct compile *c)
{
	live_release(&c->live);
	x86_free(c->x);
	free(c->places);
	free(c->steps);
	free(c->block_labels);
	free(c->insn_labels);
	free(c->insn_blocks);
	free(c->clean);
	free(c->reaches);
	free(c->ranges);
	free(c->ways);
	free(c->entries);
	free(c->entry_labels);
	free(c->calls);
	free(c->copies);
	free(c->called);
	free(c->marks);
}

static int emit_all(struct compile *c)
{
	TRY(live_find(c->ir, &c->live, c->e));
	TRY(schedule_labels(c));
	TRY(make_labels(c));
	fuses_find(c);
	TRY(schedule_find(c));
	TRY(places_find(c));
	TRY(clean_find(c));
	TRY(ranges_find(c));
	c->reaches = calloc(c->ir->insn_count + 1, sizeof(*c->reaches));
	if (!c->reaches)
		return err_set(c->e, GPURUN_NO_MEMORY, "no memory for the accesses of a kernel");
	reaches_find(c);
	TRY(find_entries(c));
	TRY(allocate_copies(c));
	finish_frame(c);
	modes_find(c);
	emit_blocks(c);
	ways_emit(c);
	entries_emit(c);
	code_mark(c, MARK_END, IR_NONE);
	if (!c->no_memory)
		return 0;
	return err_set(c->e, GPURUN_NO_MEMORY, "no memory for the exits of a region");
}

/* How much code, and how many labels, a kernel may need; what it does not need is never touched. */
static size_t code_bytes(const struct lowering *l, size_t most)
{
	const size_t bytes = 65536 + (size_t)l->code->op_count * 8192;

	return bytes < most ? bytes : most;
}

static int finish_region(struct compile *c, struct mcode **code, struct code_region **out)
{
	CLEANUP(free_region) struct code_region *region = calloc(1, sizeof(*region));
	size_t size;

	if (!region)
		return err_set(c->e, GPURUN_NO_MEMORY, "no memory for a region");
	TRY(x86_finish(c->x, &size, c->e));
	TRY(dump_code(c));
	TRY(mcode_seal(*code, size, c->e));
	*region = (struct code_region){ STEAL(*code), STEAL(c->entries), c->entry_count,
				   STEAL(c->copies), STEAL(c->calls), c->call_count };
	*out = STEAL(region);
	return 0;
}

int region_compile(struct lowering *l, const struct region_request *request,
		   struct code_region **out, struct err *e)
{
	CLEANUP(ir_release) struct ir ir = { 0 };
	CLEANUP(free_mcode) struct mcode *code = NULL;
	CLEANUP(compile_release) struct compile c = { .ir = &ir, .request = request, .e = e };
	const struct ir_options options = { request->shape, has_row, has_number, has_value,
					    has_access, has_index, has_masked, &c };
	const bool avx512 = request->isa == X86_AVX512;
	struct x86_limits limits;

	*out = NULL;
	c.select.isa = request->isa;
	c.strips = avx512 ? 2 : 4;
	c.vector = avx512 ? 64 : 32;
	c.frame = AT_VALUES;
	TRY(ir_build(l, &options, &ir, e));
	TRY(dump_ir(&c));
	limits = (struct x86_limits){ .size = code_bytes(l, request->most_bytes),
				      .labels = 1024 + 32 * (uint32_t)ir.insn_count,
				      .constants = 1024 + 64 * (uint32_t)ir.insn_count };
	TRY(mcode_new(limits.size, &code, e));
	limits.code = mcode_address(code);
	TRY(x86_new(&limits, request->isa, &c.x, e));
	c.select.x = c.x;
	TRY(emit_all(&c));
	return finish_region(&c, &code, out);
}
