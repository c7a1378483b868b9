/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Leaks memory of a context that it destroys, and prints how a child ends after that. */
#include <stddef.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "find.h"

int main(void)
{
	unsigned long long address;
	void *context;
	int status = 0;
	pid_t child;

	CALL("cuInit", (unsigned), 0);
	CALL("cuCtxCreate_v2", (void **, unsigned, int), &context, 0, 0);
	CALL("cuMemAlloc_v2", (unsigned long long *, size_t), &address, 100);
	CALL("cuCtxDestroy_v2", (void *), context);
	child = fork();
	if (!child)
		exit(0);
	waitpid(child, &status, 0);
	printf("child: %d\n", WEXITSTATUS(status));
	return 0;
}
