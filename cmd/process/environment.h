/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The environment of a host program that --exec runs: it names the device, and brings gpurun's
 * libraries before others. What the user has set stays, as far as both can hold.
 */
#ifndef CMD_ENVIRONMENT_H
#define CMD_ENVIRONMENT_H

#include <sys/types.h>

#include "run.h"

/*
 * Sets the environment of this process, which becomes the program at @program, for the device of
 * @run. With @expect_fault a fault is no reason for a status of its own.
 */
int environment_set(const struct run *run, const char *program, bool expect_fault, struct err *e);

/*
 * Before: the device of the program is to report to descriptor @fd of process @parent, the file
 * of exec_log_open().
 */
void environment_log_to(pid_t parent, int fd);

/*
 * The driver that this process opens, or the program that it becomes, is to write its calls to
 * descriptor @fd of process @reader, the file of trace_file_open(). GPURUN_NO_MEMORY.
 */
int environment_trace_to(pid_t reader, int fd, struct err *e);

/*
 * After that, and before this process opens a driver: has our library before the one of GPUs
 * (trace/pass_on.c) be opened in its place, where there is one, with @times of launches.
 * GPURUN_NO_MEMORY.
 */
int environment_trace_gpu(bool times, struct err *e);

#endif
