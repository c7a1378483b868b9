/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Threads that help the calling one with a large file. They end before the call returns that
 * needed them.
 */
#ifndef LIB_WORKERS_H
#define LIB_WORKERS_H

#include <pthread.h>

enum { WORKERS_MOST = 16 };

struct workers {
	pthread_t threads[WORKERS_MOST];
	unsigned count;
};

/* The processors that the calling thread may use, at most WORKERS_MOST. */
unsigned workers_processors(void);

/* Starts up to @wanted threads, at most WORKERS_MOST, that call @work with @argument; fewer where
 * the system has no more. They receive no signals. */
void workers_start(struct workers *workers, unsigned wanted, void *(*work)(void *),
		   void *argument);

/* Waits until all have returned. */
void workers_join(struct workers *workers);

#endif
