/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Children of fork(): refused at once when their parent has used the library, whatever
 * its threads were doing; else as good as any process.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "cudart_process.h"
#include "sanitized.h"

/* A child has the memory of threads that it does not have: no leak of ours. */
static int is_forked_child;
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
	return is_forked_child;
}

static void *memory;

/* Runs @body in a child that then ends by @end. */
static void fork_and(void (*body)(void), void (*end)(int))
{
	int status = 0;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child) {
		is_forked_child = 1;
		alarm(5 * (unsigned)slower());
		wrong = 0;
		body();
		fflush(stdout);
		end(wrong);
	}
	waitpid(child, &status, 0);
	EXPECT(status, 0);
}

static void nothing(void)
{
}

static void refused_in_child(void)
{
	struct cudart_image mine;
	int device, count = 7;
	void *more;

	EXPECT(cudaMalloc(&more, 4), cudaErrorInitializationError);
	EXPECT(cudaFree(memory), cudaErrorInitializationError);
	EXPECT(cudaGetLastError(), cudaErrorInitializationError);
	EXPECT(cudaSetDevice(0), cudaErrorInitializationError);
	EXPECT(cudaGetDevice(&device), cudaErrorInitializationError);
	EXPECT(cudaGetDeviceCount(&count), cudaErrorInitializationError);
	EXPECT(count, 0);
	EXPECT(cudaSetValidDevices(NULL, 0), cudaErrorInitializationError);
	EXPECT(cudaDeviceReset(), cudaErrorInitializationError);
	EXPECT(cudaDeviceSynchronize(), cudaErrorInitializationError);
	EXPECT(cudaGetSymbolAddress(&more, &image.counter), cudaErrorInitializationError);
	EXPECT(cudaLaunchKernel(&image.bump, one, one, NULL, 0, NULL),
	       cudaErrorInitializationError);
	EXPECT(__cudaInitModule(image.handle), 0);
	cudart_register(&mine);
	__cudaUnregisterFatBinary(mine.handle);
	__cudaUnregisterFatBinary(image.handle);
}

/* A grandchild is a child, too. */
static void fork_again(void)
{
	refused_in_child();
	fork_and(refused_in_child, exit);
}

static void works(void)
{
	unsigned *out = NULL;
	void *args[] = { &out };

	EXPECT(cudaMalloc((void **)&out, 4), cudaSuccess);
	EXPECT(cudaLaunchKernel(&image.bump, one, one, args, 0, NULL), cudaSuccess);
	EXPECT(cudaDeviceSynchronize(), cudaSuccess);
	EXPECT(cudaFree(out), cudaSuccess);
}

/* Every way for a child to end, while this process has work outstanding. */
static void leave_with_children(void)
{
	unsigned *flag;

	ending_up();
	EXPECT(cudaMalloc(&memory, 4), cudaSuccess);
	flag = ending_launch_waiting();
	fork_and(refused_in_child, exit);
	fork_and(nothing, exit);
	fork_and(refused_in_child, _exit);
	fork_and(nothing, quick_exit);
	fork_and(fork_again, exit);
	ending_let_go(flag);
	EXPECT(cudaDeviceSynchronize(), cudaSuccess);
	works();
	exit(wrong);
}

/* Another thread may hold any lock of the library's when a process forks. */
static atomic_bool stop;

static void *busy_thread(void *idle)
{
	struct cudart_image mine;
	void *address;

	while (!atomic_load(&stop)) {
		cudart_register(&mine);
		if (!idle) {
			EXPECT(cudaGetSymbolAddress(&address, &mine.counter), cudaSuccess);
			EXPECT(cudaSetDevice(0), cudaSuccess);
		}
		__cudaUnregisterFatBinary(mine.handle);
	}
	return NULL;
}

static void fork_beside(void *idle, void (*body)(void))
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, busy_thread, idle);
	/* A GPU takes its time for a context. */
	for (int i = 0; i < (on_gpu() ? 10 : 50) && !wrong; i++)
		fork_and(body, exit);
	atomic_store(&stop, true);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	exit(wrong);
}

static void leave_forking(void)
{
	ending_up();
	fork_beside(NULL, refused_in_child);
}

static void registers(void)
{
	struct cudart_image mine;

	cudart_register(&mine);
	__cudaUnregisterFatBinary(mine.handle);
}

/* The library is not up, but its lists change. Sanitizers do not let the child of a process
 * with threads have threads, and so no device. */
static void leave_forking_before(void)
{
	fork_beside(&image, SANITIZED ? registers : works);
}

/* A child whose parent has a call that waits, for a kernel and with a lock. */
static void *unregister_thread(void *handle)
{
	__cudaUnregisterFatBinary(handle);
	return NULL;
}

static void leave_during_wait(void)
{
	struct cudart_image mine;
	pthread_t thread;
	unsigned *flag;

	ending_up();
	cudart_register(&mine);
	EXPECT(cudaLaunchKernel(&mine.nothing, one, one, NULL, 0, NULL), cudaSuccess);
	flag = ending_launch_waiting();
	pthread_create(&thread, NULL, unregister_thread, mine.handle);
	usleep(100 * 1000);
	fork_and(refused_in_child, exit);
	ending_let_go(flag);
	pthread_join(thread, NULL);
	exit(wrong);
}

/* A process that has not used the library may fork, and both use it. */
static void leave_forked_before(void)
{
	fork_and(works, exit);
	works();
	exit(wrong);
}

/* A handler that runs when the library has ended may fork, too. */
static void fork_late(void)
{
	fork_and(refused_in_child, _exit);
	if (wrong)
		_exit(wrong);
}

static void leave_forking_late(void)
{
	atexit(fork_late);
	ending_up();
}

/* There is no driver: the child, too, is told so. */
static void told_in_child(void)
{
	void *more;

	EXPECT(cudaMalloc(&more, 4), cudaErrorInsufficientDriver);
	registers();
}

static void leave_forking_failed(void)
{
	setenv("GPURUN_DEVICE", "gpu", 1);
	setenv("GPURUN_DRIVER", "/nonexistent", 1);
	told_in_child();
	fork_and(told_in_child, exit);
}

static const struct ending endings[] = {
	{ "forking-late", leave_forking_late },
	{ "forking-failed", leave_forking_failed },
	{ "children", leave_with_children },
	{ "forking", leave_forking },
	{ "forking-before", leave_forking_before },
	{ "during-wait", leave_during_wait },
	{ "forked-before", leave_forked_before },
};

static void test_children(void)
{
	ends_with("children", 0);
}

static void test_locks(void)
{
	ends_with("forking", 0);
	ends_with("during-wait", 0);
}

static void test_before_first_use(void)
{
	ends_with("forked-before", 0);
}

static void test_after_the_end(void)
{
	ends_with("forking-late", 0);
}

static void test_without_driver(void)
{
	struct ended ended = ending_run("forking-failed");

	CHECK(WIFEXITED(ended.status));
	CHECK_INT(WEXITSTATUS(ended.status), 0);
	CHECK_HAS(ended.said, "/nonexistent");
}

static void test_locks_before_first_use(void)
{
	ends_with("forking-before", 0);
}

int main(int argc, char **argv)
{
	cudart_register(&image);
	if (ENDING_LEAVE(argc, argv, endings))
		return wrong;
	RUN(test_children);
	RUN(test_locks);
	RUN(test_before_first_use);
	RUN(test_locks_before_first_use);
	RUN(test_after_the_end);
	RUN(test_without_driver);
	return tap_end();
}
