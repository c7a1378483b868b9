/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--version")) {
		puts("gpurun " GPURUN_VERSION_STRING);
		return 0;
	}
	fputs("gpurun: error: usage: gpurun --version\n", stderr);
	return 110;
}
