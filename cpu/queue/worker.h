/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * One worker thread and the CTAs it has begun. It rotates them: one that yields
 * goes to the back. More are begun when there is nothing else to run, and while
 * the CTAs at hand only wait or take long, of every kernel in turn: so CTAs and
 * kernels that wait for each other finish whatever the number of workers.
 */
#ifndef CPU_WORKER_H
#define CPU_WORKER_H

/* Works as number @index until the threads are to end. */
void worker_run(unsigned index);

#endif
