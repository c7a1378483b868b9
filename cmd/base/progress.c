/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "progress.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "cleanup.h"
#include "demangle.h"
#include "gpurun.h"
#include "image_search.h"
#include "lock.h"
#include "status_line.h"

enum { PATIENCE_MS = 1000, PERIOD_MS = 250 };

static bool wanted;

/* What is being done; under its lock. */
static struct {
	pthread_mutex_t lock;
	struct progress progress;
	uint64_t number; /* of this activity */
	uint64_t begin;  /* milliseconds */
	bool started;    /* the thread */
} now = { .lock = PTHREAD_MUTEX_INITIALIZER };

static uint64_t milliseconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

/* ---- The thread ------------------------------------------------------------------------- */

/* Copies what is to be shown; false: nothing has lasted long enough. */
static bool read_now(struct progress *progress, uint64_t *number)
{
	uint64_t lasted;

	LOCKED_BY(&now.lock, LOCK_PROGRESS);
	lasted = milliseconds() - now.begin;
	if (now.progress.kind == PROGRESS_NONE || lasted < PATIENCE_MS)
		return false;
	*progress = now.progress;
	progress->seconds = lasted / 1000;
	*number = now.number;
	return true;
}

/* "scale<float>" of a kernel as the image names it; owned by the caller, NULL: no memory. */
static char *show_kernel(const char *name)
{
	CLEANUP(free_pointer) char *signature = demangle(name);

	return signature ? demangle_qualified(signature) : NULL;
}

/* What the CPU device runs, and how far it is. *@name is owned by the caller. */
static void ask_device(struct progress *progress, char **name)
{
	struct gpurun_report report = { .struct_size = sizeof(report) };

	if (gpurun_report_get(GPURUN_REPORT_RUNNING, &report) ||
	    report.event != GPURUN_REPORT_RUNNING)
		return;
	progress->done = report.count;
	progress->total = (uint64_t)report.grid[0] * report.grid[1] * report.grid[2];
	*name = show_kernel(report.kernel);
	if (*name)
		progress->name = *name;
}

/* Without the lock: the device may write to the terminal while it holds its own. */
static void refresh(void)
{
	CLEANUP(free_pointer) char *name = NULL;
	struct progress progress;
	char line[PROGRESS_LINE];
	uint64_t number;

	if (!read_now(&progress, &number))
		return;
	if (progress.kind == PROGRESS_RUN)
		ask_device(&progress, &name);
	else if (progress.kind == PROGRESS_SCAN)
		progress.done = image_search_reached(&progress.total);
	LOCKED_BY(&now.lock, LOCK_PROGRESS);
	if (number != now.number) /* it has ended, and its name with it */
		return;
	progress_line(&progress, status_line_columns(), line);
	status_line_show(line);
}

static _Noreturn void *watch(void *unused)
{
	const struct timespec period = { 0, PERIOD_MS * 1000000L };

	(void)unused;
	for (;;) {
		nanosleep(&period, NULL);
		refresh();
	}
}

/* Without a thread there is no line. It receives no signals. */
static void start_thread(void)
{
	pthread_t thread;
	sigset_t all, old;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	if (!pthread_create(&thread, NULL, watch, NULL))
		pthread_detach(thread);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* ---- What is being done ----------------------------------------------------------------- */

void progress_want(void)
{
	wanted = status_line_begin();
}

static void set(const struct progress *progress)
{
	LOCKED_BY(&now.lock, LOCK_PROGRESS);
	now.progress = *progress;
	now.number++;
	now.begin = milliseconds();
	status_line_hide();
	if (progress->kind != PROGRESS_NONE && !now.started)
		start_thread();
	now.started |= progress->kind != PROGRESS_NONE;
}

void progress_begin(enum progress_kind kind, const char *name, uint64_t done, uint64_t total)
{
	if (wanted)
		set(&(struct progress){ kind, name, done, total, 0 });
}

void progress_reached(uint64_t done)
{
	if (!wanted)
		return;
	LOCKED_BY(&now.lock, LOCK_PROGRESS);
	now.progress.done = done;
}

void progress_end(void)
{
	if (wanted)
		set(&(struct progress){ .kind = PROGRESS_NONE });
}
