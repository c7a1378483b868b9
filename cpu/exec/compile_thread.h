/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The thread that compiles kernels while others run them, and the kernels that wait for it. It is
 * started for the first one, and ends with the process, which does not wait for it. The child of a
 * fork() has none and needs none: the driver refuses all calls there.
 */
#ifndef CPU_COMPILE_THREAD_H
#define CPU_COMPILE_THREAD_H

#include <stdbool.h>
#include <stdint.h>

struct code;
struct kernel;
struct program;

/* Code to be compiled for blocks of @block; both end with the kernel's program. */
struct compile_job {
	struct compile_job *next;
	const struct kernel *kernel;
	struct code *code;
	uint32_t block[3];
	void (*compile)(const struct compile_job *job);
};

/* Has the thread call job->compile with a copy of @job, after those that wait already. False where
 * there is no memory, or the system has no thread. Thread-safe. */
bool compile_later(const struct compile_job *job);

/* Drops what waits of @program, and waits until nothing of it is being compiled. Thread-safe. */
void compile_forget(const struct program *program);

/* Waits until nothing is being compiled, and nothing waits for it; for tests. */
void compile_finish(void);

#endif
