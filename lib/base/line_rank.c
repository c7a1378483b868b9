/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "line_rank.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char text[16];

static void read_variable(void)
{
	const char *rank = secure_getenv(LINE_RANK_VARIABLE);

	if (rank && *rank && strlen(rank) < 10 && strspn(rank, "0123456789") == strlen(rank))
		snprintf(text, sizeof(text), "[%s] ", rank);
}

const char *line_rank(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, read_variable);
	return text;
}
