/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "signals.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "asserts.h"
#include "exit.h"

enum {
	LONGEST_MS = 1800, /* from the first signal to the end, whatever hangs */
	SHORT_MS = 250,	   /* from the second */
};

static const int handled[] = { SIGINT, SIGTERM, SIGHUP };
static struct sigaction old_size; /* of SIGXFSZ, before signals_prepare() */
static bool prepared;

static int pipe_fds[2];
static timer_t timer;
static atomic_int count, status;

static bool is_ignored(int number)
{
	struct sigaction old;

	return !sigaction(number, NULL, &old) && old.sa_handler == SIG_IGN;
}

void signals_wanted(sigset_t *set)
{
	sigemptyset(set);
	for (size_t i = 0; i < sizeof(handled) / sizeof(handled[0]); i++)
		if (!is_ignored(handled[i]))
			sigaddset(set, handled[i]);
}

void signals_prepare(void)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };

	prepared = !sigaction(SIGXFSZ, &ignore, &old_size);
}

void signals_restore(void)
{
	if (prepared)
		sigaction(SIGXFSZ, &old_size, NULL);
}

/* ---- What handlers do: nothing but what is safe there ------------------------ */

static void limit(int milliseconds)
{
	const struct itimerspec at = {
		.it_value = { milliseconds / 1000, milliseconds % 1000 * 1000000L },
	};

	timer_settime(timer, 0, &at, NULL);
}

static void send_order(const struct order *order)
{
	static_assert(sizeof(*order) <= PIPE_BUF, "what handlers and threads write is not mixed");
	/* Where the pipe is full, there are more than enough of them. */
	if (write(pipe_fds[1], order, sizeof(*order)) < 0)
		return;
}

static void on_signal(int number)
{
	struct order order = { .number = number };
	int saved = errno, before = atomic_fetch_add(&count, 1);

	if (before > 1)
		_exit(atomic_load(&status));
	if (!before)
		atomic_store(&status, EXIT_SIGNAL + number);
	limit(before ? SHORT_MS : LONGEST_MS);
	order.now = before;
	send_order(&order);
	errno = saved;
}

static void on_limit(int number)
{
	(void)number;
	_exit(atomic_load(&status));
}

/* ---- The thread that stops the run --------------------------------------------- */

static int failed(const char *what, struct err *e)
{
	return err_set(e, GPURUN_INTERNAL, "cannot watch for signals: %s: %s", what,
		       strerror(errno));
}

int signals_install(struct err *e)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	const struct sigaction limited = { .sa_handler = on_limit };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM };
	sigset_t wanted;

	ASSERT(!pipe_fds[1]); /* one time */
	if (pipe2(pipe_fds, O_CLOEXEC | O_NONBLOCK))
		return failed("pipe", e);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer))
		return failed("timer", e);
	signals_wanted(&wanted);
	sigaction(SIGALRM, &limited, NULL);
	for (size_t i = 0; i < sizeof(handled) / sizeof(handled[0]); i++)
		if (sigismember(&wanted, handled[i]))
			sigaction(handled[i], &action, NULL);
	return 0;
}

bool signals_next(int *parent, int milliseconds, struct order *order)
{
	struct pollfd fds[2] = { { .fd = pipe_fds[0], .events = POLLIN },
				 { .fd = *parent, .events = POLLIN } };

	if (poll(fds, 2, milliseconds) <= 0)
		return false;
	if (fds[0].revents && read(pipe_fds[0], order, sizeof(*order)) == sizeof(*order))
		return true;
	if (!fds[1].revents)
		return false;
	if (recv(*parent, order, sizeof(*order), MSG_DONTWAIT) == sizeof(*order))
		return true;
	*parent = -1;
	return false;
}

void signals_parked(void)
{
	send_order(&(struct order){ .parked = true });
}

void signals_limit(int code, int milliseconds)
{
	ASSERT(code >= 0 && milliseconds >= 0);
	atomic_store(&status, code);
	limit(milliseconds);
}

void signals_take_limit(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}
