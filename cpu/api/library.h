/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Libraries: images that belong to no context. A library keeps its PTX; it is a
 * module of each context that something of it is used in, made then. A kernel
 * of a library is a name in it, and stands for one function in each context.
 *
 * The caller of everything here holds the driver's lock.
 */
#ifndef CPU_LIBRARY_H
#define CPU_LIBRARY_H

#include "cuda_abi.h"

struct function;

/* Finds the function that kernel @handle is in the current context, not lowered yet; 400. The
 * lock is given back when the library has to be loaded there. */
CUresult library_function(const void *handle, struct function **out);

#endif
