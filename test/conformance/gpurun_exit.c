/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The end of the process: each test runs this program again, which ends in some
 * way or other; its exit status says how many things were not as they should.
 */
#include <pthread.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kernels.h"

static struct gpurun_module module;
static struct gpurun_stream stream;
static uint64_t address;
static int wrong; /* what the ending process found wrong */

/* Prints what is wrong, for whoever reads the test's output. */
static void expect(int got, int want, const char *what)
{
	if (got == want)
		return;
	wrong++;
	printf("# at exit: %s answers %d, not %d: %s\n", what, got, want,
	       gpurun_error_text());
}
#define EXPECT(call, want) expect(call, want, #call)

/* Registered before the library came up, so it runs when the driver is gone. */
static void after_the_end(void)
{
	struct gpurun_stream other;

	EXPECT(gpurun_module_unload(module), GPURUN_OK);
	EXPECT(gpurun_stream_destroy(stream), GPURUN_OK);
	EXPECT(gpurun_memory_free(address), GPURUN_OK);
	if (gpurun_error_text()[0])
		wrong++;
	EXPECT(gpurun_stream_create(device, &other), GPURUN_ENDED);
	EXPECT(gpurun_stream_synchronize(stream), GPURUN_ENDED);
	EXPECT(gpurun_init(NULL), GPURUN_ENDED);
	EXPECT(gpurun_shutdown(), GPURUN_OK);
	fflush(stdout);
	if (wrong)
		_exit(wrong);
}

/* Registered after it, so it runs first: all is as in main. */
static void before_the_end(void)
{
	EXPECT(launch1(kernel_of(module, "nothing"), stream, NULL), GPURUN_OK);
	EXPECT(gpurun_stream_synchronize(stream), GPURUN_OK);
}

static void come_up(void)
{
	atexit(after_the_end);
	if (!up())
		_exit(50);
	atexit(before_the_end);
	module = load();
	stream = new_stream();
	address = alloc(64);
}

/* Ends with everything still there. */
static void leave(void)
{
	come_up();
	wrong += tap.failed;
	exit(0);
}

static void *exit_thread(void *unused)
{
	(void)unused;
	exit(0);
}

static void leave_from_thread(void)
{
	pthread_t thread;

	come_up();
	pthread_create(&thread, NULL, exit_thread, NULL);
	for (;;)
		pause();
}

static void call_exit(void *unused)
{
	(void)unused;
	exit(7);
}

static void leave_from_host_function(void)
{
	if (!up())
		_exit(50);
	stream = new_stream();
	gpurun_stream_host_function(stream, call_exit, NULL);
	for (;;)
		pause();
}

/* Kernels that wait for ever do not keep the process from ending. */
static void leave_while_busy(void)
{
	uint64_t mine, never;
	void *args[] = { &mine, &never };

	setenv("GPURUN_EXIT_WAIT", "0.3", 1);
	if (!up())
		_exit(50);
	mine = alloc(8);
	never = mine + 4;
	gpurun_memory_fill(mine, 0, 4, 2, no_stream);
	stream = new_stream();
	launch1(kernel_of(load(), "meet"), stream, args);
	exit(0);
}

static void leave_after_fault(void)
{
	if (!up())
		_exit(50);
	stream = new_stream();
	launch1(kernel_of(load(), "trap"), stream, NULL);
	exit(0);
}

/* A forked child is refused, and its exit leaves the parent's things alone. */
static void leave_from_child(void)
{
	struct gpurun_stream other;
	int status = 0;
	pid_t child;

	come_up();
	child = fork();
	if (!child) {
		EXPECT(gpurun_stream_create(device, &other), GPURUN_FORKED);
		EXPECT(gpurun_stream_destroy(stream), GPURUN_FORKED);
		EXPECT(gpurun_init(NULL), GPURUN_FORKED);
		EXPECT(gpurun_shutdown(), GPURUN_FORKED);
		if (!strstr(gpurun_error_text(), "fork"))
			wrong++;
		fflush(stdout);
		_exit(wrong);
	}
	waitpid(child, &status, 0);
	wrong += status != 0;
	child = fork();
	if (!child) {
		/* The hooks run; those of the test see a library that refuses. */
		wrong = 0;
		module.id = stream.id = address = 0;
		quick_exit(0);
	}
	waitpid(child, &status, 0);
	wrong += status != 0;
	exit(wrong);
}

/* The child runs the exit hook too: registered in the parent, harmless here. */
static void leave_child_by_exit(void)
{
	int status = 0;
	pid_t child;

	if (!up())
		_exit(50);
	stream = new_stream();
	child = fork();
	if (!child)
		exit(0);
	waitpid(child, &status, 0);
	wrong += status != 0;
	EXPECT(gpurun_stream_synchronize(stream), GPURUN_OK);
	EXPECT(gpurun_shutdown(), GPURUN_OK);
	exit(wrong);
}

/* The library was down before the fork, but its driver was not. */
static void leave_down(void)
{
	if (!up() || gpurun_shutdown())
		_exit(50);
	exit(0);
}

static const struct ending {
	const char *name;
	void (*leave)(void);
} endings[] = {
	{ "leave", leave },
	{ "thread", leave_from_thread },
	{ "host-function", leave_from_host_function },
	{ "busy", leave_while_busy },
	{ "fault", leave_after_fault },
	{ "child", leave_from_child },
	{ "child-exit", leave_child_by_exit },
	{ "down", leave_down },
};

/* Runs this program again to end as @name says; tells its wait status. */
static int ending(const char *name, double *seconds)
{
	struct timespec start, end;
	int status = -1;
	pid_t child;

	clock_gettime(CLOCK_MONOTONIC, &start);
	child = fork();
	if (!child) {
		execl("/proc/self/exe", "gpurun_exit", name, NULL);
		_exit(51);
	}
	waitpid(child, &status, 0);
	clock_gettime(CLOCK_MONOTONIC, &end);
	*seconds = (double)(end.tv_sec - start.tv_sec) +
		   (double)(end.tv_nsec - start.tv_nsec) * 1e-9;
	return status;
}

static void ends_with(const char *name, int code)
{
	double seconds;
	int status = ending(name, &seconds);

	CHECK(WIFEXITED(status));
	CHECK_INT(WEXITSTATUS(status), code);
	CHECK(seconds < 9); /* the exit hook's own limit is 10 */
}

static void test_leave(void)
{
	ends_with("leave", 0);
}

static void test_thread(void)
{
	ends_with("thread", 0);
}

static void test_host_function(void)
{
	ends_with("host-function", 7);
}

static void test_busy(void)
{
	ends_with("busy", 0);
}

static void test_fault(void)
{
	ends_with("fault", 0);
}

static void test_child(void)
{
	ends_with("child", 0);
}

static void test_child_exit(void)
{
	ends_with("child-exit", 0);
}

static void test_down(void)
{
	ends_with("down", 0);
}

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof(endings) / sizeof(endings[0]); i++)
		if (!strcmp(argv[1], endings[i].name))
			endings[i].leave();
	RUN(test_leave);
	RUN(test_thread);
	RUN(test_host_function);
	RUN(test_busy);
	RUN(test_fault);
	RUN(test_child);
	RUN(test_child_exit);
	RUN(test_down);
	return tap_end();
}
