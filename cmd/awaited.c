/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "awaited.h"

#include <stdio.h>
#include <string.h>

#include "geometry.h"

/* The next step from @i on that is one of the launches, or NONE. */
static size_t next(const struct awaited *awaited, const struct plan *plan, size_t i)
{
	for (; i < awaited->until; i++) {
		const struct step *step = &plan->steps[i];

		if (step->kind == OPTION_LAUNCH && step->stream == awaited->stream)
			return i;
	}
	return NONE;
}

void awaited_describe(const struct awaited *awaited, const struct plan *plan, char *text,
		      size_t size)
{
	const struct launch *first = NULL, *last = NULL;
	char grid[40], block[40];

	*text = '\0';
	if (!awaited->until)
		return;
	for (size_t i = next(awaited, plan, awaited->from); i != NONE;
	     i = next(awaited, plan, i + 1)) {
		last = &plan->steps[i].launch;
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
			 geometry_format(first->grid, grid),
			 geometry_format(first->block, block));
}

void awaited_narrow(struct awaited *awaited, const struct plan *plan, const char *report)
{
	static const char before[] = "\n  kernel ";
	const char *name = strstr(report, before);
	size_t length, found = NONE;

	if (!name)
		return;
	name += strlen(before);
	length = strcspn(name, ",\n");
	for (size_t i = next(awaited, plan, awaited->from); i != NONE;
	     i = next(awaited, plan, i + 1)) {
		const char *own = plan->steps[i].launch.kernel->info->name;

		if (strlen(own) != length || strncmp(own, name, length))
			continue;
		if (found != NONE)
			return;
		found = i;
	}
	if (found == NONE)
		return;
	awaited->from = found;
	awaited->until = found + 1;
}

void awaited_report(const struct awaited *awaited, const struct plan *plan, struct json *json)
{
	size_t i = next(awaited, plan, awaited->from);

	if (i == NONE)
		return;
	json_array(json, "awaited");
	for (; i != NONE; i = next(awaited, plan, i + 1)) {
		const struct launch *launch = &plan->steps[i].launch;

		json_object(json, NULL);
		json_unsigned(json, "launch", launch->number);
		json_string(json, "kernel", launch->kernel->signature);
		json_string(json, "stream", plan->streams.at[awaited->stream]);
		json_end_object(json);
	}
	json_end_array(json);
}
