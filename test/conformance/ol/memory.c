/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory: allocated and freed, by many at a time, beside queues that stand still. */
#include <pthread.h>

#include "ol_blocked.h"

enum { TYPES = OL_ALLOC_TYPE_LAST };

/* ---- Allocation ------------------------------------------------------------------ */

/* Fills, and reads back with a copy. */
static void check_usable(void *memory, size_t size)
{
	const uint8_t pattern = 0x5a;
	uint8_t *back = calloc(1, size);
	ol_queue_handle_t queue = new_queue();
	bool good = true;

	CHECK_OK(olMemFill(queue, memory, 1, &pattern, size));
	CHECK_OK(olMemcpy(queue, back, host, memory, gpu, size));
	CHECK_OK(olSyncQueue(queue));
	CHECK_OK(olDestroyQueue(queue));
	for (size_t i = 0; i < size; i++)
		good = good && back[i] == pattern;
	CHECK(good);
	free(back);
}

static void check_type(ol_alloc_type_t type)
{
	const size_t sizes[] = { 1, 3, 256, 4096, 1000003 };

	for (int i = 0; i < 5; i++) {
		void *memory = alloc(type, sizes[i]);

		REQUIRE(memory);
		CHECK_INT((uintptr_t)memory % 256, 0);
		check_usable(memory, sizes[i]);
		CHECK_OK(olMemFree(memory));
	}
}

static void test_alloc_device(void)
{
	check_type(OL_ALLOC_TYPE_DEVICE);
}

static void test_alloc_host(void)
{
	check_type(OL_ALLOC_TYPE_HOST);
}

static void test_alloc_managed(void)
{
	check_type(OL_ALLOC_TYPE_MANAGED);
}

/* The host reads and writes what is not the device's alone. */
static void test_host_reaches(void)
{
	const ol_alloc_type_t types[] = { OL_ALLOC_TYPE_HOST, OL_ALLOC_TYPE_MANAGED };

	for (int i = 0; i < 2; i++) {
		uint32_t *words = alloc(types[i], 64), back = 0;

		REQUIRE(words);
		words[15] = 0xcafe;
		CHECK_OK(olMemcpy(NULL, &back, host, &words[15], gpu, sizeof(back)));
		CHECK_INT(back, 0xcafe);
		CHECK_OK(olMemFree(words));
	}
}

/* A type that there is not gives managed memory. */
static void test_alloc_unknown_type(void)
{
	void *memory = alloc((ol_alloc_type_t)77, 64);

	REQUIRE(memory);
	memset(memory, 1, 64);
	CHECK_OK(olMemFree(memory));
}

static void test_alloc_unknown_type_info(void)
{
	void *memory = alloc((ol_alloc_type_t)77, 64);
	ol_alloc_type_t type = OL_ALLOC_TYPE_LAST;

	CHECK_OK(olGetMemInfo(memory, OL_MEM_INFO_TYPE, sizeof(type), &type));
	CHECK_INT(type, OL_ALLOC_TYPE_MANAGED);
	CHECK_OK(olMemFree(memory));
}

static void test_alloc_distinct(void)
{
	enum { COUNT = 300 };
	char *blocks[COUNT];

	for (int i = 0; i < COUNT; i++)
		REQUIRE((blocks[i] = alloc((ol_alloc_type_t)(i % TYPES), 100)));
	for (int i = 0; i < COUNT; i++)
		for (int j = 0; j < i; j++)
			CHECK(blocks[i] >= blocks[j] + 100 || blocks[j] >= blocks[i] + 100);
	for (int i = 0; i < COUNT; i++)
		CHECK_OK(olMemFree(blocks[(i * 181) % COUNT]));
}

static void test_alloc_zero(void)
{
	void *memory = NULL;

	CHECK_TELLS(olMemAlloc(gpu, OL_ALLOC_TYPE_DEVICE, 0, &memory), INVALID_SIZE,
		    "validation failure: Size == 0");
	CHECK(!memory);
}

/* The size comes first, then handles, then pointers. */
static void test_alloc_order(void)
{
	void *memory = NULL;

	CHECK_CODE(olMemAlloc(NULL, OL_ALLOC_TYPE_HOST, 0, NULL), INVALID_SIZE);
	CHECK_TELLS(olMemAlloc(NULL, OL_ALLOC_TYPE_HOST, 1, NULL), INVALID_NULL_HANDLE,
		    "validation failure: NULL == Device");
	CHECK_TELLS(olMemAlloc(gpu, OL_ALLOC_TYPE_HOST, 1, NULL), INVALID_NULL_POINTER,
		    "validation failure: NULL == AllocationOut");
	CHECK_CODE(olMemAlloc(NULL, OL_ALLOC_TYPE_HOST, 1, &memory), INVALID_NULL_HANDLE);
}

static void test_alloc_host_device(void)
{
	void *memory = NULL;

	for (int type = 0; type <= TYPES; type++)
		CHECK_TELLS(olMemAlloc(host, (ol_alloc_type_t)type, 64, &memory),
			    INVALID_DEVICE, "the host device has no memory");
	CHECK(!memory);
}

static void test_alloc_made_up_device(void)
{
	void *memory = NULL;

	CHECK_CODE(olMemAlloc((ol_device_handle_t)&memory, OL_ALLOC_TYPE_DEVICE, 64, &memory),
		   INVALID_DEVICE);
	CHECK(!memory);
}

static void test_alloc_wrong_kind(void)
{
	ol_device_handle_t device = (ol_device_handle_t)(void *)new_queue();
	void *memory = NULL;

	CHECK_CODE(olMemAlloc(device, OL_ALLOC_TYPE_DEVICE, 64, &memory), INVALID_DEVICE);
	CHECK(!memory);
}

/* What is left can still be had after that. */
static void test_alloc_exhausted(void)
{
	for (int type = 0; type < TYPES; type++) {
		void *memory = NULL;

		CHECK_CODE(olMemAlloc(gpu, (ol_alloc_type_t)type, (size_t)1 << 55, &memory),
			   OUT_OF_RESOURCES);
		CHECK(!memory);
		memory = alloc((ol_alloc_type_t)type, 4096);
		REQUIRE(memory);
		CHECK_OK(olMemFree(memory));
	}
}

static void test_alloc_twin(void)
{
	ol_code_location_t here = { __func__, __FILE__, __LINE__, 1 };
	void *memory = NULL, *base = NULL;
	size_t size = 0;

	CHECK_OK(olMemAllocWithCodeLoc(gpu, OL_ALLOC_TYPE_DEVICE, 64, &memory, &here));
	CHECK_OK(olGetMemInfoWithCodeLoc(memory, OL_MEM_INFO_BASE, sizeof(base), &base, &here));
	CHECK(base == memory);
	CHECK_OK(olGetMemInfoSizeWithCodeLoc(memory, OL_MEM_INFO_BASE, &size, &here));
	CHECK_INT((long long)size, sizeof(base));
	CHECK_OK(olMemFreeWithCodeLoc(memory, NULL));
}

/* ---- Freeing ---------------------------------------------------------------------- */

static void test_free(void)
{
	for (int type = 0; type < TYPES; type++)
		CHECK_OK(olMemFree(alloc((ol_alloc_type_t)type, 100)));
}

static void test_free_twice(void)
{
	for (int type = 0; type < TYPES; type++) {
		void *memory = alloc((ol_alloc_type_t)type, 100);

		CHECK_OK(olMemFree(memory));
		CHECK_CODE(olMemFree(memory), INVALID_ARGUMENT);
	}
}

/* Only where a block starts; a mistake frees nothing. */
static void test_free_interior(void)
{
	for (int type = 0; type < TYPES; type++) {
		char *memory = alloc((ol_alloc_type_t)type, 100);

		CHECK_CODE(olMemFree(memory + 1), INVALID_ARGUMENT);
		CHECK_CODE(olMemFree(memory + 99), INVALID_ARGUMENT);
		check_usable(memory, 100);
		CHECK_OK(olMemFree(memory));
	}
}

static void test_free_unknown(void)
{
	static int mine;
	int local;
	void *heap = malloc(100);

	CHECK_CODE(olMemFree(&mine), INVALID_ARGUMENT);
	CHECK_CODE(olMemFree(&local), INVALID_ARGUMENT);
	CHECK_CODE(olMemFree(heap), INVALID_ARGUMENT);
	CHECK_CODE(olMemFree((void *)1), INVALID_ARGUMENT);
	CHECK_CODE(olMemFree((void *)UINTPTR_MAX), INVALID_ARGUMENT);
	free(heap);
}

static void test_free_null(void)
{
	CHECK_TELLS(olMemFree(NULL), INVALID_NULL_POINTER, "validation failure: NULL == Address");
}

/* ---- Queues that stand still --------------------------------------------------------- */

static void test_blocked_alloc(void)
{
	ol_queue_handle_t queue = blocked_queue();
	void *memory[TYPES];

	for (int type = 0; type < TYPES; type++)
		memory[type] = alloc((ol_alloc_type_t)type, 5000);
	CHECK_BLOCKED();
	CHECK_OK(olSyncQueue(queue));
	for (int type = 0; type < TYPES; type++)
		CHECK_OK(olMemFree(memory[type]));
	CHECK_OK(olDestroyQueue(queue));
}

static void test_blocked_queues(void)
{
	ol_queue_handle_t queue = blocked_queue(), other = new_queue();

	CHECK_OK(olSyncQueue(other));
	CHECK_OK(olDestroyQueue(other));
	CHECK_OK(olDestroyQueue(queue));
	CHECK_BLOCKED();
}

/* Device memory is kept until everything that could use it is done. */
static void scene_blocked_free(void)
{
	ol_queue_handle_t queue;
	void *memory;

	REQUIRE_OK(ol_init());
	look_up();
	memory = alloc(OL_ALLOC_TYPE_DEVICE, 5000);
	queue = blocked_queue();
	CHECK_OK(olMemFree(memory));
	CHECK_BLOCKED();
	CHECK_OK(olSyncQueue(queue));
	CHECK_OK(olShutDown());
}

static void test_blocked_free(void)
{
	CHECK_PLAY("scene_blocked_free", "GPURUN_POOL=1", NULL);
}

static void *free_it(void *memory)
{
	CHECK_OK(olMemFree(memory));
	return NULL;
}

/* Pinned memory is freed when all work is done: a call that waits for that delays no other here.
 * A GPU's driver lets everybody wait. */
static void test_blocked_free_elsewhere(void)
{
	const uint8_t pattern[] = { 1, 2, 3 };
	void *pinned = alloc(OL_ALLOC_TYPE_HOST, 5000), *memory;
	ol_queue_handle_t queue = blocked_queue(), other;
	uint8_t back[99] = { 0 };
	pthread_t thread;

	REQUIRE(!pthread_create(&thread, NULL, free_it, pinned));
	usleep(20000);
	other = new_queue();
	memory = alloc(OL_ALLOC_TYPE_DEVICE, 99);
	CHECK_OK(olMemFill(other, memory, 3, pattern, 99));
	CHECK_OK(olMemcpy(other, back, host, memory, gpu, 99));
	CHECK_OK(olSyncQueue(other));
	CHECK_INT(back[98], 3);
	if (!is_gpu())
		CHECK_BLOCKED();
	gate_opened = true;
	pthread_join(thread, NULL);
	CHECK_OK(olSyncQueue(queue));
	CHECK_OK(olMemFree(memory));
}

/* ---- Lifetimes ------------------------------------------------------------------------ */

static void test_uninitialised(void)
{
	void *pointer = &pointer;
	size_t size;

	CHECK_CODE(olMemAlloc(NULL, OL_ALLOC_TYPE_HOST, 0, NULL), UNINITIALIZED);
	CHECK_CODE(olMemFree(NULL), UNINITIALIZED);
	CHECK_CODE(olMemFree(pointer), UNINITIALIZED);
	CHECK_CODE(olGetMemInfo(pointer, OL_MEM_INFO_BASE, 8, &pointer), UNINITIALIZED);
	CHECK_CODE(olGetMemInfoSize(pointer, OL_MEM_INFO_BASE, &size), UNINITIALIZED);
	CHECK_CODE(olMemFill(NULL, pointer, 0, pointer, 0), UNINITIALIZED);
	CHECK_CODE(olMemcpy(NULL, pointer, NULL, pointer, NULL, 0), UNINITIALIZED);
	CHECK_CODE(ol_register(NULL, pointer, 0, 0, NULL), UNINITIALIZED);
	CHECK_CODE(ol_unregister(NULL, pointer), UNINITIALIZED);
}

/* Memory that is left is gone with the last olShutDown(), and so is what is known of it. */
static void test_left_behind(void)
{
	void *memory[TYPES], *base = NULL;

	REQUIRE_OK(ol_init());
	look_up();
	for (int type = 0; type < TYPES; type++)
		memory[type] = alloc((ol_alloc_type_t)type, 10000);
	REQUIRE_OK(olShutDown());
	CHECK_CODE(olMemFree(memory[0]), UNINITIALIZED);
	REQUIRE_OK(ol_init());
	for (int type = 0; type < TYPES; type++) {
		CHECK_CODE(olGetMemInfo(memory[type], OL_MEM_INFO_BASE, sizeof(base), &base),
			   NOT_FOUND);
		CHECK_CODE(olMemFree(memory[type]), INVALID_ARGUMENT);
	}
	REQUIRE_OK(olShutDown());
}

/* A device of the life before is none of this one. */
static void test_stale_device(void)
{
	void *memory = NULL;

	REQUIRE_OK(ol_init());
	look_up();
	REQUIRE_OK(olShutDown());
	REQUIRE_OK(ol_init());
	CHECK_CODE(olMemAlloc(gpu, OL_ALLOC_TYPE_DEVICE, 64, &memory), INVALID_DEVICE);
	CHECK(!memory);
	REQUIRE_OK(olShutDown());
}

/* ---- Threads --------------------------------------------------------------------------- */

enum { THREADS = 8 };

static atomic_int failures, freed;

/* Allocates, fills, asks and frees, holding a few blocks at a time. */
static void *work(void *unused)
{
	ol_queue_handle_t queue = NULL;
	char *held[8] = { NULL };

	(void)unused;
	failures += olCreateQueue(gpu, &queue) != NULL;
	for (unsigned i = 0; i < 160; i++) {
		const size_t size = 100 + i * 64;
		char **slot = &held[i % 8];
		size_t told = 0;
		void *block = NULL;

		failures += *slot && olMemFree(*slot);
		failures += olMemAlloc(gpu, (ol_alloc_type_t)(i % TYPES), size, &block) != NULL;
		*slot = block;
		failures += olMemFill(queue, block, sizeof(i), &i, 64) != NULL;
		failures += olGetMemInfo((char *)block + size - 1, OL_MEM_INFO_SIZE,
					 sizeof(told), &told) != NULL;
		failures += told != size;
	}
	for (int i = 0; i < 8; i++)
		failures += olMemFree(held[i]) != NULL;
	failures += olDestroyQueue(queue) != NULL;
	return NULL;
}

static void *free_one(void *memory)
{
	freed += !olMemFree(memory);
	return NULL;
}

static void in_threads(void *(*function)(void *data), void *data)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		REQUIRE(!pthread_create(&threads[i], NULL, function, data));
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

static void test_threads(void)
{
	failures = 0;
	in_threads(work, NULL);
	CHECK_INT(failures, 0);
}

/* Of those who free the same, one does. */
static void test_threads_free_one(void)
{
	for (int round = 0; round < 20; round++) {
		freed = 0;
		in_threads(free_one, alloc((ol_alloc_type_t)(round % TYPES), 100));
		CHECK_INT(freed, 1);
	}
}

static const struct ol_case cases[] = {
	OL_CASE(test_alloc_device),
	OL_CASE(test_alloc_host),
	OL_CASE(test_alloc_managed),
	OL_CASE(test_host_reaches),
	OL_CASE(test_alloc_unknown_type),
	OL_CASE(test_alloc_unknown_type_info),
	OL_CASE(test_alloc_distinct),
	OL_CASE(test_alloc_zero),
	OL_CASE(test_alloc_order),
	OL_CASE(test_alloc_host_device),
	OL_CASE(test_alloc_made_up_device),
	OL_CASE(test_alloc_wrong_kind),
	OL_CASE(test_alloc_exhausted),
	OL_CASE(test_alloc_twin),
	OL_CASE(test_free),
	OL_CASE(test_free_twice),
	OL_CASE(test_free_interior),
	OL_CASE(test_free_unknown),
	OL_CASE(test_free_null),
	OL_CASE(test_blocked_alloc),
	OL_CASE(test_blocked_queues),
	OL_CASE(test_blocked_free_elsewhere),
	OL_SCENE(scene_blocked_free),
	OL_BARE(test_blocked_free),
	OL_BARE(test_uninitialised),
	OL_BARE(test_left_behind),
	OL_BARE(test_stale_device),
	OL_CASE(test_threads),
	OL_CASE(test_threads_free_one),
};
OL_MAIN(cases)
