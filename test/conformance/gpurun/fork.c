/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Children of fork(): refused, and they end without touching what is their
 * parent's.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>

#include "ending.h"

static struct gpurun_module module;
static struct gpurun_stream stream;

/* A child has the memory of threads that it does not have: no leak of ours. */
static int is_forked_child;
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
	return is_forked_child;
}

/* Bytes of the stub's trace so far: what a child adds to it. */
static const char *trace;

static long trace_size(void)
{
	struct stat stat_of_trace;

	return stat(trace, &stat_of_trace) ? -1 : (long)stat_of_trace.st_size;
}

/* Runs @body in a child that then ends by @end, while this process has all in use. */
static void fork_and(void (*body)(void), void (*end)(int))
{
	long size = trace_size();
	int status = 0;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child) {
		is_forked_child = 1;
		wrong = 0;
		body();
		fflush(stdout);
		end(wrong);
	}
	waitpid(child, &status, 0);
	EXPECT(status, 0);
	EXPECT((int)(trace_size() - size), 0);
	EXPECT(launch1(kernel_of(module, "nothing"), stream, NULL), GPURUN_OK);
	EXPECT(gpurun_stream_synchronize(stream), GPURUN_OK);
}

static void refused_in_child(void)
{
	struct gpurun_stream other;

	EXPECT(gpurun_stream_create(device, &other), GPURUN_FORKED);
	EXPECT(gpurun_stream_destroy(stream), GPURUN_FORKED);
	EXPECT(gpurun_init(NULL), GPURUN_FORKED);
	EXPECT(gpurun_shutdown(), GPURUN_FORKED);
	if (!strstr(gpurun_error_text(), "fork"))
		wrong++;
}

static void nothing(void)
{
}

/* A grandchild is a child, too. */
static void fork_again(void)
{
	int status = 0;
	pid_t child = fork();

	if (!child) {
		refused_in_child();
		exit(wrong);
	}
	waitpid(child, &status, 0);
	EXPECT(status, 0);
}

/* Every way for a child to end. */
static void leave_with_children(void)
{
	static char path[] = "/tmp/gpurun-trace-XXXXXX";

	close(mkstemp(path));
	trace = path;
	setenv("GPURUN_STUB_TRACE", path, 1);
	ending_up();
	module = load();
	stream = new_stream();
	fork_and(refused_in_child, exit);
	fork_and(nothing, exit);
	fork_and(refused_in_child, _exit);
	fork_and(nothing, quick_exit);
	fork_and(fork_again, exit);
	unlink(path);
	exit(wrong);
}

/* Another thread may hold any lock of the library's when a process forks. */
static atomic_bool stop;

static void *busy_thread(void *unused)
{
	struct gpurun_stream mine;

	(void)unused;
	while (!atomic_load(&stop)) {
		EXPECT(gpurun_stream_create(device, &mine), GPURUN_OK);
		EXPECT(gpurun_stream_destroy(mine), GPURUN_OK);
	}
	return NULL;
}

static void fork_once(void)
{
	int status = 0;
	pid_t child = fork();

	if (!child) {
		is_forked_child = 1;
		alarm(5);
		wrong = 0;
		refused_in_child();
		exit(wrong);
	}
	waitpid(child, &status, 0);
	EXPECT(status, 0);
}

static void leave_forking(void)
{
	pthread_t threads[2];

	ending_up();
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, busy_thread, NULL);
	for (int i = 0; i < 50; i++)
		fork_once();
	atomic_store(&stop, true);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	exit(wrong);
}

/* A process without a driver may fork, and its child have one. */
static void leave_forked_before(void)
{
	int status = 0;
	pid_t child;

	EXPECT(gpurun_stream_destroy(stream), GPURUN_UNINITIALIZED);
	child = fork();
	if (!child) {
		ending_up();
		load();
		exit(wrong);
	}
	waitpid(child, &status, 0);
	EXPECT(status, 0);
	ending_up();
	load();
	exit(wrong);
}

/* What the parent had down before it forked, its driver had not. */
static void leave_forked_down(void)
{
	ending_up();
	EXPECT(gpurun_shutdown(), GPURUN_OK);
	fork_once();
	EXPECT(gpurun_init(NULL), GPURUN_OK);
	exit(wrong);
}

static const struct ending endings[] = {
	{ "children", leave_with_children },
	{ "forking", leave_forking },
	{ "forked-before", leave_forked_before },
	{ "forked-down", leave_forked_down },
};

static void test_children(void)
{
	ends_with("children", 0);
}

static void test_locks(void)
{
	ends_with("forking", 0);
}

static void test_without_driver(void)
{
	ends_with("forked-before", 0);
	ends_with("forked-down", 0);
}

int main(int argc, char **argv)
{
	if (ENDING_LEAVE(argc, argv, endings))
		return wrong;
	RUN(test_children);
	RUN(test_locks);
	RUN(test_without_driver);
	return tap_end();
}
