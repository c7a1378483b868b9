/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "writes.h"

#include <string.h>

#include "action.h"
#include "buffers.h"
#include "cleanup.h"
#include "variables.h"

/* Computes the contents that @text, an INIT, means for the step's target. */
static int compute(struct plan *plan, struct step *step, const char *text, struct err *e)
{
	struct init init;

	TRY(init_parse(text, &init, e));
	if (init.kind == INIT_UNINIT)
		return err_set(e, GPURUN_INVALID, "uninit writes nothing");
	return buffer_want(plan, &plan->buffers[step->buffer], &init, &step->contents, e);
}

int writes_set(struct plan *plan, struct step *step, struct err *e)
{
	const char *text = step->action->value;
	size_t length = place_length(text);
	struct variable_form form = { 0 };
	const char *rest = text + length + 1;

	if (text[length] != '=')
		return err_set(e, GPURUN_INVALID, "expected NAME=[TYPE:]INIT");
	variable_form_take(&rest, &form);
	TRY(variable_find_marked(plan, text, length, &form, &step->buffer, e));
	return compute(plan, step, rest, e);
}

int writes_fill(struct plan *plan, struct step *step, struct err *e)
{
	const char *text = step->action->value;
	size_t length = place_length(text);

	if (text[length] != '=')
		return err_set(e, GPURUN_INVALID, "expected BUF=INIT");
	TRY(place_find(plan, text, length, &(struct variable_form){ 0 }, &step->buffer, e));
	return compute(plan, step, text + length + 1, e);
}

int writes_copy(struct plan *plan, struct step *step, struct err *e)
{
	const char *text = step->action->value, *from;
	size_t length = place_length(text);
	const struct buffer *a, *b;

	if (text[length] != '=')
		return err_set(e, GPURUN_INVALID, "expected DST=SRC");
	from = text + length + 1;
	TRY(place_find(plan, text, length, &(struct variable_form){ 0 }, &step->buffer, e));
	TRY(place_find(plan, from, strlen(from), &(struct variable_form){ 0 }, &step->other, e));
	a = &plan->buffers[step->buffer];
	b = &plan->buffers[step->other];
	if (a->type == b->type && a->shape.count == b->shape.count)
		return 0;
	return err_set(e, GPURUN_INVALID, "%s is %llu %s, %s is %llu %s", a->name,
		       (unsigned long long)a->shape.count, value_info(a->type)->name, b->name,
		       (unsigned long long)b->shape.count, value_info(b->type)->name);
}
