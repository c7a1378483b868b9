/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* gpurun.h over and over (see stress.h): streams, blocks, modules, and lives of the library. */
#include <pthread.h>
#include <stdatomic.h>

#include "kernels.h"
#include "stress.h"

enum {
	STREAMS = 1000000,  /* created and destroyed; as many events */
	BLOCKS = 1000000,   /* allocated and freed */
	MODULES = 100000,   /* loaded and unloaded */
	CYCLES = 100,       /* of gpurun_init() and gpurun_shutdown(), by each thread */
	THREADS = 8,
};

static void one_stream(long i)
{
	struct gpurun_stream stream;

	(void)i;
	CHECK_INT(gpurun_stream_create(device, &stream), GPURUN_OK);
	CHECK_INT(gpurun_stream_destroy(stream), GPURUN_OK);
}

static void one_event(long i)
{
	struct gpurun_event event;

	CHECK_INT(gpurun_event_create(device, i % 2, &event), GPURUN_OK);
	CHECK_INT(gpurun_event_destroy(event), GPURUN_OK);
}

/* A few streams at a time, with work on them and events behind it. */
static void some_at_work(long i)
{
	struct gpurun_stream stream[3];
	struct gpurun_event event[3];
	static struct gpurun_kernel kernel;

	if (!i)
		kernel = kernel_of(load(), "nothing");
	for (int j = 0; j < 3; j++) {
		CHECK_INT(gpurun_stream_create(device, &stream[j]), GPURUN_OK);
		CHECK_INT(gpurun_event_create(device, 0, &event[j]), GPURUN_OK);
		CHECK_INT(launch1(kernel, stream[j], NULL), GPURUN_OK);
		CHECK_INT(gpurun_event_record(event[j], stream[j]), GPURUN_OK);
		if (j)
			CHECK_INT(gpurun_stream_wait_event(stream[j], event[j - 1]), GPURUN_OK);
	}
	CHECK_INT(gpurun_event_synchronize(event[2]), GPURUN_OK);
	for (int j = 0; j < 3; j++) {
		CHECK_INT(gpurun_event_destroy(event[j]), GPURUN_OK);
		CHECK_INT(gpurun_stream_destroy(stream[j]), GPURUN_OK);
	}
}

static void one_block(long i)
{
	(void)i;
	CHECK_INT(gpurun_memory_free(alloc(64)), GPURUN_OK);
}

/* Many at a time, of many sizes and of every kind; all sizes come up in the warming up. */
static void some_blocks(long i)
{
	uint64_t blocks[10];

	for (int j = 0; j < 10; j++)
		CHECK_INT(gpurun_memory_alloc(device, 1 + (uint64_t)(i * 10 + j) % 50 * 100,
					      j < 8 ? GPURUN_MEMORY_DEVICE :
					      j < 9 ? GPURUN_MEMORY_HOST :
						      GPURUN_MEMORY_MANAGED, &blocks[j]),
			  GPURUN_OK);
	for (int j = 0; j < 10; j++)
		CHECK_INT(gpurun_memory_free(blocks[j]), GPURUN_OK);
}

/* Really loaded each time: it has a variable. */
static void one_module(long i)
{
	struct gpurun_module module = load();

	if (i % 4 == 0)
		kernel_of(module, "nothing");
	CHECK_INT(gpurun_module_unload(module), GPURUN_OK);
}

/* It may be kept. */
static void one_plain_module(long i)
{
	static const char ptx[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
				  ".visible .entry nothing() { ret; }\n";
	struct gpurun_module module;

	CHECK_INT(gpurun_module_load(device, ptx, 0, &module), GPURUN_OK);
	if (i % 4 == 0)
		kernel_of(module, "nothing");
	CHECK_INT(gpurun_module_unload(module), GPURUN_OK);
}

static void test_streams(void)
{
	repeat("streams", part(STREAMS), one_stream);
	repeat("events", part(STREAMS), one_event);
	repeat("streams, three at work", part(STREAMS / 10), some_at_work);
}

static void test_blocks(void)
{
	repeat("blocks of 64 bytes", part(BLOCKS), one_block);
	repeat("blocks of many sizes, ten each", part(BLOCKS / 10), some_blocks);
}

static void test_modules(void)
{
	repeat("modules with a variable", part(MODULES), one_module);
	repeat("modules without", part(MODULES), one_plain_module);
}

static atomic_long cycles, failures;

/* Streams, events and memory are left to the shutdown, if it is the last. */
static void *come_and_go(void *unused)
{
	(void)unused;
	while (atomic_fetch_sub(&cycles, 1) > 0) {
		struct gpurun_device mine = { 0 };
		struct gpurun_stream stream = { 0 };
		struct gpurun_event event = { 0 };
		struct gpurun_module module = { 0 };
		uint64_t address = 0;

		failures += gpurun_init(NULL) != 0;
		failures += gpurun_device_get(0, &mine) != 0;
		failures += gpurun_stream_create(mine, &stream) != 0;
		failures += gpurun_event_create(mine, 0, &event) != 0;
		failures += gpurun_memory_alloc(mine, 1000, GPURUN_MEMORY_DEVICE, &address) != 0;
		failures += gpurun_module_load(mine, kernels_ptx, 0, &module) != 0;
		failures += gpurun_event_record(event, stream) != 0;
		if (cycles % 2)
			failures += gpurun_stream_destroy(stream) != 0;
		failures += gpurun_shutdown() != 0;
	}
	return NULL;
}

static void all_threads(long i)
{
	pthread_t threads[THREADS];

	(void)i;
	atomic_store(&cycles, THREADS);
	for (int j = 0; j < THREADS; j++)
		REQUIRE(!pthread_create(&threads[j], NULL, come_and_go, NULL));
	for (int j = 0; j < THREADS; j++)
		pthread_join(threads[j], NULL);
	CHECK_INT(failures, 0);
}

/* Down to nothing before: each round of cycles comes up anew. */
static void test_cycles(void)
{
	if (device_info.kind == GPURUN_DEVICE_GPU && executes())
		hold_context(device_info.ordinal);
	repeat("cycles, by 8 threads", part(CYCLES), all_threads);
}

int main(int argc, char **argv)
{
	tap_only(argc, argv);
	stress_configure();
	if (!up())
		return 1;
	RUN(test_streams);
	RUN(test_blocks);
	RUN(test_modules);
	gpurun_shutdown();
	RUN(test_cycles);
	return tap_end();
}
