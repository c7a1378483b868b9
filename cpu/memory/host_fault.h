/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The report of a host access to device memory: one line on stderr that names the allocation,
 * before SIGSEGV ends the process as it would have.
 */
#ifndef CPU_HOST_FAULT_H
#define CPU_HOST_FAULT_H

/*
 * Handles SIGSEGV from here on, if its action is the default one; else the program's own action
 * stays, and there is no line. A handler that the program sets later replaces this one. Called one
 * time, by cuInit. The alternate stack, if there is one, is the thread's own affair.
 */
void host_fault_watch(void);

#endif
