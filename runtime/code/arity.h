/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which kernels an image has and how many parameters each takes, read from its bytes when
 * the first kernel is looked up. Drivers before CUDA 13.2 do not report the number: one
 * can only ask until it fails, and tools report calls that fail.
 */
#ifndef RUNTIME_ARITY_H
#define RUNTIME_ARITY_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"

struct module;

enum { ARITY_UNKNOWN = -1, ARITY_ABSENT = -2 };

struct arities {
	bool read;  /* reading was tried */
	bool known; /* what is not listed is not in the image */
	struct arity {
		char *name; /* owned */
		int count;
	} *items; /* owned; by name */
	size_t count;
};

/*
 * Returns how many parameters kernel @name of @module takes; ARITY_ABSENT when the image has
 * no such kernel, ARITY_UNKNOWN when its bytes are not known or cannot be read. By one
 * thread at a time. GPURUN_NO_MEMORY.
 */
int arity_find(struct module *module, const char *name, int *count, struct err *e);

/* Accepts zeroed ones. */
void arities_release(struct arities *arities);

#endif
