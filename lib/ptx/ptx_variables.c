/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The .global and .const variables of PTX: those of the module, and those in the
 * body of a function, which live as long. What a body declares is not parsed for
 * its size.
 */
#include "ptx.h"
#include "ptx_lex.h"

/* Tells whether @token is @space, or more words from it on: ".global.align". */
static bool is_space(const struct ptx_token *token, const char *space)
{
	size_t length = strlen(space);

	return token->kind == PTX_WORD && token->length >= length &&
	       !memcmp(token->text, space, length) &&
	       (token->length == length || token->text[length] == '.');
}

/* Tells whether a statement may begin after @token. */
static bool ends_statement(const struct ptx_token *token)
{
	return ptx_is(token, ";") || ptx_is(token, "{") || ptx_is(token, "}") ||
	       ptx_is(token, ":");
}

/* Tells whether @body declares a variable that is not its own. */
static bool body_declares(struct bytes body)
{
	struct ptx_lexer lexer = ptx_lexer(body, 1);
	struct ptx_token token;
	bool begins = true;

	for (ptx_next(&lexer, &token); token.kind != PTX_END && token.kind != PTX_BAD;
	     ptx_next(&lexer, &token)) {
		if (begins && (is_space(&token, ".global") || is_space(&token, ".const")))
			return true;
		begins = ends_statement(&token);
	}
	return false;
}

void ptx_variables(const struct ptx *ptx, variable_visitor *visit, void *data)
{
	for (size_t i = 0; i < ptx->variable_count; i++) {
		const struct ptx_variable *variable = &ptx->variables[i];

		if ((variable->space == PTX_GLOBAL || variable->space == PTX_CONST) &&
		    variable->linkage != PTX_EXTERN)
			visit(&(struct variable_info){ variable->name.text,
						       variable->name.length,
						       variable->size, variable->type }, data);
	}
	for (size_t i = 0; i < ptx->function_count; i++)
		if (body_declares(ptx->functions[i].body))
			visit(&(struct variable_info){ "", 0, 0, "" }, data);
}
