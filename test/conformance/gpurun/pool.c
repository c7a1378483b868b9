/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Streams and events whose handles are closed, and what becomes of the driver's. */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "kernels.h"

enum { MANY = 100, THREADS = 8, ROUNDS = 200 };

static void *native_of(struct gpurun_stream stream)
{
	void *native = NULL;

	CHECK_INT(gpurun_stream_native(stream, &native), GPURUN_OK);
	return native;
}

static struct gpurun_event new_event(unsigned flags)
{
	struct gpurun_event event;

	CHECK_INT(gpurun_event_create(device, flags, &event), GPURUN_OK);
	return event;
}

static void *native_of_event(struct gpurun_event event)
{
	void *native = NULL;

	CHECK_INT(gpurun_event_native(event, &native), GPURUN_OK);
	return native;
}

/* Creates and destroys a stream; returns what the driver called it. */
static void *come_and_go(void)
{
	struct gpurun_stream stream = new_stream();
	void *native = native_of(stream);

	CHECK_INT(gpurun_stream_destroy(stream), GPURUN_OK);
	return native;
}

/* promise: Whether the library keeps */
/* promise: Default 0 here */
static void test_idle_stream(void)
{
	struct gpurun_stream stream = new_stream();
	void *native = native_of(stream);
	uint64_t id;

	CHECK_INT(launch1(kernel_of(load(), "nothing"), stream, NULL), GPURUN_OK);
	CHECK_INT(gpurun_stream_synchronize(stream), GPURUN_OK);
	CHECK_INT(gpurun_stream_destroy(stream), GPURUN_OK);
	CHECK_INT(gpurun_native_kind(native, &id), GPURUN_NATIVE_CLOSED);
	CHECK(id == stream.id);
	CHECK(come_and_go() != native); /* a few go round */
	CHECK(come_and_go() == native);
	CHECK_INT(gpurun_stream_synchronize(stream), GPURUN_HANDLE);
	CHECK_INT(gpurun_native_kind(native, &id), GPURUN_NATIVE_CLOSED);
	CHECK(id != stream.id);
	CHECK(come_and_go() != native);
	stream = new_stream();
	CHECK(native_of(stream) == native);
	CHECK_INT(gpurun_native_kind(native, &id), GPURUN_NATIVE_STREAM);
	CHECK(id == stream.id);
	CHECK_INT(gpurun_stream_destroy(stream), GPURUN_OK);
}

/* Who waits for one stream finds another idle, which is returned next. */
static void test_found_while_waiting(void)
{
	struct gpurun_stream one = new_stream(), two = new_stream();
	void *native = native_of(one);

	CHECK_INT(gpurun_stream_destroy(one), GPURUN_OK);
	for (int i = 0; i < 8; i++)
		CHECK_INT(gpurun_stream_synchronize(two), GPURUN_OK);
	one = new_stream();
	CHECK_INT(gpurun_stream_destroy(two), GPURUN_OK);
	two = new_stream();
	CHECK(native_of(one) == native || native_of(two) == native);
	CHECK_INT(gpurun_stream_destroy(one), GPURUN_OK);
	CHECK_INT(gpurun_stream_destroy(two), GPURUN_OK);
}

static atomic_bool open_gate;

static void gate(void *unused)
{
	(void)unused;
	for (int i = 0; i < 10000 && !atomic_load(&open_gate); i++)
		usleep(1000);
}

/* A parked stream that is busy is left alone, while threads wait for others, and
 * still waited for. */
static void test_busy_stream(void)
{
	struct gpurun_stream stream = new_stream(), other = new_stream();
	struct gpurun_event event = new_event(0);
	void *native = native_of(stream);

	if (!executes())
		return; /* the stub runs a host function inside the call */
	atomic_store(&open_gate, false);
	CHECK_INT(gpurun_event_record(event, other), GPURUN_OK);
	CHECK_INT(gpurun_stream_host_function(stream, gate, NULL), GPURUN_OK);
	CHECK_INT(gpurun_stream_destroy(stream), GPURUN_OK);
	for (int i = 0; i < 8; i++) {
		CHECK(come_and_go() != native);
		CHECK_INT(gpurun_stream_synchronize(other), GPURUN_OK);
		CHECK_INT(gpurun_event_synchronize(event), GPURUN_OK);
	}
	atomic_store(&open_gate, true);
	CHECK_INT(gpurun_device_synchronize(device), GPURUN_OK);
	CHECK_INT(gpurun_native_kind(native, NULL), GPURUN_NATIVE_CLOSED);
	CHECK_INT(gpurun_event_destroy(event), GPURUN_OK);
	CHECK_INT(gpurun_stream_destroy(other), GPURUN_OK);
}

/* late(out): after a while, stores 1. */
static const char late_ptx[] =
	".version 6.0\n"
	".target sm_50\n"
	".address_size 64\n"
	".visible .entry late(.param .u64 out)\n"
	"{\n"
	"	.reg .pred %p;\n"
	"	.reg .b64 %d<5>;\n"
	"	ld.param.u64 %d1, [out];\n"
	"	mov.u64 %d2, %globaltimer;\n"
	"again:\n"
	"	mov.u64 %d3, %globaltimer;\n"
	"	sub.u64 %d4, %d3, %d2;\n"
	"	setp.lt.u64 %p, %d4, 50000000;\n"
	"	@%p bra again;\n"
	"	st.global.u32 [%d1], 1;\n"
	"	ret;\n"
	"}\n";

/* Unloading waits for kernels on a stream that is parked by then. */
/* promise: Whether the library keeps */
static void test_unload(void)
{
	struct gpurun_stream stream = new_stream();
	struct gpurun_module module;
	uint64_t out = 0;
	void *args[] = { &out };

	if (!executes())
		return;
	CHECK_INT(gpurun_memory_alloc(device, 4, GPURUN_MEMORY_HOST, &out), GPURUN_OK);
	atomic_init((_Atomic uint32_t *)(uintptr_t)out, 0);
	CHECK_INT(gpurun_module_load(device, late_ptx, 0, &module), GPURUN_OK);
	CHECK_INT(launch1(kernel_of(module, "late"), stream, args), GPURUN_OK);
	CHECK_INT(gpurun_stream_destroy(stream), GPURUN_OK);
	CHECK_INT(gpurun_module_unload(module), GPURUN_OK);
	CHECK_INT(atomic_load((_Atomic uint32_t *)(uintptr_t)out), 1);
	CHECK_INT(gpurun_memory_free(out), GPURUN_OK);
}

static void test_quarantined_stream(void)
{
	struct gpurun_stream stream = new_stream();
	void *native = native_of(stream);
	uint64_t id;

	CHECK_INT(gpurun_stream_quarantine(stream), GPURUN_OK);
	CHECK_INT(gpurun_stream_synchronize(stream), GPURUN_OK);
	CHECK_INT(gpurun_stream_destroy(stream), GPURUN_OK);
	CHECK_INT(gpurun_stream_quarantine(stream), GPURUN_HANDLE);
	CHECK_INT(gpurun_native_kind(native, &id), GPURUN_NATIVE_CLOSED);
	CHECK(id == stream.id);
}

/* More than are kept; each of them is a stream of its own while it is open. */
static void test_many_streams(void)
{
	struct gpurun_stream streams[MANY];
	void *natives[MANY];
	int closed = 0;

	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < MANY; i++) {
			streams[i] = new_stream();
			natives[i] = native_of(streams[i]);
			for (int j = 0; j < i; j++)
				CHECK(natives[i] != natives[j]);
		}
		for (int i = 0; i < MANY; i++)
			CHECK_INT(gpurun_stream_destroy(streams[i]), GPURUN_OK);
	}
	for (int i = 0; i < MANY; i++)
		closed += gpurun_native_kind(natives[i], NULL) == GPURUN_NATIVE_CLOSED;
	CHECK(closed > 0 && closed < MANY);
}

/* A new event was never recorded, whatever the driver's was; timing is kept apart. */
static void test_events(void)
{
	struct gpurun_stream stream = new_stream();
	struct gpurun_event event = new_event(0), timing;
	void *native = native_of_event(event);
	uint64_t id, nanoseconds;

	CHECK_INT(gpurun_event_record(event, stream), GPURUN_OK);
	CHECK_INT(gpurun_event_destroy(event), GPURUN_OK);
	CHECK_INT(gpurun_native_kind(native, &id), GPURUN_NATIVE_CLOSED);
	CHECK(id == event.id);
	timing = new_event(GPURUN_EVENT_TIMING);
	CHECK(native_of_event(timing) != native);
	event = new_event(0);
	CHECK(native_of_event(event) == native);
	CHECK_INT(gpurun_event_synchronize(event), GPURUN_INVALID);
	CHECK_INT(gpurun_stream_wait_event(stream, event), GPURUN_INVALID);
	CHECK_INT(gpurun_event_record(timing, stream), GPURUN_OK);
	CHECK_INT(gpurun_event_synchronize(timing), GPURUN_OK);
	CHECK_INT(gpurun_event_elapsed(timing, timing, &nanoseconds), GPURUN_OK);
	CHECK_INT(gpurun_event_destroy(event), GPURUN_OK);
	CHECK_INT(gpurun_event_destroy(timing), GPURUN_OK);
	CHECK_INT(gpurun_stream_destroy(stream), GPURUN_OK);
}

/* A wait holds on to the record it was enqueued for, not to the event. */
static void test_event_reused_under_a_wait(void)
{
	struct gpurun_stream one = new_stream(), two = new_stream(), three = new_stream();
	struct gpurun_event event = new_event(0), again;
	void *native = native_of_event(event);

	if (!executes())
		return;
	atomic_store(&open_gate, false);
	CHECK_INT(gpurun_stream_host_function(one, gate, NULL), GPURUN_OK);
	CHECK_INT(gpurun_event_record(event, one), GPURUN_OK);
	CHECK_INT(gpurun_stream_wait_event(two, event), GPURUN_OK);
	CHECK_INT(gpurun_event_destroy(event), GPURUN_OK);
	again = new_event(0);
	CHECK(native_of_event(again) == native);
	CHECK_INT(gpurun_event_record(again, three), GPURUN_OK);
	CHECK_INT(gpurun_event_synchronize(again), GPURUN_OK);
	CHECK_INT(gpurun_stream_query(two), GPURUN_NOT_READY);
	atomic_store(&open_gate, true);
	CHECK_INT(gpurun_stream_synchronize(two), GPURUN_OK);
	CHECK_INT(gpurun_event_destroy(again), GPURUN_OK);
}

/* What is adopted stays its owner's. */
static void test_adopted(void)
{
	struct gpurun_stream owner = new_stream(), adopted;
	void *native = native_of(owner);

	CHECK_INT(gpurun_stream_adopt(device, native, &adopted), GPURUN_OK);
	CHECK_INT(gpurun_stream_destroy(adopted), GPURUN_OK);
	CHECK(come_and_go() != native);
	CHECK_INT(gpurun_native_kind(native, NULL), GPURUN_NATIVE_STREAM);
	CHECK_INT(gpurun_stream_synchronize(owner), GPURUN_OK);
	CHECK_INT(gpurun_stream_destroy(owner), GPURUN_OK);
}

static atomic_int failures;

static void *use_them(void *unused)
{
	(void)unused;
	for (int i = 0; i < ROUNDS; i++) {
		struct gpurun_stream stream = { 0 };
		struct gpurun_event event = { 0 };

		failures += gpurun_stream_create(device, &stream) != 0;
		failures += gpurun_event_create(device, i % 2, &event) != 0;
		failures += gpurun_event_record(event, stream) != 0;
		failures += gpurun_event_synchronize(event) != 0;
		failures += gpurun_stream_destroy(stream) != 0;
		failures += gpurun_event_destroy(event) != 0;
	}
	return NULL;
}

static void test_threads(void)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		REQUIRE(!pthread_create(&threads[i], NULL, use_them, NULL));
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	CHECK_INT(failures, 0);
}

/* The next gpurun_init() reads what is wanted. */
/* promise: Whether the library keeps */
static void test_switched_off(void)
{
	void *native;

	setenv("GPURUN_POOL", "0", 1);
	REQUIRE(up());
	native = come_and_go();
	CHECK(gpurun_native_kind(native, NULL) != GPURUN_NATIVE_CLOSED);
	CHECK_INT(gpurun_shutdown(), GPURUN_OK);
	unsetenv("GPURUN_POOL");
}

int main(void)
{
	if (!up())
		return 1;
	RUN(test_idle_stream);
	RUN(test_found_while_waiting);
	RUN(test_busy_stream);
	RUN(test_unload);
	RUN(test_quarantined_stream);
	RUN(test_events);
	RUN(test_event_reused_under_a_wait);
	RUN(test_many_streams);
	RUN(test_adopted);
	RUN(test_threads);
	gpurun_shutdown();
	RUN(test_switched_off);
	return tap_end();
}
