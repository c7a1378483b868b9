/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "findings.h"

#include <stdlib.h>
#include <string.h>

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

void findings_release(struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++)
		free(findings->at[i]);
	free(findings->at);
	*findings = (struct findings){ 0 };
}
