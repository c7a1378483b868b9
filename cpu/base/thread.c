/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "thread.h"

#include <signal.h>

/*
 * A thread inherits the mask of the one that starts it. A fault of the program, in a function that
 * a stream calls, has to reach its handler.
 */
bool thread_start(pthread_t *thread, void *(*main)(void *), void *argument)
{
	sigset_t all, old;
	bool started;

	sigfillset(&all);
	sigdelset(&all, SIGSEGV);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	started = !pthread_create(thread, NULL, main, argument);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return started;
}
