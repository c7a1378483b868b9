/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The counters of an image that LLVM instrumented (-fprofile-instr-generate and
 * the like): copied when the module is unloaded, and passed to the profile runtime
 * that is linked into the program, which writes them to a file.
 */
#ifndef RUNTIME_PROFILE_H
#define RUNTIME_PROFILE_H

#include "module.h"

/*
 * Writes the counters of @module, whose kernels are done and whose context is
 * current. Nothing happens when it has none; for a program without a profile runtime
 * only the thread's log says so. GPURUN_IO when that runtime cannot write.
 */
int profile_write(struct module *module, struct err *e);

#endif
