/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "stop.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "asserts.h"
#include "awaited.h"
#include "exit.h"
#include "finish.h"
#include "halt.h"
#include "message.h"
#include "output.h"
#include "report.h"
#include "signals.h"

enum {
	GRACE_MS = 1000, /* what a signal leaves to what runs */
	LOOK_MS = 250,   /* for a main thread that changes what is to be reported */
	END_MS = 800,    /* the driver's end, which may hang; and after a second signal: */
	SHORT_MS = 250,
};

static struct {
	const struct options *options;
	bool over;  /* under halt_lock() */
	int parent; /* socket of a worker, or -1 */
} watch;

void stop_over(void)
{
	halt_lock();
	watch.over = true;
	halt_unlock();
	run_show(NULL);
}

/* ---- The thread that stops it --------------------------------------------------------- */

static uint64_t milliseconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

static int exit_code(const struct order *order)
{
	ASSERT(order->number >= 0 && (order->number || order->limit));
	return order->number ? EXIT_SIGNAL + order->number : EXIT_TIMEOUT;
}

/* @what says where the run was. */
static void say(const struct order *order, const char *what, struct err *e)
{
	if (order->number)
		err_set(e, GPURUN_FAULT, "stopped by signal %d (%s)%s", order->number,
			strsignal(order->number), what);
	else
		err_set(e, GPURUN_FAULT, "timed out after %g s%s", (double)order->limit / 1e9,
			what);
	message_at_once(e);
}

/* Says what is awaited; true when something was launched, which may still run. */
static bool say_awaited(const struct order *order, const struct run *run, struct err *e)
{
	char text[256], what[300] = "";

	awaited_describe(&run->awaiting, run, text, sizeof(text));
	if (*text)
		snprintf(what, sizeof(what), " while awaiting %s", text);
	say(order, what, e);
	return run->launched || *text;
}

/* The time is over, or a second signal has come, or the main thread stops here. */
static void wait_for_main(uint64_t until, struct order *order, bool *parked)
{
	struct order next;
	uint64_t now;

	while (!*parked && !order->now && (now = milliseconds()) < until) {
		if (!signals_next(&watch.parent, (int)(until - now), &next))
			continue;
		*parked |= next.parked;
		order->now |= next.now;
	}
}

/* Where one is wanted and not written yet. @run: NULL when what it did is not known. */
static int write_report(const struct run *run, const struct ending *ending, struct err *e)
{
	struct plan plan;
	const struct run nothing = { .plan = &plan };
	CLEANUP(free_report) struct report *report = NULL;

	plan_begin(watch.options, &plan);
	if (output_reported() || !report_wanted(plan.output))
		return 0;
	TRY(report_begin(run ? run : &nothing, &report, e));
	TRY(report_end(report, ending, e));
	return report_write(report, e);
}

/* What the main thread writes is abandoned, and the report written instead. */
static void report(const struct run *run, const struct order *order, const struct err *error)
{
	const struct ending ending = { .code = exit_code(order),
				       .history = run ? &run->history : NULL,
				       .stage = order->number ? "signal" : "timeout",
				       .error = error };
	struct err e = { 0 };

	/* As long as it takes; a second signal ends that too. */
	signals_limit(ending.code, order->now ? SHORT_MS : 0);
	if (finish_at_once(&ending, &e))
		message_at_once(&e);
	if (write_report(run, &ending, &e))
		message_at_once(&e);
}

/* How long the library may wait for what still runs when it releases everything. */
static void set_exit_wait(uint64_t left)
{
	char text[32];

	snprintf(text, sizeof(text), "%g", (double)left / 1000);
	setenv("GPURUN_EXIT_WAIT", text, 1);
}

/* Says it, and leaves what runs its time. @known: the lock is held. */
static bool leave_time(bool known, struct order *order, uint64_t until, struct err *e)
{
	bool work = false, parked = false;

	if (known && run_shown())
		work = say_awaited(order, run_shown(), e);
	else
		say(order, "", e);
	if (known)
		halt_unlock();
	if (work && order->number)
		wait_for_main(until, order, &parked);
	return parked;
}

/* The main thread does no more than what it does now, and may hang. */
static _Noreturn void stop_run(bool known, struct order *order)
{
	const uint64_t until = milliseconds() + GRACE_MS;
	struct err e = { 0 };
	bool parked = leave_time(known, order, until, &e);
	uint64_t now;

	known = halt_try(LOOK_MS); /* never dropped again */
	report(known ? run_shown() : NULL, order, &e);
	now = milliseconds();
	set_exit_wait(parked && now < until ? until - now : 0);
	signals_limit(exit_code(order), order->now ? SHORT_MS : END_MS);
	exit(exit_code(order));
}

/* The run was over before. Where its end does not take long, it is not disturbed. */
static _Noreturn void stop_end(struct order *order)
{
	bool never = false;
	struct err e = { 0 };

	if (order->number)
		wait_for_main(milliseconds() + GRACE_MS, order, &never);
	halt_begin();
	say(order, " at the end of the process", &e);
	report(NULL, order, &e);
	_exit(exit_code(order));
}

static _Noreturn void stop(struct order *order)
{
	bool known = halt_try(LOOK_MS);

	ASSERT(!order->parked);
	if (known && watch.over)
		stop_end(order);
	halt_begin();
	stop_run(known, order);
}

static void *wait_for_order(void *unused)
{
	struct order order = { 0 };

	(void)unused;
	halt_exempt();
	signals_take_limit();
	do {
		while (!signals_next(&watch.parent, -1, &order))
			;
	} while (order.parked);
	stop(&order);
}

int stop_watch(const struct options *options, int parent, struct err *e)
{
	pthread_t thread;

	ASSERT(!watch.options && parent >= -1);
	watch.options = options;
	watch.parent = parent;
	TRY(signals_install(e));
	/* To have it there when it is changed: other threads may read the environment. */
	if (setenv("GPURUN_EXIT_WAIT", "", 0) ||
	    pthread_create(&thread, NULL, wait_for_order, NULL))
		return err_set(e, GPURUN_NO_MEMORY, "cannot start a thread for signals");
	pthread_detach(thread);
	return 0;
}
