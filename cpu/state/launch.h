/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A launch as its CTAs see it, and how it ended. */
#ifndef CPU_LAUNCH_H
#define CPU_LAUNCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "counted.h"

struct heap;
struct kernel;
struct order;

/* The first fault of a launch. */
struct fault {
	atomic_int code;     /* CUresult; 0: none. Set one time, by the first CTA that faults */
	void *record;        /* owned: its report, as report_pack() makes it; NULL: no memory */
};

/* One kernel launch; filled by the driver, borrowed by its CTAs. */
struct launch {
	const struct kernel *kernel;
	uint32_t grid[3], block[3];
	uint32_t cluster[3];      /* blocks of each, which divide the grid; 1 without clusters */
	bool clustered;           /* the program, or the kernel, asks for clusters */
	uint32_t dynamic_shared;  /* bytes */
	uint64_t id;              /* %gridid */
	uint32_t floor;           /* of race.h: tags below it come before; from order */
	bool mixed;               /* some tags above it come before, too; from order */
	struct order *order;      /* borrowed; NULL without check=race */
	bool cooperative;
	uint64_t workspace;       /* of a cooperative launch: 64 bytes, initially zero; 0: none */
	const uint8_t *params;    /* kernel->param_bytes bytes, aligned to 128 */
	struct fault *fault;
	struct heap *heap;        /* borrowed; NULL: malloc() fails */
	_Atomic uint64_t *counted; /* by enum counted_kind, of the CTAs that are done; NULL: without
				    * count=1 */
	atomic_bool stop;         /* set: every CTA ends (CTA_STOPPED) at its next slice */
};

enum cta_state {
	CTA_DONE,    /* every thread has exited */
	CTA_YIELDED, /* its time slice is over, or its threads only spin or sleep: run it later */
	CTA_FAULTED, /* launch->fault is set */
	CTA_STOPPED, /* launch->stop was seen */
};

#endif
