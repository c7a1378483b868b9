/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Response files: @FILE on the command line stands for the words in FILE. */
#ifndef CMD_RESPONSE_H
#define CMD_RESPONSE_H

#include "err.h"

struct options;

/*
 * Puts the words of the file at @path, one a line, empty lines and those that
 * begin with # left out, in the place of options->words at @index. GPURUN_IO,
 * GPURUN_INVALID (too many files, as when one names itself), GPURUN_NO_MEMORY.
 */
int response_splice(struct options *options, size_t index, const char *path,
		    struct err *e);

#endif
