/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "lock.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tap.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void in_order(void)
{
	lock_note(&a, LOCK_DRIVER);
	lock_note(&b, LOCK_ARENA);
	lock_forget(&b);
	lock_note(&b, LOCK_PROGRAM);
	lock_forget(&a); /* not the last one */
	lock_forget(&b);
	lock_note(&a, LOCK_STOP);
	lock_note(&a, LOCK_STOP); /* recursive */
}

static void reversed(void)
{
	lock_note(&a, LOCK_ARENA);
	lock_note(&b, LOCK_DRIVER);
}

static void alike(void)
{
	lock_note(&a, LOCK_LOOKUP);
	lock_note(&b, LOCK_LOOKUP);
}

static void still_held(void)
{
	lock_note(&a, LOCK_ARENA);
	lock_note(&b, LOCK_FINDINGS);
	lock_forget(&b);
	lock_note(&b, LOCK_DRIVER);
}

static void for_ever(void)
{
	for (int i = 0; i < 100; i++)
		lock_note(&a, LOCK_DRIVER);
}

/* What a process that does @run writes to stderr; whether it was aborted. */
static bool is_aborted(void (*run)(void), char *text, size_t size)
{
	int pipe_of[2], status;
	ssize_t n = 0;
	pid_t child;

	if (pipe(pipe_of))
		return false;
	child = fork();
	if (!child) {
		const struct rlimit none = { 0, 0 };

		setrlimit(RLIMIT_CORE, &none);
		signal(SIGABRT, SIG_DFL);
		dup2(pipe_of[1], 2);
		run();
		_exit(0);
	}
	close(pipe_of[1]);
	n = read(pipe_of[0], text, size - 1);
	text[n > 0 ? n : 0] = '\0';
	close(pipe_of[0]);
	waitpid(child, &status, 0);
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static void test_order(void)
{
	char text[256];

	CHECK(!is_aborted(in_order, text, sizeof(text)));
	CHECK_STR(text, "");
	CHECK(is_aborted(reversed, text, sizeof(text)));
	CHECK_STR(text, "gpurun: lock DRIVER is wanted by a thread that holds ARENA: see "
			"lock_ranks.def\n");
	CHECK(is_aborted(alike, text, sizeof(text)));
	CHECK_STR(text, "gpurun: lock LOOKUP is wanted by a thread that holds LOOKUP: see "
			"lock_ranks.def\n");
	CHECK(is_aborted(still_held, text, sizeof(text)));
	CHECK(is_aborted(for_ever, text, sizeof(text)));
}

static void test_block(void)
{
	{
		LOCKED_BY(&a, LOCK_DRIVER);
		CHECK(pthread_mutex_trylock(&a) != 0);
	}
	CHECK(!pthread_mutex_trylock(&a));
	pthread_mutex_unlock(&a);
}

static void test_held(void)
{
	CHECK(!lock_is_held(LOCK_ARENA));
	lock_note(&a, LOCK_DRIVER);
	lock_note(&b, LOCK_ARENA);
	CHECK(lock_is_held(LOCK_DRIVER) && lock_is_held(LOCK_ARENA));
	CHECK(!lock_is_held(LOCK_PROGRAM));
	lock_forget(&a);
	CHECK(!lock_is_held(LOCK_DRIVER) && lock_is_held(LOCK_ARENA));
	lock_forget(&b);
	CHECK(!lock_is_held(LOCK_ARENA));
}

int main(void)
{
	RUN(test_order);
	RUN(test_block);
	RUN(test_held);
	return tap_end();
}
