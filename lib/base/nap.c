/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "nap.h"

enum { LONGEST = 1000 * 1000 }; /* nanoseconds */

void nap_sleep(struct timespec *nap)
{
	nanosleep(nap, NULL);
	nap->tv_nsec = nap->tv_nsec < LONGEST / 2 ? 2 * nap->tv_nsec : LONGEST;
}
