/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The rank in gpurun's lines on standard error: "gpurun: [3] error: ...". The command sets the
 * variable for -d rank before anything is written; its libraries, and programs of --exec with
 * theirs, find it there. A value that is no rank counts as none: it is for gpurun itself.
 */
#ifndef LIB_LINE_RANK_H
#define LIB_LINE_RANK_H

#define LINE_RANK_VARIABLE "GPURUN_RANK"

/* What follows "gpurun: " in each line: "[3] ", or "". Thread-safe; of the process's life. */
const char *line_rank(void);

#endif
