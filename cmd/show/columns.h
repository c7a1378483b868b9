/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Rows of cells on stdout. Where that is no terminal a row is printed when it ends, its cells
 * whole, with two blanks between. On a terminal columns are aligned and fit its width: the widest
 * lose the middle of their cells, names as far as 24 characters, others as far as 8. The widths
 * are those of up to 1,000 rows, which are printed together.
 */
#ifndef CMD_COLUMNS_H
#define CMD_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "cleanup.h"
#include "err.h"

enum { COLUMNS_MAX = 8 };

struct columns {
	unsigned names; /* the columns that have names: a bit for each, the first lowest */
	size_t width;  /* of the terminal; 0: there is none */
	FILE *row;     /* owned; of the row that is written */
	char *text;    /* owned; what was written to it */
	size_t size;   /* of that */
	char **rows;   /* owned, and each of them */
	size_t count;
	bool lost;     /* there was no memory for a row */
};

/* Begins with no row; @names as above. */
void columns_begin(struct columns *columns, unsigned names);

/*
 * Returns where the cells of a new row are written, as text that is filtered (visible.h), each but
 * the last followed by '\t'. NULL without memory, which columns_end() reports.
 */
FILE *columns_row(struct columns *columns);

/* Ends the row. */
void columns_end_row(struct columns *columns);

/* Prints what is left. GPURUN_NO_MEMORY when a row was lost. */
int columns_end(struct columns *columns, struct err *e);

/* Releases what an early return left. */
void columns_release(struct columns *columns);

#endif
