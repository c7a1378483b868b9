/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What texts that become one define, and the names that they get. Needs no lock. */
#ifndef CPU_LINK_NAMES_H
#define CPU_LINK_NAMES_H

#include <stdbool.h>

#include "link_merge.h"
#include "names.h"
#include "ptx.h"
#include "ptx_lex.h"

struct input {
	struct ptx *ptx;        /* owned */
	struct names renamed;   /* to name__N */
	uint32_t files;         /* added to the number of a file */
};

struct merge {
	struct input *inputs;   /* owned */
	struct link_text *texts;
	size_t count;
	struct names strong;    /* definitions that are not weak; index: the text */
	struct names weak;      /* of the weak ones, those that are used */
	struct names numbered;  /* all words of all texts that end in the form of name__N */
	unsigned registers;     /* that a kernel may have; 0: no limit */
};

static inline bool link_is_weak(enum ptx_linkage linkage)
{
	return linkage == PTX_WEAK || linkage == PTX_COMMON;
}

/* Notes the definitions of text @input, which is parsed, that others may use. GPURUN_INVALID for
 * one that an earlier text has, GPURUN_NO_MEMORY. */
int link_collect_strong(struct merge *merge, size_t input, struct err *e);

/* The same for its private kernels, after those definitions of all texts. GPURUN_NO_MEMORY. */
int link_collect_private(struct merge *merge, size_t input, struct err *e);

/* Notes the words of @text that a new name could equal. GPURUN_NO_MEMORY. */
int link_collect_numbered(struct merge *merge, struct bytes text, struct err *e);

/* Chooses new names for text @input, after all of that. GPURUN_NO_MEMORY. */
int link_choose_names(struct merge *merge, size_t input, struct err *e);

/* Tells whether a weak definition of @name is not used; records it when it is. GPURUN_NO_MEMORY. */
int link_is_spare(struct merge *merge, struct ptx_name name, size_t input, bool *spare,
		  struct err *e);

/* Reads the next token, skipping bytes that are none: a body may have them. False at the end. */
static inline bool link_next_token(struct ptx_lexer *lexer, struct ptx_token *token)
{
	do
		ptx_next(lexer, token);
	while (token->kind == PTX_BAD && lexer->offset < lexer->text.size);
	return token->kind != PTX_END && token->kind != PTX_BAD;
}

#endif
