/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "findings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"

static int add(struct findings *findings, const char *text, struct err *e)
{
	CLEANUP(free_pointer) char *copy = strdup(text);
	char **grown = reallocarray(findings->at, findings->count + 1, sizeof(*grown));

	if (grown)
		findings->at = grown;
	if (!grown || !copy)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the findings");
	if (!findings->count)
		err_set(&findings->first, GPURUN_FAULT, "%.*s", (int)strcspn(text, "\n"), text);
	findings->at[findings->count++] = STEAL(copy);
	return 0;
}

int findings_take(struct findings *findings, struct err *e)
{
	char text[4096];

	while (!gpurun_check_finding(text, sizeof(text)) && text[0])
		TRY(add(findings, text, e));
	return 0;
}

/* What @fd has, from its beginning. */
static int read_whole(int fd, char **out, struct err *e)
{
	CLEANUP(free_pointer) char *text = NULL;
	struct stat status;
	ssize_t got;

	*out = NULL;
	if (fstat(fd, &status))
		return err_set(e, GPURUN_IO, "cannot read the findings: %s", strerror(errno));
	text = malloc((size_t)status.st_size + 1);
	if (!text)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the findings");
	got = pread(fd, text, (size_t)status.st_size, 0);
	if (got < 0)
		return err_set(e, GPURUN_IO, "cannot read the findings: %s", strerror(errno));
	text[got] = '\0';
	*out = STEAL(text);
	return 0;
}

int findings_read(struct findings *findings, int fd, struct err *e)
{
	CLEANUP(free_pointer) char *text = NULL;

	TRY(read_whole(fd, &text, e));
	for (char *at = text, *end; *at; at = end) {
		end = strchrnul(at, '\n');
		while (end[0] && end[1] == ' ')
			end = strchrnul(end + 1, '\n');
		if (*end)
			*end++ = '\0';
		TRY(add(findings, at, e));
	}
	return 0;
}

void findings_release(struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++)
		free(findings->at[i]);
	free(findings->at);
	*findings = (struct findings){ 0 };
}
