/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The report of a launch's fault, as text. */
#ifndef TEST_FAULT_TEXT_H
#define TEST_FAULT_TEXT_H

#include <stdlib.h>

#include "launch.h"
#include "report_format.h"

/* Valid until the next call; "" where @fault has no record. */
static inline const char *fault_text(const struct fault *fault)
{
	static char text[REPORT_MOST];
	struct gpurun_report report;

	report_read(fault->record, &report);
	report_format(&report, text, sizeof(text));
	return text;
}

/* Makes @fault one that has not happened. */
static inline void fault_reset(struct fault *fault)
{
	free(fault->record);
	fault->record = NULL;
	atomic_store(&fault->code, 0);
}

#endif
