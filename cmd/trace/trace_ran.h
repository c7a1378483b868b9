/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * When the device did what calls asked for: the records RAN of a trace. Those by events around
 * launches (trace/times.c) are on a clock of their own. It is placed so that no launch begins
 * before its call, as early as that allows: a device that is idle begins at once.
 */
#ifndef CMD_TRACE_RAN_H
#define CMD_TRACE_RAN_H

#include "trace.h"

struct ran {
	uint64_t process, id, begin, end;
	uint64_t clock; /* 0: that of the host */
};

struct rans {
	struct ran *at; /* owned */
	size_t count;
};

void rans_release(struct rans *rans);

/* Adds @record of @process. GPURUN_NO_MEMORY. */
int rans_add(struct rans *rans, uint64_t process, const struct trace_record *record, struct err *e);

/* Gives the calls of @trace their times, by their tracks. @rans is in another order then.
 * GPURUN_NO_MEMORY. */
int rans_apply(struct rans *rans, struct trace *trace, struct err *e);

#endif
