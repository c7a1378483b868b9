/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the programs that --exec runs report to us: lib/base/exec_share.h's file, as long as the run
 * lasts.
 */
#ifndef CMD_EXEC_LOG_H
#define CMD_EXEC_LOG_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "findings.h"

/* All processes together. */
struct exec_log {
	struct findings findings;  /* of the checker */
	struct findings failures;  /* failed launches, refused images */
	struct findings broken;    /* kernels that broke down */
	unsigned status;           /* that the device gave the program's process; 0: none */
	uint64_t launches, failed, kernels, faults;
	char running[400];         /* the running launch that a device reported first; "": none */
};

/* Opens the file, empty; @ask: exec_log_ask() may be called. -1, with @e: there is none.
 * GPURUN_INTERNAL. */
int exec_log_open(bool ask, struct err *e);

/* Asks the devices of all processes for what they run, and waits for answers, 250 ms at most. */
void exec_log_ask(int fd);

/* Reads all that is in the file @fd, of @program and its children, and notes the first fault
 * (fault.h). GPURUN_NO_MEMORY, GPURUN_IO. */
int exec_log_read(struct exec_log *log, pid_t program, int fd, struct err *e);

/*
 * Where this gpurun runs below another one with such a file: adds the counts of @fd to it, and,
 * with @records, the records: each is in the reports of both.
 */
void exec_log_pass_on(int fd, bool records);

/* Sets @e to why the device gave the program's process the status @code, and returns its code. */
int exec_log_explain(const struct exec_log *log, int code, struct err *e);

/* Adds to @e, that the program was killed, which launch ran then. */
void exec_log_add_running(const struct exec_log *log, struct err *e);

void exec_log_release(struct exec_log *log);

#endif
