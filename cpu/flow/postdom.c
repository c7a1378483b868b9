/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Immediate postdominators, by the algorithm of Cooper, Harvey and Kennedy: the
 * reversed graph's blocks in reverse postorder, until nothing changes.
 */
#include "flow.h"

struct postdom_search {
	const struct flow *flow;
	uint32_t end;              /* the function's: after the last block */
	uint32_t *first;           /* of each block's predecessors in preds; one more at the end */
	uint32_t *cursor;          /* the next predecessor to visit */
	uint32_t *preds;
	uint32_t *order;           /* each block's place in postorder; UNSEEN */
	uint32_t *blocks;          /* by place */
	uint32_t *stack;
	uint32_t count;            /* of blocks from which the end can be reached, with the end */
};

enum { UNSEEN = UINT32_MAX };

/* Successor @s of block @b; blocks without one lead to the end. UNSEEN after the last. */
static uint32_t successor(const struct postdom_search *search, uint32_t b, uint32_t s)
{
	const struct basic_block *block = &search->flow->blocks[b];

	if (!block->count && !s)
		return search->end;
	return s < block->count ? search->flow->successors[block->successor + s] : UNSEEN;
}

static void find_predecessors(struct postdom_search *search)
{
	uint32_t to;

	for (uint32_t b = 0; b < search->end; b++)
		for (uint32_t s = 0; (to = successor(search, b, s)) != UNSEEN; s++)
			search->first[to + 1]++;
	for (uint32_t b = 0; b <= search->end; b++) {
		search->first[b + 1] += search->first[b];
		search->cursor[b] = search->first[b];
	}
	for (uint32_t b = 0; b < search->end; b++)
		for (uint32_t s = 0; (to = successor(search, b, s)) != UNSEEN; s++)
			search->preds[search->cursor[to]++] = b;
	for (uint32_t b = 0; b <= search->end; b++)
		search->cursor[b] = search->first[b];
}

static void number_blocks(struct postdom_search *search)
{
	uint32_t depth = 0;

	search->stack[depth++] = search->end;
	search->order[search->end] = 0;
	while (depth) {
		uint32_t b = search->stack[depth - 1], to;

		if (search->cursor[b] == search->first[b + 1]) {
			search->order[b] = search->count;
			search->blocks[search->count++] = b;
			depth--;
			continue;
		}
		to = search->preds[search->cursor[b]++];
		if (search->order[to] != UNSEEN)
			continue;
		search->order[to] = 0;
		search->stack[depth++] = to;
	}
}

/* Where the paths from @a and @b to the end first join. */
static uint32_t join(const struct postdom_search *search, const uint32_t *out, uint32_t a,
		     uint32_t b)
{
	while (a != b) {
		if (search->order[a] < search->order[b])
			a = out[a];
		else
			b = out[b];
	}
	return a;
}

static bool improve(const struct postdom_search *search, uint32_t b, uint32_t *out)
{
	uint32_t found = UNSEEN, to;

	for (uint32_t s = 0; (to = successor(search, b, s)) != UNSEEN; s++)
		if (search->order[to] != UNSEEN && out[to] != UNSEEN)
			found = found == UNSEEN ? to : join(search, out, to, found);
	if (found == out[b])
		return false;
	out[b] = found;
	return true;
}

int flow_postdominators(const struct flow *flow, uint32_t **postdominators, struct err *e)
{
	uint32_t end = (uint32_t)flow->block_count;
	size_t edges = flow->successor_count + end;
	CLEANUP(free_pointer) uint32_t *numbers = calloc(5 * (end + 2ul) + edges, 4);
	CLEANUP(free_pointer) uint32_t *out = calloc(end + 1ul, sizeof(*out));
	struct postdom_search search = { flow, end, numbers, .count = 0 };
	bool changed = true;

	*postdominators = NULL;
	if (!numbers || !out)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for control flow");
	search.cursor = search.first + end + 2;
	search.order = search.cursor + end + 2;
	search.blocks = search.order + end + 2;
	search.stack = search.blocks + end + 2;
	search.preds = search.stack + end + 2;
	for (uint32_t b = 0; b <= end; b++)
		search.order[b] = out[b] = UNSEEN;
	find_predecessors(&search);
	number_blocks(&search);
	out[end] = end;
	while (changed) {
		changed = false;
		for (uint32_t i = search.count - 1; i-- > 0;)
			changed |= improve(&search, search.blocks[i], out);
	}
	*postdominators = STEAL(out);
	return 0;
}
