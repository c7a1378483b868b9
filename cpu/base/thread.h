/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* All threads of the device are started here. */
#ifndef CPU_THREAD_H
#define CPU_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/*
 * Starts a thread that receives no signals: the program's handlers run on its own threads,
 * never on one that may hold the driver's lock. But a fault of a function of the program that is
 * called there has the program's handler. False when the system refuses.
 */
bool thread_start(pthread_t *thread, void *(*main)(void *), void *argument);

#endif
