/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * SIGINT, SIGTERM and SIGHUP: the first asks the run to stop after the current
 * await; a second one kills.
 */
#ifndef CMD_SIGNALS_H
#define CMD_SIGNALS_H

#include <sys/types.h>

/*
 * Says that this process is a worker of --timeout: it shares the terminal with
 * @parent, which passes signals on, and takes those of the terminal from there
 * alone.
 */
void signals_trust(pid_t parent);

/* Installs the handlers, once there is something to clean up. */
void signals_install(void);

/* The number of the signal that asked to stop; 0: none. */
int signals_pending(void);

#endif
