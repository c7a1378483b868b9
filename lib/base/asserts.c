/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "asserts.h"

#include <stdio.h>
#include <stdlib.h>

void assert_failed(const char *file, int line, const char *text)
{
	fprintf(stderr, "gpurun: %s:%d: this does not hold: %s\n", file, line, text);
	abort();
}
