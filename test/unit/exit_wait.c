/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "exit_wait.h"
#include "tap.h"

static double wait_of(const char *text)
{
	setenv("GPURUN_EXIT_WAIT", text, 1);
	return exit_wait();
}

/* promise: Default 10. */
static void test_default(void)
{
	unsetenv("GPURUN_EXIT_WAIT");
	CHECK(exit_wait() == 10);
	CHECK(wait_of("") == 10);
	CHECK(wait_of("soon") == 10);
	CHECK(wait_of("5s") == 10);
	CHECK(wait_of("-1") == 10);
	CHECK(wait_of("nan") == 10);
}

/* promise: Seconds that the end */
static void test_seconds(void)
{
	CHECK(wait_of("0") == 0);
	CHECK(wait_of("0.5") == 0.5);
	CHECK(wait_of("60") == 60);
	CHECK(wait_of("1e9") == 86400);
}

int main(void)
{
	RUN(test_default);
	RUN(test_seconds);
	return tap_end();
}
