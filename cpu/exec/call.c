/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Calls and returns while a kernel runs. Return addresses are in levels, one row
 * of lanes for each depth, where no store of a kernel can reach them.
 */
#include "asserts.h"
#include "program.h"
#include "warp.h"

enum { MOST_LEVELS = 1 << 14 };

/* Makes room for @depth levels. */
static bool grow(struct warp *w, const struct op *ip, uint32_t depth)
{
	uint32_t count = w->level_count ? w->level_count * 2 : 8;
	struct call_level *levels;

	ASSERT(depth && depth <= w->level_count + 1);
	if (depth <= w->level_count)
		return true;
	levels = depth > MOST_LEVELS ? NULL : realloc(w->levels, count * sizeof(*levels));
	if (!levels) {
		fault_set(w, ip, w->mask, ABOUT(STACK_OVERFLOW),
			  "stack overflow: calls are nested %u deep", depth);
		return false;
	}
	w->levels = levels;
	w->level_count = count;
	return true;
}

/* Lane @l calls a function whose frame has @frame bytes. */
static bool enter(struct warp *w, const struct op *ip, unsigned l, uint32_t frame)
{
	struct cta *cta = w->cta;
	uint32_t depth = w->depth[l], base = w->frame[l] + (uint32_t)ip->b;

	if ((uint64_t)base + frame + w->taken[l] > cta->stack) {
		fault_set(w, ip, 1u << l, ABOUT(STACK_OVERFLOW),
			  "stack overflow: %u calls deep, of %u bytes of stack", depth + 1,
			  cta->stack);
		return false;
	}
	if (!grow(w, ip, depth + 1))
		return false;
	ASSERT(depth < w->level_count);
	w->levels[depth].pc[l] = (uint32_t)(ip + 1 - cta->code->ops);
	w->levels[depth].frame[l] = w->frame[l];
	w->levels[depth].taken[l] = w->taken[l];
	w->frame[l] = base;
	w->depth[l] = depth + 1;
	return true;
}

/* A call counts as a back-edge: functions that call each other may run for as long as a loop. */
static const struct op *continue_at(struct warp *w, const struct op *target)
{
	return --w->budget < 0 ? warp_pause(w, target) : warp_schedule(w, target);
}

const struct op *call_enter(struct warp *w, const struct op *ip)
{
	ASSERT(w->mask && ip + ip->imm < w->cta->code->ops + w->cta->code->op_count);
	FOR_BITS(l, w->mask)
		if (!enter(w, ip, l, (uint32_t)ip->c))
			return w->cta->code->ops;
	return continue_at(w, ip + ip->imm);
}

static const struct callee *find_callee(const struct code *code, uint64_t function)
{
	for (size_t i = 0; i < code->callee_count; i++)
		if (code->callees[i].function == function)
			return &code->callees[i];
	return NULL;
}

const struct op *call_enter_indirect(struct warp *w, const struct op *ip)
{
	const struct code *code = w->cta->code;
	const uint64_t *address = (const uint64_t *)(w->rows + ip->a);
	uint64_t base = w->cta->launch->kernel->program->functions;

	FOR_BITS(l, w->mask) {
		uint64_t offset = address[l] - base;
		const struct callee *callee =
			offset % 16 || !base ? NULL : find_callee(code, offset / 16);

		if (!callee) {
			fault_set(w, ip, 1u << l, ABOUT(INVALID_PC),
				  "call of %#llx, which is no function",
				  (unsigned long long)address[l]);
			return code->ops;
		}
		if (!enter(w, ip, l, callee->frame))
			return code->ops;
		ASSERT(callee->start < code->op_count);
		warp_wait(w, code->ops + callee->start, 1u << l, GROUP_READY, 0);
	}
	w->mask = 0;
	return continue_at(w, NULL);
}

const struct op *call_return(struct warp *w)
{
	const struct op *ops = w->cta->code->ops;

	FOR_BITS(l, w->mask) {
		const struct call_level *level = &w->levels[--w->depth[l]];

		ASSERT(w->depth[l] < w->level_count); /* it was not 0 */
		w->frame[l] = level->frame[l];
		w->taken[l] = level->taken[l];
		ASSERT((uint64_t)w->frame[l] + w->taken[l] <= w->cta->stack);
		warp_wait(w, ops + level->pc[l], 1u << l, GROUP_READY, 0);
	}
	w->mask = 0;
	return warp_schedule(w, NULL);
}
