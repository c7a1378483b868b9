/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Streams, events, host functions: what waits for what. */
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "kernels.h"

static struct gpurun_event new_event(unsigned flags)
{
	struct gpurun_event event;

	CHECK_INT(gpurun_event_create(device, flags, &event), GPURUN_OK);
	return event;
}

/* Holds a stream until it is told to go on; a gate that is never opened opens itself. */
static atomic_bool open_gate;

static void gate(void *unused)
{
	(void)unused;
	for (int i = 0; i < 10000 && !atomic_load(&open_gate); i++)
		usleep(1000);
}

static void count(void *counter)
{
	atomic_fetch_add((atomic_int *)counter, 1);
}

/* An event on a held stream is not done, and holds another stream that waits for it. */
static void test_events(void)
{
	struct gpurun_stream one = new_stream(), two = new_stream();
	struct gpurun_event event = new_event(0);
	atomic_int counter = 0;

	if (!executes())
		return; /* the stub runs a host function inside the call */
	atomic_store(&open_gate, false);
	CHECK_INT(gpurun_stream_host_function(one, gate, NULL), GPURUN_OK);
	CHECK_INT(gpurun_event_record(event, one), GPURUN_OK);
	CHECK_INT(gpurun_stream_wait_event(two, event), GPURUN_OK);
	CHECK_INT(gpurun_stream_host_function(two, count, &counter), GPURUN_OK);
	CHECK_INT(gpurun_event_query(event), GPURUN_NOT_READY);
	CHECK_INT(gpurun_stream_query(one), GPURUN_NOT_READY);
	CHECK_INT(gpurun_stream_query(two), GPURUN_NOT_READY);
	usleep(20000);
	CHECK_INT(counter, 0);
	atomic_store(&open_gate, true);
	CHECK_INT(gpurun_event_synchronize(event), GPURUN_OK);
	CHECK_INT(gpurun_stream_synchronize(two), GPURUN_OK);
	CHECK_INT(counter, 1);
	CHECK_INT(gpurun_event_query(event), GPURUN_OK);
	CHECK_INT(gpurun_stream_query(one), GPURUN_OK);
	CHECK_INT(gpurun_event_destroy(event), GPURUN_OK);
	CHECK_INT(gpurun_stream_destroy(one), GPURUN_OK);
	CHECK_INT(gpurun_stream_destroy(two), GPURUN_OK);
}

static void test_never_recorded(void)
{
	struct gpurun_stream stream = new_stream();
	struct gpurun_event event = new_event(GPURUN_EVENT_TIMING);
	uint64_t nanoseconds;

	CHECK_INT(gpurun_event_synchronize(event), GPURUN_INVALID);
	CHECK_HAS(gpurun_error_text(), "never recorded");
	CHECK_INT(gpurun_event_query(event), GPURUN_INVALID);
	CHECK_INT(gpurun_stream_wait_event(stream, event), GPURUN_INVALID);
	CHECK_INT(gpurun_event_elapsed(event, event, &nanoseconds), GPURUN_INVALID);
	CHECK_INT(gpurun_event_destroy(event), GPURUN_OK);
}

/* An event names the stream of its last record, be that gone or not. */
static void test_stream_of_event(void)
{
	struct gpurun_stream one = new_stream(), two = new_stream(), told = one;
	struct gpurun_event event = new_event(0), foreign;
	void *native;

	CHECK_INT(gpurun_event_stream(event, &told), GPURUN_INVALID);
	CHECK_HAS(gpurun_error_text(), "never recorded");
	CHECK_INT((long long)told.id, 0);
	CHECK_INT(gpurun_event_stream(event, NULL), GPURUN_INVALID);
	CHECK_INT(gpurun_event_record(event, one), GPURUN_OK);
	CHECK_INT(gpurun_event_stream(event, &told), GPURUN_OK);
	CHECK(told.id == one.id);
	CHECK_INT(gpurun_event_record(event, two), GPURUN_OK);
	CHECK_INT(gpurun_stream_destroy(two), GPURUN_OK);
	CHECK_INT(gpurun_event_stream(event, &told), GPURUN_OK);
	CHECK(told.id == two.id);
	CHECK_INT(gpurun_stream_query(told), GPURUN_HANDLE);
	CHECK_INT(gpurun_event_native(event, &native), GPURUN_OK);
	CHECK_INT(gpurun_event_adopt(device, native, &foreign), GPURUN_OK);
	CHECK_INT(gpurun_event_stream(foreign, &told), GPURUN_INVALID);
	CHECK_HAS(gpurun_error_text(), "recorded by its owner");
	CHECK_INT(gpurun_event_record(foreign, one), GPURUN_OK);
	CHECK_INT(gpurun_event_stream(foreign, &told), GPURUN_OK);
	CHECK(told.id == one.id);
	CHECK_INT(gpurun_event_destroy(foreign), GPURUN_OK);
	CHECK_INT(gpurun_event_destroy(event), GPURUN_OK);
	CHECK_INT(gpurun_event_stream(event, &told), GPURUN_HANDLE);
}

static void test_elapsed(void)
{
	struct gpurun_stream stream = new_stream();
	struct gpurun_event start = new_event(GPURUN_EVENT_TIMING);
	struct gpurun_event end = new_event(GPURUN_EVENT_TIMING), plain = new_event(0);
	uint64_t nanoseconds = 0;
	struct gpurun_event none;

	CHECK_INT(gpurun_event_record(start, stream), GPURUN_OK);
	CHECK_INT(gpurun_event_record(plain, stream), GPURUN_OK);
	CHECK_INT(gpurun_event_record(end, stream), GPURUN_OK);
	CHECK_INT(gpurun_stream_synchronize(stream), GPURUN_OK);
	CHECK_INT(gpurun_event_elapsed(start, end, &nanoseconds), GPURUN_OK);
	CHECK(nanoseconds < 1000000000);
	CHECK_INT(gpurun_event_elapsed(start, plain, &nanoseconds), GPURUN_INVALID);
	CHECK_HAS(gpurun_error_hint(), "GPURUN_EVENT_TIMING");
	CHECK_INT(gpurun_event_create(device, 0x100, &none), GPURUN_INVALID);
}

/* What is enqueued on a stream runs in order, also when the handle goes before it ran. */
static void test_destroyed_with_work(void)
{
	struct gpurun_stream stream = new_stream();
	atomic_int counter = 0;

	for (int i = 0; i < 5; i++)
		CHECK_INT(gpurun_stream_host_function(stream, count, &counter), GPURUN_OK);
	CHECK_INT(gpurun_stream_destroy(stream), GPURUN_OK);
	CHECK_INT(gpurun_device_synchronize(device), GPURUN_OK);
	CHECK_INT(counter, 5);
	CHECK_INT(gpurun_stream_host_function(new_stream(), NULL, NULL), GPURUN_INVALID);
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Enqueueing never waits for what is enqueued before. */
static void test_asynchronous(void)
{
	struct gpurun_module module = load();
	struct gpurun_kernel kernel = kernel_of(module, "nothing");
	struct gpurun_stream stream = new_stream();
	double start;

	if (!executes())
		return;
	CHECK_INT(launch1(kernel, stream, NULL), GPURUN_OK);
	CHECK_INT(gpurun_stream_synchronize(stream), GPURUN_OK);
	atomic_store(&open_gate, false);
	CHECK_INT(gpurun_stream_host_function(stream, gate, NULL), GPURUN_OK);
	start = now();
	CHECK_INT(launch1(kernel, stream, NULL), GPURUN_OK);
	CHECK(now() - start < 1);
	CHECK_INT(gpurun_stream_query(stream), GPURUN_NOT_READY);
	atomic_store(&open_gate, true);
	CHECK_INT(gpurun_stream_synchronize(stream), GPURUN_OK);
	CHECK_INT(gpurun_module_unload(module), GPURUN_OK);
}

/* Two kernels that wait for each other can only end when they run at the same time. */
static void test_two_kernels_meet(void)
{
	struct gpurun_module module = load();
	struct gpurun_kernel kernel = kernel_of(module, "meet");
	struct gpurun_stream one = new_stream(), two = new_stream();
	uint64_t flags = alloc(8), other = flags + 4;
	void *first[] = { &flags, &other }, *second[] = { &other, &flags };

	CHECK_INT(gpurun_memory_fill(flags, 0, 4, 2, no_stream), GPURUN_OK);
	CHECK_INT(launch1(kernel, one, first), GPURUN_OK);
	CHECK_INT(launch1(kernel, two, second), GPURUN_OK);
	CHECK_INT(gpurun_stream_synchronize(one), GPURUN_OK);
	CHECK_INT(gpurun_stream_synchronize(two), GPURUN_OK);
	CHECK_INT(gpurun_module_unload(module), GPURUN_OK);
}

int main(void)
{
	if (!up())
		return 1;
	RUN(test_events);
	RUN(test_never_recorded);
	RUN(test_stream_of_event);
	RUN(test_elapsed);
	RUN(test_destroyed_with_work);
	RUN(test_asynchronous);
	RUN(test_two_kernels_meet);
	gpurun_shutdown();
	return tap_end();
}
