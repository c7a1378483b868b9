/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The tokens of PTX text. A lexer is a value that walks a borrowed span; a NUL
 * ends the text. Comments and white space are skipped, lines are counted.
 */
#ifndef LIB_PTX_LEX_H
#define LIB_PTX_LEX_H

#include "bytes.h"

enum ptx_token_kind {
	PTX_END,    /* end of text, or NUL */
	PTX_WORD,   /* [.%$_A-Za-z][.$_A-Za-z0-9]*: "ld.global.f32", "%r1", ".u64", "$L__BB0_1",
		     * with "::" between such parts: "ld.shared::cta.b32" */
	PTX_INT,    /* 12, 0x1F, 017, 0b101, with optional U: value in integer */
	PTX_FLOAT,  /* 0f3F800000 (32 bits in integer), 0d... or 1.5 (64 bits in integer) */
	PTX_STRING, /* text without the quotes */
	PTX_PUNCT,  /* one character: text[0] */
	PTX_BAD,    /* a byte no token starts with, an unterminated string or comment */
};

struct ptx_token {
	enum ptx_token_kind kind;
	bool single;       /* PTX_FLOAT: spelt 0f, integer holds 32 bits */
	const char *text;  /* borrowed from the span; not terminated */
	uint32_t length;   /* bytes */
	uint32_t line;     /* from 1 */
	uint64_t integer;
};

struct ptx_lexer {
	struct bytes text;
	size_t offset;
	uint32_t line;
};

/* Starts at the beginning of @text, whose first line has number @line. */
static inline struct ptx_lexer ptx_lexer(struct bytes text, uint32_t line)
{
	return (struct ptx_lexer){ text, 0, line };
}

/* Reads the next token. At the end it returns PTX_END each time. */
void ptx_next(struct ptx_lexer *lexer, struct ptx_token *token);

/*
 * The same, but a word of several pieces that begin with a dot is as many tokens:
 * ".reg.b32" is ".reg", and ".b32" is next.
 */
void ptx_next_piece(struct ptx_lexer *lexer, struct ptx_token *token);

/*
 * Skips from the lexer's position to the first byte of @ends (some of "};,") that
 * is outside of braces, strings and comments opened on the way, and leaves the
 * lexer on it: for bodies ("}") and initialisers (",;"). @span is what was skipped.
 * False, with the lexer at the error, when there is no such byte.
 */
bool ptx_skip(struct ptx_lexer *lexer, const char *ends, struct bytes *span);

/* Tells whether @token is a word or punctuation spelt @spelling. */
bool ptx_is(const struct ptx_token *token, const char *spelling);

#endif
