/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "note.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "error.h"
#include "report_format.h"
#include "symbol.h"

atomic_bool note_pending;
static atomic_bool out_of_memory[CUDART_CALLS];

static void note(int kind, const char *record, size_t number)
{
	if (cudart_phase() == PHASE_UP)
		cuda.gpurunCpuNote(kind, record, number);
}

static void note_report(int kind, const struct gpurun_report *report)
{
	char record[REPORT_MOST];

	note(kind, record, report_pack(report, record, sizeof(record)));
}

/* The name of the kernel that the host function or handle @launched is for; "": it is not known. */
static const char *kernel_name(const void *launched)
{
	const struct symbol *symbol = symbol_find(launched);

	return symbol && symbol->name ? symbol->name : "";
}

static void note_launch(struct gpurun_report report)
{
	struct thread *thread = &cudart_thread;
	const struct configuration *how = &thread->configurations[thread->configured];

	report.event = GPURUN_REPORT_LAUNCH;
	report.kind = report_kind_name(KIND_FAILED_LAUNCH);
	report.kernel = kernel_name(thread->launched);
	report.grid[0] = how->grid.x;
	report.grid[1] = how->grid.y;
	report.grid[2] = how->grid.z;
	report.block_size[0] = how->block.x;
	report.block_size[1] = how->block.y;
	report.block_size[2] = how->block.z;
	thread->unread = true;
	note_report(GPURUN_CPU_NOTE_LAUNCH, &report);
}

/* Allocated at the first failure that has a cause; of the thread, until its end. */
static _Thread_local char *cause;
enum { CAUSE_SIZE = 160 };

static pthread_once_t prepared = PTHREAD_ONCE_INIT;
static pthread_key_t at_thread_end;

static void release(void *text)
{
	cause = NULL;
	free(text);
}

static void prepare(void)
{
	pthread_key_create(&at_thread_end, release);
}

cudaError_t note_cause(cudaError_t error, const char *fmt, ...)
{
	va_list args;

	pthread_once(&prepared, prepare);
	if (!cause)
		cause = calloc(1, CAUSE_SIZE);
	pthread_setspecific(at_thread_end, cause);
	if (!cause)
		return error;
	va_start(args, fmt);
	vsnprintf(cause, CAUSE_SIZE, fmt, args);
	va_end(args);
	return error;
}

void note_failure(enum cudart_call call, const char *name, cudaError_t error)
{
	const bool launch = call == CALL_cudaLaunchKernel || call == CALL___cudaLaunchKernel;
	struct gpurun_report report = report_none();

	report.call = name;
	report.error = (int)error;
	report.error_name = error_name(error);
	report.what = cause ? cause : "";
	if (error == cudaErrorMemoryAllocation) {
		atomic_store(&out_of_memory[call], true);
		atomic_store(&note_pending, true);
	}
	/* The first needs the cause of the driver's call, which the second one forgets. */
	if (launch && cudart_thread.launched)
		note_launch(report);
	note_report(GPURUN_CPU_NOTE_CALL, &report);
	if (cause)
		cause[0] = '\0';
}

void note_success(enum cudart_call call, const char *name)
{
	if (atomic_exchange(&out_of_memory[call], false))
		note(GPURUN_CPU_NOTE_WORKED, name, 0);
}

void note_last(cudaError_t last)
{
	if (cudart_thread.unread)
		note(GPURUN_CPU_NOTE_READ, NULL, 0);
	cudart_thread.unread = false;
	if (last)
		note(GPURUN_CPU_NOTE_LOOKED, NULL, (size_t)last);
}

void note_asked(cudaError_t error)
{
	if (error)
		note(GPURUN_CPU_NOTE_LOOKED, NULL, (size_t)error);
}

void note_reset(void)
{
	note(GPURUN_CPU_NOTE_RECOVERED, NULL, 0);
}
