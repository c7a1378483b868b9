/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "checks.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "action.h"
#include "buffers.h"
#include "cleanup.h"
#include "file.h"
#include "guess.h"
#include "output_options.h"
#include "variables.h"

/* Splits PLACE=REST; @form is what is said when there is no '='. */
static int split(const struct step *step, const char *form, size_t *length, const char **rest,
		 struct err *e)
{
	const char *text = step->action->value;

	*length = place_length(text);
	if (text[*length] != '=')
		return err_set(e, GPURUN_INVALID, "expected %s", form);
	*rest = text + *length + 1;
	return 0;
}

static int read_bound(const char *name, const char *text, double *out, struct err *e)
{
	struct number number;

	*out = 0;
	if (!text)
		return 0;
	TRY(number_parse(text, strlen(text), &number, e));
	*out = number_double(&number);
	if (!isfinite(*out) || *out < 0 || number.is_complex)
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
	const struct tolerance_options *defaults = plan->tolerance;
	const char *ulp = either(own->ulp, defaults->ulp);

	TRY(read_bound("rtol", either(own->rtol, defaults->rtol), &out->rtol, e));
	TRY(read_bound("atol", either(own->atol, defaults->atol), &out->atol, e));
	return ulp ? size_parse(ulp, strlen(ulp), &out->ulp, e) : 0;
}

static int compare_buffers(struct plan *plan, struct step *step, const char *name,
			   struct err *e)
{
	const struct buffer *a, *b;
	char own[NAME_SIZE];

	if (!place_is_variable(name) && name_parse(name, strlen(name), own, e))
		return guess_init(name, e);
	TRY(place_find(plan, name, strlen(name), &(struct variable_form){ 0 },
		       &step->other, e));
	a = &plan->buffers[step->buffer];
	b = &plan->buffers[step->other];
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
	struct variable_form form = { 0 };
	const char *rest;
	struct init init;
	size_t length;

	TRY(split(step, "BUF=INIT, BUF=@FILE or BUF=BUF2", &length, &rest, e));
	if (place_is_variable(step->action->value))
		variable_form_take(&rest, &form);
	TRY(place_find(plan, step->action->value, length, &form, &step->buffer, e));
	TRY(read_tolerance(plan, step->action, &step->tolerance, e));
	if (!init_sniff(rest))
		return compare_buffers(plan, step, rest, e);
	TRY(init_parse(rest, &init, e));
	return buffer_want(plan, &plan->buffers[step->buffer], &init, &step->contents,
			   e);
}

/* Two outputs to one file would leave only the last. */
static int check_repeated(const struct plan *plan, const struct step *step, struct err *e)
{
	for (const struct step *other = plan->steps; other < step; other++) {
		if (other->kind == ACTION_OUT && strcmp(step->path, "-") &&
		    !strcmp(other->path, step->path))
			return err_set(e, GPURUN_INVALID, "%s is written twice",
				       step->path);
	}
	return 0;
}

int checks_out(struct plan *plan, struct step *step, struct err *e)
{
	size_t length;

	if (split(step, "BUF=FILE", &length, &step->path, e))
		return strpbrk(step->action->value, "./")
			       ? err_hint(e, "say of which buffer: y=%.100s", step->action->value)
			       : (int)e->code;
	TRY(place_find(plan, step->action->value, length, &(struct variable_form){ .raw = true },
		       &step->buffer, e));
	TRY(check_repeated(plan, step, e));
	if (strcmp(step->path, "-"))
		return file_check_target(step->path, plan->output->force, e);
	if (output_has_report(plan->output)) {
		const char *name = plan->output->json.file ? "junit" : "json";

		if (!plan->output->json.wanted)
			name = "junit";
		err_set(e, GPURUN_INVALID, "stdout is taken by --%s", name);
		return err_hint(e, "--%s=FILE leaves it free", name);
	}
	return 0;
}

/* Reads what may follow a buffer to print: ":N", and a variable: "=TYPE". */
static int read_limit(const char *rest, size_t length, uint64_t *limit, struct err *e)
{
	return *rest == ':' ? size_parse(rest + 1, length - 1, limit, e) : 0;
}

static int read_type(const char *text, struct variable_form *form, struct err *e)
{
	if (!*text)
		return 0;
	form->has_type = value_type_find(text + 1, strlen(text + 1), &form->type);
	if (form->has_type)
		return 0;
	err_set(e, GPURUN_INVALID, "unknown type '%s'", text + 1);
	return err_hint(e, "types are %s", value_type_names());
}

int checks_print(struct plan *plan, struct step *step, struct err *e)
{
	struct variable_form form = { 0 };
	const char *text = step->action->value;
	size_t length = place_length(text);
	const char *rest = text + length;
	size_t end = strcspn(rest, "=");

	step->limit = 64;
	if (rest[end] && !place_is_variable(text)) {
		err_set(e, GPURUN_INVALID, "expected BUF[:N] or sym:NAME[:N][=TYPE]");
		return err_hint(e, "a buffer has the type that it was declared with");
	}
	TRY(read_type(rest + end, &form, e));
	TRY(read_limit(rest, end, &step->limit, e));
	return place_find(plan, text, length, &form, &step->buffer, e);
}

int checks_get(struct plan *plan, struct step *step, struct err *e)
{
	struct variable_form form = { 0 };
	const char *rest = NULL;
	struct spec spec;
	size_t length;

	TRY(split(step, "NAME=TYPE:SHAPE", &length, &rest, e));
	TRY(spec_parse(rest, &spec, e));
	if (!spec.has_shape || strcmp(spec.init.text, "zero"))
		return err_set(e, GPURUN_INVALID, "expected NAME=TYPE:SHAPE");
	form = (struct variable_form){ true, true, spec.type, spec.shape, false };
	step->limit = spec.shape.count;
	return variable_find_marked(plan, step->action->value, length, &form, &step->buffer, e);
}
