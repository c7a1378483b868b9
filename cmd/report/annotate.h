/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * --annotate: lines that GitHub's workflows show beside the source, "::error file=F,line=N,
 * title=T::MESSAGE". They are read from standard error as from standard output.
 */
#ifndef CMD_ANNOTATE_H
#define CMD_ANNOTATE_H

#include <stdio.h>

#include "report.h"

/* Writes a line for each mismatch of @run. */
void annotate_mismatches(FILE *to, const struct run *run);

/* Writes lines for the fault, the findings, and what else @ending has of errors. */
void annotate_ending(FILE *to, const struct ending *ending);

#endif
