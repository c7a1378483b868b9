/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "probe.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "asserts.h"
#include "cleanup.h"

enum { ROUNDS = 16 }; /* back-edges to run: as many as a time slice needs to see that it waits */

/* A copy of a warp, and the code that it runs meanwhile. */
struct probe {
	struct warp before;
	uint8_t *rows;     /* owned: a copy of the row file */
	struct code code;
	struct op *ops;    /* owned: code.ops */
};

static void probe_free(struct probe *probe)
{
	if (!probe)
		return;
	free(probe->rows);
	free(probe->ops);
	free(probe);
}
DEFINE_CLEANUP(free_probe, struct probe *, probe_free)

static struct probe *probe_new(const struct warp *w, bool (*is_harmless)(const struct op *op))
{
	CLEANUP(free_probe) struct probe *probe = aligned_alloc(alignof(struct probe),
								sizeof(*probe));
	const struct code *code = w->cta->code;

	if (!probe)
		return NULL;
	memset(probe, 0, sizeof(*probe));
	probe->rows = malloc(code->warp_bytes);
	probe->ops = malloc(code->op_count * sizeof(probe->ops[0]));
	if (!probe->rows || !probe->ops)
		return NULL;
	probe->before = *w;
	memcpy(probe->rows, w->rows, code->warp_bytes);
	memcpy(probe->ops, code->ops, code->op_count * sizeof(probe->ops[0]));
	for (uint32_t i = 0; i < code->op_count; i++)
		if (!is_harmless(&probe->ops[i]))
			probe->ops[i].fn = code->ops[0].fn; /* halt */
	probe->code = *code;
	probe->code.ops = probe->ops;
	return STEAL(probe);
}

static void move_groups(struct warp *w, const struct op *from, const struct op *to)
{
	ASSERT(!w->group_count || w->groups[0].pc >= from);
	for (uint32_t i = 0; i < w->group_count; i++)
		w->groups[i].pc = to + (w->groups[i].pc - from);
}

/* The only group of @w that can run, or NULL. */
static const struct group *ready_group(const struct warp *w)
{
	const struct group *found = NULL;

	for (uint32_t i = 0; i < w->group_count; i++) {
		if (w->groups[i].state != GROUP_READY)
			continue;
		if (found)
			return NULL;
		found = &w->groups[i];
	}
	return found;
}

/* Tells whether @w is again where it was, with the same registers. */
static bool is_back(const struct warp *w, const struct probe *probe)
{
	const struct group *was = ready_group(&probe->before), *is = ready_group(w);
	const int32_t end = probe->code.constants_at;

	return w->budget < 0 && was && is && was->pc == is->pc && was->mask == is->mask &&
	       w->group_count == probe->before.group_count &&
	       !memcmp(w->rows + AT_ROWS, probe->rows + AT_ROWS, (size_t)(end - AT_ROWS));
}

bool probe_loops(struct warp *w, bool (*is_harmless)(const struct op *op))
{
	CLEANUP(free_probe) struct probe *probe = probe_new(w, is_harmless);
	struct code *code = w->cta->code;
	bool back;

	if (!probe)
		return false;
	ASSERT(!w->mask);
	move_groups(w, code->ops, probe->ops);
	w->cta->code = &probe->code;
	w->budget = ROUNDS;
	code->run(w);
	w->cta->code = code;
	move_groups(w, probe->ops, code->ops);
	back = is_back(w, probe);
	memcpy(w->rows, probe->rows, code->warp_bytes);
	*w = probe->before;
	return back;
}
