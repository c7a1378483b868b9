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

/* Prints the first of the two, past streams that another thread holds. */
void message_at_once(const struct err *e);

/* Prints "gpurun: warning: TEXT", also when quiet: the result may be another one than was meant. */
void message_warning(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Prints "gpurun: TEXT" unless quiet. */
void message_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Prints "gpurun: TEXT" when verbose. */
void message_verbose(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * Prints the library's error log @log, unless the error's text has each of its lines: "gpurun: "
 * before each line that is not indented.
 */
void message_log(const char *log);

#endif
