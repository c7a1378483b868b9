/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the memory of a device held before the first step of a run, so that its steps find the same
 * each time they are carried out: the buffers, and the variables of the modules, in which a kernel
 * may keep something from one launch to the next.
 */
#ifndef CMD_SAVED_H
#define CMD_SAVED_H

#include <stddef.h>
#include <stdint.h>

#include "err.h"

struct run;

/* Some of the memory, and its copy: addresses of the device, and bytes. */
struct saved_block {
	uint64_t address, copy, size;
};

struct saved_memory {
	struct saved_block *at; /* owned; the copies are released with the run's buffers */
	size_t count;
};

/*
 * Makes the copies, in memory of the device. All is placed and no step was carried out. A run that
 * uses the buffers of another one leaves them to that. Variables that the driver does not find by
 * their names are left out. GPURUN_NO_MEMORY names the buffer.
 */
int saved_take(struct run *run, struct err *e);

/* Copies all of it back. Nothing of the run is outstanding. */
int saved_restore(const struct run *run, struct err *e);

#endif
