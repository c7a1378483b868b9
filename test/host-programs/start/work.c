/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A kernel that counts, with calls of the runtime around it: work() returns how often it has run,
 * or the error of a call below 0. Of a library, WORK is another name, and others see it.
 */
#include "cudart_use.h"

#ifndef WORK
#define WORK work
#endif

static struct cudart_image image;

int WORK(void);

__attribute__((visibility("default"))) int WORK(void)
{
	unsigned *out = NULL, got = 0;
	void *args[] = { &out };
	const dim3 one = { 1, 1, 1 };
	cudaError_t error = cudaMalloc((void **)&out, sizeof(*out));

	if (!error)
		error = cudaLaunchKernel(&image.bump, one, one, args, 0, NULL);
	if (!error)
		error = cudaMemcpy(&got, out, sizeof(got), cudaMemcpyDeviceToHost);
	if (!error)
		error = cudaFree(out);
	return error ? -(int)error : (int)got;
}

/* As the code of compilers: with errors that nothing looks at. */
__attribute__((constructor)) static void bring(void)
{
	cudart_register(&image);
}

__attribute__((destructor)) static void go(void)
{
	__cudaUnregisterFatBinary(image.handle);
}
