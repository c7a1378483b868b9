/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A program: the module with the addresses of its variables, and its entries
 * with the code they were lowered to.
 */
#ifndef CPU_PROGRAM_H
#define CPU_PROGRAM_H

#include <pthread.h>
#include <stdatomic.h>

#include "code.h"
#include "kernel.h"
#include "names.h"

struct program {
	struct bytes text;         /* owned; a NUL follows it */
	struct ptx *ptx;           /* owned */
	struct names globals;      /* variables and functions by name */
	uint64_t *addresses;       /* owned: of each variable of the module, 0: none */
	uint64_t functions;        /* allocation whose addresses mean functions; 0: none */
	uint32_t constant;         /* bytes of .const */
	char **names;              /* owned, each too: of the entries with a body */
	size_t name_count;
	pthread_mutex_t lock;      /* of entries */
	struct entry **entries;    /* owned: of each function of the module, NULL: not lowered */
};

/* The code for blocks of one shape alone, since compiled code depends on it. */
struct shaped {
	struct shaped *next;       /* owned */
	uint32_t shape;            /* entry_shape(); SHAPE_ANY: of all that have none of their own,
				    * never compiled */
	struct code code;
};

/* What compiled code depends on of blocks: one size, or that x is a multiple of 32. */
enum { SHAPE_ANY = 0, SHAPE_LINES = 1 };

struct entry {
	struct kernel kernel;
	uint32_t function;         /* in the module */
	struct code code;          /* for all blocks; lowered when it is first needed: */
	atomic_bool lowered;       /* it is */
	atomic_uint shape;         /* of the first blocks that run it where kernels may be compiled:
				    * it is compiled for these; SHAPE_ANY: none have */
	struct code aligned;       /* for warps whose threads differ in %tid.x alone; has no ops
				    * if the other is as good */
	_Atomic(struct shaped *) shapes; /* owned; grows by the program's lock */
	struct kernel_slot *slots; /* owned: kernel.params */
	char *name;                /* owned: kernel.name */
};

#endif
