/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The JSON object of a run. */
#ifndef CMD_REPORT_H
#define CMD_REPORT_H

#include "execute.h"

/* How the process ends. */
struct ending {
	int code;              /* exit status */
	const char *stage;     /* where it went wrong; NULL: nowhere */
	const struct err *error; /* NULL: none */
	bool of_program;       /* the code is what --exec's program ended with */
};

/*
 * Makes the report of @run, which may have got nowhere, as text that ends with
 * a newline: *@text is owned by the caller.
 */
int report_make(const struct run *run, const struct ending *ending, char **text,
		size_t *size, struct err *e);

#endif
