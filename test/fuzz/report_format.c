/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Any bytes: records are refused, or all their strings are inside them; a copy has the same text. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "report_format.h"

/* Of records that hostile strings make too long, the copy has less. */
static void compare_copy(const struct gpurun_report *report, const char *text)
{
	void *record = report_copy(report);
	struct gpurun_report copy;
	char again[REPORT_MOST], packed[REPORT_MOST];

	if (!report_read(record, &copy))
		abort();
	report_format(&copy, again, sizeof(again));
	if (report_pack(report, packed, sizeof(packed)) < sizeof(packed) && strcmp(text, again))
		abort();
	if (report_kind_error(report_kind_of(copy.error)) != copy.error &&
	    report_kind_of(copy.error) != KIND_OTHER)
		abort();
	free(record);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes bytes = { data, size };
	char text[REPORT_MOST];
	struct gpurun_report report;
	size_t used;

	while ((used = report_unpack(bytes, &report)) != 0) {
		report_format(&report, text, sizeof(text));
		compare_copy(&report, text);
		bytes = (struct bytes){ bytes.data + used, bytes.size - used };
	}
	return 0;
}
