/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A program that has one function of such a name, its own, which others do not see. */
#include <stdio.h>

int cudaMalloc(void **p, unsigned long size);

__attribute__((visibility("hidden"), noinline)) int cudaMalloc(void **p, unsigned long size)
{
	return p ? (int)size : 1234;
}

int main(void)
{
	printf("%d\n", cudaMalloc(NULL, 1));
	return 0;
}
