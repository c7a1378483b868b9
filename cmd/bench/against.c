/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "against.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "action.h"
#include "asserts.h"
#include "options.h"

struct against {
	struct options options;  /* those of the command line, with another file and kernel */
	struct action *actions;  /* owned; of these options */
	char *file;              /* owned; NULL: the file is that of the command line */
	struct plan plan;
	struct run run;
};

/* The one launch that is compared. */
static int find_launch(const struct plan *ours, size_t *index, struct err *e)
{
	size_t count = 0;

	for (size_t i = 0; i < ours->step_count; i++) {
		if (!step_launch(&ours->steps[i]))
			continue;
		*index = i;
		count++;
	}
	if (count != 1)
		return err_set(e, GPURUN_INVALID,
			       "--against compares one launch with another, and here are %zu",
			       count);
	if (!*ours->steps[*index].launch.kernel->scope)
		return 0;
	err_set(e, GPURUN_INVALID, "--against takes the place of FILE, and the kernel is of "
		"--load %s", ours->steps[*index].launch.kernel->scope);
	return err_hint(e, "give that file as FILE");
}

/*
 * The ':' that ends the name of a file in @text, which may have others, as may the name of a
 * kernel: the last one that leaves a file. NULL where all of @text is one, or nothing.
 */
static char *end_of_file(char *text)
{
	char *end = NULL;

	if (!access(text, F_OK))
		return NULL;
	for (char *colon = strchr(text, ':'); colon; colon = strchr(colon + 1, ':')) {
		*colon = '\0';
		if (colon == text || !access(text, F_OK))
			end = colon;
		*colon = ':';
	}
	return end;
}

/* Puts the file and the kernel into the options of @out. */
static int choose_file(const struct plan *ours, size_t launch, struct against *out, struct err *e)
{
	char *colon;

	out->file = strdup(ours->bench->against);
	if (!out->file)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the plan");
	colon = end_of_file(out->file);
	if (colon) {
		*colon = '\0';
		out->actions[launch].value = colon + 1;
	}
	if (colon != out->file)
		out->options.image = out->file;
	else if (out->options.image && !strcmp(out->options.image, "-")) {
		err_set(e, GPURUN_INVALID, "--against %s: standard input is read one time",
			ours->bench->against);
		return err_hint(e, "give FILE by its name");
	}
	return 0;
}

static int plan_all(const struct plan *ours, struct against *out, struct err *e)
{
	const struct options *options = ours->options;
	const size_t size = options->action_count * sizeof(*out->actions);
	size_t launch = 0;

	TRY(find_launch(ours, &launch, e));
	out->actions = malloc(size);
	if (!out->actions)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the plan");
	memcpy(out->actions, options->actions, size);
	out->options.actions = out->actions;
	TRY(choose_file(ours, launch, out, e));
	TRY(plan_open(&out->plan, e));
	return plan_make(&out->plan, e);
}

int against_plan(const struct plan *ours, struct against **out, struct err *e)
{
	CLEANUP(free_against) struct against *against = calloc(1, sizeof(*against));

	*out = NULL;
	if (!against)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the plan");
	against->options = *ours->options;
	plan_begin(&against->options, &against->plan);
	against->run.plan = &against->plan;
	if (plan_all(ours, against, e))
		return err_wrap(e, "--against %.200s", ours->bench->against);
	ASSERT(against->plan.buffer_count == ours->buffer_count &&
	       against->plan.step_count == ours->step_count);
	*out = STEAL(against);
	return 0;
}

struct run *against_run(struct against *against)
{
	return &against->run;
}

void against_free(struct against *against)
{
	if (!against)
		return;
	run_release(&against->run);
	plan_release(&against->plan);
	free(against->actions);
	free(against->file);
	free(against);
}
