/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Asks the driver for tables of functions, as NVIDIA's libraries do: foreign STATUS
 * [LIBRARY|UUID]... opens each library, and asks for each table in 32 hexadecimal digits.
 * A program and a child of fork() then end with STATUS; the child says how on stdout.
 */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "find.h"

static void ask(const char *digits)
{
	unsigned char id[16];
	const void *table = id;

	for (int i = 0; i < 16; i++)
		check(sscanf(digits + 2 * i, "%2hhx", &id[i]) != 1, digits);
	check(((int (*)(const void **, const void *))find("cuGetExportTable"))(&table, id) != 801,
	      "cuGetExportTable");
	check(table != NULL, "cuGetExportTable gave a table");
}

int main(int argc, char **argv)
{
	int status = atoi(argv[1]), ended;

	for (int i = 2; i < argc; i++) {
		if (strchr(argv[i], '/'))
			check(!dlopen(argv[i], RTLD_NOW), argv[i]);
		else
			ask(argv[i]);
	}
	if (!fork())
		exit(status);
	check(wait(&ended) < 0, "wait");
	printf("%d\n", WEXITSTATUS(ended));
	return status;
}
