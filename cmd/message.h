/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the command says on stderr: one line for each thing, coloured on a terminal. */
#ifndef CMD_MESSAGE_H
#define CMD_MESSAGE_H

#include <stdbool.h>

#include "err.h"

/* Which messages are wanted; errors always are. */
void message_level(bool quiet, bool verbose);

/* Prints "gpurun: error: TEXT", and "gpurun: hint: HINT" when there is one. */
void message_error(const struct err *e);

/* Prints "gpurun: TEXT" unless quiet. */
void message_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Prints "gpurun: TEXT" when verbose. */
void message_verbose(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Prints the lines of the library's error log @log, unless it is one line that the
 * error's text has too. */
void message_log(const char *log);

/*
 * Moves what the calling thread's last gpurun call reported into @e (text and
 * hint) with @status, which is returned.
 */
int message_from_library(int status, struct err *e);

#endif
