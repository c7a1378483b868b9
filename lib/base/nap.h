/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Pauses of a thread that polls what nothing wakes it for. */
#ifndef LIB_NAP_H
#define LIB_NAP_H

#include <time.h>

/* The pause of a loop that begins, or that has found something to do. */
#define NAP_FIRST ((struct timespec){ .tv_nsec = 20 * 1000 })

/* Sleeps for *@nap and doubles it, up to a millisecond; a signal ends the sleep early. */
void nap_sleep(struct timespec *nap);

#endif
