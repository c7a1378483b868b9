/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "run.h"

#include <stdlib.h>

#include "stop.h"

void run_release(struct run *run)
{
	free(run->modules);
	free(run->streams);
	free(run->events);
	free(run->moments);
	free(run->timing);
	free(run->awaited);
	free(run->kernels);
	findings_release(&run->findings);
}

void run_blame(struct run *run, size_t step)
{
	stop_lock();
	if (!run->blamed)
		run->blamed = step + 1;
	stop_unlock();
}
