/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "library.h"

#include "fault.h"

static void note_fault(void)
{
	struct gpurun_report report = { .struct_size = sizeof(report) };

	if (!gpurun_report_get(GPURUN_REPORT_FAULT, &report))
		fault_note(gpurun_error_driver(), &report);
}

int library_status(int status, struct err *e)
{
	if (!status)
		return 0;
	if (status == GPURUN_INVALID && gpurun_error_driver())
		status = GPURUN_DRIVER;
	if (status == GPURUN_FAULT)
		note_fault();
	err_set(e, (enum gpurun_status)status, "%s", gpurun_error_text());
	if (*gpurun_error_hint())
		err_hint(e, "%s", gpurun_error_hint());
	return status;
}
