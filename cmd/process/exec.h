/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * --exec: a host program in the place of a kernel file. It is run with the
 * libraries that are beside this command and with the device that was asked
 * for: the environment names it, the library path brings the CPU device to
 * programs that know nothing but the driver.
 */
#ifndef CMD_EXEC_H
#define CMD_EXEC_H

#include "run.h"

/*
 * Finds the program and the device, which @run then has, and becomes the
 * program: there is no return but with a failure. @plan is that of @run, and gets
 * the selector of the device. GPURUN_IO for a program that cannot be run; what
 * opening a device can fail with.
 */
int exec_program(struct plan *plan, struct run *run, const struct options *options,
		 struct err *e);

/* Takes the device that exec_program() sent to its parent from @sent: it is stored in @run. */
void exec_take_device(struct run *run, struct bytes sent);

#endif
