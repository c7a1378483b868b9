/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "expand.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "rank.h"

static pid_t parent;

void expand_as_process(pid_t process)
{
	parent = process;
}

static int put_rank(FILE *to, enum rank_kind kind, struct err *e)
{
	int rank;

	TRY(rank_require(kind, &rank, e));
	fprintf(to, "%d", rank);
	return 0;
}

/* @at is behind %q; *@end is behind what was read. */
static int put_variable(FILE *to, const char *at, const char **end, struct err *e)
{
	const size_t length = *at == '{' ? strcspn(at + 1, "}") : 0;
	CLEANUP(free_pointer) char *name = NULL;
	const char *value;

	if (!length || !at[1 + length])
		return err_set(e, GPURUN_INVALID, "expected %%q{VAR}, a variable's name in braces");
	*end = at + 1 + length + 1;
	name = strndup(at + 1, length);
	if (!name)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the command line");
	value = getenv(name);
	if (!value)
		return err_set(e, GPURUN_INVALID, "%%q{%s}: the environment has no such variable",
			       name);
	fputs(value, to);
	return 0;
}

/* @at is behind a %; *@end is behind what was read. */
static int put_one(FILE *to, const char *at, const char **end, struct err *e)
{
	*end = at + 1;
	switch (*at) {
	case 'r':
		return put_rank(to, RANK_GLOBAL, e);
	case 'l':
		return put_rank(to, RANK_LOCAL, e);
	case 'p':
		fprintf(to, "%d", (int)(parent ? parent : getpid()));
		return 0;
	case 'q':
		return put_variable(to, at + 1, end, e);
	case '%':
		fputc('%', to);
		return 0;
	default:
		break;
	}
	if (isalpha((unsigned char)*at)) {
		err_set(e, GPURUN_INVALID, "%%%c is none of %%r, %%l, %%p, %%q{VAR} and %%%%", *at);
		return err_hint(e, "a percent sign before a letter is %%%%");
	}
	fputc('%', to);
	*end = at;
	return 0;
}

static int put_all(FILE *to, const char *text, struct err *e)
{
	for (const char *at; (at = strchr(text, '%'));) {
		fwrite(text, 1, (size_t)(at - text), to);
		TRY(put_one(to, at + 1, &text, e));
	}
	fputs(text, to);
	return 0;
}

int expand(const char *text, char **expanded, struct err *e)
{
	CLEANUP(free_pointer) char *all = NULL;
	size_t size;
	int status;
	FILE *to;

	*expanded = NULL;
	if (!strchr(text, '%'))
		return 0;
	to = open_memstream(&all, &size);
	if (!to)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the command line");
	status = put_all(to, text, e);
	if (fclose(to) && !status)
		status = err_set(e, GPURUN_NO_MEMORY, "no memory for the command line");
	if (!status)
		*expanded = STEAL(all);
	return status;
}
