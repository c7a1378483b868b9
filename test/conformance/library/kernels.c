/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A library with kernels, which comes and goes with dlopen() and dlclose(): it registers
 * them in its constructor, and takes them back in its destructor or, with $KERNELS_ATEXIT,
 * as nvcc's code does, in a handler of its own.
 */
#include "cudart_use.h"

struct cudart_image *kernels_image(void);

static struct cudart_image image;

__attribute__((visibility("default"))) struct cudart_image *kernels_image(void)
{
	return &image;
}

static void take_back(void)
{
	__cudaUnregisterFatBinary(image.handle);
}

__attribute__((constructor)) static void bring(void)
{
	cudart_register(&image);
	if (getenv("KERNELS_ATEXIT"))
		atexit(take_back);
}

__attribute__((destructor)) static void go(void)
{
	if (!getenv("KERNELS_ATEXIT"))
		take_back();
}
