/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls of a trace as lines, and their arguments as text. */
#ifndef CMD_TRACE_TEXT_H
#define CMD_TRACE_TEXT_H

#include "trace.h"

/* Room for an argument. */
#define TRACE_ARGUMENT_SIZE 80

/*
 * Prints argument @index of a launch to @text: by the C++ signature of the kernel a number or an
 * address; of a kernel without one a whole number, in hexadecimal where it may be an address; of
 * more than 8 bytes those, in hexadecimal. Tells whether it is a number as JSON has them.
 */
bool trace_argument(const struct traced_call *call, size_t index, char text[TRACE_ARGUMENT_SIZE]);

/* How many arguments of @call are known. */
size_t trace_argument_count(const struct traced_call *call);

/* Says the first calls of @trace under --verbose, a line each, and how many more there are. */
void trace_say(const struct trace *trace);

#endif
