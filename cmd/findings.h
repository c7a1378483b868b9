/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the checker found in a run. The device has reported each already. */
#ifndef CMD_FINDINGS_H
#define CMD_FINDINGS_H

#include <stddef.h>

#include "err.h"

struct findings {
	char **at;        /* owned, as are the texts: of several lines each */
	size_t count;
	struct err first; /* the first line of the first one */
};

/* Adds those that were not taken from the device yet. GPURUN_NO_MEMORY. */
int findings_take(struct findings *findings, struct err *e);

/* Adds those that a process whose check-log @fd is has reported. GPURUN_NO_MEMORY, GPURUN_IO. */
int findings_read(struct findings *findings, int fd, struct err *e);

void findings_release(struct findings *findings);

#endif
