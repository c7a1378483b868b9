/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * --junit: a run as a test suite in JUnit's XML. Each --launch and each --expect is a test
 * case, --check is one, and what failed beside them is one.
 */
#ifndef CMD_JUNIT_H
#define CMD_JUNIT_H

#include "report.h"

struct junit;

/*
 * Notes what @run, which may have got nowhere, did: all that is known before its end. *@out is
 * owned by the caller (junit_free). GPURUN_NO_MEMORY.
 */
int junit_begin(const struct run *run, struct junit **out, struct err *e);

/* Writes the document to @to, with how the process ends. */
void junit_write(const struct junit *junit, const struct ending *ending, FILE *to);

/* Takes NULL. */
void junit_free(struct junit *junit);

#endif
