/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The groups of a warp. The ready group with the smallest op address runs: in
 * the order in which compilers lay code out, that is where lanes reconverge.
 * So that a group that spins does not block the one that it waits for, the next
 * group runs after a number of back-edges.
 *
 * A group that waits keeps its variant slots (uniform.h). Groups merge only where the
 * slots that are still needed are equal; else they continue separately, and may
 * merge further on.
 */
#include "asserts.h"
#include "cluster.h"
#include "race.h"
#include "region.h"
#include "rounds.h"
#include "sync.h"
#include "turn.h"

static const struct op *halt_of(const struct warp *w)
{
	ASSERT(w->cta->code->op_count);
	return &w->cta->code->ops[0];
}

static uint64_t *kept_slots(const struct warp *w, const struct group *group)
{
	if (group->kept == KEPT_IN_PLACE)
		return w->slots;
	return w->kept + (size_t)group->kept * w->cta->code->variant_count;
}

/* Tells whether @pc is an op of the code that @w runs. For asserts, as the next ones. */
static inline bool is_op(const struct warp *w, const struct op *pc)
{
	const struct code *code = w->cta->code;

	return pc >= code->ops && (size_t)(pc - code->ops) < code->op_count;
}

/* The lanes of the groups of @w; those that run together until warp_split() are not waiting. */
static inline uint32_t waiting_lanes(const struct warp *w)
{
	uint32_t lanes = 0;

	for (uint32_t i = 0; i < w->group_count; i++)
		lanes |= w->groups[i].state == GROUP_SPLIT ? 0 : w->groups[i].mask;
	return lanes;
}

/* Tells whether each live lane of @w is in one group or runs, and no other is. */
static inline bool has_each_lane_once(const struct warp *w)
{
	uint32_t seen = w->mask;

	for (uint32_t i = 0; i < w->group_count; i++) {
		const struct group *group = &w->groups[i];

		if (!group->mask || !is_op(w, group->pc) ||
		    (group->state != GROUP_SPLIT && seen & group->mask))
			return false;
		seen |= group->mask;
	}
	return seen == w->live;
}

/* A few words: a call of memcpy() would take longer. */
static void copy_slots(uint64_t *to, const uint64_t *from, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		to[i] = from[i];
		__asm__("" : : "r"(to) : "memory"); /* or it becomes that call */
	}
}

static void keep_slots(struct warp *w, struct group *group)
{
	uint32_t count = w->cta->code->variant_count;

	if (!count)
		return;
	ASSERT(w->unkept);
	group->kept = (uint32_t)__builtin_ctz(w->unkept);
	w->unkept &= ~(1u << group->kept);
	copy_slots(kept_slots(w, group), w->slots, count);
}

/* Tells whether @pc is a leader; compiled code may have taken the place of its handler. */
static bool is_leader(const struct code *code, const struct op *pc)
{
	const struct code_region *region;

	if (op_handler(pc) == code->leader)
		return true;
	region = code->region;
	return region && region_handler(region, (uint32_t)(pc - code->ops)) == code->leader;
}

/* Tells whether @group has kept the running lanes' values of the slots that @pc needs. */
static bool same_slots(const struct warp *w, const struct group *group, const struct op *pc)
{
	const struct code *code = w->cta->code;
	uint64_t unneeded = is_leader(code, pc) ? (uint64_t)pc->imm : 0;
	const uint64_t *kept;

	if (!code->variant_count)
		return true;
	ASSERT(group->kept < LANES && !(w->unkept >> group->kept & 1)); /* there are others */
	kept = kept_slots(w, group);
	for (uint32_t i = 0; i < code->variant_count; i++)
		if (kept[i] != w->slots[i] && !(unneeded >> i & 1))
			return false;
	return true;
}

void warp_wait(struct warp *w, const struct op *pc, uint32_t mask, uint32_t state,
	       uint32_t members)
{
	ASSERT(is_op(w, pc) && mask && !(mask & ~w->live));
	ASSERT(!(mask & waiting_lanes(w)));
	ASSERT(state < (uint32_t)GROUP_BARRIER + BARRIERS);
	if (mask == w->live && !w->group_count) {
		warp_wait_whole(w, pc, state, members);
		return;
	}
	for (uint32_t i = 0; i < w->group_count; i++) {
		struct group *group = &w->groups[i];

		if (group->pc == pc && group->state == state && group->members == members &&
		    same_slots(w, group, pc)) {
			group->mask |= mask;
			return;
		}
	}
	ASSERT(w->group_count < LANES);
	w->groups[w->group_count] = (struct group){ pc, mask, members, state, 0 };
	keep_slots(w, &w->groups[w->group_count++]);
}

static uint32_t remove_group(struct warp *w, uint32_t i)
{
	uint32_t mask = w->groups[i].mask;

	ASSERT(i < w->group_count && mask);
	if (w->cta->code->variant_count && w->groups[i].kept != KEPT_IN_PLACE)
		w->unkept |= 1u << w->groups[i].kept;
	w->groups[i] = w->groups[--w->group_count];
	return mask;
}

/* Finds how far the running group at @pc may run before it reaches another. */
static void set_limit(struct warp *w, const struct op *pc)
{
	const struct op *limit = (const struct op *)UINTPTR_MAX;

	w->rotated = false;
	for (uint32_t i = 0; i < w->group_count; i++) {
		const struct group *group = &w->groups[i];

		if (group->state != GROUP_READY)
			continue;
		if (group->pc < pc || (group->pc == pc && !same_slots(w, group, pc)))
			w->rotated = true;
		else if (group->pc < limit)
			limit = group->pc;
	}
	w->limit = limit;
}

/*
 * Tells whether @a and @b wait for the same lanes. Groups at one .sync op may differ in their
 * slots; those at bar.warp.sync may be at different ones. Masks have to be equal, also in lanes
 * that do not exist: an H100 waits for ever where they are not.
 */
static bool wait_together(const struct group *a, const struct group *b)
{
	return a->state == b->state && a->members == b->members &&
	       (a->state == GROUP_WARP || (a->state == GROUP_SYNC && a->pc == b->pc));
}

/* Makes the groups ready whose members have all arrived or exited. */
static bool wake(struct warp *w)
{
	bool woken = false;

	for (uint32_t i = 0; i < w->group_count; i++) {
		const struct group group = w->groups[i];
		uint32_t here = 0;

		for (uint32_t k = 0; k < w->group_count; k++)
			if (wait_together(&group, &w->groups[k]))
				here |= w->groups[k].mask;
		if (!here || (group.members & w->live & ~here))
			continue;
		woken = true;
		for (uint32_t k = 0; k < w->group_count; k++) {
			if (!wait_together(&group, &w->groups[k]))
				continue;
			w->groups[k].state = GROUP_READY;
			w->groups[k].members = 0;
		}
	}
	return woken;
}

/* The ready group with the smallest pc at or above @from; else the smallest at all. */
static int pick(const struct warp *w, const struct op *from)
{
	int best = -1, lowest = -1;

	for (uint32_t i = 0; i < w->group_count; i++) {
		const struct group *group = &w->groups[i];

		if (group->state != GROUP_READY)
			continue;
		if (lowest < 0 || group->pc < w->groups[lowest].pc)
			lowest = (int)i;
		if (group->pc >= from && (best < 0 || group->pc < w->groups[best].pc))
			best = (int)i;
	}
	return best >= 0 ? best : lowest;
}

/* Runs the group that pick() finds, merged with others at its pc. */
static const struct op *run_group(struct warp *w, const struct op *from)
{
	const struct op *pc;
	uint32_t mask;
	int i;

	if (warp_is_whole(w))
		return warp_run_whole(w, w->groups[0].pc);
	i = pick(w, from);
	if (i < 0 && wake(w))
		i = pick(w, from);
	if (i < 0) {
		w->mask = 0;
		return halt_of(w);
	}
	pc = w->groups[i].pc;
	copy_slots(w->slots, kept_slots(w, &w->groups[i]), w->cta->code->variant_count);
	mask = remove_group(w, (uint32_t)i);
	for (uint32_t k = 0; k < w->group_count;) {
		if (w->groups[k].state == GROUP_READY && w->groups[k].pc == pc &&
		    same_slots(w, &w->groups[k], pc))
			mask |= remove_group(w, k);
		else
			k++;
	}
	warp_set_mask(w, mask);
	set_limit(w, pc);
	ASSERT(has_each_lane_once(w));
	return pc;
}

/* Swaps @group's lanes and slots with those of the running lanes, at @pc. */
static void swap_running(struct warp *w, struct group *group, const struct op *pc)
{
	uint64_t *kept = kept_slots(w, group);
	uint32_t mask = group->mask;

	ASSERT(group->state == GROUP_READY && w->mask && !(mask & w->mask));
	for (uint32_t i = 0; i < w->cta->code->variant_count; i++) {
		uint64_t slot = kept[i];

		kept[i] = w->slots[i];
		w->slots[i] = slot;
	}
	group->pc = pc;
	group->mask = w->mask;
	group->members = 0;
	warp_set_mask(w, mask);
}

/* The usual case of warp_schedule(): a single group is first. NULL: it is not so. */
static const struct op *change_groups(struct warp *w, const struct op *pc)
{
	const struct op *lowest = (const struct op *)UINTPTR_MAX, *limit = pc;
	struct group *first = NULL;

	for (uint32_t i = 0; i < w->group_count; i++) {
		struct group *group = &w->groups[i];

		if (group->state != GROUP_READY)
			continue;
		if (group->pc < lowest) {
			if (lowest < limit)
				limit = lowest;
			lowest = group->pc;
			first = group;
		} else if (group->pc < limit) {
			limit = group->pc;
		}
	}
	if (!w->mask || lowest >= limit)
		return NULL;
	swap_running(w, first, pc);
	w->limit = limit;
	w->rotated = false;
	return lowest;
}

const struct op *warp_next(struct warp *w)
{
	ASSERT(!w->mask);
	return run_group(w, NULL);
}

const struct op *warp_schedule(struct warp *w, const struct op *pc)
{
	const struct op *next = change_groups(w, pc);

	if (next)
		return next;
	if (w->mask)
		warp_wait(w, pc, w->mask, GROUP_READY, 0);
	return run_group(w, NULL);
}

/*
 * Tells whether the running group continues with the loop at @pc although others wait: it reads
 * nothing there that another thread may have to write, and where the loop ends they reconverge.
 * A loop that polls memory by plain loads, which PTX does not promise to see anything, is
 * interrupted all the same, but late.
 */
static bool keeps_running(struct warp *w, const struct op *pc)
{
	const bool awaits = !is_leader(w->cta->code, pc) || pc->a;

	w->rounds += w->patience + 1;
	return !awaits && w->rounds < MOST_ROUNDS;
}

const struct op *warp_pause(struct warp *w, const struct op *pc)
{
	if (w->mask)
		warp_wait(w, pc, w->mask, GROUP_READY, 0);
	w->mask = 0;
	return halt_of(w);
}

const struct op *warp_back_edge(struct warp *w, const struct op *pc)
{
	ASSERT(w->mask && is_op(w, pc));
	if (w->budget < 0)
		return warp_pause(w, pc);
	if (w->spin > w->patience) {
		w->spin = 0;
		if (keeps_running(w, pc)) {
			set_limit(w, pc);
			return pc;
		}
		w->rounds = 0;
		warp_wait(w, pc, w->mask, GROUP_READY, 0);
		w->mask = 0;
		return run_group(w, pc + 1);
	}
	set_limit(w, pc);
	return pc;
}

const struct op *warp_yield(struct warp *w, const struct op *pc)
{
	ASSERT(w->mask);
	w->budget -= 256;
	warp_wait(w, pc, w->mask, GROUP_READY, 0);
	w->mask = 0;
	w->cta->progress.slept = true;
	if (w->budget < 0 || w->group_count == 1)
		return halt_of(w);
	return run_group(w, pc + 1);
}

const struct op *warp_reconverge(struct warp *w, const struct op *pc)
{
	uint32_t mask = w->mask;

	ASSERT(mask);
	if (w->rotated || w->limit < pc)
		return warp_schedule(w, pc);
	for (uint32_t i = 0; i < w->group_count;) {
		const struct group *group = &w->groups[i];

		if (group->state == GROUP_READY && group->pc == pc && same_slots(w, group, pc))
			mask |= remove_group(w, i);
		else
			i++;
	}
	warp_set_mask(w, mask);
	set_limit(w, pc);
	return pc;
}

const struct op *warp_diverge(struct warp *w, const struct op *next, const struct op *target,
			      uint32_t taken)
{
	ASSERT(taken && !(taken & ~w->mask) && taken != w->mask);
	warp_wait(w, target, taken, GROUP_READY, 0);
	if (next < target && next < w->limit && !w->rotated) { /* these are still first */
		warp_set_mask(w, w->mask & ~taken);
		if (target < w->limit)
			w->limit = target;
		return next;
	}
	w->mask &= ~taken;
	return warp_schedule(w, next);
}

const struct op *warp_diverge_back(struct warp *w, const struct op *ip, uint32_t taken)
{
	const struct op *target = ip + ip->imm;

	ASSERT(taken && !(taken & ~w->mask) && taken != w->mask);
	warp_wait(w, ip + 1, w->mask & ~taken, GROUP_READY, 0);
	warp_set_mask(w, taken);
	w->limit = w->limit < ip + 1 ? w->limit : ip + 1;
	return warp_slice_ended(w) ? warp_back_edge(w, target) : target;
}

/* Some lanes jumped back, by a table at @ip: a back-edge. @others: there were other groups. */
static const struct op *table_back_edge(struct warp *w, const struct op *ip, bool others)
{
	if (--w->budget < 0)
		return halt_of(w);
	if (!others || ++w->spin <= w->patience)
		return run_group(w, NULL);
	w->spin = 0;
	return run_group(w, ip + 1);
}

const struct op *warp_branch_table(struct warp *w, const struct op *ip)
{
	const uint32_t *index = (const uint32_t *)(w->rows + ip->a);
	const bool others = w->group_count;
	uint32_t count = (uint32_t)ip->b;
	bool back = false;

	FOR_BITS(l, w->mask) {
		const struct op *target;

		if (index[l] >= count) {
			fault_set(w, ip, 1u << l, ABOUT(BRANCH_INDEX),
				  "branch index %u in a table of %u targets", index[l], count);
			return halt_of(w);
		}
		target = ip + 1 + index[l];
		target += target->imm;
		back |= target <= ip;
		warp_wait(w, target, 1u << l, GROUP_READY, 0);
	}
	w->mask = 0;
	return back ? table_back_edge(w, ip, others) : run_group(w, NULL);
}

const struct op *warp_exit(struct warp *w)
{
	struct cta *cta = w->cta;
	const struct op *next;

	ASSERT(w->mask && !(w->mask & ~w->live) && cta->live >= warp_lanes(w->mask));
	if (cta->cluster->arriving)
		cluster_leave(w, w->mask);
	w->live &= ~w->mask;
	cta->live -= warp_lanes(w->mask);
	w->mask = 0;
	if (w->group_count)
		wake(w);
	if (cta->progress.barriers_used)
		cta_check_barriers(cta);
	if (w->group_count)
		return run_group(w, NULL);
	next = turn_usual(cta);
	return next ? next : cta_turn(cta);
}

const struct op *warp_barrier(struct warp *w, const struct op *ip, const uint32_t *members)
{
	uint32_t nonmembers = 0;

	ASSERT(w->mask && !w->split);
	if (w->race)
		race_warp_sync(w);
	FOR_BITS(l, w->mask) {
		nonmembers |= ~members[l] & 1u << l;
		warp_wait(w, ip + 1, 1u << l, GROUP_WARP, members[l] | 1u << l);
	}
	if (nonmembers && config.check & CHECK_SYNC)
		sync_nonmember(w, ip, nonmembers);
	w->mask = 0;
	wake(w);
	return run_group(w, NULL);
}

/* Tells whether @group waits at the .sync op at @ip for @members. */
static bool gathers(const struct group *group, const struct op *ip, uint32_t members)
{
	return group->pc == ip && group->state == GROUP_SYNC && group->members == members;
}

/* All have arrived: merges them when their slots are equal; else they diverge again after @ip. */
static void run_members(struct warp *w, const struct op *ip, uint32_t members, uint32_t all)
{
	bool same = true;

	ASSERT(!(w->mask & ~all) && !(members & w->live & ~all));
	for (uint32_t i = 0; i < w->group_count; i++)
		if (gathers(&w->groups[i], ip, members))
			same &= same_slots(w, &w->groups[i], ip);
	if (!same) {
		warp_wait(w, ip, w->mask, GROUP_SYNC, members);
		w->split = true;
	}
	for (uint32_t i = 0; i < w->group_count;) {
		if (!gathers(&w->groups[i], ip, members)) {
			i++;
		} else if (same) {
			remove_group(w, i);
		} else {
			w->groups[i++].state = GROUP_SPLIT;
		}
	}
	warp_set_mask(w, all);
}

const struct op *warp_gather(struct warp *w, const struct op *ip, uint32_t members)
{
	uint32_t need = members & w->live, here = w->mask;

	ASSERT(here && !w->split);
	for (uint32_t i = 0; i < w->group_count; i++)
		if (gathers(&w->groups[i], ip, members))
			here |= w->groups[i].mask;
	if (!(need & ~here)) {
		run_members(w, ip, members, here);
		return NULL;
	}
	warp_wait(w, ip, w->mask, GROUP_SYNC, members);
	w->mask = 0;
	return run_group(w, NULL);
}

const struct op *warp_split(struct warp *w, const struct op *pc)
{
	ASSERT(w->split);
	for (uint32_t i = 0; i < w->group_count; i++) {
		if (w->groups[i].state != GROUP_SPLIT)
			continue;
		w->groups[i].state = GROUP_READY;
		w->groups[i].members = 0;
		w->groups[i].pc = pc;
	}
	w->split = false;
	w->mask = 0;
	return run_group(w, NULL);
}
