/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The budget of line information: the bytes of memory that all line tables of one cubin, and the
 * lines that are made of them, may take. A byte of a table can stand for a row, a file, or for a
 * long path that is written again and again, so that without it a small file would take any
 * memory. It lives while a cubin's lines are read.
 */
#ifndef LIB_LINE_BUDGET_H
#define LIB_LINE_BUDGET_H

#include "bytes.h"
#include "err.h"

struct line_budget {
	uint64_t size;  /* bytes of the cubin */
	uint64_t limit; /* bytes in all */
	uint64_t used;
};

/* The budget of a cubin of @size bytes. */
struct line_budget line_budget_of(size_t size);

/*
 * Takes @bytes, for @what ("rows of a line table"), out of @budget. GPURUN_UNSUPPORTED when that
 * is more than is left: the text has what, how much, the limit, and the size of the cubin.
 */
int line_budget_take(struct line_budget *budget, uint64_t bytes, const char *what, struct err *e);

#endif
