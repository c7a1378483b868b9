/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The guards: what of the driver may be used again although a handle to it was
 * closed. Everything that is kept asks here, so that a test that answers yes to
 * all shows what each guard is for.
 */
#ifndef RUNTIME_IDLE_H
#define RUNTIME_IDLE_H

#include <stdbool.h>

struct module;

/* Tells whether anything is kept at all: not when GPURUN_POOL is 0. */
bool idle_wanted(void);

/*
 * Tells whether @module, unloaded and no more in use, can stand for a new load
 * of the same bytes: nothing in it can have changed, and nothing has to happen
 * when it is loaded or unloaded.
 */
bool idle_module(const struct module *module);

#endif
