/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The answer to gpurun --exec when the time of the run is over (exec_share.h): which launch has run
 * longest in this process, and how far it is. A thread of its own waits for the question, so that
 * neither launches nor the handlers of signals have anything to do for it.
 */
#ifndef CPU_ANSWER_H
#define CPU_ANSWER_H

/* Starts the thread where the question may come. One time, with the driver's lock. */
void answer_begin(void);

#endif
