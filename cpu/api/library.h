/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Libraries: images that belong to no context. A library keeps its PTX, from which
 * it becomes a module in each context, at the first use there. A kernel of a library
 * is a name in it, and one function in each context.
 *
 * The caller of everything here holds the driver's lock.
 */
#ifndef CPU_LIBRARY_H
#define CPU_LIBRARY_H

#include "cuda_abi.h"

struct function;
struct library;
struct list_node;

/* Finds the function of kernel @handle in the current context, maybe not lowered yet; 400. The
 * lock is released while the library has to be loaded there. */
CUresult library_function(const void *handle, struct function **out);

/* The list of the modules of @library, of all contexts: for module.c. */
struct list_node **library_modules(struct library *library);

#endif
