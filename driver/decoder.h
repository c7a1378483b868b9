/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The state of decoding one body; shared by decode.c (statements),
 * decode_operand.c and decode_declare.c, and by nobody else.
 */
#ifndef DRIVER_DECODER_H
#define DRIVER_DECODER_H

#include "array.h"
#include "body.h"
#include "ptx_lex.h"

/* A use of a label that no enclosing scope has declared so far. */
struct pending {
	struct ptx_name name;
	uint32_t line, scope;
	uint32_t at;     /* index in operands, or in elements */
	bool element;
};

struct decoder {
	struct body *body;
	struct operand coordinates; /* of the last tensor address */
	struct ptx_lexer lexer;
	struct ptx_token token;    /* the one to look at next */
	const struct names *globals;
	struct names names;        /* owned: what the body declares */
	struct pending *pending;   /* owned */
	size_t pending_count;
	uint32_t scopes[32];       /* names.count when each open scope began */
	uint32_t depth;
	bool calls;                /* the operands are a call's: a parenthesis is a list */
	struct err *e;
};

/* Reads the next token. */
static inline void advance(struct decoder *d)
{
	ptx_next_piece(&d->lexer, &d->token);
}

static inline struct ptx_name token_name(const struct ptx_token *token)
{
	return (struct ptx_name){ token->text, token->length };
}

static inline bool at_punct(const struct decoder *d, char c)
{
	return d->token.kind == PTX_PUNCT && d->token.text[0] == c;
}

/* Fails with "line N: expected WHAT, found TOKEN". */
int decode_expected(struct decoder *d, const char *what);

/* Fails with "line N: " and the sentence, at the token's line. */
int decode_fail(struct decoder *d, uint32_t line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Adds @insn, whose operands the body has, behind those before it. */
int decode_add(struct decoder *d, const struct insn *insn);

/* Whether @insn, with its operands, moves vectors; adds what does so. */
bool decode_is_vector_move(const struct insn *insn);
int decode_vector_move(struct decoder *d, const struct insn *insn);

/* Skips @c or fails. */
int decode_punct(struct decoder *d, char c);

/* Reads an integer, with its sign if any. */
int decode_integer(struct decoder *d, int64_t *value);

/* Reads operands up to ';' into body->operands. */
int decode_operands(struct decoder *d, struct insn *insn);

/* Finds a register: by its name, or as one of a range. False when it is none. */
bool decode_register(struct decoder *d, struct ptx_name name, uint32_t *index);

/* Finds or makes the label of @name that is declared in the innermost scope. */
int decode_place_label(struct decoder *d, struct ptx_name name, uint32_t line);

/* A reference to a label, from operand or element @at. */
int decode_refer(struct decoder *d, struct ptx_name name, uint32_t line, uint32_t at,
		 bool element);

/* Resolves what the scope that closes declares; the rest waits for the outer one. */
int decode_close_labels(struct decoder *d);

/* ".reg", ".shared", ".local", ".param" and other declarations, the token being that word. */
int decode_declaration(struct decoder *d);

/* ".callprototype" of the label @name. */
int decode_prototype(struct decoder *d, struct ptx_name name);

/* ".branchtargets" or ".calltargets" of the label @name. */
int decode_targets(struct decoder *d, struct ptx_name name);

#endif
