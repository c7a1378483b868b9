/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What pools and freed memory ask of the driver, read from the stub's trace, and
 * what they make of its answers.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "kernels.h"

enum { SIZE = 1000 };

static char trace[] = "/tmp/gpurun-trace-XXXXXX";

/* How many lines of the trace begin with @call. */
static int calls_of(const char *call)
{
	char line[512];
	int count = 0;
	FILE *file = fopen(trace, "r");

	while (file && fgets(line, sizeof(line), file))
		count += !strncmp(line, call, strlen(call));
	if (file)
		fclose(file);
	return count;
}

static void begin(const char *fail)
{
	CHECK_INT(truncate(trace, 0), 0);
	CHECK(up());
	if (fail)
		setenv("GPURUN_STUB_FAIL", fail, 1);
}

static void end(void)
{
	unsetenv("GPURUN_STUB_FAIL");
	CHECK_INT(gpurun_shutdown(), GPURUN_OK);
}

static void come_and_go(int times)
{
	for (int i = 0; i < times; i++)
		CHECK_INT(gpurun_stream_destroy(new_stream()), GPURUN_OK);
}

/* Two of the driver's serve them all, and are destroyed at the end. */
static void test_streams(void)
{
	struct gpurun_event event;

	begin(NULL);
	come_and_go(5);
	for (int i = 0; i < 5; i++) {
		CHECK_INT(gpurun_event_create(device, 0, &event), GPURUN_OK);
		CHECK_INT(gpurun_event_destroy(event), GPURUN_OK);
	}
	CHECK_INT(calls_of("cuStreamCreate("), 2);
	CHECK_INT(calls_of("cuStreamQuery("), 3);
	CHECK_INT(calls_of("cuStreamDestroy("), 0);
	CHECK_INT(calls_of("cuEventCreate("), 1);
	end();
	CHECK_INT(calls_of("cuStreamDestroy("), 2);
	CHECK_INT(calls_of("cuEventDestroy("), 1);
}

/* A stream that comes and goes with a wait between is never polled without success: the
 * one that rests is asked while the other is waited for. */
static void test_asked_while_waiting(void)
{
	begin(NULL);
	for (int i = 0; i < 10; i++) {
		struct gpurun_stream stream = new_stream();

		CHECK_INT(gpurun_stream_synchronize(stream), GPURUN_OK);
		CHECK_INT(calls_of("cuStreamQuery("), i);
		CHECK_INT(gpurun_stream_destroy(stream), GPURUN_OK);
	}
	CHECK_INT(calls_of("cuStreamCreate("), 2);
	end();
}

static void test_quarantine(void)
{
	begin(NULL);
	for (int i = 0; i < 3; i++) {
		struct gpurun_stream stream = new_stream();

		CHECK_INT(gpurun_stream_quarantine(stream), GPURUN_OK);
		CHECK_INT(gpurun_stream_destroy(stream), GPURUN_OK);
		CHECK_INT(calls_of("cuStreamDestroy("), i + 1);
	}
	CHECK_INT(calls_of("cuStreamCreate("), 3);
	end();
}

/* One that cannot be asked is not used again, and makes no call fail. */
static void test_stream_with_an_error(void)
{
	begin("cuStreamQuery=999");
	come_and_go(3);
	CHECK_INT(calls_of("cuStreamCreate("), 3);
	CHECK_INT(calls_of("cuStreamDestroy("), 1);
	end();
	CHECK_INT(calls_of("cuStreamDestroy("), 3);
}

static void alloc_and_free(int times)
{
	for (int i = 0; i < times; i++)
		CHECK_INT(gpurun_memory_free(alloc(SIZE)), GPURUN_OK);
}

/* In the long run a fence stands for eight frees, and none costs a call of its own. */
static void test_blocks(void)
{
	begin(NULL);
	alloc_and_free(1000);
	CHECK(calls_of("cuMemAlloc(") < 30);
	CHECK_INT(calls_of("cuMemFree("), 0);
	CHECK_INT(calls_of("cuCtxRecordEvent("), 1000 / 8);
	CHECK(calls_of("cuEventQuery(") <= 1000 / 8);
	end();
	CHECK_INT(calls_of("cuMemFree("), calls_of("cuMemAlloc("));
	CHECK_INT(calls_of("cuEventDestroy("), calls_of("cuEventCreate("));
}

/* A large block is not joined by others: it is waited for, a little. */
static void test_large_blocks(void)
{
	begin(NULL);
	for (int i = 0; i < 10; i++)
		CHECK_INT(gpurun_memory_free(alloc(8 << 20)), GPURUN_OK);
	CHECK_INT(calls_of("cuMemAlloc("), 1);
	CHECK_INT(calls_of("cuMemFree("), 0);
	end();
}

/* Without fences each free is the driver's own, and so it is once one has failed. */
static void test_no_fences(void)
{
	static const char *const failing[] = { "cuCtxRecordEvent=801", "cuEventCreate=2",
					       "cuEventQuery=999" };

	for (int i = 0; i < 3; i++) {
		begin(failing[i]);
		alloc_and_free(100);
		CHECK(calls_of("cuMemFree(") > 90);
		CHECK(calls_of("cuCtxRecordEvent(") < 10);
		end();
		CHECK_INT(calls_of("cuMemFree("), calls_of("cuMemAlloc("));
	}
}

/* Work of another device's context could reach a block: nothing is kept then. */
static void test_two_devices(void)
{
	struct gpurun_device first, second;
	struct gpurun_stream stream;

	setenv("GPURUN_STUB_DEVICES", "2", 1);
	begin(NULL);
	first = device;
	alloc_and_free(3);
	CHECK_INT(calls_of("cuMemFree("), 0);
	CHECK_INT(gpurun_device_get(1, &second), GPURUN_OK);
	CHECK_INT(gpurun_stream_create(second, &stream), GPURUN_OK);
	alloc_and_free(3);
	device = second;
	alloc_and_free(3);
	device = first;
	CHECK_INT(calls_of("cuMemFree("), 6);
	end();
	unsetenv("GPURUN_STUB_DEVICES");
	CHECK_INT(calls_of("cuMemFree("), calls_of("cuMemAlloc("));
}

/* A fault that a fence meets is told by what the program asks next. */
static void test_fault(void)
{
	struct gpurun_stream stream;

	begin(NULL);
	stream = new_stream();
	alloc_and_free(3);
	setenv("GPURUN_STUB_FAIL", "cuCtxRecordEvent=700", 1);
	for (int i = 0; i < 8; i++) {
		uint64_t address = 0;

		if (gpurun_memory_alloc(device, SIZE, GPURUN_MEMORY_DEVICE, &address) ||
		    gpurun_memory_free(address))
			break;
	}
	CHECK_INT(gpurun_stream_synchronize(stream), GPURUN_FAULT);
	end();
}

/* Exits with a kernel at work on a stream that is parked, on a driver without fences. */
static void leave_at_work(void)
{
	struct gpurun_stream stream;

	setenv("GPURUN_STUB_BUSY", "20", 1);
	begin("cuCtxRecordEvent=801");
	stream = new_stream();
	CHECK_INT(launch1(kernel_of(load(), "nothing"), stream, NULL), GPURUN_OK);
	CHECK_INT(gpurun_stream_destroy(stream), GPURUN_OK);
	exit(tap.failed);
}

/* The exit hook asks it until it is done, before anything is released. */
static void test_exit(void)
{
	pid_t child = fork();
	int status;

	if (!child)
		leave_at_work();
	waitpid(child, &status, 0);
	CHECK_INT(status, 0);
	CHECK(calls_of("cuStreamQuery(stream#1)") >= 20);
	CHECK_INT(calls_of("cuStreamDestroy("), 1);
}

int main(void)
{
	int fd = mkstemp(trace);

	if (fd < 0)
		return 1;
	close(fd);
	setenv("GPURUN_STUB_TRACE", trace, 1);
	/* First: its child must not find a library that was up before the fork. */
	RUN(test_exit);
	RUN(test_streams);
	RUN(test_asked_while_waiting);
	RUN(test_quarantine);
	RUN(test_stream_with_an_error);
	RUN(test_blocks);
	RUN(test_large_blocks);
	RUN(test_no_fences);
	RUN(test_two_devices);
	RUN(test_fault);
	unlink(trace);
	return tap_end();
}
