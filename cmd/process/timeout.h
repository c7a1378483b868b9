/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * --timeout: a parent that never touches a driver starts this program again as
 * a worker and owns the clock and the signals. A worker whose time is over, or
 * that a signal stops, is asked to say where it is and to end, and killed if it
 * does not. It dies with its parent and sends its report through a pipe.
 */
#ifndef CMD_TIMEOUT_H
#define CMD_TIMEOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "err.h"

struct options;

/*
 * Makes this process a worker if timeout_supervise() started it, and returns whether it
 * did: reports are sent to the parent, and *@orders is the socket that the parent's orders
 * (signals.h) come through. It is -1 otherwise, and for a worker that becomes --exec's
 * program.
 */
bool timeout_join(int *orders);

/*
 * Runs @program with the words of @options in a worker for at most that long
 * (0: for ever); the exit status of the whole. A worker that becomes --exec's
 * program leads a process group, which ends with it when the time is over.
 */
int timeout_supervise(const struct options *options, const char *program,
		      uint64_t nanoseconds);

#endif
