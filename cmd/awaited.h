/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which launches the run waits for: in words, and in the report. */
#ifndef CMD_AWAITED_H
#define CMD_AWAITED_H

#include "json.h"
#include "plan.h"

/* Those among some steps of a plan that are on one stream. */
struct awaited {
	size_t stream;
	size_t from, until; /* steps; none when until is 0 */
};

/* Names them in words, at least "stream s0"; "" when nothing is awaited. */
void awaited_describe(const struct awaited *awaited, const struct plan *plan, char *text,
		      size_t size);

/*
 * Narrows @awaited to the launch whose kernel the device's @report of a fault names, where one
 * of the launches alone is of that kernel.
 */
void awaited_narrow(struct awaited *awaited, const struct plan *plan, const char *report);

/* Adds the array "awaited" of launch, kernel, stream, if there is anything in it. */
void awaited_report(const struct awaited *awaited, const struct plan *plan, struct json *json);

#endif
