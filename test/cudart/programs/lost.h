/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef LOST_H
#define LOST_H

#include "check.h"

/* Resets a device whose kernel broke down. The CPU device is as new then. A GPU may stay lost to
 * the process: there is nothing left to check. */
#define REVIVE()                                                     \
	do {                                                         \
		CHECK(cudaDeviceReset());                            \
		if (getenv("GPURUN_TEST_GPU") && cudaFree(NULL))     \
			return ok();                                 \
	} while (0)

#endif
