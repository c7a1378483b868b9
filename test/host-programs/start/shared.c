/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A program of the shared runtime. */
#include <stdio.h>

int cudaMalloc(void **p, unsigned long size);

int main(void)
{
	void *p;

	printf("%d\n", cudaMalloc(&p, 64));
	return 0;
}
