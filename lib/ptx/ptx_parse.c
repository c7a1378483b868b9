/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ptx_parse.h"

#include <ctype.h>
#include <stdio.h>

struct ptx_parser ptx_parser(struct bytes text, uint32_t line, struct err *e)
{
	struct ptx_parser parser = { .lexer = ptx_lexer(text, line), .e = e };

	ptx_advance(&parser);
	return parser;
}

void ptx_advance(struct ptx_parser *parser)
{
	parser->consumed = parser->lexer.offset;
	ptx_next_piece(&parser->lexer, &parser->token);
}

bool ptx_accept(struct ptx_parser *parser, const char *spelling)
{
	if (!ptx_is(&parser->token, spelling))
		return false;
	ptx_advance(parser);
	return true;
}

/* Spells @token for a message: one line, printable, not long. */
static const char *describe(const struct ptx_token *token, char *text, size_t size)
{
	size_t length = token->length < 40 ? token->length : 40;

	if (token->kind == PTX_END)
		return "the end of the text";
	snprintf(text, size, "'%.*s%s'", (int)length, token->text,
		 length < token->length ? "..." : "");
	for (char *p = text; *p; p++)
		if (!isprint((unsigned char)*p))
			*p = '?';
	return text;
}

int ptx_unexpected(struct ptx_parser *parser, const char *expected)
{
	char found[64];

	return err_set(parser->e, GPURUN_FORMAT, "line %u: expected %s, found %s",
		       parser->token.line, expected,
		       describe(&parser->token, found, sizeof(found)));
}

int ptx_expect(struct ptx_parser *parser, const char *spelling)
{
	char expected[32];

	if (ptx_accept(parser, spelling))
		return 0;
	snprintf(expected, sizeof(expected), "'%s'", spelling);
	return ptx_unexpected(parser, expected);
}

int ptx_expect_integer(struct ptx_parser *parser, uint64_t max, uint64_t *value)
{
	char expected[48];

	if (parser->token.kind == PTX_INT && parser->token.integer <= max) {
		*value = parser->token.integer;
		ptx_advance(parser);
		return 0;
	}
	snprintf(expected, sizeof(expected), "a number up to %llu",
		 (unsigned long long)max);
	return ptx_unexpected(parser, expected);
}

int ptx_expect_name(struct ptx_parser *parser, const char *expected,
		    struct ptx_name *name)
{
	const char *dot;

	if (parser->token.kind != PTX_WORD || parser->token.text[0] == '.')
		return ptx_unexpected(parser, expected);
	*name = (struct ptx_name){ parser->token.text, parser->token.length };
	dot = memchr(name->text, '.', name->length);
	if (dot) { /* "k.maxntid 32": names have no dots, and a directive follows */
		name->length = (uint32_t)(dot - name->text);
		parser->lexer.offset = (size_t)((const uint8_t *)dot - parser->lexer.text.data);
	}
	ptx_advance(parser);
	return 0;
}

bool ptx_name_is(struct ptx_name name, const char *spelling)
{
	return name.length == strlen(spelling) &&
	       !memcmp(name.text, spelling, name.length);
}
