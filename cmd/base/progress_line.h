/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a run that lasts is doing, as one line for a terminal. Nothing here prints. */
#ifndef CMD_PROGRESS_LINE_H
#define CMD_PROGRESS_LINE_H

#include <stddef.h>
#include <stdint.h>

enum progress_kind {
	PROGRESS_NONE,
	PROGRESS_SCAN,	  /* a file, in bytes */
	PROGRESS_LOAD,	  /* a file's image, by the driver */
	PROGRESS_PREPARE, /* a kernel, of so many launches */
	PROGRESS_RUN,	  /* a kernel, in blocks */
	PROGRESS_TIME,	  /* a kernel, in runs */
	PROGRESS_REPEAT,  /* a file, in runs */
};

struct progress {
	enum progress_kind kind;
	const char *name;     /* borrowed: of the file or the kernel */
	uint64_t done, total; /* total 0: not known */
	uint64_t seconds;
};

/* The bytes of the longest line, with its NUL. */
enum { PROGRESS_LINE = 1024 };

/*
 * Writes the line of @progress, whose kind is not PROGRESS_NONE, to @line: at most @columns
 * columns, filtered (visible.h), without a newline. The name loses its middle where it is too
 * long; a character that is not of ASCII counts as two columns, as wide as it can be.
 */
void progress_line(const struct progress *progress, size_t columns, char line[PROGRESS_LINE]);

#endif
