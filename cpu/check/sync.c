/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sync.h"

#include <stdio.h>
#include <string.h>

#include "asserts.h"
#include "finding.h"
#include "handler.h"

bool sync_together(const struct warp *w, const struct op *ip)
{
	struct cta_check *check = w->cta->check;

	ASSERT(w->index < sizeof(check->split_barrier) / sizeof(check->split_barrier[0]));
	if (w->mask == w->live || check->split_barrier[w->index] == ip)
		return true;
	check->barrier = ip->fn;
	return false;
}

void sync_absent(struct warp *w, const struct op *ip, uint32_t lanes)
{
	if (finding_is_news(w, ip, CHECK_SYNC))
		finding_add(w, ip, lanes, CHECK_SYNC, ABOUT(SYNC),
			    "the value of a lane that does not take part: lanes %#x are here, of "
			    "which %#x read from others", w->mask, lanes);
}

void sync_nonmember(struct warp *w, const struct op *ip, uint32_t lanes)
{
	if (finding_is_news(w, ip, CHECK_SYNC))
		finding_add(w, ip, lanes, CHECK_SYNC, ABOUT(SYNC),
			    "lanes %#x are not in their own member mask", lanes);
}

void sync_unmet(struct warp *w, const struct op *ip, uint32_t id, uint32_t count)
{
	if (finding_is_news(w, ip, CHECK_SYNC))
		finding_add(w, ip, w->mask, CHECK_SYNC, ABOUT(SYNC),
			    "arrives at barrier %u for %u threads, where the block has at most %u",
			    id, count, w->cta->warp_count * LANES);
}

/* Lets the lanes that wait for the rest of their warp at a barrier pass it without the rest. */
static bool split_at_barrier(struct warp *w)
{
	for (uint32_t k = 0; k < w->group_count; k++) {
		struct group *group = &w->groups[k];

		if (group->state != GROUP_SYNC || group->pc->fn != w->cta->check->barrier)
			continue;
		if (finding_is_news(w, group->pc, CHECK_SYNC))
			finding_add(w, group->pc, group->mask, CHECK_SYNC, ABOUT(DIVERGENT_BARRIER),
				    "divergent barrier: lanes %#x of the warp are here, lanes %#x "
				    "elsewhere", group->mask, w->live & ~group->mask);
		w->cta->check->split_barrier[w->index] = group->pc;
		group->state = GROUP_READY;
		group->members = 0;
		return true;
	}
	return false;
}

/* The op at which @group waits. */
static const struct op *place_of(const struct group *group)
{
	return group->pc - (group->state >= GROUP_WARP);
}

/* The lanes for which @group waits. */
static uint32_t missing(const struct warp *w, const struct group *group)
{
	uint32_t need = group->members & w->live & ~group->mask;

	for (uint32_t k = 0; k < w->group_count; k++) {
		const struct group *other = &w->groups[k];

		if (other->state == group->state && other->members == group->members &&
		    (group->state == GROUP_WARP || other->pc == group->pc))
			need &= ~other->mask;
	}
	return need;
}

/* Reports that @w, and with it its CTA, waits for ever. */
static void report_deadlock(const struct warp *w)
{
	const struct group *group = &w->groups[0];
	char lanes[64] = "";

	if (!finding_is_news(w, place_of(group), CHECK_SYNC))
		return;
	if (group->state == GROUP_SYNC || group->state == GROUP_WARP)
		snprintf(lanes, sizeof(lanes), ": lanes %#x for lanes %#x", group->mask,
			 missing(w, group));
	finding_add(w, place_of(group), group->mask, CHECK_SYNC, ABOUT(DEADLOCK),
		    "deadlock: %u threads of the block wait for others that never arrive%s; they "
		    "are ended", w->cta->live, lanes);
}

static void end_all(struct cta *cta)
{
	for (uint32_t i = 0; i < cta->warp_count; i++) {
		cta->warps[i].live = 0;
		cta->warps[i].group_count = 0;
	}
	cta->live = 0;
	cta->progress.barriers_used = 0;
	memset(cta->progress.barriers, 0, sizeof(cta->progress.barriers));
}

void sync_resolve_deadlock(struct cta *cta)
{
	const struct warp *waiting = NULL;

	for (uint32_t i = 0; i < cta->warp_count; i++) {
		if (split_at_barrier(&cta->warps[i]))
			return;
		if (!waiting && cta->warps[i].group_count)
			waiting = &cta->warps[i];
	}
	if (waiting)
		report_deadlock(waiting);
	end_all(cta);
}

/* The op at which @w loops: that of the mbarrier that it has just tested, or its loop. */
static const struct op *spin_place(const struct warp *w)
{
	const struct op *pc = w->cta->check->spins[w->index].pc;

	ASSERT(pc && pc > w->cta->code->ops);
	return pc[-1].fn == handler_set_choose()->handlers[HANDLER_mbarrier] ? pc - 1 : pc;
}

void sync_end_spin(const struct warp *w)
{
	const struct cluster *cluster = w->cta->cluster;
	const struct op *place = spin_place(w);
	uint32_t mask = 0, live = w->cta->live;

	for (uint32_t i = 0; i < w->group_count; i++)
		if (w->groups[i].state == GROUP_READY)
			mask |= w->groups[i].mask;
	if (finding_is_news(w, place, CHECK_SYNC))
		finding_add(w, place, mask, CHECK_SYNC, ABOUT(DEADLOCK),
			    "deadlock: %u thread%s of the block wait%s for ever: this loop reads "
			    "shared memory that no thread writes any more; they are ended",
			    live, live > 1 ? "s" : "", live > 1 ? "" : "s");
	for (uint32_t i = 0; i < cluster->size; i++)
		end_all(cluster->ctas[i]);
}
