/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A driver drops what no kernel leads to before it looks for definitions. So the search begins at
 * the kernels and the values of variables, and goes through the words of bodies: it takes each
 * function once.
 */
#include "link_check.h"

#include <stdlib.h>

#include "asserts.h"
#include "builtin.h"
#include "cleanup.h"
#include "names.h"
#include "ptx.h"
#include "ptx_lex.h"

struct reach {
	const struct link_inputs *inputs;
	struct bytes merged;
	struct ptx *ptx;        /* owned */
	struct names functions; /* definitions after declarations */
	struct names variables; /* definitions */
	struct names machine;   /* index: of inputs->machine */
	uint32_t *work;         /* owned; functions to go through */
	size_t work_count;
	bool *seen;             /* owned; by function */
};

static void check_release(struct reach *check)
{
	ptx_free(check->ptx);
	names_release(&check->functions);
	names_release(&check->variables);
	names_release(&check->machine);
	free(check->work);
	free(check->seen);
}

/* ---- Messages ---------------------------------------------------------------------- */

/* The input that @place of the merged text is of. */
static const char *input_of(const struct reach *check, const char *place)
{
	const uint64_t offset = (uint64_t)(place - (const char *)check->merged.data);
	size_t from = 0, to = check->inputs->count;

	ASSERT(to && offset <= check->merged.size);
	while (to - from > 1) { /* the texts from @to on begin after it */
		const size_t middle = from + (to - from) / 2;

		if (check->inputs->texts[middle].begin <= offset)
			from = middle;
		else
			to = middle;
	}
	return check->inputs->texts[from].name;
}

static int missing(const struct reach *check, struct ptx_name name, const char *place,
		   struct err *e)
{
	const struct name *machine = names_find(&check->machine, name);

	if (!machine)
		return err_set(e, GPURUN_NOT_FOUND,
			       "error   : Undefined reference to '%.*s' in '%s'", (int)name.length,
			       name.text, input_of(check, place));
	return err_set(e, GPURUN_NO_IMAGE,
		       "'%.*s', which '%s' needs, is in '%s' as machine code alone; the CPU device "
		       "runs PTX", (int)name.length, name.text, input_of(check, place),
		       check->inputs->machine[machine->index].input);
}

/* ---- Names --------------------------------------------------------------------------- */

static int add_functions(struct reach *check, struct err *e)
{
	const struct ptx *ptx = check->ptx;

	for (int defined = 0; defined < 2; defined++)
		for (uint32_t i = 0; i < ptx->function_count; i++)
			if (ptx->functions[i].defined == defined)
				TRY(names_add(&check->functions, ptx->functions[i].name,
					      NAME_FUNCTION, i, 1, e));
	for (size_t i = 0; i < ptx->alias_count; i++) {
		const struct name *aimed = names_find(&check->functions, ptx->aliases[i].aimed);

		if (aimed)
			TRY(names_add(&check->functions, ptx->aliases[i].name, NAME_FUNCTION,
				      aimed->index, 1, e));
	}
	return 0;
}

static int add_variables(struct reach *check, struct err *e)
{
	for (uint32_t i = 0; i < check->ptx->module_variables; i++) {
		const struct ptx_variable *v = &check->ptx->variables[i];

		if (v->linkage != PTX_EXTERN)
			TRY(names_add(&check->variables, v->name, NAME_SYMBOL, i, 1, e));
	}
	return 0;
}

static int add_machine(struct reach *check, struct err *e)
{
	const struct link_inputs *inputs = check->inputs;

	for (uint32_t i = 0; i < inputs->machine_count; i++) {
		const char *text = inputs->machine[i].name;

		TRY(names_add(&check->machine, (struct ptx_name){ text, (uint32_t)strlen(text) },
			      NAME_SYMBOL, i, 1, e));
	}
	return 0;
}

static int check_variables(const struct reach *check, struct err *e)
{
	for (size_t i = 0; i < check->ptx->module_variables; i++) {
		const struct ptx_variable *v = &check->ptx->variables[i];

		if (v->linkage == PTX_EXTERN && (v->space == PTX_GLOBAL || v->space == PTX_CONST) &&
		    !names_find(&check->variables, v->name))
			return missing(check, v->name, v->name.text, e);
	}
	return 0;
}

/* ---- What kernels lead to -------------------------------------------------------------- */

/* What launches kernels from device code, and the rest of libcudadevrt. */
static bool is_of_device_runtime(struct ptx_name name)
{
	return name.length > 9 && !memcmp(name.text, "__cudaCDP", 9);
}

static int reach(struct reach *check, const struct ptx_token *word, struct err *e)
{
	const struct ptx_name text = { word->text, word->length };
	const struct name *name = names_find(&check->functions, text);

	if (!name || check->seen[name->index])
		return 0;
	ASSERT(check->work_count < check->ptx->function_count);
	check->seen[name->index] = true;
	if (check->ptx->functions[name->index].defined)
		check->work[check->work_count++] = name->index;
	else if (builtin_find(text) < 0 && !is_of_device_runtime(text))
		return missing(check, text, text.text, e);
	return 0;
}

/* Reaches what the words of @text name. */
static int read_words(struct reach *check, struct bytes text, struct err *e)
{
	struct ptx_lexer lexer = ptx_lexer(text, 1);
	struct ptx_token token;

	do {
		ptx_next(&lexer, &token);
		if (token.kind == PTX_WORD)
			TRY(reach(check, &token, e));
	} while (token.kind != PTX_END && (token.kind != PTX_BAD || lexer.offset < text.size));
	return 0;
}

static int begin_at_kernels(struct reach *check, struct err *e)
{
	const struct ptx *ptx = check->ptx;

	check->seen = calloc(ptx->function_count + 1, sizeof(*check->seen));
	check->work = calloc(ptx->function_count + 1, sizeof(*check->work));
	if (!check->seen || !check->work)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the functions of a link");
	for (uint32_t i = 0; i < ptx->function_count; i++) {
		if (!ptx->functions[i].entry || !ptx->functions[i].defined || check->seen[i])
			continue;
		check->seen[i] = true;
		check->work[check->work_count++] = i;
	}
	return 0;
}

static int check_functions(struct reach *check, struct err *e)
{
	TRY(begin_at_kernels(check, e));
	for (size_t i = 0; i < check->ptx->module_variables; i++)
		TRY(read_words(check, check->ptx->variables[i].init, e));
	while (check->work_count)
		TRY(read_words(check,
			       check->ptx->functions[check->work[--check->work_count]].body, e));
	return 0;
}

/* Tells whether a function is only declared that no driver has. */
static bool may_miss(const struct reach *check)
{
	for (size_t i = 0; i < check->ptx->function_count; i++) {
		const struct ptx_name name = check->ptx->functions[i].name;
		const struct name *found = names_find(&check->functions, name);

		if (!check->ptx->functions[found->index].defined && builtin_find(name) < 0)
			return true;
	}
	return false;
}

int link_check(struct bytes merged, const struct link_inputs *inputs, struct err *e)
{
	CLEANUP(check_release) struct reach check = { .inputs = inputs, .merged = merged };

	TRY(ptx_open(merged, &check.ptx, e));
	TRY(add_functions(&check, e));
	TRY(add_variables(&check, e));
	TRY(add_machine(&check, e));
	TRY(check_variables(&check, e));
	return may_miss(&check) ? check_functions(&check, e) : 0;
}
