/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Calls functions of libcudart that take no argument, or are refused whatever they get, as
 * often as its arguments say: CALL COUNT ... Prints what the last of them answered.
 */
#include <string.h>

#define LIBRARY "libcudart.so.13"
#include "find.h"

int main(int argc, char **argv)
{
	int (*call)(void *, void *, void *, void *);
	int result = 0;

	for (int i = 1; i + 1 < argc; i += 2) {
		void *function = find(argv[i]);

		memcpy(&call, &function, sizeof(function));
		for (int count = atoi(argv[i + 1]); count > 0; count--)
			result = call(NULL, NULL, NULL, NULL);
	}
	printf("%d\n", result);
	return 0;
}
