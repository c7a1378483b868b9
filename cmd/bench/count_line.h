/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The command line and the environment of the run that counts (count.h). */
#ifndef CMD_COUNT_LINE_H
#define CMD_COUNT_LINE_H

#include "cleanup.h"
#include "err.h"

struct options;

/* What to do instead, in hints. */
#define BY_HAND "bytes=N, flops=N give its numbers by hand"

struct count_line {
	char **words, **variables; /* owned, and what they point to: as execve() wants them */
	double seconds;            /* that the run may take */
};

/*
 * Makes those of @options for a run whose driver writes to the file that @trace names. @out is zero
 * before; the caller releases it, also after a failure: GPURUN_INVALID for a line that reads stdin,
 * GPURUN_NO_MEMORY.
 */
int count_line_make(const struct options *options, const char *trace, struct count_line *out,
		    struct err *e);

void count_line_release(struct count_line *line);

#endif
