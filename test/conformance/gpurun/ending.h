/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the gpurun_* programs about the end of the process share: see process.h. */
#ifndef CONFORMANCE_ENDING_H
#define CONFORMANCE_ENDING_H

#include "kernels.h"
#include "process.h"

/* Prints what is wrong, for those who read the test's output. */
TAP_UNUSED static void expect(int got, int want, const char *what)
{
	if (got == want)
		return;
	wrong++;
	printf("# at exit: %s answers %d, not %d: %s\n", what, got, want,
	       gpurun_error_text());
	fflush(stdout);
}
#define EXPECT(call, want) expect(call, want, #call)

/* The ending program comes up, or ends the process. */
TAP_UNUSED static void ending_up(void)
{
	if (!up())
		_exit(50);
}

/* Comes up and enqueues a kernel that never ends; on the stub, one that is busy for as
 * long as it is only asked. */
TAP_UNUSED static struct gpurun_stream ending_up_busy(void)
{
	struct gpurun_stream stream;
	uint64_t mine, never;
	void *args[] = { &mine, &never };

	setenv("GPURUN_STUB_BUSY", "4000000000", 1);
	ending_up();
	stream = new_stream();
	mine = alloc(8);
	never = mine + 4;
	EXPECT(gpurun_memory_fill(mine, 0, 4, 2, no_stream), GPURUN_OK);
	EXPECT(launch1(kernel_of(load(), "meet"), stream, args), GPURUN_OK);
	return stream;
}

#endif
