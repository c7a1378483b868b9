/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Becomes the command that it is given, on a system that executes nothing that was written. */
#include <stdio.h>
#include <unistd.h>

#include "refused.h"

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	if (!refuse_execution())
		return NO_FILTER;
	execvp(argv[1], argv + 1);
	perror(argv[1]);
	return 127;
}
