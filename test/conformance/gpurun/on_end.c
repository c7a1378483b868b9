/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is told of the teardown at the end of the process, to whom, and how often. */
#include <dlfcn.h>

#include "ending.h"

static int calls; /* of a report */

/* What a report must find. */
static struct {
	int status;
	const char *text, *log;
} wanted = { GPURUN_OK, "", "" };

static void expect_text(const char *got, const char *part, bool whole)
{
	if (whole ? !strcmp(got, part) : strstr(got, part) != NULL)
		return;
	wrong++;
	printf("# at exit: told \"%s\", not \"%s\"\n", got, part);
}

static void report(int status, void *data)
{
	struct gpurun_stream other;

	EXPECT(*(int *)data, calls);
	calls++;
	EXPECT(status, wanted.status);
	expect_text(gpurun_error_text(), wanted.text, !wanted.text[0]);
	expect_text(gpurun_error_log(), wanted.log, !wanted.log[0]);
	/* The next report does not see what this one asks. */
	EXPECT(gpurun_stream_create(device, &other), GPURUN_ENDED);
	EXPECT(gpurun_on_end(report, data), GPURUN_ENDED);
	expect_text(gpurun_error_text(), "the process is ending", false);
}

/* Registered first, so it runs last. */
static void verdict(void)
{
	EXPECT(calls, 3);
	fflush(stdout);
	_exit(wrong);
}

static void register_report(int number)
{
	static int numbers[] = { 0, 1, 2 };

	EXPECT(gpurun_on_end(report, &numbers[number]), GPURUN_OK);
}

/* Three reports: before the library is up, while it is, and once it is down again. */
static void prepare(void)
{
	atexit(verdict);
	register_report(0);
	ending_up();
	register_report(1);
	EXPECT(gpurun_shutdown(), GPURUN_OK);
	register_report(2);
}

static void come_up(void)
{
	prepare();
	ending_up();
}

static void leave_clean(void)
{
	come_up();
	load();
	new_stream();
	alloc(100);
	exit(0);
}

static void leave_down(void)
{
	come_up();
	EXPECT(gpurun_shutdown(), GPURUN_OK);
	exit(0);
}

static void trap(bool told)
{
	struct gpurun_stream stream;

	come_up();
	stream = new_stream();
	EXPECT(launch1(kernel_of(load(), "trap"), stream, NULL), GPURUN_OK);
	if (told) {
		EXPECT(gpurun_stream_synchronize(stream), GPURUN_FAULT);
		exit(0);
	}
	wanted.status = GPURUN_FAULT;
	wanted.text = "cuCtxSynchronize: CUDA_ERROR_";
	wanted.log = device_info.kind == GPURUN_DEVICE_CPU ? "trap" : "";
	exit(0);
}

static void leave_with_fault(void)
{
	trap(false);
}

static void leave_with_told_fault(void)
{
	trap(true);
}

/* Work that does not end is told of, and left alone. */
static void leave_busy(void)
{
	setenv("GPURUN_EXIT_WAIT", "0.5", 1);
	prepare();
	ending_up_busy();
	wanted.status = GPURUN_NOT_READY;
	wanted.text = "work was still running on device 0 after 0.5 s";
	exit(0);
}

/* All failures of one teardown, none dropped, and each step made. */
static void leave_with_failures(void)
{
	come_up();
	load();
	new_stream();
	alloc(100);
	setenv("GPURUN_STUB_FAIL", "cuModuleUnload=999,cuStreamDestroy=400,cuMemFree=1", 1);
	wanted.status = GPURUN_DRIVER;
	wanted.text = "cuModuleUnload: CUDA_ERROR_UNKNOWN (999): unknown error; "
		      "cuStreamDestroy: CUDA_ERROR_INVALID_HANDLE (400): invalid handle; "
		      "cuMemFree: CUDA_ERROR_INVALID_VALUE (1): invalid argument";
	wanted.log = "cuMemFree";
	exit(0);
}

/* Wherever it is met first, a fault is told, once. */
static void leave_with_fault_of_step(void)
{
	come_up();
	load();
	alloc(100);
	setenv("GPURUN_STUB_FAIL", "cuCtxGetCurrent=700", 1);
	wanted.status = GPURUN_FAULT;
	wanted.text = "cuCtxGetCurrent: CUDA_ERROR_ILLEGAL_ADDRESS (700)";
	exit(0);
}

/* A driver that is gone has nothing left to release: nothing failed. */
static void leave_without_driver(void)
{
	setenv("GPURUN_STUB_GONE", "cuCtxSynchronize", 1);
	come_up();
	load();
	new_stream();
	alloc(100);
	EXPECT(gpurun_context_push(device), GPURUN_OK);
	exit(0);
}

/* Each driver has its own hook behind its own handlers; one of them tells. */
static void leave_after_two_drivers(void)
{
	prepare();
	for (int i = 0; i < 2; i++) {
		ending_up();
		load();
		EXPECT(gpurun_shutdown(), GPURUN_OK);
		EXPECT(gpurun_init("cpu"), GPURUN_OK);
		EXPECT(gpurun_device_get(0, &device), GPURUN_OK);
		load();
		new_stream();
		if (i == 0)
			EXPECT(gpurun_shutdown(), GPURUN_OK);
	}
	exit(0);
}

static void exit_again(int status, void *data)
{
	(void)data;
	if (calls++ || status)
		_exit(60);
	exit(7);
}

/* A report that exits: the process ends so, the report is not called again. */
static void leave_from_report(void)
{
	EXPECT(gpurun_on_end(exit_again, NULL), GPURUN_OK);
	ending_up();
	load();
	exit(0);
}

static void *call_exit(void *unused)
{
	(void)unused;
	exit(0);
}

static void host_exit(void *unused)
{
	call_exit(unused);
}

/* There is no teardown then, and nothing failed. */
static void leave_from_host_function(void)
{
	come_up();
	EXPECT(gpurun_stream_host_function(new_stream(), host_exit, NULL), GPURUN_OK);
	for (;;)
		pause();
}

/* Nor when the function was the driver's to call, unknown to the library. */
static void leave_from_foreign_function(void)
{
	const char *path = getenv("GPURUN_DRIVER");
	void *driver = dlopen(path ? path : "libcuda.so.1", RTLD_NOW), *native = NULL;
	int (*enqueue)(void *, void (*)(void *), void *) =
		driver ? dlsym(driver, "cuLaunchHostFunc") : NULL;

	come_up();
	load();
	EXPECT(gpurun_stream_native(new_stream(), &native), GPURUN_OK);
	if (!enqueue || enqueue(native, host_exit, NULL))
		_exit(61);
	for (;;)
		pause();
}

/* A report of the parent is not for the child. */
static void leave_child(void)
{
	int status = 0;
	pid_t child;

	come_up();
	child = fork();
	if (!child) {
		calls = 3;
		EXPECT(gpurun_on_end(report, NULL), GPURUN_FORKED);
		exit(0);
	}
	waitpid(child, &status, 0);
	wrong += status != 0;
	exit(0);
}

static const struct ending endings[] = {
	{ "clean", leave_clean },
	{ "down", leave_down },
	{ "fault", leave_with_fault },
	{ "told-fault", leave_with_told_fault },
	{ "busy", leave_busy },
	{ "failures", leave_with_failures },
	{ "fault-of-step", leave_with_fault_of_step },
	{ "gone", leave_without_driver },
	{ "two-drivers", leave_after_two_drivers },
	{ "report", leave_from_report },
	{ "host-function", leave_from_host_function },
	{ "foreign-function", leave_from_foreign_function },
	{ "child", leave_child },
};

static void test_nothing_failed(void)
{
	ends_with("clean", 0);
	ends_with("down", 0);
}

static void test_fault(void)
{
	if (on_stub())
		return; /* it executes nothing */
	ends_with("fault", 0);
	ends_with("told-fault", 0);
}

static void test_busy(void)
{
	ends_leaving("busy", 0);
}

static void test_failures(void)
{
	if (!on_stub())
		return; /* which can be told to fail */
	ends_leaving("failures", 0);
	ends_leaving("fault-of-step", 0);
	ends_leaving("gone", 0);
}

static void test_two_drivers(void)
{
	if (on_stub()) /* the CPU device is there as well */
		ends_with("two-drivers", 0);
}

static void test_report_that_exits(void)
{
	ends_with("report", 7);
}

static void test_host_function(void)
{
	ends_leaving("host-function", 0);
	ends_leaving("foreign-function", 0);
}

static void test_child(void)
{
	ends_with("child", 0);
}

static void test_no_function(void)
{
	CHECK_INT(gpurun_on_end(NULL, NULL), GPURUN_INVALID);
	CHECK_HAS(gpurun_error_text(), "the pointer is NULL");
}

int main(int argc, char **argv)
{
	if (ENDING_LEAVE(argc, argv, endings))
		return wrong;
	RUN(test_nothing_failed);
	RUN(test_fault);
	RUN(test_busy);
	RUN(test_failures);
	RUN(test_two_drivers);
	RUN(test_report_that_exits);
	RUN(test_host_function);
	RUN(test_child);
	RUN(test_no_function);
	return tap_end();
}
