/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The ways a process ends: who calls exit(), what is going on then, and what handlers
 * may still call. Children of fork(): cudart_fork; libraries that go: cudart_unload.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "cudart_process.h"
#include "sanitized.h"

enum { THREADS = 4 };

static void *memory;
static cudaStream_t stream;
static cudaEvent_t event;
static char host[4];

/* Registered before the first use, so it runs when the library has ended. */
static void after_the_end(void)
{
	void *more;

	EXPECT(cudaFree(memory), cudaSuccess);
	EXPECT(cudaFree((void *)8), cudaSuccess);
	EXPECT(cudaFreeHost(host), cudaSuccess);
	EXPECT(cudaEventDestroy(event), cudaSuccess);
	EXPECT(cudaStreamDestroy(stream), cudaSuccess);
	EXPECT(cudaGetLastError(), cudaSuccess);
	EXPECT(cudaMalloc(&more, 4), cudaErrorCudartUnloading);
	EXPECT(cudaMemcpy(memory, host, 4, cudaMemcpyDefault), cudaErrorCudartUnloading);
	EXPECT(cudaMemcpyToSymbol(&image.counter, host, 4, 0, 1), cudaErrorCudartUnloading);
	EXPECT(cudaLaunchKernel(&image.nothing, one, one, NULL, 0, NULL),
	       cudaErrorCudartUnloading);
	EXPECT(cudaDeviceSynchronize(), cudaErrorCudartUnloading);
	EXPECT(cudaStreamCreate(&stream), cudaErrorCudartUnloading);
	EXPECT(cudaSetDevice(0), cudaErrorCudartUnloading);
	EXPECT(cudaDeviceReset(), cudaErrorCudartUnloading);
	EXPECT(cudaGetLastError(), cudaErrorCudartUnloading);
	__cudaUnregisterFatBinary(image.handle);
	__cudaUnregisterFatBinary(image.handle);
	fflush(stdout);
	if (wrong)
		_exit(wrong);
}

/* Registered after it, so it runs first: all is as in main. */
static void before_the_end(void)
{
	void *more = NULL;

	EXPECT(cudaMalloc(&more, 4), cudaSuccess);
	EXPECT(cudaMemcpy(more, host, 4, cudaMemcpyHostToDevice), cudaSuccess);
	EXPECT(cudaLaunchKernel(&image.nothing, one, one, NULL, 0, stream), cudaSuccess);
	EXPECT(cudaFree(more), cudaSuccess);
}

/* Comes up with a little of everything. */
static void come_up(void)
{
	atexit(after_the_end);
	ending_up();
	atexit(before_the_end);
	EXPECT(cudaMalloc(&memory, 4), cudaSuccess);
	EXPECT(cudaStreamCreate(&stream), cudaSuccess);
	EXPECT(cudaEventCreate(&event), cudaSuccess);
}

static void leave_by_return(void)
{
	come_up();
}

/* Registers, and uses nothing. */
static void leave_unused(void)
{
	__cudaUnregisterFatBinary(image.handle);
}

static void start_thread(void *(*body)(void *), void *data)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, body, data) || pthread_detach(thread))
		_exit(54);
}

static void *exit_thread(void *unused)
{
	(void)unused;
	exit(7);
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
		cudaStreamSynchronize(stream);
}

/* ---- Host functions ---------------------------------------------------------------- */

static void call_exit(void *unused)
{
	(void)unused;
	exit(7);
}

static void leave_from_host_function(void)
{
	ending_up();
	EXPECT(cudaLaunchHostFunc(NULL, call_exit, NULL), cudaSuccess);
	for (;;)
		pause();
}

/* Another stream has work that does not end. */
static void leave_from_busy_host_function(void)
{
	ending_up();
	ending_launch_waiting();
	EXPECT(cudaStreamCreateWithFlags(&stream, 1), cudaSuccess);
	EXPECT(cudaLaunchHostFunc(stream, call_exit, NULL), cudaSuccess);
	for (;;)
		pause();
}

static void callback(cudaStream_t of, cudaError_t status, void *data)
{
	(void)of, (void)status, (void)data;
	exit(7);
}

static void leave_from_callback(void)
{
	ending_up();
	EXPECT(cudaStreamAddCallback(NULL, callback, NULL, 0), cudaSuccess);
	for (;;)
		pause();
}

static atomic_int done;

static void take_long(void *unused)
{
	(void)unused;
	usleep(200 * 1000);
	atomic_store(&done, 1);
}

static void expect_done(void)
{
	EXPECT(atomic_load(&done), 1);
	if (wrong)
		_exit(wrong);
}

/* The end waits for what is outstanding. */
static void leave_during_host_function(void)
{
	atexit(expect_done);
	ending_up();
	EXPECT(cudaLaunchHostFunc(NULL, take_long, NULL), cudaSuccess);
}

/* ---- Work ---------------------------------------------------------------------------- */

static void leave_while_busy(void)
{
	setenv("GPURUN_EXIT_WAIT", "1", 1);
	ending_up();
	ending_launch_waiting();
}

static void *wait_thread(void *unused)
{
	(void)unused;
	cudaDeviceSynchronize();
	return NULL;
}

static void leave_while_waited_for(void)
{
	leave_while_busy();
	start_thread(wait_thread, NULL);
	usleep(50 * 1000);
}

static void leave_after_fault(void)
{
	ending_up();
	cudaLaunchKernel(&image.trap, one, one, NULL, 0, NULL);
}

/* Threads at work are refused from some point on, and nothing worse. */
static void *use_thread(void *unused)
{
	struct cudart_image mine;
	void *address;

	(void)unused;
	for (;;) {
		cudart_register(&mine);
		cudaGetSymbolAddress(&address, &mine.counter);
		if (!cudaMalloc(&address, 16))
			EXPECT(cudaFree(address), cudaSuccess);
		cudaLaunchKernel(&mine.nothing, one, one, NULL, 0, NULL);
		__cudaUnregisterFatBinary(mine.handle);
	}
	return NULL;
}

/* On what the threads, which go on, find when the library has ended. */
static void give_verdict(void)
{
	usleep(20 * 1000);
	if (wrong)
		_exit(wrong);
}

static void leave_with_users(void)
{
	atexit(give_verdict);
	ending_up();
	for (int i = 0; i < THREADS; i++)
		start_thread(use_thread, NULL);
	usleep(30 * 1000);
}

/* exit() while other threads begin. */
static void leave_beginning(void)
{
	for (int i = 0; i < THREADS; i++)
		start_thread(use_thread, NULL);
	exit(0);
}

static const struct ending endings[] = {
	{ "return", leave_by_return },
	{ "unused", leave_unused },
	{ "thread", leave_from_thread },
	{ "thread-at-work", leave_from_thread_at_work },
	{ "host-function", leave_from_host_function },
	{ "busy-host-function", leave_from_busy_host_function },
	{ "callback", leave_from_callback },
	{ "during-host-function", leave_during_host_function },
	{ "busy", leave_while_busy },
	{ "waited-for", leave_while_waited_for },
	{ "fault", leave_after_fault },
	{ "users", leave_with_users },
	{ "beginning", leave_beginning },
};

static void test_return(void)
{
	ends_with("return", 0);
	ends_with("unused", 0);
}

static void test_thread(void)
{
	ends_with("thread", 7);
	ends_with("thread-at-work", 7);
}

static void test_host_function(void)
{
	ends_with("host-function", 7);
	ends_with("busy-host-function", 7);
	ends_with("callback", 7);
	ends_with("during-host-function", 0);
}

static void ends_late(const char *name)
{
	struct ended ended = ending_run(name);

	CHECK(WIFEXITED(ended.status));
	CHECK_INT(WEXITSTATUS(ended.status), 0);
	CHECK_STR(ended.said, "gpurun: libcudart: work on a device had not ended 1 s after "
			      "exit(): it is left to the driver\n");
	CHECK(ended.seconds >= 1 && ended.seconds < 4 * slower());
}

static void test_never_ends(void)
{
	ends_late("busy");
	ends_late("waited-for");
}

static void test_fault(void)
{
	struct ended ended = ending_run("fault");

	CHECK(WIFEXITED(ended.status));
	CHECK_INT(WEXITSTATUS(ended.status), 0);
	CHECK(!strstr(ended.said, "libcudart"));
}

/*
 * While exit() finalises the libraries, each is marked as not initialised (glibc 2.36, _dl_fini); a
 * thread that opens the driver then initialises those that it needs anew. The address sanitizer's
 * finds that it was so already, and says that its check failed.
 */
static void test_threads(void)
{
	ends_with("users", 0);
	if (ADDRESS_SANITIZED)
		printf("# exit() while threads begin: not with the address sanitizer\n");
	for (int i = 0; i < (ADDRESS_SANITIZED ? 0 : 10); i++)
		ends_with("beginning", 0);
}

int main(int argc, char **argv)
{
	cudart_register(&image);
	if (ENDING_LEAVE(argc, argv, endings))
		return wrong;
	RUN(test_return);
	RUN(test_thread);
	RUN(test_host_function);
	RUN(test_never_ends);
	RUN(test_fault);
	RUN(test_threads);
	return tap_end();
}
