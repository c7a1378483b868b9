/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "findings.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "asserts.h"
#include "cleanup.h"
#include "report_format.h"

int findings_add(struct findings *findings, const struct gpurun_report *report, struct err *e)
{
	CLEANUP(free_pointer) void *record = report_copy(report);
	void **slot = record ? array_grow(&findings->at, findings->count, sizeof(*slot)) : NULL;

	if (!slot)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for the findings");
	if (!findings->count)
		err_set(&findings->first, GPURUN_FAULT, "%s%s%s", report->check,
			*report->check ? ": " : "", report->what);
	*slot = STEAL(record);
	findings->count++;
	return 0;
}

int findings_take(struct findings *findings, struct err *e)
{
	struct gpurun_report report = { .struct_size = sizeof(report) };

	while (!gpurun_report_get(GPURUN_REPORT_FINDING, &report) &&
	       report.event == GPURUN_REPORT_FINDING)
		TRY(findings_add(findings, &report, e));
	return 0;
}

struct gpurun_report findings_at(const struct findings *findings, size_t i)
{
	struct gpurun_report report;

	ASSERT(i < findings->count);
	report_read(findings->at[i], &report);
	return report;
}

static bool is_same_report(const struct gpurun_report *a, const struct gpurun_report *b)
{
	return !strcmp(a->kind, b->kind) && !strcmp(a->check, b->check) &&
	       !strcmp(a->kernel, b->kernel) && !strcmp(a->access, b->access) &&
	       !strcmp(a->file, b->file) && a->source_line == b->source_line &&
	       a->ptx_line == b->ptx_line && (a->ptx_line || !strcmp(a->what, b->what));
}

size_t findings_times(const struct findings *findings, size_t i)
{
	const struct gpurun_report report = findings_at(findings, i);
	size_t times = 0;

	for (size_t k = 0; k < findings->count; k++) {
		const struct gpurun_report other = findings_at(findings, k);

		if (!is_same_report(&report, &other))
			continue;
		if (k < i)
			return 0;
		times++;
	}
	return times;
}

void findings_release(struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++)
		free(findings->at[i]);
	free(findings->at);
	*findings = (struct findings){ 0 };
}
