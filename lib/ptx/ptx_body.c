/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The .global and .const variables that the bodies of functions declare. They live as long as
 * those of the module, and are visible in their scope alone. Bodies are most of a text, so that
 * only those are read which seem to have such a declaration.
 */
#include "ptx.h"

#include <stdlib.h>

#include "array.h"
#include "ptx_parse.h"

static bool in_word(uint8_t c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '$' || c == '%' || c == '.' || c == ':';
}

/* Tells whether a word of @body begins with @space. */
static bool has_word(struct bytes body, const char *space)
{
	const uint8_t *end = body.data + body.size, *at = body.data;

	while ((at = memmem(at, (size_t)(end - at), space, strlen(space)))) {
		if (at == body.data || !in_word(at[-1]))
			return true;
		at++;
	}
	return false;
}

/* Tells whether a statement may begin after @token. */
static bool ends_statement(const struct ptx_token *token)
{
	return ptx_is(token, ";") || ptx_is(token, "{") || ptx_is(token, "}") ||
	       ptx_is(token, ":");
}

/* Reads the declaration after its space. */
static int add_variables(struct ptx *ptx, struct ptx_parser *parser, enum ptx_space space)
{
	struct ptx_variable variable, *slot;

	TRY(ptx_parse_variable(parser, space, PTX_STATIC, &variable));
	for (;;) {
		slot = array_grow(&ptx->variables, ptx->variable_count, sizeof(*slot));
		if (!slot)
			return err_set(parser->e, GPURUN_NO_MEMORY, "out of memory");
		*slot = variable;
		ptx->variable_count++;
		if (ptx_is(&parser->token, ";"))
			return 0;
		if (!ptx_accept(parser, ","))
			return ptx_unexpected(parser, "',' or ';'");
		TRY(ptx_parse_next_variable(parser, &variable));
	}
}

/* ".loc" has no ';': three numbers end it, or a list after them. A statement begins after it. */
static void skip_location(struct ptx_parser *parser)
{
	do {
		ptx_advance(parser);
		if (ptx_accept(parser, "function_name"))
			ptx_advance(parser);
	} while (parser->token.kind == PTX_INT || ptx_is(&parser->token, ",") ||
		 ptx_is(&parser->token, "+") || ptx_is(&parser->token, "inlined_at"));
}

static int read_body(struct ptx *ptx, const struct ptx_function *function, struct err *e)
{
	struct ptx_parser parser = ptx_parser(function->body, function->body_line, e);
	enum ptx_space space;
	bool begins = true;

	while (parser.token.kind != PTX_END) {
		if (begins && ptx_is(&parser.token, ".loc")) {
			skip_location(&parser);
		} else if (begins && (ptx_is(&parser.token, ".global") ||
				      ptx_is(&parser.token, ".const"))) {
			ptx_accept_space(&parser, &space);
			TRY(add_variables(ptx, &parser, space));
		} else {
			begins = ends_statement(&parser.token);
			ptx_advance(&parser);
		}
	}
	return 0;
}

int ptx_open_bodies(struct ptx *ptx, struct err *e)
{
	for (size_t i = 0; i < ptx->function_count; i++) {
		const struct bytes body = ptx->functions[i].body;

		if (body.size && (has_word(body, ".global") || has_word(body, ".const")))
			TRY(read_body(ptx, &ptx->functions[i], e));
	}
	return 0;
}

static int compare(const void *key, const void *item)
{
	const char *name = key, *other = ((const struct ptx_variable *)item)->name.text;

	return name < other ? -1 : name > other;
}

const struct ptx_variable *ptx_of_body(const struct ptx *ptx, const char *name)
{
	const size_t count = ptx->variable_count - ptx->module_variables;

	if (!count)
		return NULL;
	return bsearch(name, ptx->variables + ptx->module_variables, count,
		       sizeof(*ptx->variables), compare);
}
