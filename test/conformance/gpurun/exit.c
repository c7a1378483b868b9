/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The ways a process ends: who calls exit(), or what instead of it, and what is
 * going on then. In what order things go at the end: gpurun_end_order. Children of
 * fork(): gpurun_fork.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>

#include "ending.h"

enum { THREADS = 8 };

static struct gpurun_module module;
static struct gpurun_stream stream;
static uint64_t address;

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

/* Comes up with a little of everything. */
static void come_up(void)
{
	atexit(after_the_end);
	ending_up();
	atexit(before_the_end);
	module = load();
	stream = new_stream();
	address = alloc(64);
}

static void leave_by_return(void)
{
	come_up();
	wrong += tap.failed;
}

static void leave_by_exit(void)
{
	come_up();
	exit(0);
}

/* Starts a thread that is never joined: the process ends before. */
static void start_thread(void *(*body)(void *), void *data)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, body, data) || pthread_detach(thread))
		_exit(54);
}

static void *exit_thread(void *unused)
{
	(void)unused;
	exit(0);
}

static void leave_from_thread(void)
{
	come_up();
	start_thread(exit_thread, NULL);
	for (;;)
		pause();
}

/* The main thread's part of the work goes on while another one exits. */
static void leave_from_thread_at_work(void)
{
	come_up();
	start_thread(exit_thread, NULL);
	for (;;)
		gpurun_stream_synchronize(stream);
}

static void call_exit(void *unused)
{
	(void)unused;
	exit(7);
}

static void leave_from_host_function(void)
{
	ending_up();
	stream = new_stream();
	gpurun_stream_host_function(stream, call_exit, NULL);
	for (;;)
		pause();
}

/* While a host function runs, which the end waits for. */
static atomic_int host_function_done;

static void take_long(void *unused)
{
	(void)unused;
	usleep(200 * 1000);
	atomic_store(&host_function_done, 1);
}

static void expect_done(void)
{
	EXPECT(atomic_load(&host_function_done), 1);
	if (wrong)
		_exit(wrong);
}

static void leave_during_host_function(void)
{
	atexit(expect_done);
	ending_up();
	EXPECT(gpurun_stream_host_function(new_stream(), take_long, NULL), GPURUN_OK);
	exit(0);
}

static void exit_again(void)
{
	exit(9);
}

/* exit() from a handler, before the library's own has run and after it. */
static void leave_from_handler_before(void)
{
	come_up();
	atexit(exit_again);
	exit(0);
}

static void leave_from_handler_after(void)
{
	atexit(exit_again);
	come_up();
	exit(0);
}

/* Neither runs the exit hook; the driver lives. */
static void still_alive(void)
{
	EXPECT(gpurun_stream_synchronize(stream), GPURUN_OK);
	EXPECT(gpurun_module_unload(module), GPURUN_OK);
	fflush(stdout);
	_exit(wrong);
}

static void leave_quickly(void)
{
	come_up();
	at_quick_exit(still_alive);
	quick_exit(77);
}

static void leave_at_once(void)
{
	come_up();
	_exit(0);
}

static void leave_by_sigterm(void)
{
	come_up();
	raise(SIGTERM);
}

static void leave_by_sigint(void)
{
	come_up();
	raise(SIGINT);
}

/* Kernels that wait for ever do not keep the process from ending. */
static void leave_while_busy(void)
{
	setenv("GPURUN_EXIT_WAIT", "1", 1);
	ending_up_busy();
	exit(0);
}

/* Nor do they when another thread waits for them. */
static void *wait_thread(void *unused)
{
	(void)unused;
	gpurun_stream_synchronize(stream);
	gpurun_stream_synchronize(stream);
	return NULL;
}

static void leave_while_waited_for(void)
{
	setenv("GPURUN_EXIT_WAIT", "0.5", 1);
	stream = ending_up_busy();
	start_thread(wait_thread, NULL);
	usleep(50 * 1000);
	exit(0);
}

/* How far the time of day is ahead: it may be set back by as much at any moment. */
static long ahead;

__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, struct timespec *time)
{
	const int result = (int)syscall(SYS_clock_gettime, clock, time);

	if (clock == CLOCK_REALTIME)
		time->tv_sec += ahead;
	return result;
}

/* Nor when the time of day is set back while the end waits. */
static void leave_set_back(void)
{
	ahead = 3600;
	alarm(20);
	leave_while_waited_for();
}

/* A kernel that still runs is waited for: what it wrote is there. */
static uint32_t results[2];

static void expect_results(void)
{
	EXPECT((int)results[0], executes() ? 1 : 0);
	if (wrong)
		_exit(wrong);
}

static void leave_with_work(void)
{
	uint64_t out;
	void *args[] = { &out };

	atexit(expect_results);
	ending_up();
	stream = new_stream();
	out = alloc(4);
	EXPECT(gpurun_memory_fill(out, 0, 4, 1, no_stream), GPURUN_OK);
	EXPECT(gpurun_stream_host_function(stream, take_long, NULL), GPURUN_OK);
	EXPECT(launch1(kernel_of(load(), "bump"), stream, args), GPURUN_OK);
	EXPECT(gpurun_memory_copy(host(results), out, 4, stream), GPURUN_OK);
	exit(0);
}

static void leave_after_fault(void)
{
	ending_up();
	stream = new_stream();
	launch1(kernel_of(load(), "trap"), stream, NULL);
	exit(0);
}

/* The driver's own end comes first, or between two steps of the teardown. */
static void leave_without_driver(void)
{
	setenv("GPURUN_STUB_GONE", "cuCtxSynchronize", 1);
	come_up();
	exit(0);
}

static void leave_without_driver_half_way(void)
{
	setenv("GPURUN_STUB_GONE", "cuModuleUnload", 1);
	come_up();
	exit(0);
}

/* Threads at work are refused from some point on, and nothing worse. */
static void *use_thread(void *kernel)
{
	struct gpurun_stream mine;

	for (;;) {
		gpurun_stream_create(device, &mine);
		launch1(*(struct gpurun_kernel *)kernel, mine, NULL);
		gpurun_stream_destroy(mine);
	}
	return NULL;
}

/* These see the last shutdown, too. */
static void *cycle_thread(void *unused)
{
	struct gpurun_device mine;
	struct gpurun_module loaded;

	(void)unused;
	for (;;) {
		gpurun_init(NULL);
		gpurun_device_get(0, &mine);
		gpurun_module_load(mine, kernels_ptx, 0, &loaded);
		gpurun_shutdown();
	}
	return NULL;
}

static void leave_with_threads(void *(*body)(void *))
{
	static struct gpurun_kernel kernel;

	ending_up();
	kernel = kernel_of(load(), "nothing");
	for (int i = 0; i < THREADS; i++)
		start_thread(body, &kernel);
	usleep(30 * 1000);
	exit(0);
}

static void leave_with_users(void)
{
	leave_with_threads(use_thread);
}

static void leave_with_cycles(void)
{
	leave_with_threads(cycle_thread);
}

/* So that the library goes down and comes up again meanwhile. */
static void *down_thread(void *unused)
{
	gpurun_shutdown();
	return cycle_thread(unused);
}

static void leave_between_cycles(void)
{
	leave_with_threads(down_thread);
}

/* The library is down, its driver is not. */
static void leave_down(void)
{
	ending_up();
	EXPECT(gpurun_shutdown(), GPURUN_OK);
}

static const struct ending endings[] = {
	{ "return", leave_by_return },
	{ "exit", leave_by_exit },
	{ "thread", leave_from_thread },
	{ "thread-at-work", leave_from_thread_at_work },
	{ "host-function", leave_from_host_function },
	{ "during-host-function", leave_during_host_function },
	{ "handler-before", leave_from_handler_before },
	{ "handler-after", leave_from_handler_after },
	{ "quick-exit", leave_quickly },
	{ "at-once", leave_at_once },
	{ "sigterm", leave_by_sigterm },
	{ "sigint", leave_by_sigint },
	{ "busy", leave_while_busy },
	{ "waited-for", leave_while_waited_for },
	{ "set-back", leave_set_back },
	{ "work", leave_with_work },
	{ "fault", leave_after_fault },
	{ "gone", leave_without_driver },
	{ "gone-half-way", leave_without_driver_half_way },
	{ "users", leave_with_users },
	{ "cycles", leave_with_cycles },
	{ "between-cycles", leave_between_cycles },
	{ "down", leave_down },
};

static void test_exit(void)
{
	ends_with("return", 0);
	ends_with("exit", 0);
	ends_with("down", 0);
}

static void test_thread(void)
{
	ends_with("thread", 0);
	ends_with("thread-at-work", 0);
}

static void test_host_function(void)
{
	ends_leaving("host-function", 7);
	ends_with("during-host-function", 0);
}

static void test_handler(void)
{
	ends_with("handler-before", 9);
	ends_with("handler-after", 9);
}

static void test_without_the_hook(void)
{
	ends_leaving("quick-exit", 0);
	ends_leaving("at-once", 0);
}

static void ends_by(const char *name, int signal)
{
	struct ended ended = ending_run(name);

	CHECK(WIFSIGNALED(ended.status) && WTERMSIG(ended.status) == signal);
	CHECK_STR(ended.said, "");
}

/* The library has no signal handlers. */
static void test_signals(void)
{
	ends_by("sigterm", SIGTERM);
	ends_by("sigint", SIGINT);
}

static void test_work(void)
{
	ends_with("work", 0);
}

/* promise: Seconds that the end */
static void test_never_ends(void)
{
	struct ended ended = ends_leaving("busy", 0);

	CHECK(ended.seconds >= 1 && ended.seconds < 4);
	if (on_stub()) /* where a wait is over at once */
		return;
	ends_leaving("waited-for", 0);
	ends_leaving("set-back", 0);
}

static void test_fault(void)
{
	ends_with("fault", 0);
}

static void test_driver_gone(void)
{
	if (!on_stub())
		return; /* only the stub goes when it is told to */
	ends_leaving("gone", 0);
	ends_leaving("gone-half-way", 0);
}

static void test_threads(void)
{
	ends_with("users", 0);
	ends_with("cycles", 0);
	ends_with("between-cycles", 0);
}

int main(int argc, char **argv)
{
	if (ENDING_LEAVE(argc, argv, endings))
		return wrong;
	RUN(test_exit);
	RUN(test_thread);
	RUN(test_host_function);
	RUN(test_handler);
	RUN(test_without_the_hook);
	RUN(test_signals);
	RUN(test_work);
	RUN(test_never_ends);
	RUN(test_fault);
	RUN(test_driver_gone);
	RUN(test_threads);
	return tap_end();
}
