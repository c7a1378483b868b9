/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Fills: patterns of any size, on a queue and without. */
#include "ol_blocked.h"

enum { ROOM = 8192, AROUND = 0xee };

static void make_pattern(uint8_t *pattern, size_t size)
{
	for (size_t i = 0; i < size; i++)
		pattern[i] = (uint8_t)(i * 37 + i / 7 + 1);
}

/* Fills on @queue and compares all that is around, too. */
static void check_fill(ol_queue_handle_t queue, uint8_t *memory, size_t offset,
		       const uint8_t *pattern, size_t pattern_size, size_t count)
{
	static uint8_t back[ROOM], want[ROOM];
	const size_t size = pattern_size * count;

	memset(want, AROUND, ROOM);
	for (size_t i = 0; i < size; i++)
		want[offset + i] = pattern[i % pattern_size];
	memset(back, AROUND, ROOM);
	CHECK_OK(olMemcpy(queue, memory, gpu, back, host, ROOM));
	CHECK_OK(olMemFill(queue, memory + offset, pattern_size, pattern, size));
	CHECK_OK(olMemcpy(queue, back, host, memory, gpu, ROOM));
	if (queue)
		CHECK_OK(olSyncQueue(queue));
	if (!CHECK(!memcmp(back, want, ROOM)))
		printf("#   %zu times %zu bytes at offset %zu\n", count, pattern_size, offset);
}

static void check_sizes(ol_queue_handle_t queue)
{
	static const size_t sizes[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
					17, 31, 32, 64, 100, 1000 };
	uint8_t *memory = alloc(OL_ALLOC_TYPE_DEVICE, ROOM), pattern[1000];

	REQUIRE(memory);
	make_pattern(pattern, sizeof(pattern));
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		check_fill(queue, memory, 0, pattern, sizes[i], 1);
		check_fill(queue, memory, 0, pattern, sizes[i], 8);
	}
	CHECK_OK(olMemFree(memory));
}

static void test_sizes(void)
{
	check_sizes(new_queue());
}

/* Without a queue the memory is filled when the call is back. */
static void test_no_queue(void)
{
	check_sizes(NULL);
}

/* Addresses that elements of the pattern's size do not fit. */
static void test_unaligned(void)
{
	static const size_t sizes[] = { 1, 2, 3, 4, 8, 12, 16 };
	uint8_t *memory = alloc(OL_ALLOC_TYPE_DEVICE, ROOM), pattern[16];
	ol_queue_handle_t queue = new_queue();

	make_pattern(pattern, sizeof(pattern));
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		for (size_t offset = 1; offset < 5; offset++)
			check_fill(queue, memory, offset, pattern, sizes[i], 9);
	CHECK_OK(olMemFree(memory));
}

/* Patterns that repeat themselves, and some that only seem to. */
static void test_periodic(void)
{
	static const char *const patterns[] = { "aaaaaaaa", "abababab", "abcabc", "aabaab",
						"abab", "aaab", "abcdabce", "abcabcabcabc",
						"aaaaaaaabbbbaaaa" };
	uint8_t *memory = alloc(OL_ALLOC_TYPE_DEVICE, ROOM);
	ol_queue_handle_t queue = new_queue();

	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
		check_fill(queue, memory, 4, (const uint8_t *)patterns[i], strlen(patterns[i]),
			   11);
	CHECK_OK(olMemFree(memory));
}

/* Host and managed memory. */
static void check_types(ol_queue_handle_t queue)
{
	const uint8_t pattern[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 };

	for (int type = 0; type < OL_ALLOC_TYPE_LAST; type++) {
		uint8_t *memory = alloc((ol_alloc_type_t)type, ROOM);

		check_fill(queue, memory, 4, pattern, sizeof(pattern), 100);
		CHECK_OK(olMemFree(memory));
	}
}

static void test_types(void)
{
	check_types(new_queue());
}

static void test_types_no_queue(void)
{
	check_types(NULL);
}

static void test_large(void)
{
	const size_t size = (size_t)12 << 18;
	const uint32_t pattern[] = { 1, 2, 3 };
	uint32_t *back = malloc(size), *memory = alloc(OL_ALLOC_TYPE_DEVICE, size);
	ol_queue_handle_t queue = new_queue();
	bool good = true;

	CHECK_OK(olMemFill(queue, memory, sizeof(pattern), pattern, size));
	CHECK_OK(olMemcpy(queue, back, host, memory, gpu, size));
	CHECK_OK(olSyncQueue(queue));
	for (size_t i = 0; i < size / 4; i++)
		good = good && back[i] == i % 3 + 1;
	CHECK(good);
	CHECK_OK(olMemFree(memory));
	free(back);
}

/* Fills and copies of a queue come one after the other. */
static void test_order(void)
{
	ol_queue_handle_t queue = new_queue();
	uint8_t *memory = alloc(OL_ALLOC_TYPE_DEVICE, 64), back[64];
	const uint8_t ones = 1, many[] = { 2, 3, 4 };

	CHECK_OK(olMemFill(queue, memory, 1, &ones, 64));
	CHECK_OK(olMemFill(queue, memory + 1, 3, many, 60));
	CHECK_OK(olMemFill(queue, memory + 10, 1, &ones, 5));
	CHECK_OK(olMemcpy(queue, back, host, memory, gpu, 64));
	CHECK_OK(olSyncQueue(queue));
	for (int i = 0; i < 64; i++)
		CHECK_INT(back[i], i < 1 || i > 60 || (i > 9 && i < 15) ? 1 : 2 + (i - 1) % 3);
	CHECK_OK(olMemFree(memory));
}

/* ---- What is refused ------------------------------------------------------------------ */

static void test_nothing(void)
{
	uint8_t *memory = alloc(OL_ALLOC_TYPE_DEVICE, 64), pattern[3] = { 0 };

	CHECK_OK(olMemFill(new_queue(), memory, 3, pattern, 0));
	CHECK_OK(olMemFree(memory));
}

static void test_nothing_no_queue(void)
{
	uint8_t *memory = alloc(OL_ALLOC_TYPE_DEVICE, 64), pattern[3] = { 0 };

	CHECK_OK(olMemFill(NULL, memory, 3, pattern, 0));
	CHECK_OK(olMemFree(memory));
}

static void test_part_of_pattern(void)
{
	uint8_t *memory = alloc(OL_ALLOC_TYPE_DEVICE, 64), pattern[4] = { 0 };
	ol_queue_handle_t queue = new_queue();

	CHECK_TELLS(olMemFill(queue, memory, 4, pattern, 3), INVALID_SIZE,
		    "validation failure: FillSize % PatternSize != 0");
	CHECK_CODE(olMemFill(queue, memory, 4, pattern, 61), INVALID_SIZE);
	CHECK_CODE(olMemFill(queue, memory, SIZE_MAX, pattern, 64), INVALID_SIZE);
	CHECK_OK(olMemFree(memory));
}

static void test_empty_pattern(void)
{
	uint8_t *memory = alloc(OL_ALLOC_TYPE_DEVICE, 64), pattern[4] = { 0 };

	CHECK_CODE(olMemFill(new_queue(), memory, 0, pattern, 64), INVALID_SIZE);
	CHECK_CODE(olMemFill(NULL, memory, 0, pattern, 0), INVALID_SIZE);
	CHECK_OK(olMemFree(memory));
}

static void scene_unchecked(void)
{
	uint8_t *memory, pattern[4] = { 0 };

	REQUIRE_OK(ol_init());
	look_up();
	memory = alloc(OL_ALLOC_TYPE_DEVICE, 64);
	CHECK_CODE(olMemFill(NULL, memory, 0, pattern, 64), INVALID_SIZE);
	CHECK_CODE(olMemFill(NULL, memory, 4, pattern, 61), INVALID_SIZE);
	CHECK_CODE(olMemFill(NULL, memory, 4, NULL, 64), INVALID_ARGUMENT);
	CHECK_CODE(olMemFill(NULL, NULL, 4, pattern, 64), INVALID_ARGUMENT);
	CHECK_OK(olShutDown());
}

/* Also where the checks are switched off nothing is divided by 0 or read at NULL. */
static void test_unchecked(void)
{
	CHECK_PLAY("scene_unchecked", "OFFLOAD_DISABLE_VALIDATION=1", NULL);
}

static void test_order_of_checks(void)
{
	ol_queue_handle_t queue = new_queue();
	char local;

	CHECK_CODE(olMemFill(queue, NULL, 4, NULL, 3), INVALID_SIZE);
	CHECK_TELLS(olMemFill(queue, NULL, 4, NULL, 4), INVALID_NULL_POINTER,
		    "validation failure: NULL == Ptr");
	CHECK_TELLS(olMemFill(queue, &local, 4, NULL, 4), INVALID_NULL_POINTER,
		    "validation failure: NULL == PatternPtr");
}

static void test_stale_queue(void)
{
	uint8_t *memory = alloc(OL_ALLOC_TYPE_DEVICE, 64), pattern[4] = { 0 };
	ol_queue_handle_t queue = new_queue();

	CHECK_OK(olDestroyQueue(queue));
	CHECK_CODE(olMemFill(queue, memory, 4, pattern, 64), INVALID_QUEUE);
	CHECK_CODE(olMemFill(queue, memory, 4, pattern, 0), INVALID_QUEUE);
	CHECK_CODE(olMemFill((ol_queue_handle_t)(void *)gpu, memory, 4, pattern, 64),
		   INVALID_QUEUE);
	CHECK_CODE(olMemFill((ol_queue_handle_t)(void *)pattern, memory, 4, pattern, 64),
		   INVALID_QUEUE);
	CHECK_OK(olMemFree(memory));
}

/* The end is checked against the block; what is refused fills nothing. */
static void test_range(void)
{
	uint8_t *memory = alloc(OL_ALLOC_TYPE_DEVICE, 100), back[100];
	const uint8_t zero = 0, pattern[] = { 1, 2, 3, 4, 5 };
	ol_queue_handle_t queue = new_queue();

	CHECK_OK(olMemFill(queue, memory, 1, &zero, 100));
	CHECK_CODE(olMemFill(queue, memory, 5, pattern, 105), INVALID_ARGUMENT);
	CHECK_CODE(olMemFill(queue, memory + 50, 5, pattern, 55), INVALID_ARGUMENT);
	CHECK_CODE(olMemFill(queue, memory, 5, pattern, SIZE_MAX / 5 * 5), INVALID_ARGUMENT);
	CHECK_OK(olMemFill(queue, memory + 95, 5, pattern, 5));
	CHECK_OK(olMemcpy(queue, back, host, memory, gpu, 100));
	CHECK_OK(olSyncQueue(queue));
	for (int i = 0; i < 100; i++)
		CHECK_INT(back[i], i < 95 ? 0 : i - 94);
	CHECK_OK(olMemFree(memory));
}

/* ---- Queues that stand still ------------------------------------------------------------ */

/* The call is back, and its pattern forgotten, before the queue goes on. */
static void test_blocked(void)
{
	uint8_t *memory = alloc(OL_ALLOC_TYPE_DEVICE, 120), pattern[24], kept[24], back[120];
	ol_queue_handle_t queue = blocked_queue();

	make_pattern(kept, sizeof(kept));
	for (size_t size = 1; size <= 24; size++) {
		memcpy(pattern, kept, sizeof(kept));
		CHECK_OK(olMemFill(queue, memory, size, pattern, size * 5));
		memset(pattern, 0, sizeof(pattern));
	}
	CHECK_BLOCKED();
	CHECK_OK(olMemcpy(queue, back, host, memory, gpu, 120));
	CHECK_OK(olSyncQueue(queue));
	for (unsigned i = 0; i < 120; i++)
		CHECK_INT(back[i], kept[i % 24]);
	CHECK_OK(olMemFree(memory));
}

/* A fill that waits for itself waits for no queue. */
static void test_beside_blocked(void)
{
	uint8_t *memory = alloc(OL_ALLOC_TYPE_DEVICE, ROOM), pattern[7];
	ol_queue_handle_t queue = blocked_queue();

	make_pattern(pattern, sizeof(pattern));
	check_fill(NULL, memory, 3, pattern, sizeof(pattern), 50);
	check_fill(new_queue(), memory, 3, pattern, sizeof(pattern), 50);
	CHECK_BLOCKED();
	CHECK_OK(olSyncQueue(queue));
	CHECK_OK(olMemFree(memory));
}

/* ---- Several devices ---------------------------------------------------------------------- */

/* What only its device reaches is not for queues of others; host memory is for all. */
static void check_two(void)
{
	const uint8_t pattern[] = { 1, 2, 3 };
	uint8_t *memory = alloc(OL_ALLOC_TYPE_DEVICE, 99), *pinned = alloc(OL_ALLOC_TYPE_HOST, 99);
	ol_queue_handle_t queue = NULL;
	void *there = NULL;

	CHECK_OK(olCreateQueue(other_gpu, &queue));
	CHECK_OK(olMemAlloc(other_gpu, OL_ALLOC_TYPE_DEVICE, 99, &there));
	CHECK_TELLS(olMemFill(queue, memory, 3, pattern, 99), INVALID_DEVICE,
		    "another device than queue");
	CHECK_OK(olMemFill(queue, there, 3, pattern, 99));
	CHECK_OK(olMemFill(queue, pinned, 3, pattern, 99));
	CHECK_OK(olSyncQueue(queue));
	CHECK_OK(olMemFill(NULL, there, 3, pattern, 99));
	CHECK(pinned[0] == 1 && pinned[98] == 3);
	CHECK_OK(olMemFree(memory));
	CHECK_OK(olMemFree(pinned));
	CHECK_OK(olMemFree(there));
}

static void scene_two_devices(void)
{
	REQUIRE_OK(ol_init());
	look_up();
	REQUIRE(other_gpu);
	check_two();
	CHECK_OK(olShutDown());
}

/* The stub driver can have two. */
static void test_two_devices(void)
{
	if (other_gpu)
		check_two();
	else if (executes())
		SKIP("needs a GPU and another one");
	else
		CHECK_PLAY("scene_two_devices", "GPURUN_STUB_DEVICES=2", NULL);
}

static void test_twin(void)
{
	ol_code_location_t here = { __func__, __FILE__, __LINE__, 1 };
	uint8_t *memory = alloc(OL_ALLOC_TYPE_HOST, 16);
	const uint8_t pattern = 7;
	ol_queue_handle_t queue = new_queue();

	CHECK_OK(olMemFillWithCodeLoc(queue, memory, 1, &pattern, 16, &here));
	CHECK_OK(olSyncQueue(queue));
	CHECK(memory[0] == 7 && memory[15] == 7);
	CHECK_OK(olMemFree(memory));
}

static const struct ol_case cases[] = {
	OL_CASE(test_sizes),
	OL_CASE(test_no_queue),
	OL_CASE(test_unaligned),
	OL_CASE(test_periodic),
	OL_CASE(test_types),
	OL_CASE(test_types_no_queue),
	OL_CASE(test_large),
	OL_CASE(test_order),
	OL_CASE(test_nothing),
	OL_CASE(test_nothing_no_queue),
	OL_CASE(test_part_of_pattern),
	OL_CASE(test_empty_pattern),
	OL_SCENE(scene_unchecked),
	OL_BARE(test_unchecked),
	OL_CASE(test_order_of_checks),
	OL_CASE(test_stale_queue),
	OL_CASE(test_range),
	OL_CASE(test_blocked),
	OL_CASE(test_beside_blocked),
	OL_SCENE(scene_two_devices),
	OL_CASE(test_two_devices),
	OL_CASE(test_twin),
};
OL_MAIN(cases)
