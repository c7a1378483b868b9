/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ptx_needs.h"

#include "array.h"
#include "ptx_lex.h"

void ptx_names_release(struct ptx_names *names)
{
	free(names->at);
	*names = (struct ptx_names){ 0 };
}

static int add_need(struct ptx_names *names, struct ptx_name name, struct err *e)
{
	struct ptx_name *slot = array_grow(&names->at, names->count, sizeof(*slot));

	if (!slot)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the names of PTX");
	*slot = name;
	names->count++;
	return 0;
}

static int compare(const void *left, const void *right)
{
	const struct ptx_name *a = left, *b = right;
	const uint32_t least = a->length < b->length ? a->length : b->length;
	const int order = memcmp(a->text, b->text, least);

	return order ? order : (a->length > b->length) - (a->length < b->length);
}

static void sort(struct ptx_names *names)
{
	if (names->count)
		qsort(names->at, names->count, sizeof(*names->at), compare);
}

static struct ptx_name *find_need(const struct ptx_names *names, struct ptx_name name)
{
	if (!names->count)
		return NULL;
	return bsearch(&name, names->at, names->count, sizeof(*names->at), compare);
}

static bool is_shared_by_texts(const struct ptx_variable *variable)
{
	return variable->space == PTX_GLOBAL || variable->space == PTX_CONST;
}

int ptx_defines(const struct ptx *ptx, struct ptx_names *names, struct err *e)
{
	for (size_t i = 0; i < ptx->function_count; i++)
		if (ptx->functions[i].defined && ptx->functions[i].linkage != PTX_STATIC)
			TRY(add_need(names, ptx->functions[i].name, e));
	for (size_t i = 0; i < ptx->variable_count; i++) {
		const struct ptx_variable *v = &ptx->variables[i];

		if (is_shared_by_texts(v) && v->linkage != PTX_STATIC && v->linkage != PTX_EXTERN)
			TRY(add_need(names, v->name, e));
	}
	for (size_t i = 0; i < ptx->alias_count; i++)
		TRY(add_need(names, ptx->aliases[i].name, e));
	return 0;
}

/* Tells whether drivers have the function @name. */
static bool is_of_driver(struct ptx_name name)
{
	static const char *const names[] = { "vprintf", "malloc", "free", "__assertfail" };
	static const char prefix[] = "__cuda_syscall_";

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (name.length == strlen(names[i]) && !memcmp(name.text, names[i], name.length))
			return true;
	return name.length >= sizeof(prefix) && !memcmp(name.text, prefix, sizeof(prefix) - 1);
}

/* Adds what @ptx declares without defining it there, sorted. */
static int declared(const struct ptx *ptx, struct ptx_names *names, struct err *e)
{
	for (size_t i = 0; i < ptx->function_count; i++)
		if (!ptx->functions[i].defined && !is_of_driver(ptx->functions[i].name))
			TRY(add_need(names, ptx->functions[i].name, e));
	for (size_t i = 0; i < ptx->variable_count; i++)
		if (is_shared_by_texts(&ptx->variables[i]) &&
		    ptx->variables[i].linkage == PTX_EXTERN)
			TRY(add_need(names, ptx->variables[i].name, e));
	sort(names);
	return 0;
}

/* Adds those of @names, sorted, that words of @text have more often than they are in @names. */
static int add_used(const struct ptx_names *names, struct bytes text, struct ptx_names *used,
		    struct err *e)
{
	struct ptx_lexer lexer = ptx_lexer(text, 1);
	CLEANUP(free_pointer) size_t *times = calloc(names->count, sizeof(*times));
	struct ptx_token token;

	if (!times)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the names of PTX");
	do {
		struct ptx_name *found = NULL;

		ptx_next(&lexer, &token);
		if (token.kind == PTX_WORD)
			found = find_need(names, (struct ptx_name){ token.text, token.length });
		if (found)
			times[found - names->at]++;
	} while (token.kind != PTX_END && (token.kind != PTX_BAD || lexer.offset < text.size));
	for (size_t i = 0; i < names->count;) {
		size_t end = i, count = 0;

		for (; end < names->count && !compare(&names->at[i], &names->at[end]); end++)
			count += times[end];
		if (count > end - i)
			TRY(add_need(used, names->at[i], e));
		i = end;
	}
	return 0;
}

int ptx_needs(const struct ptx *ptx, struct bytes text, struct ptx_names *names, struct err *e)
{
	CLEANUP(ptx_names_release) struct ptx_names found = { 0 };
	CLEANUP(ptx_names_release) struct ptx_names own = { 0 };
	size_t kept = 0;

	TRY(declared(ptx, &found, e));
	if (!found.count)
		return 0;
	TRY(ptx_defines(ptx, &own, e));
	for (size_t i = 0; i < ptx->function_count; i++)
		if (ptx->functions[i].defined)
			TRY(add_need(&own, ptx->functions[i].name, e));
	sort(&own);
	for (size_t i = 0; i < found.count; i++)
		if (!find_need(&own, found.at[i]))
			found.at[kept++] = found.at[i];
	found.count = kept;
	return kept ? add_used(&found, text, names, e) : 0;
}

const struct ptx_name *ptx_first_missing(const struct ptx_names *needed,
					 struct ptx_names *defined)
{
	sort(defined);
	for (size_t i = 0; i < needed->count; i++)
		if (!find_need(defined, needed->at[i]))
			return &needed->at[i];
	return NULL;
}
