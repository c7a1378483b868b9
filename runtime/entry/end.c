/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "end.h"

#include <stdlib.h>
#include <unistd.h>

#include "api.h"
#include "cleanup.h"
#include "drain.h"
#include "exit_wait.h"
#include "nap.h"
#include "runtime.h"
#include "teardown.h"

/* A function passed to gpurun_on_end(). */
struct end_report {
	void (*call)(int status, void *data);
	void *data;
	struct end_report *next;
};

static void set_deadline(struct deadline *deadline)
{
	double seconds = exit_wait();
	struct timespec *at = &deadline->at;

	deadline->seconds = seconds;
	clock_gettime(CLOCK_MONOTONIC, at);
	at->tv_sec += (time_t)seconds;
	at->tv_nsec += (long)((seconds - (double)(time_t)seconds) * 1e9);
	if (at->tv_nsec >= 1000000000) {
		at->tv_nsec -= 1000000000;
		at->tv_sec++;
	}
}

bool deadline_is_past(const struct deadline *deadline)
{
	const struct timespec *at = &deadline->at;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec > at->tv_sec || (now.tv_sec == at->tv_sec && now.tv_nsec >= at->tv_nsec);
}

static bool wait_changed(const struct deadline *deadline)
{
	return !pthread_cond_clockwait(&runtime.changed, &runtime.lock, CLOCK_MONOTONIC,
				       &deadline->at);
}

#ifdef __has_feature /* clang's spelling */
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__ 1
#endif
#endif

#ifdef __SANITIZE_THREAD__
/* ThreadSanitizer does not know pthread_mutex_clocklock(). */
static bool lock_in_time(const struct deadline *deadline)
{
	struct timespec nap = NAP_FIRST;

	while (pthread_mutex_trylock(&runtime.lock)) {
		if (deadline_is_past(deadline))
			return false;
		nap_sleep(&nap);
	}
	return true;
}
#else
/* Polling may never succeed where other threads hold the lock nearly all the time. */
static bool lock_in_time(const struct deadline *deadline)
{
	return !pthread_mutex_clocklock(&runtime.lock, CLOCK_MONOTONIC, &deadline->at);
}
#endif

/* Notes that another thread did not leave in time, so that nothing can be released. */
static bool not_left(const struct deadline *deadline)
{
	struct err e;

	err_set(&e, GPURUN_NOT_READY, "a thread was still in a call of gpurun after %g s: "
		"nothing was released", deadline->seconds);
	api_failed(&e);
	return false;
}

/* Closes the gate; true when there is something to release and no call is inside. Under
 * the lock. */
static bool close_gate(const struct deadline *deadline)
{
	enum runtime_phase phase;
	bool in_time = true;

	while (in_time && runtime_phase() == PHASE_CLOSING)
		in_time = wait_changed(deadline);
	phase = runtime_phase();
	runtime_set_phase(PHASE_ENDED);
	if (!in_time)
		return not_left(deadline);
	/* The driver waits for a host function that calls exit(): it cannot be called
	 * now. */
	if (phase != PHASE_UP || api_record()->host_function)
		return false;
	while ((uint32_t)atomic_load(&runtime.gate))
		if (!wait_changed(deadline))
			return not_left(deadline);
	return true;
}

/* Ends the library: from now on calls are refused. True when things can be released. */
static bool end(const struct deadline *deadline)
{
	bool release;

	/* From inside one of our calls (a signal handler): it may hold the lock. */
	if (api_record()->inside) {
		runtime_set_phase(PHASE_ENDED);
		return false;
	}
	if (!lock_in_time(deadline)) {
		runtime_set_phase(PHASE_ENDED);
		return not_left(deadline);
	}
	release = close_gate(deadline);
	runtime_unlock();
	return release;
}

/* Each function sees the record as the teardown left it, whatever the previous one did. */
static void call_reports(int status)
{
	struct api_record record = *api_record();

	for (struct end_report *report = runtime.reports; report; report = report->next) {
		*api_record() = record;
		report->call(status, report->data);
	}
}

/* What cannot be waited for in time is left to the end of the process. */
static void exit_hook(void)
{
	struct deadline deadline;

	if (runtime_phase() >= PHASE_ENDED || runtime.pid != getpid())
		return;
	set_deadline(&deadline);
	api_clear();
	if (end(&deadline) && drain_devices(&deadline))
		teardown();
	call_reports(api_outside(&api_record()->err, GPURUN_OK));
}

/*
 * The parent's driver is no use to a child, and its state is the parent's. Another
 * thread of the parent may have held the lock.
 */
static void after_fork(void)
{
	enum runtime_phase phase = runtime.pid ? PHASE_FORKED : PHASE_DOWN;

	pthread_mutex_init(&runtime.lock, NULL);
	pthread_cond_init(&runtime.changed, NULL);
	atomic_store(&runtime.gate, GATE(phase));
}

static pthread_once_t prepared = PTHREAD_ONCE_INIT;
static int prepare_result;

static void prepare(void)
{
	prepare_result = pthread_atfork(NULL, NULL, after_fork);
}

int end_prepare(struct err *e)
{
	pthread_once(&prepared, prepare);
	if (prepare_result)
		return err_set(e, GPURUN_NO_MEMORY, "cannot register a fork handler");
	return 0;
}

int end_hook(void *library, struct err *e)
{
	if (runtime.hooked == library)
		return 0;
	runtime.pid = getpid();
	if (atexit(exit_hook))
		return err_set(e, GPURUN_NO_MEMORY, "cannot register an exit hook");
	runtime.hooked = library;
	return 0;
}

int end_add_report(void (*report)(int status, void *data), void *data, struct err *e)
{
	CLEANUP(free_pointer) struct end_report *added = calloc(1, sizeof(*added));
	struct end_report **last = &runtime.reports;
	bool ended;

	if (!report)
		return err_set(e, GPURUN_INVALID, "no function to call at the end: the pointer "
			       "is NULL");
	if (!added)
		return err_set(e, GPURUN_NO_MEMORY, "no memory for a report of the end");
	added->call = report;
	added->data = data;
	TRY(end_prepare(e));
	if (runtime_phase() == PHASE_FORKED)
		return api_refuse_phase(PHASE_FORKED, e);
	runtime_lock();
	ended = runtime_phase() == PHASE_ENDED;
	while (*last)
		last = &(*last)->next;
	if (!ended)
		*last = STEAL(added);
	runtime_unlock();
	if (ended)
		return api_refuse_phase(PHASE_ENDED, e);
	return 0;
}
