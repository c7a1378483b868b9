/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Programs that do wrong, each in its way: the fault injection has to see it. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "program.h"

/* Ends as if nothing had failed. */
void scenario_careless(void)
{
	gpurun_init(NULL);
	gpurun_shutdown();
}

/* Tells a failure twice. */
void scenario_loud(void)
{
	int status = gpurun_init(NULL);

	told(status);
	told(status);
}

/* Tells what failed, but not which call. */
void scenario_vague(void)
{
	if (gpurun_init(NULL)) {
		fprintf(stderr, "error: it does not work\n");
		exit(EXIT_FAILURE);
	}
}

/* Crashes at a failure. */
void scenario_fragile(void)
{
	if (gpurun_init(NULL))
		abort();
}

/* Never ends after a failure. */
void scenario_stuck(void)
{
	if (gpurun_init(NULL))
		pause();
}

/* Keeps a context of the driver's. */
void scenario_leaky(void)
{
	void *driver = dlopen(getenv("GPURUN_DRIVER"), RTLD_NOW);
	int (*init)(unsigned) = driver ? dlsym(driver, "cuInit") : NULL;
	int (*retain)(void **, int) = driver ? dlsym(driver, "cuDevicePrimaryCtxRetain") : NULL;
	void *context;

	if (init && retain && !init(0))
		retain(&context, 0);
}
