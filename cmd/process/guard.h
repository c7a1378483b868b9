/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A small process that outlives us to kill a process group, where we are killed before its
 * time: only the leader of the group dies with its parent by itself.
 */
#ifndef CMD_GUARD_H
#define CMD_GUARD_H

#include <sys/types.h>

#include "err.h"

struct guard {
	pid_t process; /* 0: none */
	int fd;        /* its end of life */
};

/* Guards @group until guard_end(). GPURUN_INTERNAL. */
int guard_start(pid_t group, struct guard *guard, struct err *e);

/* Leaves the group alone. Does nothing where there is no guard. */
void guard_end(struct guard *guard);

#endif
