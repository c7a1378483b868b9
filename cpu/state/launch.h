/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A launch, as the CTAs of it know it, and how it ended. */
#ifndef CPU_LAUNCH_H
#define CPU_LAUNCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct heap;
struct kernel;
struct order;

/* What the first fault of a launch was. */
struct fault {
	atomic_int code;     /* CUresult; 0: none. Set once, by whoever faults first */
	char text[4096];     /* the report: kernel, block, thread, PTX line, source line, ... */
};

/* One kernel launch; filled by the driver, borrowed by every CTA of it. */
struct launch {
	const struct kernel *kernel;
	uint32_t grid[3], block[3];
	uint32_t cluster[3];      /* blocks of each, which divide the grid; 1 without clusters */
	bool clustered;           /* the program, or the kernel, asks for clusters */
	uint32_t dynamic_shared;  /* bytes */
	uint64_t id;              /* %gridid */
	uint32_t floor;           /* of race.h: what is below came before it; order's */
	bool mixed;               /* and some of what is above, too; order's */
	struct order *order;      /* borrowed; NULL without check=race */
	bool cooperative;
	uint64_t workspace;       /* of a cooperative launch: 64 bytes, zero at first; 0: none */
	const uint8_t *params;    /* kernel->param_bytes bytes, aligned to 128 */
	struct fault *fault;
	struct heap *heap;        /* borrowed; NULL: malloc() fails */
	atomic_bool stop;         /* set: every CTA ends (CTA_STOPPED) at its next slice */
};

enum cta_state {
	CTA_DONE,    /* every thread has exited */
	CTA_YIELDED, /* its slice is over, or its threads only spin or sleep: run it again later */
	CTA_FAULTED, /* launch->fault is set */
	CTA_STOPPED, /* launch->stop was seen */
};

#endif
