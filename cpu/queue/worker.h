/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * One worker thread and the CTAs that it has begun. It rotates them: one that
 * yields becomes the last. It begins more, of each kernel alternately, when it has
 * none to run, and while those that it has only wait or take long: so CTAs and
 * kernels that wait for each other finish with any number of workers.
 */
#ifndef CPU_WORKER_H
#define CPU_WORKER_H

/* Works as number @index until the threads are to end. */
void worker_run(unsigned index);

#endif
