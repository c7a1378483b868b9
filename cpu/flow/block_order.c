/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Reverse postorder of a search that visits the place where a branch's paths join before the
 * paths themselves, and of these the one that is last in the text first: what has no reason to
 * be elsewhere keeps its order.
 */
#include "block_order.h"

#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "flow.h"

enum {
	UNSEEN = UINT32_MAX,
	/* Blocks inspected for what is within loops, per block: without a limit, their number
	 * would grow with the square. Those not inspected cost reconvergence, not correctness. */
	MOST_STEPS = 64,
};

/* Where the ways back to a loop's first block join, when there are several. */
struct latch {
	uint32_t ways;             /* blocks that branch back to it or fall through */
	uint32_t last;             /* place of the last one: the latch follows it */
	uint32_t next;             /* another loop whose latch follows the same block, plus 1 */
	uint32_t label;
	uint32_t at;               /* the instruction that it is */
};

struct ordering {
	struct body *body;
	struct flow flow;          /* owned; successors: of each block, the last one first */
	uint32_t count;            /* of blocks; the end of the function is the block after them */
	uint32_t *joins;           /* owned: immediate postdominators */
	uint32_t *place;           /* owned: of each block: in order; UNSEEN */
	uint32_t *order;           /* owned: blocks */
	uint32_t *stack;           /* owned: blocks */
	uint32_t *cursor;          /* owned: of each block: what it visits next */
	uint32_t *labels;          /* owned: of each block, plus 1: a label at its beginning */
	struct latch *latches;     /* owned: of each block */
	uint32_t *follow;          /* owned: of each place: a loop whose latch follows, plus 1 */
	uint32_t *moved;           /* owned: of each instruction: where it is now */
	struct insn *insns;        /* owned: those in order */
	size_t insn_count;
};

static void ordering_release(struct ordering *o)
{
	flow_release(&o->flow);
	free(o->joins);
	free(o->place);
	free(o->order);
	free(o->stack);
	free(o->cursor);
	free(o->labels);
	free(o->latches);
	free(o->follow);
	free(o->moved);
	free(o->insns);
}

static int prepare(struct ordering *o, struct err *e)
{
	size_t count;

	TRY(flow_find(o->body, &o->flow, e));
	TRY(flow_postdominators(&o->flow, &o->joins, e));
	count = o->flow.block_count + 1;
	o->count = (uint32_t)count - 1;
	o->place = malloc(count * sizeof(*o->place));
	o->order = calloc(count, sizeof(*o->order));
	o->stack = calloc(count, sizeof(*o->stack));
	o->cursor = calloc(count, sizeof(*o->cursor));
	o->labels = calloc(count, sizeof(*o->labels));
	o->latches = calloc(count, sizeof(*o->latches));
	o->follow = calloc(count, sizeof(*o->follow));
	if (!o->place || !o->order || !o->stack || !o->cursor || !o->labels || !o->latches ||
	    !o->follow)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the order of %zu blocks", count);
	memset(o->place, 0xff, count * sizeof(*o->place));
	return 0;
}

static int last_first(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x < y) - (x > y);
}

static uint32_t *successors_of(const struct ordering *o, uint32_t b)
{
	return o->flow.successors + o->flow.blocks[b].successor;
}

/* The next block that @b visits; UNSEEN after the last. */
static uint32_t next_visit(struct ordering *o, uint32_t b)
{
	const uint32_t at = o->cursor[b]++;

	if (!at)
		return o->joins[b] < o->count ? o->joins[b] : b;
	return at <= o->flow.blocks[b].count ? successors_of(o, b)[at - 1] : UNSEEN;
}

/* Fills in the order; blocks that are never reached are the last. */
static void visit_blocks(struct ordering *o)
{
	uint32_t depth = 0, end = o->count, next = 0;

	o->stack[depth++] = 0;
	o->place[0] = 0;
	while (depth) {
		const uint32_t b = o->stack[depth - 1], to = next_visit(o, b);

		if (to == UNSEEN) {
			o->order[--end] = b;
			depth--;
		} else if (to < o->count && o->place[to] == UNSEEN) {
			o->place[to] = 0;
			o->stack[depth++] = to;
		}
	}
	memmove(o->order, o->order + end, (o->count - end) * sizeof(*o->order));
	next = o->count - end;
	for (uint32_t b = 0; b < o->count; b++)
		if (o->place[b] == UNSEEN)
			o->order[next++] = b;
	for (uint32_t i = 0; i < o->count; i++)
		o->place[o->order[i]] = i;
}

/*
 * Tells whether lanes leave the loop from @head to @last, in order and in the text, for a block
 * that is between them in the text, where they would not wait for those still in the loop.
 */
static bool left_within(const struct ordering *o, uint32_t head, uint32_t last, uint64_t *steps)
{
	uint32_t join = o->joins[head];

	while (join < o->count && o->place[join] > o->place[head] &&
	       o->place[join] <= o->place[last] &&
	       ++*steps < MOST_STEPS * ((uint64_t)o->count + 64))
		join = o->joins[join];
	return join < o->count && o->place[join] > o->place[last] && join < last;
}

/* Tells whether the text has blocks where lanes would not reconverge. */
static bool misplaced(const struct ordering *o)
{
	uint64_t steps = 0;

	for (uint32_t b = 0; b < o->count; b++) {
		for (uint32_t s = 0; s < o->flow.blocks[b].count; s++) {
			const uint32_t to = successors_of(o, b)[s];

			if (to <= b && to < o->count &&
			    (o->place[to] > o->place[b] || left_within(o, to, b, &steps)))
				return true;
		}
	}
	return false;
}

/* ---- Latches ---------------------------------------------------------------------------- */

static bool has_latch(const struct ordering *o, uint32_t b)
{
	return b < o->count && o->latches[b].ways > 1;
}

/* The last instruction of block @b. */
static const struct insn *last_of(const struct ordering *o, uint32_t b)
{
	return &o->body->insns[o->flow.blocks[b].end - 1];
}

/* Counts the ways back to each block; what a table names stays as it is. */
static void count_ways(struct ordering *o)
{
	for (uint32_t i = 0; i < o->count; i++) {
		const uint32_t b = o->order[i];

		for (uint32_t s = 0; s < o->flow.blocks[b].count; s++) {
			const uint32_t *to = successors_of(o, b) + s;

			if (*to >= o->count || o->place[*to] > i || (s && *to == to[-1]) ||
			    flow_kind(last_of(o, b)) == FLOW_TABLE)
				continue;
			o->latches[*to].ways++;
			o->latches[*to].last = i;
		}
	}
}

/* Chooses where latches are; false: there are none. */
static bool place_latches(struct ordering *o)
{
	bool some = false;

	count_ways(o);
	for (uint32_t b = 0; b < o->count; b++) {
		struct latch *latch = &o->latches[b];

		if (!has_latch(o, b))
			continue;
		latch->next = o->follow[latch->last];
		o->follow[latch->last] = b + 1;
		some = true;
	}
	return some;
}

/* ---- Moving the instructions ----------------------------------------------------------- */

/* Makes room for a label and a branch for each block and each latch. */
static int make_room(struct ordering *o, struct err *e)
{
	struct body *body = o->body;
	size_t labels = body->label_count + 2 * (size_t)o->count + 1;
	size_t operands = body->operand_count + 2 * (size_t)o->count;
	void *room;

	o->moved = calloc(body->insn_count + 1, sizeof(*o->moved));
	o->insns = calloc(body->insn_count + 2 * (size_t)o->count, sizeof(*o->insns));
	if (!o->moved || !o->insns)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for instructions");
	room = realloc(body->labels, labels * sizeof(*body->labels));
	if (!room)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for labels");
	body->labels = room;
	room = realloc(body->operands, operands * sizeof(*body->operands));
	if (!room)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for operands");
	body->operands = room;
	for (uint32_t i = 0; i < body->label_count; i++)
		if (body->labels[i].placed)
			o->labels[o->flow.block_of[body->labels[i].insn]] = i + 1;
	for (uint32_t b = 0; b < o->count; b++) {
		if (!has_latch(o, b))
			continue;
		o->latches[b].label = (uint32_t)body->label_count;
		body->labels[body->label_count++] = (struct label){ .placed = true };
	}
	return 0;
}

/* A label at the beginning of block @b, or of the end. */
static uint32_t label_at(struct ordering *o, uint32_t b)
{
	struct body *body = o->body;

	if (!o->labels[b]) {
		body->labels[body->label_count] = (struct label){
			.insn = b < o->count ? o->flow.blocks[b].first : (uint32_t)body->insn_count,
			.placed = true,
		};
		o->labels[b] = (uint32_t)++body->label_count;
	}
	return o->labels[b] - 1;
}

/* The label for a branch to block @to, from place @from: of its latch, if it is a way back. */
static uint32_t label_from(struct ordering *o, uint32_t from, uint32_t to)
{
	if (has_latch(o, to) && o->place[to] <= from)
		return o->latches[to].label;
	return label_at(o, to);
}

/* Adds a branch to @label, after @before. */
static void add_branch(struct ordering *o, const struct insn *before, uint32_t label)
{
	struct body *body = o->body;

	body->operands[body->operand_count] = (struct operand){ .kind = OPERAND_LABEL,
								 .index = label };
	o->insns[o->insn_count++] = (struct insn){
		.opcode = { "bra", 3 },
		.line = before->line,
		.operand = (uint32_t)body->operand_count++,
		.guard = NO_GUARD,
		.base = INSN_BRA,
		.count = 1,
	};
}

/* The block to which @insn branches, whatever its guard; UNSEEN when it is no branch. */
static uint32_t target_of(const struct ordering *o, const struct insn *insn)
{
	const struct operand *to = insn_operands(o->body, insn);

	if (insn->base != INSN_BRA || insn->count != 1 || to->kind != OPERAND_LABEL)
		return UNSEEN;
	return o->flow.block_of[o->body->labels[to->index].insn];
}

/* Adds the latches that follow the block at @place. */
static void add_latches(struct ordering *o, uint32_t place)
{
	for (uint32_t next = o->follow[place]; next; next = o->latches[next - 1].next) {
		const uint32_t head = next - 1;

		o->latches[head].at = (uint32_t)o->insn_count;
		add_branch(o, last_of(o, o->order[place]), label_at(o, head));
	}
}

/* Moves the block at @place. */
static void move_block(struct ordering *o, uint32_t place)
{
	const uint32_t b = o->order[place];
	const uint32_t next = o->follow[place]	    ? UNSEEN :
			      place + 1 < o->count ? o->order[place + 1] : o->count;
	const struct basic_block *block = &o->flow.blocks[b];
	const struct insn *last = last_of(o, b);
	const enum flow_kind kind = flow_kind(last);
	const bool falls = kind == FLOW_NEXT || kind == FLOW_CALL || last->guard != NO_GUARD;
	const uint32_t target = target_of(o, last);
	const bool drop = !falls && target == next && target != UNSEEN;

	if (target != UNSEEN)
		o->body->operands[last->operand].index = label_from(o, place, target);
	for (uint32_t i = block->first; i < block->end; i++) {
		o->moved[i] = (uint32_t)o->insn_count;
		if (!drop || i + 1 < block->end)
			o->insns[o->insn_count++] = o->body->insns[i];
	}
	if (falls && b + 1 != next)
		add_branch(o, last, label_from(o, place, b + 1));
	add_latches(o, place);
}

static int move_blocks(struct ordering *o, struct err *e)
{
	struct body *body = o->body;

	TRY(make_room(o, e));
	for (uint32_t i = 0; i < o->count; i++)
		move_block(o, i);
	o->moved[body->insn_count] = (uint32_t)o->insn_count;
	for (size_t i = 0; i < body->label_count; i++)
		body->labels[i].insn = o->moved[body->labels[i].insn];
	for (uint32_t b = 0; b < o->count; b++)
		if (has_latch(o, b))
			body->labels[o->latches[b].label].insn = o->latches[b].at;
	free(body->insns);
	body->insns = STEAL(o->insns);
	body->insn_count = o->insn_count;
	return 0;
}

int order_blocks(struct body *body, struct err *e)
{
	CLEANUP(ordering_release) struct ordering o = { .body = body };

	if (!body->insn_count)
		return 0;
	TRY(prepare(&o, e));
	for (uint32_t b = 0; b < o.count; b++)
		if (o.flow.blocks[b].count > 1)
			qsort(successors_of(&o, b), o.flow.blocks[b].count, sizeof(uint32_t),
			      last_first);
	visit_blocks(&o);
	return place_latches(&o) || misplaced(&o) ? move_blocks(&o, e) : 0;
}
