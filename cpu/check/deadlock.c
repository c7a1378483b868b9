/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "deadlock.h"

#include <stdlib.h>

#include "access.h"
#include "asserts.h"
#include "bits.h"
#include "cleanup.h"
#include "handler.h"
#include "probe.h"

/* ---- What ops are -------------------------------------------------------------- */

enum op_kind { ANY, IS_QUIET, IS_JUMP };

/* What handlers.def says of each. */
static const uint8_t kinds[HANDLER_ROWS] = {
#define HANDLER(name) [HANDLER_##name] = ANY,
#define QUIET(name) [HANDLER_##name] = IS_QUIET,
#define JUMP(name) [HANDLER_##name] = IS_JUMP,
#include "handlers.def"
};

/* Tells whether @op is QUIET or JUMP: all handlers of ops_*.def are QUIET. */
static bool is_harmless(const struct op *op)
{
	const unsigned handler = handler_of(op);

	if (handler == HANDLER_mbarrier)
		return op->c == MBARRIER_TEST || op->c == MBARRIER_TEST_PARITY;
	return handler < HANDLER_COUNT && (handler >= HANDLER_ROWS || kinds[handler] != ANY);
}

static bool is_jump(unsigned handler)
{
	return handler < HANDLER_ROWS ? kinds[handler] == IS_JUMP :
					handler >= HANDLER_BRANCHES && handler < HANDLER_COUNT;
}

/* ---- Loops ----------------------------------------------------------------------- */

enum { REACHED = 1, RETURNS = 2 };

/* Paths through the ops of a kernel from one of them. */
struct paths {
	const struct code *code;
	uint8_t *marks;     /* owned, of each op: it is REACHED, and RETURNS to the first one */
	uint32_t *pending;  /* owned: reached, and not followed yet */
	uint32_t count;
};

static void paths_release(struct paths *paths)
{
	free(paths->marks);
	free(paths->pending);
}

/* Finds the ops that may follow the one at @at; false when they are unknown. */
static bool find_next(const struct code *code, uint32_t at, uint32_t next[2], unsigned *count)
{
	const struct op *op = &code->ops[at];
	const unsigned handler = handler_of(op);
	const uint32_t target = at + (uint32_t)op->imm;

	ASSERT(at < code->op_count && handler < HANDLER_COUNT);
	*count = 0;
	if (handler == HANDLER_brx || handler == HANDLER_ret || handler == HANDLER_call_indirect)
		return false;
	if (handler == HANDLER_exit)
		return true;
	if (handler != HANDLER_bra && handler != HANDLER_bra_back && at + 1 < code->op_count)
		next[(*count)++] = at + 1;
	if (is_jump(handler))
		next[(*count)++] = target;
	return target < code->op_count || !*count || next[*count - 1] != target;
}

static void reach(struct paths *paths, uint32_t at)
{
	ASSERT(at < paths->code->op_count);
	if (paths->marks[at])
		return;
	ASSERT(paths->count < paths->code->op_count);
	paths->marks[at] = REACHED;
	paths->pending[paths->count++] = at;
}

static bool reach_all(struct paths *paths, uint32_t from)
{
	uint32_t next[2];
	unsigned count;

	reach(paths, from);
	while (paths->count) {
		if (!find_next(paths->code, paths->pending[--paths->count], next, &count))
			return false;
		while (count)
			reach(paths, next[--count]);
	}
	return true;
}

/* Marks the op at @at when it leads to @from, or to one that is marked. */
static bool mark_return(struct paths *paths, uint32_t at, uint32_t from)
{
	uint32_t next[2];
	unsigned count;

	if (paths->marks[at] != REACHED || !find_next(paths->code, at, next, &count))
		return false;
	while (count--) {
		if (next[count] != from && !(paths->marks[next[count]] & RETURNS))
			continue;
		paths->marks[at] |= RETURNS;
		return true;
	}
	return false;
}

/* Tells whether every path from @pc back to it is harmless. */
static bool is_closed(const struct code *code, const struct op *pc)
{
	CLEANUP(paths_release) struct paths paths = {
		.code = code,
		.marks = calloc(code->op_count, 1),
		.pending = malloc(code->op_count * sizeof(uint32_t)),
	};
	const uint32_t from = (uint32_t)(pc - code->ops);
	bool more = true;

	if (!paths.marks || !paths.pending || !reach_all(&paths, from))
		return false;
	while (more) {
		more = false;
		for (uint32_t at = code->op_count; at--;)
			more |= mark_return(&paths, at, from);
	}
	for (uint32_t at = 0; at < code->op_count; at++)
		if (paths.marks[at] & RETURNS && !is_harmless(&code->ops[at]))
			return false;
	return paths.marks[from] & RETURNS;
}

/* ---- Time slices ---------------------------------------------------------------- */

static uint64_t *change_count(const struct cluster *cluster)
{
	return &cluster->ctas[0]->check->changes;
}

void deadlock_note(struct warp *w, const struct group *from, const struct group *to)
{
	struct spin *spin = &w->cta->check->spins[w->index];
	uint64_t *changes = change_count(w->cta->cluster);

	ASSERT((w->cta->progress.faulted || !w->mask) && w->index < w->cta->warp_count);
	spin->pc = to && from->pc == to->pc && from->mask == to->mask ? to->pc : NULL;
	*changes += !spin->pc;
	spin->changes = *changes;
}

/* What is looked at in loops that are not known to be closed. */
enum look {
	LOOK_NONE,
	LOOK_NEW,  /* those that were not looked at before */
	LOOK_ALL,  /* open ones too: whether one ends depends on what memory has now */
};

/* A look takes time in proportion to the code: it is seldom in a large one, so that all looks take
 * no more than what runs. */
static enum look next_look(const struct code *code)
{
	enum { OPS = 1024, OPEN = 8 };
	static _Thread_local uint64_t state;
	const uint64_t seldom = code->op_count / OPS + 1;

	state = state * 6364136223846793005u + 1442695040888963407u;
	if ((state >> 32) % seldom)
		return LOOK_NONE;
	return (state >> 32) / seldom % OPEN ? LOOK_NEW : LOOK_ALL;
}

/*
 * Tells whether @w has looped since the last change, in a loop that makes none; where the
 * loop has other paths, for example an outer loop, whether it takes none of these now.
 */
static bool is_spinning(struct warp *w, enum look look)
{
	struct cta_check *check = w->cta->check;
	const struct spin *spin = &check->spins[w->index];

	if (!spin->pc || spin->changes != *change_count(w->cta->cluster))
		return false;
	if (spin->pc == check->closed)
		return true;
	if (look == LOOK_NONE)
		return false;
	if (spin->pc == check->open)
		return look == LOOK_ALL && probe_loops(w, is_harmless);
	if (is_closed(w->cta->code, spin->pc)) {
		check->closed = spin->pc;
		return true;
	}
	check->open = spin->pc;
	return probe_loops(w, is_harmless);
}

const struct warp *deadlock_find(const struct cluster *cluster)
{
	const enum look look = next_look(cluster->ctas[0]->code);
	const struct warp *found = NULL;

	for (uint32_t i = 0; i < cluster->size; i++) {
		struct cta *cta = cluster->ctas[i];

		for (uint32_t k = 0; cta->live && k < cta->warp_count; k++) {
			struct warp *w = &cta->warps[k];

			if (!warp_ready(w))
				continue;
			if (!is_spinning(w, look))
				return NULL;
			found = found ? found : w;
		}
	}
	return found;
}
