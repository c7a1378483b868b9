/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "report.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "arena.h"
#include "cleanup.h"
#include "config.h"
#include "context.h"
#include "entry.h"
#include "exports.h"
#include "finding.h"
#include "leftover.h"

static char report[REPORT_SIZE];
static bool muted; /* the program has called gpurunCpuReport() */

void report_set(const char *fmt, ...)
{
	va_list args;
	size_t length;

	va_start(args, fmt);
	vsnprintf(report, sizeof(report), fmt, args);
	va_end(args);
	length = strlen(report);
	if (!muted && length)
		fprintf(stderr, "%s%s", report, report[length - 1] == '\n' ? "" : "\n");
}

void report_set_quietly(const char *text)
{
	snprintf(report, sizeof(report), "%s", text);
}

void report_clear(void)
{
	report[0] = '\0';
}

/* Whoever asks is done with its kernels: what they have kept on the heap is lost. */
static void tell_heap(void)
{
	static atomic_bool told;

	if (config.check & CHECK_LEAK && !atomic_exchange(&told, true))
		arena_tell_leaks(1u << BLOCK_HEAP, NULL, 0);
}

static CUresult next_finding(char *text, size_t size)
{
	tell_heap();
	if (size)
		finding_take(text, size);
	return CUDA_SUCCESS;
}

static CUresult set_leftover(bool on)
{
	pthread_mutex_lock(&driver_mutex);
	if (on)
		leftover_begin();
	else
		leftover_end();
	pthread_mutex_unlock(&driver_mutex);
	return CUDA_SUCCESS;
}

/* Answers in any state but after the end: a failed cuInit has a report too. */
CUresult gpurunCpuReport(int kind, char *text, size_t size)
{
	if (driver_ended())
		return CUDA_ERROR_DEINITIALIZED;
	if (size && !text)
		return CUDA_ERROR_INVALID_VALUE;
	if (kind == GPURUN_CPU_REPORT_FINDING)
		return next_finding(text, size);
	if (kind == GPURUN_CPU_REPORT_LEFT || kind == GPURUN_CPU_REPORT_LEFT_END)
		return set_leftover(kind == GPURUN_CPU_REPORT_LEFT);
	if (kind != GPURUN_CPU_REPORT_FAULT)
		return CUDA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&driver_mutex);
	muted = true;
	while (size && context_report_pending() && !driver_ended())
		wait_change();
	if (size)
		snprintf(text, size, "%s", report);
	pthread_mutex_unlock(&driver_mutex);
	return CUDA_SUCCESS;
}
