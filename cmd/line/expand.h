/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What differs between the processes of a parallel job, in the text of an option: %r is the rank
 * of this one, %l that on its machine, %p the number of the process, %q{VAR} what the environment
 * has in VAR, %% a percent sign.
 */
#ifndef CMD_EXPAND_H
#define CMD_EXPAND_H

#include <sys/types.h>

#include "err.h"

/* From now on %p is @process: that of the parent, whose worker we are. */
void expand_as_process(pid_t process);

/*
 * Replaces them in @text, but not in what it puts there; a % before no letter stays. *@expanded is
 * owned by the caller (free); NULL: there is no % in @text. GPURUN_INVALID for a % before another
 * letter and for what the environment does not have, GPURUN_NO_MEMORY.
 */
int expand(const char *text, char **expanded, struct err *e);

#endif
