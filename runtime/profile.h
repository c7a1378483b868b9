/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The counters of an image that LLVM instrumented (-fprofile-instr-generate and
 * the like): read back when the module is unloaded, and handed to the profile
 * runtime that is linked into the program, which writes them to a file.
 */
#ifndef RUNTIME_PROFILE_H
#define RUNTIME_PROFILE_H

#include "module.h"

/*
 * Writes the counters of @module, whose kernels are done and whose context is
 * current. Nothing happens when it has none; a program without a profile runtime
 * is told so in the thread's log alone. GPURUN_IO when that runtime cannot write.
 */
int profile_write(struct module *module, struct err *e);

#endif
