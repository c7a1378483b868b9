/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * SIGINT, SIGTERM and SIGHUP. Their handlers do next to nothing: an order goes through a
 * pipe to the thread that stops the run (stop.h), and a timer ends the process if that
 * thread does not. What is ignored when the program starts stays ignored.
 */
#ifndef CMD_SIGNALS_H
#define CMD_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "err.h"

/* What a handler, or the parent of a worker, asks of the thread that stops the run. */
struct order {
	int number;     /* of the signal; 0: the time is over */
	bool now;       /* nothing is to be waited for: it is the second signal */
	bool parked;    /* no order, but news: the main thread waits for the end */
	uint64_t limit; /* nanoseconds: what the time was */
};

/* Sets @set to those of the three that are not ignored. */
void signals_wanted(sigset_t *set);

/*
 * Makes a file that grows too large an error of the write, not a signal; called before
 * anything is written. signals_restore() undoes it for a program that takes our place.
 */
void signals_prepare(void);
void signals_restore(void);

/* Installs the handlers. GPURUN_INTERNAL. */
int signals_install(struct err *e);

/*
 * Waits for an order of a handler, or from the socket *@parent (-1: none; it is set to that
 * when the parent is gone), for at most that long; -1: for ever. False when there was none.
 */
bool signals_next(int *parent, int milliseconds, struct order *order);

/* Tells the thread that stops the run that the main thread waits for the end. */
void signals_parked(void);

/* Ends the process with @status after that time; 0: no longer. */
void signals_limit(int status, int milliseconds);

/* For the thread that waits: it is the one where that limit strikes. */
void signals_take_limit(void);

#endif
