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

struct run;

/* Names those of @run in words, at least "stream s0"; "" when nothing is awaited. */
void awaited_describe(const struct awaited *awaited, const struct run *run, char *text,
		      size_t size);

/* Finds the next step from @i on that is one of the launches; NONE when there is none. */
size_t awaited_next(const struct awaited *awaited, const struct plan *plan, size_t i);

/*
 * Narrows @awaited to the launches, from the first to the last, of @kernel, which the device's
 * report of a fault names; returns false and leaves it as it is where it names none of them.
 */
bool awaited_narrow(struct awaited *awaited, const struct plan *plan, const char *kernel);

/* Adds the array "awaited" of launch, kernel, stream, if there is anything in it. */
void awaited_report(const struct awaited *awaited, const struct plan *plan, struct json *json);

#endif
