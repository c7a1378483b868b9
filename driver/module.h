/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Modules and the functions looked up in them. A module that is unloaded, and
 * its functions, are refused from then on; its program lives until the last
 * operation that uses it is done.
 *
 * The caller of everything here holds the driver's lock.
 */
#ifndef DRIVER_MODULE_H
#define DRIVER_MODULE_H

#include <stdbool.h>
#include <stdint.h>

#include "cuda_abi.h"

struct kernel;
struct module;

/* A kernel with what a program has set for it. */
struct function {
	void *handle;
	struct module *module;    /* borrowed: it owns this function */
	const struct kernel *kernel;
	uint32_t dynamic_shared;  /* the most it may be launched with */
	bool large_clusters;
	struct function *next;
};

struct module *module_get(struct module *module);

/* Takes NULL. */
void module_put(struct module *module);

/* Finds the function behind @handle; 400. */
CUresult function_find(CUfunction handle, struct function **out);

/* The dynamic shared memory that a kernel may have without opting into more. */
uint32_t function_default_shared(const struct kernel *kernel);

/* The most threads in a block: as a real driver, it knows of .maxntid, not of .reqntid. */
int function_max_threads(const struct kernel *kernel);

/* Unloads every module of the context. Nothing is pending. */
void module_clear(void);

#endif
