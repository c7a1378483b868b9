/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The end of the process: handlers registered after cuInit find a driver that
 * works, those registered before it and destructors one that is gone; a kernel
 * that never ends does not keep the process; a forked child is refused.
 */
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cuda_kernels.h"

/* A child has the memory of threads that it does not have: no leak of ours. */
static int is_forked_child;
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
	return is_forked_child;
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

static int want_after, want_before; /* what the handlers must see: bits set on success */
static CUdeviceptr block;

/* Whether the process would exit 0 is decided last, in a destructor. */
static bool wrong;

static void expect(CUresult got, CUresult want, const char *what)
{
	if (got == want)
		return;
	printf("# %s: got %d, want %d\n", what, got, want);
	wrong = true;
}

static void handler_before(void)
{
	const char *name = NULL;

	if (!want_before)
		return;
	expect(cu.cuCtxSynchronize(), CUDA_ERROR_DEINITIALIZED, "synchronise, too late");
	expect(cu.cuMemFree(block), CUDA_ERROR_DEINITIALIZED, "free, too late");
	expect(cu.cuInit(0), CUDA_ERROR_DEINITIALIZED, "init, too late");
	expect(cu.cuGetErrorName(CUDA_SUCCESS, &name), CUDA_ERROR_DEINITIALIZED, "name, too late");
	wrong |= name != NULL;
}

static void handler_after(void)
{
	if (!want_after)
		return;
	expect(cu.cuCtxSynchronize(), CUDA_SUCCESS, "synchronise, in time");
	expect(cu.cuMemFree(block), CUDA_SUCCESS, "free, in time");
	block = 0;
}

__attribute__((destructor)) static void destructor(void)
{
	if (!want_before)
		return;
	expect(cu.cuStreamSynchronize(NULL), CUDA_ERROR_DEINITIALIZED, "destructor");
	fflush(stdout);
	_exit(wrong);
}

/* Runs @body in a child that exits; @seconds is how long that may last. */
static void in_child(void (*body)(void), unsigned seconds)
{
	int status = -1;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child) {
		alarm(seconds);
		body();
		exit(tap.failed);
	}
	CHECK(waitpid(child, &status, 0) == child);
	CHECK_INT(status, 0);
}

static void order_body(void)
{
	atexit(handler_before);
	cuda_start();
	OK_CU(cu.cuMemAlloc(&block, 64));
	atexit(handler_after);
	want_before = want_after = 1;
}

static void test_order(void)
{
	in_child(order_body, 60);
}

static void launch_endless(void)
{
	CUfunction wait = cuda_function(cuda_kernels(), "wait");
	CUdeviceptr address;
	void *params[] = { &address };

	cuda_flag(&address);
	OK_CU(cu.cuLaunchKernel(wait, 8, 1, 1, 32, 1, 1, 0, NULL, params, NULL));
}

static void endless_body(void)
{
	cuda_start();
	launch_endless();
}

/* A kernel that never ends, and no synchronisation. */
static void test_endless(void)
{
	in_child(endless_body, 30);
}

static void wait_for_ever(void *data)
{
	(void)data;
	while (true)
		pause();
}

static void set_back_body(void)
{
	cuda_start();
	if (!cu.gpurunCpuReport)
		return;
	OK_CU(cu.cuLaunchHostFunc(NULL, wait_for_ever, NULL));
	sleep_ms(100);
	ahead = 3600;
}

/* The CPU device waits for a thread, not for a time of day. */
static void test_set_back(void)
{
	in_child(set_back_body, 30);
}

static void exit_now(void *data)
{
	(void)data;
	exit(0);
}

static void host_function_body(void)
{
	cuda_start();
	OK_CU(cu.cuLaunchHostFunc(NULL, exit_now, NULL));
	sleep_ms(25000);
	exit(3);
}

static void test_exit_in_host_function(void)
{
	in_child(host_function_body, 30);
}

static void after_fork(void)
{
	CUdeviceptr address;
	char text[64];
	int count;

	is_forked_child = 1;
	CHECK(cu.cuCtxSynchronize() != CUDA_SUCCESS);
	CHECK(cu.cuMemAlloc(&address, 16) != CUDA_SUCCESS);
	CHECK(cu.cuDeviceGetCount(&count) != CUDA_SUCCESS);
	if (cu.gpurunCpuReport)
		CHECK(cu.gpurunCpuReport(GPURUN_CPU_REPORT_FAULT, text, sizeof(text)) ==
		      CUDA_ERROR_NOT_INITIALIZED);
}

static void fork_body(void)
{
	cuda_start();
	launch_endless();
	in_child(after_fork, 20);
}

/* The child of a process that uses the driver: refused, and it ends. */
static void test_fork(void)
{
	in_child(fork_body, 30);
}

int main(void)
{
	RUN(test_order);
	RUN(test_endless);
	RUN(test_set_back);
	RUN(test_exit_in_host_function);
	RUN(test_fork);
	return tap_end();
}
