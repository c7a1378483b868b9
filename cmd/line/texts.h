/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef CMD_TEXTS_H
#define CMD_TEXTS_H

#include <stddef.h>

#include "err.h"

/* A growing list of borrowed strings. */
struct texts {
	const char **at; /* owned */
	size_t count;
};

/* Appends @text to @texts. GPURUN_NO_MEMORY. */
int texts_add(struct texts *texts, const char *text, struct err *e);

#endif
