/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Any bytes: records are refused, or all their strings are inside them. */
#include "fuzz.h"
#include "report_format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes bytes = { data, size };
	char text[REPORT_MOST], record[REPORT_MOST];
	struct gpurun_report report;
	size_t used;

	while ((used = report_unpack(bytes, &report)) != 0) {
		report_format(&report, text, sizeof(text));
		report_pack(&report, record, sizeof(record));
		bytes = (struct bytes){ bytes.data + used, bytes.size - used };
	}
	return 0;
}
