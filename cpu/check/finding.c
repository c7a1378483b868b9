/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "finding.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "asserts.h"
#include "findings.h"
#include "state.h"

/* Of the kernel's name, the line of its PTX, and the check. */
static uint64_t key_of(const struct warp *w, const struct op *ip, enum check check)
{
	const struct code *code = w->cta->code;
	const uint64_t key = finding_key(w->cta->launch->kernel->name, check);

	ASSERT(ip >= code->ops && (size_t)(ip - code->ops) < code->op_count);
	return (key ^ code->lines[ip - code->ops]) * 0x100000001b3u;
}

bool finding_is_news(const struct warp *w, const struct op *ip, enum check check)
{
	return finding_is_new(key_of(w, ip, check));
}

void finding_add(const struct warp *w, const struct op *ip, uint32_t lanes, enum check check,
		 struct about about, const char *fmt, ...)
{
	char what[FINDING_SIZE];
	struct gpurun_report report;
	struct report_place place;
	va_list args;

	ASSERT(lanes);
	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	report = report_about(GPURUN_REPORT_FINDING, &about, what);
	report.check = finding_name(check);
	place_add(w, ip, lanes, &place, &report);
	finding_print(key_of(w, ip, check), &report);
}
