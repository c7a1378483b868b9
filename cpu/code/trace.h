/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the ops of trace= report: lower_trace.h places them, trace_step() executes them. */
#ifndef CPU_TRACE_H
#define CPU_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bytes.h"
#include "listing.h"

/* A register, and where its values are. */
struct trace_value {
	char name[REGISTER_NAME];
	int32_t at;   /* in the row file */
	uint8_t type; /* enum ptx_type */
	bool slot;    /* one value for all lanes */
	bool written;
};

/* What one op of a trace reports. */
struct trace_point {
	struct bytes text; /* borrowed from the program, or "" */
	uint32_t line;
	size_t first, count; /* of the values */
};

struct trace {
	struct trace_point *points; /* owned */
	size_t point_count;
	struct trace_value *values; /* owned */
	size_t value_count;
};

#endif
