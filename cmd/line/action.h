/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the command line says of one action, as text. Apart from options.h, so that a new option
 * of the whole run does not compile anew what only follows actions.
 */
#ifndef CMD_ACTION_H
#define CMD_ACTION_H

#include <stdbool.h>

#include "texts.h"

struct option;

struct launch_options {
	struct texts args;
	const char *grid, *block, *threads, *shared, *cluster; /* NULL: not given */
	bool cooperative;
};

struct tolerance_options {
	const char *rtol, *atol, *ulp; /* NULL: not given */
};

/* One action. */
struct action {
	const struct option *option; /* that made it, of scope ACTION */
	const char *value;
	struct launch_options launch;       /* LAUNCH */
	struct tolerance_options tolerance; /* EXPECT */
	const char *stream, *after, *event; /* LAUNCH, RECORD, WAIT; NULL: not given */
};

#endif
