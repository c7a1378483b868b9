/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Immediate postdominators: the dominators of the reversed graph, by the algorithm of Lengauer and
 * Tarjan with simple path compression, whose time grows as n log n for any graph. It works on the
 * numbers that a depth-first search from the end gives to blocks.
 */
#include "flow.h"

struct postdom_search {
	const struct flow *flow;
	uint32_t end;              /* the function's: after the last block */
	uint32_t *first;           /* of each block's predecessors in preds; one more at the end */
	uint32_t *cursor;          /* the next predecessor to visit */
	uint32_t *preds;
	uint32_t *number;          /* of each block; UNSEEN */
	uint32_t count;            /* of blocks from which the end can be reached, with the end */
	uint32_t *stack;
	/* By number: */
	uint32_t *blocks;
	uint32_t *parent;          /* in the search */
	uint32_t *semi;            /* semidominators */
	uint32_t *ancestor;        /* in the forest of those that were done, compressed; UNSEEN */
	uint32_t *best;            /* the one with the least semi on the way to the ancestor */
	uint32_t *bucket, *next;   /* lists of those with this semidominator; UNSEEN */
	uint32_t *dominator;
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
	search->number[search->end] = 0;
	search->blocks[search->count++] = search->end;
	while (depth) {
		uint32_t b = search->stack[depth - 1], to;

		if (search->cursor[b] == search->first[b + 1]) {
			depth--;
			continue;
		}
		to = search->preds[search->cursor[b]++];
		if (search->number[to] != UNSEEN)
			continue;
		search->number[to] = search->count;
		search->parent[search->count] = search->number[b];
		search->blocks[search->count++] = to;
		search->stack[depth++] = to;
	}
}

/* The one with the least semidominator from @v up to below the root of its tree. */
static uint32_t evaluate(struct postdom_search *search, uint32_t v)
{
	uint32_t *ancestor = search->ancestor, *best = search->best, depth = 0;

	if (ancestor[v] == UNSEEN)
		return v;
	for (uint32_t u = v; ancestor[ancestor[u]] != UNSEEN; u = ancestor[u])
		search->stack[depth++] = u;
	while (depth) {
		const uint32_t u = search->stack[--depth], above = ancestor[u];

		if (search->semi[best[above]] < search->semi[best[u]])
			best[u] = best[above];
		ancestor[u] = ancestor[above];
	}
	return best[v];
}

static void find_semidominator(struct postdom_search *search, uint32_t w)
{
	uint32_t to;

	for (uint32_t s = 0; (to = successor(search, search->blocks[w], s)) != UNSEEN; s++) {
		uint32_t semi;

		if (search->number[to] == UNSEEN)
			continue;
		semi = search->semi[evaluate(search, search->number[to])];
		if (semi < search->semi[w])
			search->semi[w] = semi;
	}
	search->next[w] = search->bucket[search->semi[w]];
	search->bucket[search->semi[w]] = w;
}

static void find_dominators(struct postdom_search *search)
{
	for (uint32_t v = 0; v < search->count; v++) {
		search->semi[v] = search->best[v] = v;
		search->ancestor[v] = search->bucket[v] = UNSEEN;
	}
	for (uint32_t w = search->count - 1; w > 0; w--) {
		const uint32_t parent = search->parent[w];

		find_semidominator(search, w);
		search->ancestor[w] = parent;
		for (uint32_t v = search->bucket[parent]; v != UNSEEN; v = search->next[v]) {
			const uint32_t u = evaluate(search, v);

			search->dominator[v] = search->semi[u] < search->semi[v] ? u : parent;
		}
		search->bucket[parent] = UNSEEN;
	}
	for (uint32_t w = 1; w < search->count; w++)
		if (search->dominator[w] != search->semi[w])
			search->dominator[w] = search->dominator[search->dominator[w]];
}

int flow_postdominators(const struct flow *flow, uint32_t **postdominators, struct err *e)
{
	const uint32_t end = (uint32_t)flow->block_count;
	const size_t edges = flow->successor_count + end, room = end + 2ul;
	CLEANUP(free_pointer) uint32_t *out = calloc(end + 1ul, sizeof(*out));
	CLEANUP(free_pointer) uint32_t *numbers = NULL;
	struct postdom_search search = { flow, end, .count = 0 };
	uint32_t **const arrays[] = {
		&search.first, &search.cursor, &search.number, &search.stack, &search.blocks,
		&search.parent, &search.semi, &search.ancestor, &search.best, &search.bucket,
		&search.next, &search.dominator, &search.preds,
	};
	enum { COUNT = sizeof(arrays) / sizeof(arrays[0]) };

	*postdominators = NULL;
	numbers = calloc(COUNT * room + edges, sizeof(*numbers));
	if (!numbers || !out)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for control flow");
	for (size_t i = 0; i < COUNT; i++)
		*arrays[i] = numbers + i * room;
	for (uint32_t b = 0; b <= end; b++)
		search.number[b] = out[b] = UNSEEN;
	find_predecessors(&search);
	number_blocks(&search);
	find_dominators(&search);
	out[end] = end;
	for (uint32_t v = 1; v < search.count; v++)
		out[search.blocks[v]] = search.blocks[search.dominator[v]];
	*postdominators = STEAL(out);
	return 0;
}
