/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Registers for values, by linear scan: where there are too few, the value that is used least
 * for its length lives in memory, which is its home in the row file. A vector has a register
 * for each part of each strip; each of them is an interval of its own.
 */
#include "array.h"
#include "compile.h"

enum class { CLASS_GPR, CLASS_VECTOR, CLASS_MASK, CLASSES };

/* Where one register would hold one value. Positions: a step reads at its even one, and writes
 * at the odd one behind it. */
struct live_range {
	uint32_t start, end;       /* both included */
	uint32_t value;
	uint8_t strip, part;       /* strip REPEATED: it has what lanes share for each */
	uint8_t class;             /* enum class */
	uint8_t number;            /* the register; or NO_PLACE */
	bool written;              /* in a loop */
	bool carried;              /* from one round of a loop to the next one */
	double weight;             /* uses, for its length */
};

/* How what lanes share is read, by all instructions. */
enum { READ_ONCE = 1, READ_LANES = 2, READ_MEMORY = 4, REPEATED = MOST_STRIPS };

struct register_scan {
	struct compile *c;
	uint8_t *reads;            /* owned: of each value: some of these */
	struct live_range *ranges;      /* owned */
	size_t range_count;
	uint32_t *first;           /* owned: of each value, its first range, plus 1; 0: none */
	uint32_t position;
	uint8_t depth;             /* of loops, at the present step */
	const struct step *step;
	bool wide;                 /* it has operands of two registers */
	bool defines;              /* the value is its result */
	bool carries;              /* a branch goes back to where it is needed */
};

/* ---- Ranges -------------------------------------------------------------------------------- */

static enum class register_class(const struct compile *c, uint32_t value)
{
	if (!in_vectors(c, value))
		return CLASS_GPR;
	if (!value_of(c, value)->bytes && c->select.isa == X86_AVX512)
		return CLASS_MASK;
	return CLASS_VECTOR;
}

/* Values that stay in memory: those that handlers alone know, what is never written, and what is
 * not computed. */
static bool has_ranges(const struct compile *c, uint32_t value)
{
	const struct ir_value *v = value_of(c, value);

	return !v->fixed && v->bytes <= 8 && !v->made.index;
}

static int add_range(struct register_scan *s, uint32_t value, unsigned strip, unsigned part,
		     enum class class)
{
	struct live_range *range = array_grow(&s->ranges, s->range_count, sizeof(*range));

	if (!range)
		return err_set(s->c->e, GPURUN_NO_MEMORY, "no memory for ranges");
	s->range_count++;
	*range = (struct live_range){ .start = UINT32_MAX, .value = value, .strip = (uint8_t)strip,
				      .part = (uint8_t)part, .class = (uint8_t)class,
				      .number = NO_PLACE };
	return 0;
}

static int add_ranges(struct register_scan *s, uint32_t value)
{
	struct compile *c = s->c;
	const enum class class = register_class(c, value);
	const unsigned parts = part_count(value_of(c, value)->bytes);

	s->first[value] = (uint32_t)s->range_count + 1;
	if (class == CLASS_GPR) {
		TRY(add_range(s, value, 0, 0, class));
		if ((s->reads[value] & (READ_LANES | READ_MEMORY)) == READ_LANES)
			TRY(add_range(s, value, REPEATED, 0, CLASS_VECTOR));
		return 0;
	}
	for (unsigned strip = 0; strip < c->strips; strip++)
		for (unsigned part = 0; part < parts; part++)
			TRY(add_range(s, value, strip, part, class));
	return 0;
}

/* Value @value is needed at @position, in @strip or in all. */
static void extend_range(struct register_scan *s, uint32_t value, unsigned strip, uint32_t position,
			 double uses)
{
	struct live_range *range;

	if (!s->first[value])
		return;
	range = &s->ranges[s->first[value] - 1];
	for (; range < s->ranges + s->range_count && range->value == value; range++) {
		if (strip != WHOLE && in_vectors(s->c, value) && range->strip != strip)
			continue;
		if (range->class == CLASS_GPR && s->c->places[value].alone && !s->defines)
			continue;
		range->written |= s->defines && s->depth;
		range->carried |= s->carries;
		if (position < range->start)
			range->start = position;
		if (position > range->end)
			range->end = position;
		/* From memory it is as fast where an instruction can have it repeated there. */
		if (range->strip == REPEATED)
			range->weight += strip != WHOLE ? uses / 2 : 0;
		else if (strip == WHOLE || in_vectors(s->c, value))
			range->weight += uses;
	}
}

static void visit_value(void *context, uint32_t value, bool defines)
{
	struct register_scan *s = context;
	const struct compile *c = s->c;
	const bool whole = s->step->strip == WHOLE && in_vectors(c, value);

	s->defines = defines;
	extend_range(s, value, s->step->strip, s->position + defines, (double)(1u << 3 * s->depth));
	s->defines = false;
	/* What has several registers may write some of them before it has read everything. */
	if ((whole || s->wide) && !defines)
		extend_range(s, value, s->step->strip, s->position + 1, 0);
}

/* Tells whether the region may be left before @insn. */
static bool may_leave(const struct ir_insn *insn)
{
	const enum ir_effect effect = ir_effect(insn);

	return (effect != IR_PURE && effect != IR_MEETS) || insn->checked != IR_NONE;
}

/* All that is needed before instruction @insn is needed at @position. */
static void extend_live(struct register_scan *s, uint32_t insn, uint32_t position)
{
	const struct ir_live *live = &s->c->live.insns[insn];

	for (uint32_t i = 0; i < live->count; i++)
		extend_range(s, s->c->live.values[live->first + i], WHOLE, position, 0);
}

/* Blocks begin and end with all that is needed there in its place. */
static void find_block_ranges(struct register_scan *s, const struct ir_block *block, size_t *step)
{
	const struct compile *c = s->c;
	const struct ir_insn *insn;

	extend_live(s, block->first, s->position);
	s->depth = block->depth < 6 ? block->depth : 6;
	for (; *step < c->step_count && c->steps[*step].insn < block->end; ++*step) {
		s->step = &c->steps[*step];
		insn = &c->ir->insns[s->step->insn];
		if (may_leave(insn))
			extend_live(s, s->step->insn, s->position);
		s->wide = false;
		for (unsigned i = 0; i < insn->sources; i++)
			s->wide |= value_of(c, insn->a[i])->bytes == 8;
		for (unsigned i = 0; i < IR_RESULTS && insn->d[i] != IR_NONE; i++)
			s->wide |= value_of(c, insn->d[i])->bytes == 8;
		ir_visit(c->ir, insn, visit_value, s);
		if (insn->checked != IR_NONE)
			visit_value(s, insn->checked, false);
		s->position += 2;
	}
}

/* What the successors of a block need is in its place where it ends. */
static void extend_ends(struct register_scan *s, size_t block, uint32_t position)
{
	const struct reached *now = s->c->ir->lowering->now;
	const struct basic_block *from = &now->flow.blocks[block];

	for (uint32_t i = 0; i < from->count; i++) {
		const uint32_t to = now->flow.successors[from->successor + i];

		s->carries = to <= block;
		if (to < now->flow.block_count)
			extend_live(s, s->c->ir->blocks[to].first, position);
		s->carries = false;
	}
}

static int find_ranges(struct register_scan *s)
{
	struct compile *c = s->c;
	size_t step = 0;

	for (uint32_t v = 1; v < c->ir->value_count; v++)
		if (has_ranges(c, v))
			TRY(add_ranges(s, v));
	for (size_t b = 0; b < c->ir->block_count; b++) {
		const struct ir_block *block = &c->ir->blocks[b];

		if (block->first == block->end) {
			if (b + 1 < c->ir->block_count)
				extend_ends(s, b, s->position);
			s->position += 2;
			continue;
		}
		find_block_ranges(s, block, &step);
		if (b + 1 < c->ir->block_count)
			extend_ends(s, b, s->position);
		s->position += 2;
	}
	return 0;
}

/* ---- Linear scan --------------------------------------------------------------------------- */

static int compare_ranges(const void *left, const void *right)
{
	const struct live_range *a = left, *b = right;

	if (a->start != b->start)
		return (a->start > b->start) - (a->start < b->start);
	if (a->value != b->value)
		return (a->value > b->value) - (a->value < b->value);
	return a->strip * 2 + a->part - (b->strip * 2 + b->part);
}

/* The registers of a class. */
static uint32_t free_registers(const struct compile *c, enum class class)
{
	const bool avx512 = c->select.isa == X86_AVX512;

	switch (class) {
	case CLASS_GPR:
		return 1u << X86_RSI | 1u << X86_RDI | 1u << X86_RBP | 1u << X86_R8 | 1u << X86_R9 |
		       1u << X86_R10 | 1u << X86_R11 | 1u << X86_R12 | 1u << X86_R13;
	case CLASS_MASK:
		return 1u << 1 | 1u << 2 | 1u << 3 | 1u << 4 | 1u << 5;
	default:
		/* but for those of selection, and two for results; what lanes share is computed in
		 * those of AVX2 */
		return avx512 ? ((1u << (SELECT_FIRST_AVX512 - 2)) - 1) & ~0xf000u :
				(1u << (SELECT_FIRST_AVX2 - 2)) - 1;
	}
}

/* One of @free: those that entries need not save first. */
static uint8_t choose_register(enum class class, uint32_t free)
{
	const uint32_t first = class == CLASS_GPR ? free & ~(uint32_t)CALLEE_SAVED : free;

	return (uint8_t)__builtin_ctz(first ? first : free);
}

/* The range among the active ones, and @new, that is worth a register least_worth. */
static struct live_range *least_worth(struct live_range *const *active, size_t count,
				      struct live_range *new)
{
	struct live_range *found = new;

	for (size_t i = 0; i < count; i++)
		if (active[i]->weight < found->weight)
			found = active[i];
	return found;
}

static void scan_class(struct register_scan *s, enum class class)
{
	uint32_t free = free_registers(s->c, class);
	struct live_range *active[32];
	size_t count = 0;

	for (size_t i = 0; i < s->range_count; i++) {
		struct live_range *range = &s->ranges[i], *loser;

		if (range->class != class || range->start == UINT32_MAX)
			continue;
		for (size_t k = 0; k < count;)
			if (active[k]->end < range->start) {
				free |= 1u << active[k]->number;
				active[k] = active[--count];
			} else {
				k++;
			}
		if (free) {
			range->number = choose_register(class, free);
			free &= ~(1u << range->number);
			active[count++] = range;
			continue;
		}
		loser = least_worth(active, count, range);
		if (loser == range)
			continue;
		range->number = loser->number;
		loser->number = NO_PLACE;
		for (size_t k = 0; k < count; k++)
			if (active[k] == loser)
				active[k] = range;
	}
}

/* ---- Memory -------------------------------------------------------------------------------- */

/* A thread's stack may be small, and the frame is not touched page after page. */
enum { MOST_FRAME = 128 << 10 };

/* Room in the frame for what has none in the row file, or has a row there and is no vector. */
static void place_frame(struct compile *c, uint32_t value)
{
	const struct ir_value *v = value_of(c, value);
	struct value_place *place = &c->places[value];

	place->frame = value == c->ir->staying ? AT_STAYING : -1;
	if (v->fixed)
		return;
	if (v->temporary) {
		c->frame = (c->frame + 63) & ~63u;
		place->frame = (int32_t)c->frame;
		c->frame += v->bytes ? 32u * v->bytes : 8;
	} else if (v->kind != KIND_VECTOR && !v->slot) {
		place->frame = (int32_t)c->frame;
		c->frame += 8;
	}
}

/* How @insn reads source @k, which lanes share. A register has elements of one size, and no
 * predicate. */
static unsigned read_of(const struct compile *c, const struct ir_insn *insn, unsigned k)
{
	const struct ir_value *v = value_of(c, insn->a[k]);
	const bool stores = insn->op == IR_STORE && k;
	unsigned reads = stores && !in_vectors(c, insn->a[0]) ? READ_ONCE : 0;
	unsigned bytes = insn->size;

	if (insn->op == IR_ROW)
		bytes = op_rows[insn->row].sizes[k + 1];
	if (ir_effect(insn) == IR_MEETS || (insn->op == IR_ATOMIC && k))
		return READ_MEMORY;
	if (!stores && !is_strip(c, insn))
		return READ_ONCE;
	if (stores || insn->op == IR_ROW || insn->op == IR_SELECT || insn->op == IR_MOVE)
		reads |= v->bytes == bytes && bytes >= 4 && v->kind == KIND_UNIFORM ? READ_LANES :
										      READ_MEMORY;
	return reads ? reads : READ_MEMORY;
}

static int find_reads(struct register_scan *s)
{
	const struct compile *c = s->c;

	s->reads = calloc(c->ir->value_count + 1, sizeof(*s->reads));
	if (!s->reads)
		return err_set(c->e, GPURUN_NO_MEMORY, "no memory for the places of values");
	for (size_t i = 0; i < c->ir->insn_count; i++) {
		const struct ir_insn *insn = &c->ir->insns[i];

		for (unsigned k = 0; k < insn->sources; k++)
			if (!in_vectors(c, insn->a[k]))
				s->reads[insn->a[k]] |= (uint8_t)read_of(c, insn, k);
		if (insn->checked != IR_NONE)
			s->reads[insn->checked] |= READ_ONCE;
	}
	for (size_t v = 0; v < c->ir->value_count; v++)
		c->places[v].alone = c->ir->values[v].bytes >= 4 && s->reads[v] &&
				     !(s->reads[v] & READ_ONCE);
	return 0;
}

/* What vectors are computed of is in memory, too, unless it has a register for that. */
static void note_stored(struct register_scan *s)
{
	for (size_t v = 0; v < s->c->ir->value_count; v++) {
		struct value_place *place = &s->c->places[v];

		place->stored = place->repeated == NO_PLACE &&
				s->reads[v] & (READ_LANES | READ_MEMORY);
	}
}

static void note_place(struct compile *c, const struct live_range *range)
{
	struct value_place *place = &c->places[range->value];

	if (range->class == CLASS_GPR)
		place->gpr = range->number;
	else if (range->strip == REPEATED)
		place->repeated = range->number;
	else
		place->parts[range->strip][range->part] = range->number;
}

/* How many times as much a register is worth to what one round of a loop writes and the next one
 * reads: in memory the next round would wait for it. Of 4, 6, 8 and 12 all but the first were
 * alike. */
enum { CARRIED = 6 };

static void weigh_range(struct live_range *range)
{
	range->weight /= range->end - range->start + 1.0;
	if (range->written && range->carried)
		range->weight *= CARRIED;
}

static void scan_release(struct register_scan *s)
{
	free(s->ranges);
	free(s->first);
	free(s->reads);
}

int places_find(struct compile *c)
{
	CLEANUP(scan_release) struct register_scan s = { .c = c };

	c->places = calloc(c->ir->value_count + 1, sizeof(*c->places));
	s.first = calloc(c->ir->value_count + 1, sizeof(*s.first));
	if (!c->places || !s.first)
		return err_set(c->e, GPURUN_NO_MEMORY, "no memory for the places of values");
	for (size_t v = 0; v < c->ir->value_count; v++) {
		c->places[v].gpr = c->places[v].repeated = NO_PLACE;
		memset(c->places[v].parts, NO_PLACE, sizeof(c->places[v].parts));
		place_frame(c, (uint32_t)v);
		if (c->frame > MOST_FRAME)
			return err_set(c->e, GPURUN_UNSUPPORTED,
				       "its values need more than %u bytes of a thread's stack",
				       MOST_FRAME);
	}
	TRY(find_reads(&s));
	TRY(find_ranges(&s));
	for (size_t i = 0; i < s.range_count; i++)
		weigh_range(&s.ranges[i]);
	if (s.range_count)
		qsort(s.ranges, s.range_count, sizeof(*s.ranges), compare_ranges);
	for (unsigned class = 0; class < CLASSES; class++)
		scan_class(&s, (enum class)class);
	for (size_t i = 0; i < s.range_count; i++)
		note_place(c, &s.ranges[i]);
	note_stored(&s);
	loose_find(c);
	return 0;
}
