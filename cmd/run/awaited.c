/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "awaited.h"

#include <stdio.h>
#include <string.h>

#include "asserts.h"
#include "geometry.h"
#include "run.h"

size_t awaited_next(const struct awaited *awaited, const struct plan *plan, size_t i)
{
	ASSERT(awaited->until <= plan->step_count);
	for (; i < awaited->until; i++) {
		const struct step *step = &plan->steps[i];

		if (step->kind == ACTION_LAUNCH && step->queued.stream == awaited->stream)
			return i;
	}
	return NONE;
}

void awaited_describe(const struct awaited *awaited, const struct run *run, char *text,
		      size_t size)
{
	const struct plan *plan = run->plan;
	const struct launch *first = NULL, *last = NULL;
	const struct extent *extent;
	char grid[40], block[40];

	*text = '\0';
	if (!awaited->until)
		return;
	for (size_t i = awaited_next(awaited, plan, awaited->from); i != NONE;
	     i = awaited_next(awaited, plan, i + 1)) {
		last = &plan->steps[i].launch;
		extent = &run_step_at(run, i)->extent;
		first = first ? first : last;
	}
	if (!first)
		snprintf(text, size, "stream %s", plan->streams.at[awaited->stream]);
	else if (first != last)
		snprintf(text, size, "launches %zu (%s) to %zu (%s) on stream %s",
			 first->number, first->kernel->base, last->number,
			 last->kernel->base, plan->streams.at[awaited->stream]);
	else
		snprintf(text, size, "launch %zu, %s on stream %s, grid %s, block %s",
			 first->number, first->kernel->base,
			 plan->streams.at[awaited->stream],
			 geometry_format(extent->grid, grid),
			 geometry_format(extent->block, block));
}

bool awaited_narrow(struct awaited *awaited, const struct plan *plan, const char *kernel)
{
	size_t first = NONE, last = NONE;

	for (size_t i = awaited_next(awaited, plan, awaited->from); i != NONE;
	     i = awaited_next(awaited, plan, i + 1)) {
		if (strcmp(plan->steps[i].launch.kernel->info->name, kernel))
			continue;
		first = first == NONE ? i : first;
		last = i;
	}
	if (first == NONE)
		return false;
	awaited->from = first;
	awaited->until = last + 1;
	return true;
}

void awaited_report(const struct awaited *awaited, const struct plan *plan, struct json *json)
{
	size_t i = awaited_next(awaited, plan, awaited->from);

	if (i == NONE)
		return;
	json_array(json, "awaited");
	for (; i != NONE; i = awaited_next(awaited, plan, i + 1)) {
		const struct launch *launch = &plan->steps[i].launch;

		json_object(json, NULL);
		json_unsigned(json, "launch", launch->number);
		json_string(json, "kernel", launch->kernel->signature);
		json_string(json, "stream", plan->streams.at[awaited->stream]);
		json_end_object(json);
	}
	json_end_array(json);
}
