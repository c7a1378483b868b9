/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "kernel_time.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"
#include "state.h"

struct kernel_time {
	struct kernel_time *next;
	_Atomic uint64_t ns, ticks; /* that its blocks ran, by either clock */
	_Atomic uint64_t compiled;  /* ticks in compiled code */
	char name[];
};

/* Never removed: what was counted is reported at the end. */
static _Atomic(struct kernel_time *) times;

struct kernel_time *kernel_time_new(const char *name)
{
	const size_t size = strlen(name) + 1;
	struct kernel_time *time = calloc(1, sizeof(*time) + size);

	if (!time)
		return NULL;
	memcpy(time->name, name, size);
	time->next = atomic_load(&times);
	while (!atomic_compare_exchange_weak(&times, &time->next, time))
		;
	return time;
}

void kernel_time_add(struct cta *cta, uint64_t ns, uint64_t ticks)
{
	struct kernel_time *time = cta->code->time;
	uint64_t compiled = 0;

	for (uint32_t i = 0; i < cta->cluster->size; i++) {
		struct cta *member = cta->cluster->ctas[i];

		for (uint32_t k = 0; k < member->warp_count; k++) {
			compiled += member->warps[k].ticks;
			member->warps[k].ticks = 0;
		}
	}
	atomic_fetch_add(&time->ns, ns);
	atomic_fetch_add(&time->ticks, ticks);
	atomic_fetch_add(&time->compiled, compiled);
}

static void report_time(const char *name, uint64_t ns, double share)
{
	output_note("jit time: %s: %.1f %% of %.3f ms in compiled code", name, 100 * share,
		    (double)ns / 1e6);
}

void kernel_time_report(void)
{
	uint64_t all = 0;
	double compiled = 0;

	for (struct kernel_time *time = times; time; time = time->next) {
		const uint64_t ns = time->ns, ticks = time->ticks;
		const double share = ticks ? (double)time->compiled / (double)ticks : 0;

		report_time(time->name, ns, share);
		all += ns;
		compiled += share * (double)ns;
	}
	if (all)
		report_time("all kernels", all, compiled / (double)all);
}
