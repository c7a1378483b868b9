/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "warp.h"

#include "lock.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void fault_set(struct warp *w, const struct op *ip, uint32_t lanes, CUresult code,
	       const char *fmt, ...)
{
	struct fault *fault = w->cta->launch->fault;
	const size_t half = sizeof(fault->text) / 2;
	size_t used;
	va_list args;

	w->cta->faulted = true;
	w->running = false;
	lock_acquire(&lock, LOCK_FAULT);
	if (!atomic_load(&fault->code)) {
		va_start(args, fmt);
		vsnprintf(fault->text, half, fmt, args);
		va_end(args);
		used = strlen(fault->text);
		fault_place(w, ip, lanes, fault->text + used, sizeof(fault->text) - used);
		atomic_store(&fault->code, code);
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
