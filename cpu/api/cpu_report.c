/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* gpurunCpuReport(): reports of faults and findings. */
#include <stdatomic.h>

#include "arena.h"
#include "config.h"
#include "context.h"
#include "entry.h"
#include "exports.h"
#include "findings.h"
#include "leftover.h"
#include "report.h"

/* The caller has ended its kernels: what they have allocated on the heap is leaked. */
static void report_heap(void)
{
	static atomic_bool reported;

	if (config.check & CHECK_LEAK && !atomic_exchange(&reported, true))
		arena_report_leaks(1u << BLOCK_HEAP, NULL, 0);
}

static CUresult next_finding(char *text, size_t size)
{
	report_heap();
	if (size)
		finding_pop(text, size);
	return CUDA_SUCCESS;
}

static CUresult set_leftover(bool on)
{
	driver_lock();
	if (on)
		leftover_begin();
	else
		leftover_end();
	driver_unlock();
	return CUDA_SUCCESS;
}

/* Works in any state except after the end or a fork: a failed cuInit has a report too. */
CUresult gpurunCpuReport(int kind, char *text, size_t size)
{
	/* Before any lock: a forked child has those of its parent as they were. */
	if (driver_ended() || driver_state() == DRIVER_FORKED)
		return driver_result();
	if (size && !text)
		return CUDA_ERROR_INVALID_VALUE;
	if (kind == GPURUN_CPU_REPORT_FINDING)
		return next_finding(text, size);
	if (kind == GPURUN_CPU_REPORT_LEFT || kind == GPURUN_CPU_REPORT_LEFT_END)
		return set_leftover(kind == GPURUN_CPU_REPORT_LEFT);
	if (kind != GPURUN_CPU_REPORT_FAULT)
		return CUDA_ERROR_INVALID_VALUE;
	driver_lock();
	report_mute();
	while (size && context_report_pending() && !driver_ended())
		wait_change();
	if (size)
		report_copy(text, size);
	driver_unlock();
	return CUDA_SUCCESS;
}
