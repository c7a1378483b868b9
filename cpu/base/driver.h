/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The driver as a whole: its one lock, which guards all of contexts, streams, operations, events
 * and modules, and its state, which says whether calls are allowed. Kernels, copies, host
 * functions and loading run without the lock.
 */
#ifndef CPU_DRIVER_H
#define CPU_DRIVER_H

#include <pthread.h>
#include <stdbool.h>

#include "cuda_abi.h"

enum driver_state {
	DRIVER_NEW,
	DRIVER_READY,
	DRIVER_ENDED,
	DRIVER_FORKED, /* a child of a process that had initialised the driver */
};

/* The state of the driver. Needs no lock. */
enum driver_state driver_state(void);

/* Sets it to @to when it is @from; false when it is another. */
bool driver_enter_state(enum driver_state from, enum driver_state to);

/* Why calls are refused: 3 before cuInit and in a child, 4 when the process is ending; or 0. */
CUresult driver_result(void);

/* Tells whether the process is ending. */
bool driver_ended(void);

/* The lock; condition variables of worker threads wait with driver_mutex itself. */
void driver_lock(void);
void driver_unlock(void);
extern pthread_mutex_t driver_mutex;

/*
 * Waits, with the lock held, until driver_changed() has been called. Fails with
 * 4 when the process is ending.
 */
CUresult wait_change(void);

/* Wakes the threads in wait_change(). The caller holds the lock. */
void driver_changed(void);

#endif
