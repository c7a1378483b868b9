/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What every side of the comparison of CPU devices does: the kernels with their
 * sizes and inputs, the results that they have to give, and the loop in which a
 * side takes orders. A side is a process of its own:
 *
 *	order:   "KERNEL REPEATS\n", both numbers
 *	answer:  "CPU WALL\n": nanoseconds of the launches and of waiting for them
 *
 * Results are checked after the first launch, with inputs for which every order of
 * evaluation gives the same bits.
 */
#ifndef BENCH_CPU_WORK_H
#define BENCH_CPU_WORK_H

#include <stdint.h>

enum { WORDS = 1 << 20, MOST_BUFFERS = 3 };

struct work {
	const char *name, *kernel;
	uint32_t scalars[2];
	unsigned scalar_count;
	uint32_t words[MOST_BUFFERS];  /* 32 bits each; the last buffer is the result */
	unsigned buffer_count;
	unsigned grid[2], block[2];
	/* Gives word @i of what the kernel makes of @in, in which its inputs stand. */
	uint32_t (*expected)(const struct work *work, uint32_t *const in[], uint32_t i);
};

extern const struct work works[];
extern const unsigned work_count;

/* How a side runs kernels; each call ends the process when it fails. */
struct side {
	const char *name;
	void *(*buffer)(const void *data, uint32_t words);
	void (*read)(void *buffer, void *data, uint32_t words);
	void (*prepare)(const struct work *work, void *buffers[]);
	void (*launch)(const struct work *work);  /* what was prepared last; may not wait */
	void (*wait)(void);
};

/* Takes orders from standard input until it ends. */
int work_serve(const struct side *side);

/* Prints "NAME: WHAT" and ends the process with 1. */
_Noreturn void work_fail(const char *name, const char *what);

/* The text of @path; the caller frees it. Fails the process. */
char *work_read(const char *name, const char *path);

#endif
