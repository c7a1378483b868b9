/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Constant expressions of PTX: integers of 64 bits, signed unless a U or their
 * size says otherwise, with C's operators and precedence and (.s64), (.u64).
 */
#ifndef LIB_PTX_EXPR_H
#define LIB_PTX_EXPR_H

#include "ptx_lex.h"

/*
 * Reads the longest expression that begins with @token, which @lexer has just
 * read, and leaves the first token after it in @token. False, with @token at the
 * error, when there is none, a division is by zero, or memory is exhausted.
 */
bool ptx_expression(struct ptx_lexer *lexer, struct ptx_token *token, uint64_t *value);

#endif
