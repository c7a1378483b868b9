/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The public functions that say what failed, and what this library is; gpurun.h is their manual. */
#pragma GCC visibility push(default)
#include "gpurun.h"
#pragma GCC visibility pop

#include "api.h"
#include "report_fetch.h"

const char *gpurun_version(void)
{
	return GPURUN_VERSION_STRING;
}

const char *gpurun_status_name(enum gpurun_status status)
{
	static const char *const names[] = {
		[GPURUN_OK] = "ok",
		[GPURUN_INVALID] = "invalid argument",
		[GPURUN_HANDLE] = "bad handle",
		[GPURUN_UNINITIALIZED] = "not initialised",
		[GPURUN_ENDED] = "ended",
		[GPURUN_FORKED] = "forked",
		[GPURUN_NO_MEMORY] = "no memory",
		[GPURUN_IO] = "input or output",
		[GPURUN_FORMAT] = "bad format",
		[GPURUN_NO_IMAGE] = "no image",
		[GPURUN_NOT_FOUND] = "not found",
		[GPURUN_NO_DEVICE] = "no device",
		[GPURUN_DRIVER] = "driver failure",
		[GPURUN_LAUNCH] = "launch refused",
		[GPURUN_FAULT] = "kernel fault",
		[GPURUN_NOT_READY] = "not ready",
		[GPURUN_UNSUPPORTED] = "unsupported",
		[GPURUN_INTERNAL] = "internal error",
	};

	if ((size_t)status >= sizeof(names) / sizeof(names[0]))
		return "unknown status";
	return names[status];
}

const char *gpurun_error_text(void)
{
	const struct err *e = &api_record()->err;

	report_looked();
	return e->code ? e->text : "";
}

const char *gpurun_error_hint(void)
{
	const struct err *e = &api_record()->err;

	return e->code ? e->hint : "";
}

const char *gpurun_error_log(void)
{
	report_looked();
	return api_shown_log();
}

int gpurun_error_driver(void)
{
	report_looked();
	return api_record()->driver;
}

void gpurun_error_relay(void)
{
	report_relay();
}
