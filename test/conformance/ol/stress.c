/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* libLLVMOffload over and over (see stress.h): queues, events, memory, programs, failures,
 * and lives of the library, by several threads. */
#include <pthread.h>
#include <stdatomic.h>

#include "ol.h"
#include "stress.h"

enum {
	QUEUES = 100000,  /* created and destroyed; with an event each */
	BLOCKS = 1000000, /* allocated and freed */
	PROGRAMS = 20000,
	ERRORS = 1000000,
	CYCLES = 100,     /* of olInit() and olShutDown(), by each thread */
	THREADS = 8,
};

static ol_symbol_handle_t nothing;

static void one_queue(long i)
{
	ol_queue_handle_t queue = new_queue();
	ol_event_handle_t event = NULL;

	CHECK_OK(launch1(queue, nothing, NULL, 0));
	CHECK_OK(ol_create_event(queue, &event));
	if (i % 2)
		CHECK_OK(olSyncQueue(queue));
	CHECK_OK(olDestroyQueue(queue));
	CHECK_OK(olSyncEvent(event));
	CHECK_OK(olDestroyEvent(event));
}

static void one_block(long i)
{
	CHECK_OK(olMemFree(alloc((ol_alloc_type_t)(i % 50 ? OL_ALLOC_TYPE_DEVICE : i % 3),
				 (size_t)(1 + i % 20 * 100))));
}

static struct image image;

static void one_program(long i)
{
	ol_program_handle_t program = NULL;

	CHECK_OK(olCreateProgram(gpu, image.data, image.size, &program));
	if (i % 4 == 0)
		kernel_of(program, "nothing");
	CHECK_OK(olDestroyProgram(program));
}

/* Texts are kept once each: those that come again take nothing. */
static void one_error(long i)
{
	CHECK_CODE(olGetPlatformInfo(cuda, (ol_platform_info_t)(100 + i % 500), 1, &i),
		   INVALID_ENUMERATION);
}

/* And no more than there is room for, when none comes again. */
static void other_error(long i)
{
	static int number = 1000;

	CHECK_CODE(olGetPlatformInfo(cuda, (ol_platform_info_t)number++, 1, &i),
		   INVALID_ENUMERATION);
}

static void test_objects(void)
{
	ol_program_handle_t program = load();

	nothing = kernel_of(program, "nothing");
	repeat("queues, each with an event", part(QUEUES), one_queue);
	repeat("blocks", part(BLOCKS), one_block);
	image = image_of("offload");
	repeat("programs", part(PROGRAMS), one_program);
	free(image.data);
	CHECK_OK(olDestroyProgram(program));
}

/* As many as there is room for come before. */
static void test_errors(void)
{
	repeat("failures of few texts", part(ERRORS), one_error);
	for (int i = 0; i < 200000; i++)
		other_error(i);
	repeat("failures of many texts", part(ERRORS), other_error);
}

static atomic_long cycles, failures;

static bool find_gpu(ol_device_handle_t device, void *found)
{
	*(ol_device_handle_t *)found = device;
	return false;
}

/* Everything is left to the olShutDown(), if it is the last. */
static void *come_and_go(void *unused)
{
	while (atomic_fetch_sub(&cycles, 1) > 0) {
		ol_device_handle_t device = NULL;
		ol_queue_handle_t queue = NULL;
		ol_event_handle_t event = NULL;
		ol_program_handle_t program = NULL;
		void *memory = NULL;

		failures += ol_init() != NULL;
		failures += olIterateDevices(find_gpu, &device) != NULL;
		failures += olCreateQueue(device, &queue) != NULL;
		failures += olMemAlloc(device, OL_ALLOC_TYPE_DEVICE, 1000, &memory) != NULL;
		failures += olCreateProgram(device, image.data, image.size, &program) != NULL;
		failures += olMemFill(queue, memory, 3, "abc", 999) != NULL;
		failures += ol_create_event(queue, &event) != NULL;
		if (cycles % 2)
			failures += olDestroyQueue(queue) != NULL;
		failures += olShutDown() != NULL;
	}
	return unused;
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

static void test_cycles(void)
{
	REQUIRE_OK(ol_init());
	look_up();
	image = image_of("offload");
	if (is_gpu())
		hold_context(0);
	CHECK_OK(olShutDown());
	repeat("cycles, by 8 threads", part(CYCLES), all_threads);
	free(image.data);
}

static const struct ol_case cases[] = {
	OL_CASE(test_objects),
	OL_CASE(test_errors),
	OL_BARE(test_cycles),
};

int main(int argc, char **argv)
{
	stress_configure();
	return ol_main(cases, sizeof(cases) / sizeof(cases[0]), argc, argv);
}
