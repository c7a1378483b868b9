/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the program has allocated, and what it never released. */
#ifndef RUNTIME_USAGE_H
#define RUNTIME_USAGE_H

#include <stdbool.h>

#include "err.h"

int usage_get(struct gpurun_device device, struct gpurun_memory_usage *usage,
	      struct err *e);

/* Reads from the environment what is to be reported. Under the runtime's lock. */
void usage_configure(void);

/* Writes to stderr what is left before everything is released, if that was asked for. */
void usage_report(void);

/*
 * Sets whether the program should have destroyed what this thread destroys from here on:
 * the CPU device reports that as leaks. false ends it.
 */
void usage_leftover(bool is);

#endif
