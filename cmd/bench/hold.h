/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Keeps a stream from beginning until all that is timed was enqueued: else a short kernel's time
 * has in it what the host took to enqueue it and the event behind it.
 */
#ifndef CMD_HOLD_H
#define CMD_HOLD_H

#include <stdatomic.h>
#include <stdbool.h>

#include "err.h"
#include "gpurun.h"

struct hold {
	atomic_bool released;
};

/* What is enqueued on @stream from now on begins after hold_end(), or after 20 ms. */
int hold_begin(struct hold *hold, struct gpurun_stream stream, struct err *e);

/* The stream may begin; also when nothing is held. */
void hold_end(struct hold *hold);

#endif
