/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Asks for what the CPU device does not have, as often as its arguments say: CALL COUNT ... */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "find.h"

int main(int argc, char **argv)
{
	int (*call)(void *, void *, void *, void *), (*init)(unsigned);
	void *function = find("cuInit");

	memcpy(&init, &function, sizeof(function));
	check(init(0), "cuInit");
	for (int i = 1; i + 1 < argc; i += 2) {
		function = find(argv[i]);
		memcpy(&call, &function, sizeof(function));
		for (int count = atoi(argv[i + 1]); count > 0; count--)
			if (call(NULL, NULL, NULL, NULL) != 801)
				return 3;
	}
	return 0;
}
