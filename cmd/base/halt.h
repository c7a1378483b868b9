/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Where the main thread may be halted: it changes what a report shows under one lock, and prints
 * nothing any more, once the thread that ends the process (stop.h) has taken over.
 */
#ifndef CMD_HALT_H
#define CMD_HALT_H

#include <stdbool.h>

/* Returns unless the run is being stopped: nothing more is to be printed then. */
void halt_point(void);

/* Around changes of what a report shows. The first is such a point too. */
void halt_lock(void);
void halt_unlock(void);

/* ---- For the thread that ends the process ------------------------------------------- */

/* The calling thread passes halt_point() and halt_lock() from now on, whatever is halted. */
void halt_exempt(void);

/* Tells whether the calling thread is that one. */
bool halt_is_exempt(void);

/* Acquires the lock, unless the main thread keeps it for @milliseconds. */
bool halt_try(int milliseconds);

/* Halts the main thread at its next point; its news are signals_parked(). */
void halt_begin(void);

#endif
