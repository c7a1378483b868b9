/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which values the row file has already, so that they need not be stored where the region is left
 * or handlers are called: it had them where the region was entered or they were stored last, and
 * nothing has written them since. What a loop with such a place needs, and does not write, is
 * stored where it is written.
 */
#include "array.h"
#include "compile.h"

/* Bits of all blocks: where there are more, everything is stored. */
enum { MOST_BITS = 1 << 26 };

struct clean_search {
	struct compile *c;
	size_t words;              /* of a set of values */
	uint64_t *begins;          /* owned: of each block, what may have changed where it begins */
	uint64_t *changed;         /* owned: what may have at the present instruction */
	uint32_t guarded;          /* instructions before this one may be jumped over */
	bool grew;
};

/* ---- What is stored where it is written ---------------------------------------------------- */

/* Of each value, one more than the depth of the deepest loop that writes it, or that stores it. */
struct depths {
	uint8_t written, stored;
};

struct depth_search {
	struct depths *depths;
	uint8_t depth;
};

static void note_written(void *context, uint32_t value, bool defines)
{
	const struct depth_search *s = context;

	if (defines && s->depths[value].written < s->depth)
		s->depths[value].written = s->depth;
}

static void note_stores(const struct compile *c, const struct depth_search *s, uint32_t insn)
{
	const struct ir_live *live = &c->live.insns[insn];

	for (uint32_t i = 0; i < live->count; i++) {
		struct depths *depths = &s->depths[c->live.values[live->first + i]];

		if (depths->stored < s->depth)
			depths->stored = s->depth;
	}
}

/* Tells whether what is needed is stored at @insn, and the region goes on behind it: all of it, or
 * at calls vectors (call.c). */
static bool stores(const struct ir_insn *insn)
{
	return insn->op == IR_CALL || (insn->op == IR_LEAVE && !insn->sources);
}

static int find_through(struct compile *c)
{
	CLEANUP(free_pointer) struct depths *depths = calloc(c->ir->value_count + 1,
							      sizeof(*depths));
	struct depth_search s = { depths, 0 };

	if (!depths)
		return err_set(c->e, GPURUN_NO_MEMORY, "no memory for the values of a region");
	for (size_t b = 0; b < c->ir->block_count; b++) {
		const struct ir_block *block = &c->ir->blocks[b];

		s.depth = (uint8_t)(block->depth < UINT8_MAX ? block->depth + 1 : UINT8_MAX);
		for (uint32_t i = block->first; i < block->end; i++) {
			ir_visit(c->ir, &c->ir->insns[i], note_written, &s);
			if (stores(&c->ir->insns[i]))
				note_stores(c, &s, i);
		}
	}
	for (size_t v = 0; v < c->ir->value_count; v++)
		c->places[v].through = depths[v].written < depths[v].stored &&
				       value_of(c, (uint32_t)v)->bytes <= 8 &&
				       !value_of(c, (uint32_t)v)->made.index &&
				       !value_of(c, (uint32_t)v)->temporary;
	return 0;
}

/* ---- What has changed ---------------------------------------------------------------------- */

static void note_changed(void *context, uint32_t value, bool defines)
{
	const struct clean_search *s = context;

	if (defines && !s->c->places[value].through)
		s->changed[value / 64] |= 1ull << value % 64;
}

static void note_clean(const struct clean_search *s, uint32_t insn)
{
	const struct ir_live *live = &s->c->live.insns[insn];

	for (uint32_t i = live->first; i < live->first + live->count; i++) {
		const uint32_t value = s->c->live.values[i];

		s->c->clean[i] = !(s->changed[value / 64] >> value % 64 & 1);
	}
}

static void note_written_row(void *context, uint32_t value, bool defines)
{
	const struct clean_search *s = context;

	if (defines)
		s->changed[value / 64] &= ~(1ull << value % 64);
}

/* What the handlers of call @index write is in its row, and vectors have been stored before. */
static void note_call(struct clean_search *s, uint32_t index)
{
	const struct compile *c = s->c;
	const struct ir_live *live = &c->live.insns[index];

	for (uint32_t i = live->first; i < live->first + live->count; i++) {
		const uint32_t value = c->live.values[i];

		if (in_vectors(c, value) && !value_of(c, value)->temporary)
			note_written_row(s, value, true);
	}
	ir_visit(c->ir, &c->ir->insns[index], note_written_row, s);
}

/* From the begin of @block to its end; @notes: what is found is kept. */
static void visit_block(struct clean_search *s, size_t block, bool notes)
{
	const struct ir *ir = s->c->ir;

	memcpy(s->changed, s->begins + block * s->words, s->words * sizeof(*s->changed));
	s->guarded = 0;
	for (uint32_t i = ir->blocks[block].first; i < ir->blocks[block].end; i++) {
		const struct ir_insn *insn = &ir->insns[i];

		if (notes)
			note_clean(s, i);
		if (insn->op == IR_GUARD && insn->imm > s->guarded)
			s->guarded = (uint32_t)insn->imm;
		if (!stores(insn))
			ir_visit(ir, insn, note_changed, s);
		else if (i < s->guarded || insn->under != IR_NONE)
			continue;
		else if (insn->op == IR_CALL)
			note_call(s, i);
		else
			memset(s->changed, 0, s->words * sizeof(*s->changed));
	}
}

static void visit_successors(struct clean_search *s, size_t block)
{
	const struct reached *now = s->c->ir->lowering->now;
	const struct basic_block *from = &now->flow.blocks[block];

	for (uint32_t i = 0; i < from->count; i++) {
		const uint32_t to = now->flow.successors[from->successor + i];
		uint64_t *begin = s->begins + to * s->words;

		for (size_t k = 0; to < now->flow.block_count && k < s->words; k++) {
			s->grew |= s->changed[k] & ~begin[k];
			begin[k] |= s->changed[k];
		}
	}
}

static void clean_release(struct clean_search *s)
{
	free(s->begins);
	free(s->changed);
}

int clean_find(struct compile *c)
{
	CLEANUP(clean_release) struct clean_search s = { .c = c };
	const size_t blocks = c->ir->block_count;

	s.words = c->ir->value_count / 64 + 1;
	c->clean = calloc(c->live.value_count + 1, sizeof(*c->clean));
	if (!c->clean)
		return err_set(c->e, GPURUN_NO_MEMORY, "no memory for the values of a region");
	if (s.words * 64 * blocks > MOST_BITS)
		return 0;
	s.begins = calloc(blocks * s.words, sizeof(*s.begins));
	s.changed = calloc(s.words, sizeof(*s.changed));
	if (!s.begins || !s.changed)
		return err_set(c->e, GPURUN_NO_MEMORY, "no memory for the values of a region");
	TRY(find_through(c));
	do {
		s.grew = false;
		for (size_t b = 0; b + 1 < blocks; b++) {
			visit_block(&s, b, false);
			visit_successors(&s, b);
		}
	} while (s.grew);
	for (size_t b = 0; b < blocks; b++)
		visit_block(&s, b, true);
	return 0;
}
