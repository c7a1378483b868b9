/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "exit_wait.h"

#include <stdlib.h>

enum { DEFAULT = 10, LONGEST = 86400 }; /* seconds */

double exit_wait(void)
{
	const char *text = secure_getenv("GPURUN_EXIT_WAIT");
	double seconds;
	char *end;

	if (!text || !*text)
		return DEFAULT;
	seconds = strtod(text, &end);
	if (*end || !(seconds >= 0))
		return DEFAULT;
	return seconds < LONGEST ? seconds : LONGEST;
}
