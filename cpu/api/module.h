/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Modules and the functions looked up in them. A module that is unloaded, and
 * its functions, are refused from then on; its program lives until the last
 * operation that uses it is done.
 *
 * The caller of everything here holds the driver's lock.
 */
#ifndef CPU_MODULE_H
#define CPU_MODULE_H

#include <stdbool.h>
#include <stdint.h>

#include "cuda_abi.h"

struct context;
struct kernel;
struct library;
struct module;
struct program;

/* A kernel with what a program has set for it. */
struct function {
	void *handle;
	struct module *module;    /* borrowed: it owns this function */
	char *name;               /* owned */
	const struct kernel *kernel; /* NULL until it is needed */
	uint32_t dynamic_shared;  /* the most it may be launched with */
	unsigned most_registers;  /* that it may report; 0: no limit */
	bool large_clusters;
	bool launched;            /* at least once */
	struct launch_steps *steps; /* owned: see launch_steps.c; NULL until it is used */
	struct function *next;
};

struct module *module_get(struct module *module);

/* Takes NULL. */
void module_put(struct module *module);

/*
 * Finds the function behind @handle, or the one that the kernel of a library is in the current
 * context; 400. It is lowered when it was not, for which the lock is given back, and what that
 * may fail with is answered.
 */
CUresult function_find(CUfunction handle, struct function **out);

/* The same, but it may not be lowered yet. */
CUresult function_peek(CUfunction handle, struct function **out);

/* Finds function @name of @module, or makes it, as function_peek(); 500. */
CUresult module_function(struct module *module, const char *name, struct function **out);

/* Makes a module of *@program, which it takes, in the current context, unless that is no longer
 * in its life @life; of @library, or NULL. @registers: the limit of its kernels, or 0. */
CUresult module_new(struct program **program, uint64_t life, struct library *library,
		    unsigned registers, struct module **out);

/* The module that @library is in the current context, or NULL. */
struct module *module_of_library(const struct library *library);

/* What programs hold of @module. */
CUmodule module_handle(const struct module *module);

struct program *module_program(const struct module *module);

/* Unloads what @library is in any context. Nothing is pending. */
void module_unload_library(const struct library *library);

/* The dynamic shared memory that a kernel may have without opting into more. */
uint32_t function_default_shared(const struct kernel *kernel);

/* Tells of the modules of @context, or of any with NULL, that the program has not given back. */
void module_report_leaks(const struct context *context);

/* Unloads every module of @context. Nothing is pending. */
void module_clear(const struct context *context);

#endif
