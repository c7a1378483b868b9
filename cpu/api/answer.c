/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "answer.h"

#include <pthread.h>
#include <stdatomic.h>

#include "driver.h"
#include "exec_share.h"
#include "grid.h"
#include "outcome.h"
#include "report_format.h"
#include "thread.h"

static void write_answer(void)
{
	struct gpurun_report report = report_none();

	driver_lock();
	if (driver_state() == DRIVER_READY && grid_oldest(&report)) {
		report.event = GPURUN_REPORT_RUNNING;
		outcome_log(&report);
	}
	driver_unlock();
}

static void *wait_for_question(void *shared)
{
	struct exec_counts *counts = shared;

	while (atomic_load(&counts->ask) != EXEC_ASKS_NOW)
		exec_wait(&counts->ask, EXEC_ASKS_LATER, NULL);
	write_answer();
	atomic_fetch_sub(&counts->answering, 1);
	exec_wake(&counts->answering);
	return NULL;
}

void answer_begin(void)
{
	struct exec_counts *counts = outcome_shared();
	pthread_t thread;

	if (!counts || atomic_load(&counts->ask) != EXEC_ASKS_LATER)
		return;
	atomic_fetch_add(&counts->answering, 1);
	if (thread_start(&thread, wait_for_question, counts))
		pthread_detach(thread);
	else
		atomic_fetch_sub(&counts->answering, 1);
}
