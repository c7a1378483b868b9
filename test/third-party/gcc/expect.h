/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the programs of this folder share. Each is ended by return expect_end():
 * 0 where all that it expected was so. They know nothing of gpurun, and are right on
 * a GPU as well.
 */
#include <stdio.h>

static int expect_failed;

/* For the host alone. */
#define expect(what, got, want)                                                            \
	do {                                                                               \
		double got_ = (double)(got), want_ = (double)(want);                       \
		if (got_ == want_)                                                         \
			break;                                                             \
		printf("%s:%d: %s is %.17g, not %.17g\n", __FILE__, __LINE__, what, got_, want_); \
		expect_failed = 1;                                                         \
	} while (0)

static inline int expect_end(void)
{
	return expect_failed;
}
