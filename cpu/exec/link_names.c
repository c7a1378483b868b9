/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "link_names.h"

#include <stdio.h>
#include <stdlib.h>

#include "asserts.h"
#include "cleanup.h"

/* ---- Whose definition a name is ---------------------------------------------- */

static int add_definition(struct names *names, struct ptx_name name, size_t index, struct err *e)
{
	return names_add(names, name, NAME_SYMBOL, (uint32_t)index, 1, e);
}

/* In a driver's words. */
static int add_strong(struct merge *merge, struct ptx_name name, size_t input, struct err *e)
{
	const struct name *before = names_find(&merge->strong, name);

	if (before)
		return err_set(e, GPURUN_INVALID,
			       "error   : Multiple definition of '%.*s' in '%s', first defined in "
			       "'%s'", (int)name.length, name.text,
			       merge->texts[input].name, merge->texts[before->index].name);
	return add_definition(&merge->strong, name, input, e);
}

static bool is_strong(enum ptx_linkage linkage)
{
	return linkage == PTX_VISIBLE;
}

/* A private kernel keeps its name, by which the host finds it, unless another has it. */
static int add_private_entry(struct merge *merge, struct ptx_name name, size_t input,
			     struct err *e)
{
	if (names_find(&merge->strong, name))
		return 0;
	return add_definition(&merge->strong, name, input, e);
}

static bool is_private_entry(const struct ptx_function *f)
{
	return f->defined && f->entry && f->linkage == PTX_STATIC;
}

int link_collect_strong(struct merge *merge, size_t input, struct err *e)
{
	const struct ptx *ptx = merge->inputs[input].ptx;

	for (size_t i = 0; i < ptx->function_count; i++) {
		const struct ptx_function *f = &ptx->functions[i];

		if (f->defined && is_strong(f->linkage))
			TRY(add_strong(merge, f->name, input, e));
	}
	for (size_t i = 0; i < ptx->variable_count; i++) {
		const struct ptx_variable *v = &ptx->variables[i];

		if (is_strong(v->linkage))
			TRY(add_strong(merge, v->name, input, e));
	}
	return 0;
}

int link_collect_private(struct merge *merge, size_t input, struct err *e)
{
	const struct ptx *ptx = merge->inputs[input].ptx;

	for (size_t i = 0; i < ptx->function_count; i++)
		if (is_private_entry(&ptx->functions[i]))
			TRY(add_private_entry(merge, ptx->functions[i].name, input, e));
	return 0;
}

/* Tells whether another text has the name of the private kernel @f of @input. */
static bool is_taken(const struct merge *merge, const struct ptx_function *f, size_t input)
{
	const struct name *owner = names_find(&merge->strong, f->name);

	return !owner || owner->index != input;
}

int link_is_spare(struct merge *merge, struct ptx_name name, size_t input, bool *spare,
		    struct err *e)
{
	*spare = names_find(&merge->strong, name) || names_find(&merge->weak, name);
	return *spare ? 0 : add_definition(&merge->weak, name, input, e);
}

/* ---- New names ------------------------------------------------------------------- */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Tells whether @name could be one that was made: ...__N, ...__N_ and so on. */
static bool is_numbered(struct ptx_name name)
{
	size_t at = name.length, digits;

	while (at && name.text[at - 1] == '_')
		at--;
	digits = at;
	while (at && is_digit(name.text[at - 1]))
		at--;
	return at < digits && at >= 2 && name.text[at - 1] == '_' && name.text[at - 2] == '_';
}

int link_collect_numbered(struct merge *merge, struct bytes text, struct err *e)
{
	struct ptx_lexer lexer = ptx_lexer(text, 1);
	struct ptx_token token;

	while (link_next_token(&lexer, &token)) {
		const struct ptx_name name = { token.text, token.length };

		if (token.kind == PTX_WORD && is_numbered(name) &&
		    !names_find(&merge->numbered, name))
			TRY(add_definition(&merge->numbered, name, 0, e));
	}
	return 0;
}

/* How many _ after @name__N make it a name that no text has. */
static int tail_of(const struct merge *merge, struct ptx_name name, size_t input, uint32_t *tail,
		   struct err *e)
{
	CLEANUP(free_pointer) char *text = NULL;
	int length = asprintf(&text, "%.*s__%zu", (int)name.length, name.text, input + 1);

	*tail = 0;
	if (length < 0) {
		text = NULL;
		return err_set(e, GPURUN_NO_MEMORY, "no memory for a name");
	}
	while (names_find(&merge->numbered, (struct ptx_name){ text, (size_t)length })) {
		char *longer = realloc(text, (size_t)length + 2);

		if (!longer)
			return err_set(e, GPURUN_NO_MEMORY, "no memory for a name");
		text = longer;
		text[length++] = '_';
		text[length] = '\0';
		++*tail;
	}
	return 0;
}

static int rename_to(struct merge *merge, struct ptx_name name, size_t input, bool numbered,
		     struct err *e)
{
	struct names *renamed = &merge->inputs[input].renamed;
	uint32_t tail;

	ASSERT(input < merge->count);
	TRY(tail_of(merge, name, input, &tail, e));
	if (!numbered)
		return add_definition(renamed, name, tail, e);
	/* One _ at least keeps the numbers apart; all are renamed, so that scopes do not matter. */
	return names_add(renamed, name, NAME_SYMBOLS, tail + 1, UINT32_MAX, e);
}

int link_choose_names(struct merge *merge, size_t input, struct err *e)
{
	struct input *at = &merge->inputs[input];
	bool rename;

	for (size_t i = 0; i < at->ptx->function_count; i++) {
		const struct ptx_function *f = &at->ptx->functions[i];

		rename = f->linkage == PTX_STATIC && !f->entry;
		if (is_private_entry(f))
			rename = is_taken(merge, f, input);
		if (f->defined && !f->entry && link_is_weak(f->linkage))
			TRY(link_is_spare(merge, f->name, input, &rename, e));
		if (rename)
			TRY(rename_to(merge, f->name, input, false, e));
	}
	for (size_t i = 0; i < at->ptx->variable_count; i++) {
		const struct ptx_variable *v = &at->ptx->variables[i];

		if (v->linkage == PTX_STATIC)
			TRY(rename_to(merge, v->name, input, v->numbered, e));
	}
	return 0;
}
