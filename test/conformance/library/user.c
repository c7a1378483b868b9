/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A library that uses gpurun and comes and goes with dlopen() and dlclose(): its
 * static object is destroyed, and its destructor runs, at dlclose() or at exit.
 */
#include "ending.h"

int __cxa_atexit(void (*destroy)(void *object), void *object, void *library);
extern void *__dso_handle;
void user_start(void);

static struct gpurun_module modules[2];
static int left; /* of them */

/* The second one to unload takes the library down. */
static void unload(void *module)
{
	EXPECT(gpurun_module_unload(*(struct gpurun_module *)module), GPURUN_OK);
	if (!--left)
		EXPECT(gpurun_shutdown(), GPURUN_OK);
	if (wrong)
		_exit(60);
}

/* Comes up with a module for each of them. */
__attribute__((visibility("default"))) void user_start(void)
{
	__cxa_atexit(unload, &modules[0], &__dso_handle);
	ending_up();
	modules[0] = load();
	modules[1] = load();
	left = 2;
	EXPECT(launch1(kernel_of(modules[0], "nothing"), new_stream(), NULL), GPURUN_OK);
}

__attribute__((destructor)) static void destructor(void)
{
	if (left)
		unload(&modules[1]);
}
