/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "checks.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "buffers.h"
#include "cleanup.h"
#include "file.h"

/* Finds the buffer that the first @length bytes of @text name. */
static int find(const struct plan *plan, const char *text, size_t length, size_t *index,
		struct err *e)
{
	char name[NAME_SIZE];

	TRY(name_parse(text, length, name, e));
	return buffer_find(plan, name, index, e);
}

/* Splits NAME=REST; @form is what is said when there is no '='. */
static int split(struct plan *plan, struct step *step, const char *form,
		 const char **rest, struct err *e)
{
	const char *text = step->action->value;
	const char *equals = strchr(text, '=');

	if (!equals)
		return err_set(e, GPURUN_INVALID, "expected %s", form);
	*rest = equals + 1;
	return find(plan, text, (size_t)(equals - text), &step->target, e);
}

static int read_bound(const char *name, const char *text, double *out, struct err *e)
{
	struct number number;

	*out = 0;
	if (!text)
		return 0;
	TRY(number_parse(text, strlen(text), &number, e));
	*out = number_double(&number);
	if (!isfinite(*out) || *out < 0)
		return err_set(e, GPURUN_INVALID, "--%s %s: not a tolerance", name, text);
	return 0;
}

static const char *either(const char *own, const char *fallback)
{
	return own ? own : fallback;
}

static int read_tolerance(const struct plan *plan, const struct action *action,
			  struct tolerance *out, struct err *e)
{
	const struct tolerance_options *own = &action->tolerance;
	const struct tolerance_options *defaults = &plan->options->tolerance;
	const char *ulp = either(own->ulp, defaults->ulp);

	TRY(read_bound("rtol", either(own->rtol, defaults->rtol), &out->rtol, e));
	TRY(read_bound("atol", either(own->atol, defaults->atol), &out->atol, e));
	return ulp ? size_parse(ulp, strlen(ulp), &out->ulp, e) : 0;
}

static int compare_buffers(struct plan *plan, struct step *step, const char *name,
			   struct err *e)
{
	const struct buffer *a = &plan->buffers[step->target], *b;

	TRY(find(plan, name, strlen(name), &step->expect.other, e));
	b = &plan->buffers[step->expect.other];
	if (a->type != b->type || a->shape.count != b->shape.count)
		return err_set(e, GPURUN_INVALID, "%s is %llu %s, %s is %llu %s", a->name,
			       (unsigned long long)a->shape.count,
			       value_info(a->type)->name, b->name,
			       (unsigned long long)b->shape.count,
			       value_info(b->type)->name);
	return 0;
}

int checks_expect(struct plan *plan, struct step *step, struct err *e)
{
	const char *rest;
	struct init init;

	TRY(split(plan, step, "BUF=INIT, BUF=@FILE or BUF=BUF2", &rest, e));
	TRY(read_tolerance(plan, step->action, &step->expect.tolerance, e));
	if (!init_sniff(rest))
		return compare_buffers(plan, step, rest, e);
	TRY(init_parse(rest, &init, e));
	return buffer_want(plan, &plan->buffers[step->target], &init, &step->expect.want,
			   e);
}

/* Two outputs to one file would leave only the last. */
static int check_repeated(const struct plan *plan, const struct step *step, struct err *e)
{
	for (const struct step *other = plan->steps; other < step; other++) {
		if (other->kind == OPTION_OUT && strcmp(step->path, "-") &&
		    !strcmp(other->path, step->path))
			return err_set(e, GPURUN_INVALID, "%s is written twice",
				       step->path);
	}
	return 0;
}

int checks_out(struct plan *plan, struct step *step, struct err *e)
{
	TRY(split(plan, step, "BUF=FILE", &step->path, e));
	TRY(check_repeated(plan, step, e));
	if (strcmp(step->path, "-"))
		return file_check_target(step->path, plan->options->force, e);
	if (plan_json_on_stdout(plan)) {
		err_set(e, GPURUN_INVALID, "stdout is taken by --json");
		return err_hint(e, "--json=FILE leaves it free");
	}
	return 0;
}

int checks_print(struct plan *plan, struct step *step, struct err *e)
{
	const char *text = step->action->value;
	size_t length = strcspn(text, ":");

	step->limit = 64;
	TRY(find(plan, text, length, &step->target, e));
	if (!text[length])
		return 0;
	return size_parse(text + length + 1, strlen(text + length + 1), &step->limit, e);
}
