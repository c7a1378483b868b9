/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Modules and the functions looked up in them. The handles of an unloaded module
 * and of its functions are invalid; its program lives until the last operation that
 * uses it is done.
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
	uint32_t dynamic_shared;  /* the limit for its launches */
	unsigned most_registers;  /* the limit of what it reports; 0: none */
	uint32_t cluster[3];      /* that a program requires of its launches; 0: none */
	bool large_clusters;
	int carveout, cluster_policy; /* hints, which are only stored */
	bool launched;            /* at least once */
	struct launch_steps *steps; /* owned: see launch_steps.c; NULL until it is used */
};

struct module *module_get(struct module *module);

/* NULL: nothing. */
void module_put(struct module *module);

/*
 * Finds the function of @handle, or that of a library's kernel in the current context; 400. It is
 * lowered at its first use, for which the lock is released; the failures of that are returned.
 */
CUresult function_find(CUfunction handle, struct function **out);

/* The same, but it is not lowered here. */
CUresult function_peek(CUfunction handle, struct function **out);

/* Finds function @name of @module, or creates it, as function_peek(); 500. */
CUresult module_function(struct module *module, const char *name, struct function **out);

/* Makes a module of *@program, which it owns then, in the current context, unless that is no
 * longer in its life @life; of @library, or NULL. @registers: the limit of its kernels, or 0. */
CUresult module_new(struct program **program, uint64_t life, struct library *library,
		    unsigned registers, struct module **out);

/* The module of @library in the current context, or NULL. */
struct module *module_of_library(struct library *library);

/* The handle of @module. */
CUmodule module_handle(const struct module *module);

struct program *module_program(const struct module *module);

/* Unloads the modules of @library in all contexts. Nothing is pending. */
void module_unload_library(struct library *library);

/* The static shared memory that the device reports: multiples of 16 bytes, as on a GPU. */
uint32_t function_static_shared(const struct kernel *kernel);

/* The limit of dynamic shared memory of a kernel that has not opted in to more. */
uint32_t function_default_shared(const struct kernel *kernel);

/* The clusters that all launches of a lowered function have: { 0, ... } when launches choose. */
const uint32_t *function_cluster(const struct function *function);

/* Reports the modules of @context (NULL: of any) that the program has not unloaded. */
void module_report_leaks(const struct context *context);

/* Unloads every module of @context. Nothing is pending. */
void module_clear(const struct context *context);

#endif
