/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

#include "asserts.h"
#include "warp.h"

#include "lock.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *make_record(const struct warp *w, const struct op *ip, uint32_t lanes,
			 const struct about *about, const char *what)
{
	struct gpurun_report report = report_about(GPURUN_REPORT_FAULT, about, what);
	struct report_place place;

	place_add(w, ip, lanes, &place, &report);
	return report_copy(&report);
}

void fault_set(struct warp *w, const struct op *ip, uint32_t lanes, struct about about,
	       const char *fmt, ...)
{
	struct fault *fault = w->cta->launch->fault;
	char what[1024];
	va_list args;

	ASSERT(report_kind_error(about.kind));
	ASSERT(lanes);
	w->cta->progress.faulted = true;
	w->running = false;
	lock_acquire(&lock, LOCK_FAULT);
	if (!atomic_load(&fault->code)) {
		va_start(args, fmt);
		vsnprintf(what, sizeof(what), fmt, args);
		va_end(args);
		fault->record = make_record(w, ip, lanes, &about, what);
		atomic_store(&fault->code, report_kind_error(about.kind));
	}
	lock_release(&lock);
}

const char *trap_hint(const struct warp *w)
{
	/* A barrier of the grid that finds no workspace traps. */
	if (!w->cta->launch->cooperative && w->cta->code->workspace)
		return "; a barrier of the grid needs a cooperative launch, which this is not";
	return "";
}
