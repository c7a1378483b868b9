/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "asserts.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tap.h"

/* Counts how often it is called. */
static int evaluated;

static bool count(bool result)
{
	evaluated++;
	return result;
}

/* What a process that asserts @holds writes to stderr; its status is as waitpid() stores it. */
static int assert_in_child(bool holds, char *text, size_t size)
{
	int pipe_of[2], status = 0;
	ssize_t n;
	pid_t child;

	if (pipe(pipe_of))
		return -1;
	child = fork();
	if (!child) {
		const struct rlimit none = { 0, 0 };

		setrlimit(RLIMIT_CORE, &none);
		signal(SIGABRT, SIG_DFL);
		dup2(pipe_of[1], 2);
		ASSERT(count(holds) && "the reason");
		_exit(evaluated);
	}
	close(pipe_of[1]);
	n = read(pipe_of[0], text, size - 1);
	text[n > 0 ? n : 0] = '\0';
	close(pipe_of[0]);
	waitpid(child, &status, 0);
	return status;
}

static void test_true(void)
{
	char text[256];
	int status = assert_in_child(true, text, sizeof(text));

	CHECK(WIFEXITED(status));
	CHECK(WEXITSTATUS(status) == ASSERTS);
	CHECK_STR(text, "");
}

static void test_false(void)
{
	char text[256], *after = text;
	int status = assert_in_child(false, text, sizeof(text));

	if (!ASSERTS) {
		CHECK(WIFEXITED(status));
		CHECK(WEXITSTATUS(status) == 0);
		CHECK_STR(text, "");
		return;
	}
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	CHECK(strstr(text, "gpurun: ") == text);
	CHECK(strstr(text, "asserts.c:"));
	after = strstr(text, ": this does not hold: ");
	CHECK_STR(after ? after : "", ": this does not hold: count(holds) && \"the reason\"\n");
}

/* An expression, as a call of a function would be. */
static void test_expression(void)
{
	const int two = (ASSERT(1 + 1 == 2), 2);

	CHECK(two == 2);
}

int main(void)
{
	RUN(test_true);
	RUN(test_false);
	RUN(test_expression);
	return tap_end();
}
