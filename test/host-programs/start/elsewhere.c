/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A libcudart.so.13 that a program's DT_RPATH names: none of its functions does anything. */
int cudaMalloc(void **p, unsigned long size);

int cudaMalloc(void **p, unsigned long size)
{
	return p && size ? 99 : 98;
}
