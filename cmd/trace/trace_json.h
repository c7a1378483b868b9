/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls of a trace in the report of a run. */
#ifndef CMD_TRACE_JSON_H
#define CMD_TRACE_JSON_H

#include "json.h"
#include "trace.h"

/* Writes "calls", the first 10000 of them, and where there are more "calls_left_out", how many. */
void trace_report(const struct trace *trace, struct json *json);

/* Writes what a call did, into an open object: kernel, grid, args; or addresses and bytes. */
void trace_report_call(const struct traced_call *call, struct json *json);

#endif
