/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Stopping a run: by a signal, or since the time of --timeout is over. A thread waits for
 * the order, says which launch is awaited, gives what runs a second (a signal's), writes the
 * report, and ends the process. The main thread may hang in the driver meanwhile; where it
 * does not, it stops at the next point of halt.h.
 */
#ifndef CMD_STOP_H
#define CMD_STOP_H

#include "err.h"

struct options;

/*
 * From now on a signal stops the run, as does an order through the socket @parent, which
 * makes this process a worker (-1: it is none). GPURUN_INTERNAL.
 */
int stop_watch(const struct options *options, int parent, struct err *e);

/*
 * Notes that the run is over, which is not shown any more: what is left is the end of the
 * process, and only if that takes long, a signal changes how it ends.
 */
void stop_over(void);

#endif
