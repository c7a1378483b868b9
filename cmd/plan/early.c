/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "early.h"

#include "action.h"
#include "message.h"

/* Tells whether buffer @index, or its address in another one, is among @fixups. */
static bool has(const struct plan *plan, const struct fixups *fixups, size_t index)
{
	for (size_t i = 0; i < fixups->count; i++) {
		const size_t buffer = fixups->at[i].buffer;

		if (buffer != NONE &&
		    (buffer == index || has(plan, &plan->buffers[buffer].pointers, index)))
			return true;
	}
	return false;
}

static bool is_launched_with(const struct plan *plan, const struct step *step, size_t index)
{
	const struct launch *launch = step_launch(step);

	for (size_t i = 0; launch && i < launch->slot_count; i++) {
		if (has(plan, &launch->slots[i].fixups, index))
			return true;
	}
	return false;
}

static bool is_written(const struct plan *plan, const struct step *step, size_t index)
{
	return is_launched_with(plan, step, index) ||
	       (action_effect(step->kind) == EFFECT_WRITES && step->buffer == index);
}

static bool is_looked_at(const struct step *step, size_t index)
{
	return step->other == index ||
	       (action_effect(step->kind) == EFFECT_LOOKS && step->buffer == index);
}

/* Tells whether the buffer that step @at prints is of interest after it alone. */
static bool is_early(const struct plan *plan, size_t at)
{
	const size_t index = plan->steps[at].buffer;
	bool launched = false;

	for (size_t i = 0; i < at; i++) {
		if (is_written(plan, &plan->steps[i], index))
			return false;
	}
	for (size_t i = at + 1; i < plan->step_count; i++) {
		if (is_looked_at(&plan->steps[i], index))
			return false;
		launched |= is_launched_with(plan, &plan->steps[i], index);
	}
	return launched;
}

void early_note(const struct plan *plan)
{
	for (size_t i = 0; i < plan->step_count; i++) {
		const struct step *step = &plan->steps[i];

		if (step->kind != ACTION_PRINT || plan->buffers[step->buffer].symbol ||
		    !is_early(plan, i))
			continue;
		message_note("%s is printed before any launch writes it; --print %s after the "
			     "--launch shows the result", plan->buffers[step->buffer].name,
			     step->action->value);
	}
}
