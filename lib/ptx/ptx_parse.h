/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The parts that a parser of PTX is made of: a lexer with one token of look
 * ahead, the expectations, and declarations of variables, which are the same at
 * module level, in parameter lists and in bodies. Words that begin with a dot
 * are read in pieces: ".v4.f32" is ".v4" and ".f32".
 */
#ifndef LIB_PTX_PARSE_H
#define LIB_PTX_PARSE_H

#include "ptx.h"
#include "ptx_lex.h"

struct ptx_parser {
	struct ptx_lexer lexer;
	struct ptx_token token; /* the next one, not yet consumed */
	size_t consumed;        /* bytes of the text up to the end of the last one consumed */
	struct err *e;          /* borrowed; may be NULL */
};

/* Starts at @text, whose first line has number @line, with its first token ready. */
struct ptx_parser ptx_parser(struct bytes text, uint32_t line, struct err *e);

/* Consumes the token and reads the next one. */
void ptx_advance(struct ptx_parser *parser);

/* Consumes the token if it is spelt @spelling; false when it is not. */
bool ptx_accept(struct ptx_parser *parser, const char *spelling);

/* Fails with GPURUN_FORMAT, "line 3: expected @expected, found 'x'". */
int ptx_unexpected(struct ptx_parser *parser, const char *expected);

/* Consume a token that has to be there: a spelling, an integer up to @max, a name. */
int ptx_expect(struct ptx_parser *parser, const char *spelling);
int ptx_expect_integer(struct ptx_parser *parser, uint64_t max, uint64_t *value);
int ptx_expect_name(struct ptx_parser *parser, const char *expected,
		    struct ptx_name *name);

/* Tells whether @name is spelt @spelling. */
bool ptx_name_is(struct ptx_name name, const char *spelling);

/*
 * Reads the rest of a declaration after its space (@space), up to the token
 * after the name, dimensions and initialiser: ".align 4 .b8 x[16]". All of
 * *@variable is written, with @space and @linkage.
 */
int ptx_parse_variable(struct ptx_parser *parser, enum ptx_space space,
		       enum ptx_linkage linkage, struct ptx_variable *variable);

/* Reads the next name of a list, "x, y": *@variable is the one before it, and is
 * overwritten. */
int ptx_parse_next_variable(struct ptx_parser *parser, struct ptx_variable *variable);

/* Consumes the space word that is next (".shared"); false, and nothing consumed, at another
 * word. */
bool ptx_accept_space(struct ptx_parser *parser, enum ptx_space *space);

#endif
