/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The public part of a kernel: its parameters, and what it requires of a launch. */
#ifndef CPU_KERNEL_H
#define CPU_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "device_limits.h"

struct entry;
struct program;

/* Parts of its context that a kernel uses, whose limits are fixed from its launch on. */
enum kernel_use { USES_PRINTF = 1, USES_HEAP = 2 };

/* An entry, lowered. Read-only after program_kernel() has returned it. */
struct kernel {
	const char *name;
	uint32_t param_count;
	const struct kernel_slot {
		uint32_t offset, size; /* bytes in the parameter block */
		char type[8];          /* "f32" as PTX spells it; "": an array, or opaque */
	} *params;
	uint32_t param_bytes;
	uint32_t static_shared;   /* bytes */
	uint32_t local;           /* bytes of .local per thread, callees not included */
	uint32_t constant;        /* bytes of .const in the module */
	uint32_t registers;       /* 32-bit rows live at the same time */
	uint32_t required_block[3], max_block[3]; /* 0 when not given */
	uint32_t required_cluster[3];             /* likewise */
	bool must_cluster;        /* .explicitcluster */
	uint32_t target;          /* 90 for .target sm_90a */
	unsigned uses;            /* enum kernel_use */
	struct program *program;
	struct entry *entry;      /* that it is of, where its code is: lowered when it is needed */
};

/* The most threads in a block: as in a real driver, .maxntid counts, .reqntid does not. */
static inline uint32_t kernel_max_threads(const struct kernel *kernel)
{
	const uint32_t *block = kernel->max_block;
	const uint64_t threads = (uint64_t)block[0] * block[1] * block[2];

	return threads && threads < DEVICE_MAX_THREADS ? (uint32_t)threads : DEVICE_MAX_THREADS;
}

#endif
