/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the cudart_* programs about the end of the process share: see process.h. */
#ifndef CONFORMANCE_CUDART_PROCESS_H
#define CONFORMANCE_CUDART_PROCESS_H

#include "cudart_use.h"
#include "process.h"

static struct cudart_image image;
static const dim3 one = { 1, 1, 1 };

/* Prints what is wrong, for those who read the test's output. */
TAP_UNUSED static void expect(int got, int want, const char *what)
{
	if (got == want)
		return;
	wrong++;
	printf("# at exit: %s answers %d, not %d\n", what, got, want);
	fflush(stdout);
}
#define EXPECT(call, want) expect((int)(call), want, #call)

/* Uses a kernel, or ends the process. */
TAP_UNUSED static void ending_up(void)
{
	if (cudaLaunchKernel(&image.nothing, one, one, NULL, 0, NULL) ||
	    cudaDeviceSynchronize())
		_exit(50);
}

/* Enqueues a kernel that ends once the 4 bytes at the result, 0 now, are something else. */
TAP_UNUSED static unsigned *ending_launch_waiting(void)
{
	unsigned *flag = NULL;
	void *args[] = { &flag };

	if (cudaHostAlloc((void **)&flag, 4, 0))
		_exit(50);
	*flag = 0;
	EXPECT(cudaLaunchKernel(&image.wait, one, one, args, 0, NULL), cudaSuccess);
	return flag;
}

/* That kernel ends. */
TAP_UNUSED static void ending_let_go(unsigned *flag)
{
	__atomic_store_n(flag, 1, __ATOMIC_RELEASE);
}

#endif
