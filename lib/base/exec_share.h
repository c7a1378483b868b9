/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What gpurun --exec shares with the programs that it runs on the CPU device.
 *
 * The variable GPURUN_EXEC, which children inherit, has words between commas:
 *
 *	status          the device replaces a status that the parent of its process sees as 0, by
 *	                what went wrong
 *	expect-fault    a fault is no reason for that
 *	quiet           no line with the counts at the end
 *	log=PATH        a file that begins with struct exec_counts, of all processes together; from
 *	                EXEC_LOG_START on, records (report_format.h) are appended to it
 *	trace=PATH      a file for the calls of all processes (trace_file.h); alone for gpurun's own
 *	driver=PATH     beside that: the driver that trace/pass_on.c passes calls on to
 *	times           beside that: it has events around launches (trace/times.c)
 *
 * Without it a process has its own status. What is malformed counts as missing: the variable is for
 * gpurun itself.
 */
#ifndef LIB_EXEC_SHARE_H
#define LIB_EXEC_SHARE_H

#include <linux/futex.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "asserts.h"

#define EXEC_VARIABLE "GPURUN_EXEC"

/* What is asked of the devices: which launch has run longest when the time of the run is over. */
enum exec_ask { EXEC_ASKS_NEVER, EXEC_ASKS_LATER, EXEC_ASKS_NOW };

struct exec_counts {
	_Atomic uint64_t launches; /* of kernels that ran to their end */
	_Atomic uint64_t failed;   /* launches that were refused, and kernels that broke down */
	_Atomic uint64_t kernels;  /* different ones, in each process */
	_Atomic uint64_t faults;
	_Atomic uint32_t ask;       /* enum exec_ask, of gpurun */
	_Atomic uint32_t answering; /* devices that will answer, or ended without: by a record of
				     * GPURUN_REPORT_RUNNING where anything runs */
};

enum { EXEC_LOG_START = 512 };

/* Processes of other builds, 32-bit ones too, map the same file. */
static_assert(sizeof(struct exec_counts) == 40, "four counts of 8 bytes, two words");
static_assert(sizeof(struct exec_counts) <= EXEC_LOG_START, "records follow the counts");

/* Prints to @path what the word @name, "log=" or "trace=", of GPURUN_EXEC says; false: nothing. */
static inline bool exec_path(const char *name, char *path, size_t size)
{
	const char *words = secure_getenv(EXEC_VARIABLE);
	const char *word = words ? strstr(words, name) : NULL;
	const size_t length = strlen(name);

	return word && (size_t)snprintf(path, size, "%.*s", (int)strcspn(word + length, ","),
					word + length) < size;
}

/* Waits while @word, which processes share, is @value; @limit: not longer, or NULL. May return
 * earlier. */
static inline void exec_wait(_Atomic uint32_t *word, uint32_t value, const struct timespec *limit)
{
	syscall(SYS_futex, word, FUTEX_WAIT, value, limit, NULL, 0);
}

/* Wakes all that wait for a change of @word. */
static inline void exec_wake(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

#endif
