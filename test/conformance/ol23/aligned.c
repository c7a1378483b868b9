/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory at multiples of a number, and its migration. */
#include "ol.h"

enum { SIZE = 1000 };

static const ol_alloc_type_t types[] = { OL_ALLOC_TYPE_HOST, OL_ALLOC_TYPE_DEVICE,
					 OL_ALLOC_TYPE_MANAGED };

static void *aligned(ol_alloc_type_t type, size_t size, size_t alignment)
{
	void *address = NULL;

	CHECK_OK(olMemAllocAligned(gpu, type, size, alignment, &address));
	CHECK_INT((long long)((uintptr_t)address % alignment), 0);
	return address;
}

static void check_kind(ol_alloc_type_t type)
{
	for (size_t alignment = 1; alignment <= 2 << 20; alignment *= 2)
		CHECK_OK(olMemFree(aligned(type, SIZE, alignment)));
}

static void test_device(void)
{
	check_kind(OL_ALLOC_TYPE_DEVICE);
}

static void test_host(void)
{
	check_kind(OL_ALLOC_TYPE_HOST);
}

static void test_managed(void)
{
	check_kind(OL_ALLOC_TYPE_MANAGED);
}

/* It is known as what was asked for, from its first byte to its last. */
static void test_info(void)
{
	for (int i = 0; i < 3; i++) {
		char *address = aligned(types[i], SIZE, 65536);
		ol_alloc_type_t type = OL_ALLOC_TYPE_LAST;
		void *base = NULL;
		size_t size = 0;

		CHECK_OK(olGetMemInfo(address + SIZE - 1, OL_MEM_INFO_BASE, sizeof(base), &base));
		CHECK_OK(olGetMemInfo(address, OL_MEM_INFO_SIZE, sizeof(size), &size));
		CHECK_OK(olGetMemInfo(address, OL_MEM_INFO_TYPE, sizeof(type), &type));
		CHECK(base == address && size == SIZE && type == types[i]);
		CHECK_CODE(olGetMemInfo(address + SIZE, OL_MEM_INFO_SIZE, sizeof(size), &size),
			   NOT_FOUND);
		CHECK_OK(olMemFree(address));
	}
}

static void test_free(void)
{
	char *address = aligned(OL_ALLOC_TYPE_DEVICE, SIZE, 4096);

	CHECK_CODE(olMemFree(address + 1), INVALID_ARGUMENT);
	CHECK_CODE(olMemFree(address - 256), INVALID_ARGUMENT);
	CHECK_OK(olMemFree(address));
	CHECK_CODE(olMemFree(address), INVALID_ARGUMENT);
}

static void test_used(void)
{
	uint8_t *address = aligned(OL_ALLOC_TYPE_DEVICE, SIZE, 1 << 20);
	const uint8_t pattern[3] = { 1, 2, 3 };
	uint8_t back[999] = { 0 };

	CHECK_OK(olMemFill(NULL, address, 3, pattern, 999));
	CHECK_OK(olMemcpy(NULL, back, host, address, gpu, 999));
	CHECK(back[0] == 1 && back[998] == 3);
	CHECK_OK(olMemFree(address));
}

static void test_many(void)
{
	void *blocks[64];

	for (int i = 0; i < 64; i++)
		blocks[i] = aligned(types[i % 3], (size_t)i * 100 + 1, (size_t)1 << (i % 18));
	for (int i = 0; i < 64; i++)
		for (int k = 0; k < i; k++)
			CHECK(blocks[i] != blocks[k]);
	for (int i = 0; i < 64; i++)
		CHECK_OK(olMemFree(blocks[i * 37 % 64]));
}

static void test_left(void)
{
	aligned(OL_ALLOC_TYPE_DEVICE, SIZE, 65536);
	aligned(OL_ALLOC_TYPE_HOST, SIZE, 65536);
}

static void test_bad_alignment(void)
{
	const size_t bad[] = { 0, 3, 6, 384, 65537, SIZE_MAX };
	void *address = &address;

	for (int i = 0; i < 6; i++)
		CHECK_TELLS(olMemAllocAligned(gpu, OL_ALLOC_TYPE_DEVICE, SIZE, bad[i], &address),
			    INVALID_ARGUMENT, "Alignment");
	CHECK(address == &address);
}

/* No driver promises more. */
static void test_too_much(void)
{
	void *address;

	for (int i = 0; i < 3; i++) {
		CHECK_TELLS(olMemAllocAligned(gpu, types[i], SIZE, 4 << 20, &address),
			    UNSUPPORTED, "2097152 is the most");
		CHECK_CODE(olMemAllocAligned(gpu, types[i], SIZE, (size_t)1 << 63, &address),
			   UNSUPPORTED);
	}
}

static void test_checks(void)
{
	void *address;

	CHECK_TELLS(olMemAllocAligned(NULL, OL_ALLOC_TYPE_HOST, 0, 0, NULL), INVALID_SIZE,
		    "Size == 0");
	CHECK_CODE(olMemAllocAligned(NULL, OL_ALLOC_TYPE_HOST, 1, 0, NULL), INVALID_ARGUMENT);
	CHECK_TELLS(olMemAllocAligned(NULL, OL_ALLOC_TYPE_HOST, 1, 1, NULL), INVALID_NULL_HANDLE,
		    "NULL == Device");
	CHECK_TELLS(olMemAllocAligned(gpu, OL_ALLOC_TYPE_HOST, 1, 1, NULL), INVALID_NULL_POINTER,
		    "NULL == AllocationOut");
	CHECK_CODE(olMemAllocAligned(host, OL_ALLOC_TYPE_HOST, 1, 1, &address), INVALID_DEVICE);
	CHECK_CODE(olMemAllocAligned((ol_device_handle_t)8, OL_ALLOC_TYPE_HOST, 1, 1, &address),
		   INVALID_DEVICE);
}

static void test_exhausted(void)
{
	void *address = NULL;

	CHECK_CODE(olMemAllocAligned(gpu, OL_ALLOC_TYPE_DEVICE, (size_t)1 << 60, 65536, &address),
		   OUT_OF_RESOURCES);
	CHECK_CODE(olMemAllocAligned(gpu, OL_ALLOC_TYPE_DEVICE, (size_t)1 << 50, 2 << 20,
				     &address), OUT_OF_RESOURCES);
	CHECK(!address);
}

/* ---- olMemPrefetch() ---------------------------------------------------------------------- */

static ol_queue_handle_t queue;

static ol_result_t bring(const void *memory, size_t size, ol_mem_migration_flags_t flags)
{
	return olMemPrefetch(queue, 1, &memory, &size, flags);
}

static void test_bring(void)
{
	uint8_t *managed = alloc(OL_ALLOC_TYPE_MANAGED, 8192);

	queue = new_queue();
	memset(managed, 9, 8192);
	CHECK_OK(bring(managed, 8192, OL_MEM_MIGRATION_FLAG_HOST_TO_DEVICE));
	CHECK_OK(bring(managed, 8192, OL_MEM_MIGRATION_FLAG_DEVICE_TO_HOST));
	CHECK_OK(olSyncQueue(queue));
	CHECK(managed[0] == 9 && managed[8191] == 9);
	CHECK_OK(olMemFree(managed));
	CHECK_OK(olDestroyQueue(queue));
}

static void test_bring_flags(void)
{
	uint8_t *managed = alloc(OL_ALLOC_TYPE_MANAGED, 64);

	queue = new_queue();
	CHECK_OK(bring(managed, 64, 0));
	CHECK_OK(bring(managed, 64, 3));
	CHECK_TELLS(bring(managed, 64, 4), INVALID_ENUMERATION, "Flags");
	CHECK_CODE(bring(managed, 64, UINT32_MAX), INVALID_ENUMERATION);
	CHECK_OK(olSyncQueue(queue));
	CHECK_OK(olMemFree(managed));
	CHECK_OK(olDestroyQueue(queue));
}

static void test_bring_none(void)
{
	queue = new_queue();
	CHECK_OK(olMemPrefetch(queue, 0, NULL, NULL, 0));
	CHECK_CODE(olMemPrefetch(queue, 0, NULL, NULL, 8), INVALID_ENUMERATION);
	CHECK_OK(olDestroyQueue(queue));
}

static void test_bring_several(void)
{
	char *managed = alloc(OL_ALLOC_TYPE_MANAGED, 8192), *second;
	const void *memories[3];
	const size_t sizes[3] = { 4096, 4096, 1 };

	queue = new_queue();
	second = alloc(OL_ALLOC_TYPE_MANAGED, 16);
	memories[0] = managed;
	memories[1] = managed + 4096;
	memories[2] = second + 15;
	CHECK_OK(olMemPrefetch(queue, 3, memories, sizes, 1));
	CHECK_OK(olSyncQueue(queue));
	CHECK_OK(olMemFree(managed));
	CHECK_OK(olMemFree(second));
	CHECK_OK(olDestroyQueue(queue));
}

/* Other memory stays where it is. */
static void test_bring_other(void)
{
	static char mine[64];
	void *device = alloc(OL_ALLOC_TYPE_DEVICE, 64), *pinned = alloc(OL_ALLOC_TYPE_HOST, 64);

	queue = new_queue();
	CHECK_OK(bring(device, 64, 1));
	CHECK_OK(bring(device, 64, 2));
	CHECK_OK(bring(pinned, 64, 1));
	CHECK_OK(bring(mine, 64, 1));
	CHECK_OK(bring(NULL, 64, 1));
	CHECK_OK(olMemFree(device));
	CHECK_OK(olMemFree(pinned));
	CHECK_OK(olDestroyQueue(queue));
}

static void test_bring_too_much(void)
{
	char *managed = alloc(OL_ALLOC_TYPE_MANAGED, 4096);

	queue = new_queue();
	CHECK_OK(bring(managed, 0, 1));
	CHECK_TELLS(bring(managed, 4097, 1), INVALID_ARGUMENT, "4096 bytes");
	CHECK_CODE(bring(managed + 1, 4096, 2), INVALID_ARGUMENT);
	CHECK_CODE(bring(managed + 1, SIZE_MAX, 2), INVALID_ARGUMENT);
	CHECK_OK(olMemFree(managed));
	CHECK_OK(olDestroyQueue(queue));
}

static void test_bring_checks(void)
{
	const void *memories[1] = { NULL };
	const size_t sizes[1] = { 0 };

	queue = new_queue();
	CHECK_TELLS(olMemPrefetch(NULL, 1, NULL, NULL, 9), INVALID_NULL_HANDLE, "NULL == Queue");
	CHECK_TELLS(olMemPrefetch(queue, 1, NULL, sizes, 9), INVALID_NULL_POINTER, "NULL == Mems");
	CHECK_TELLS(olMemPrefetch(queue, 1, memories, NULL, 9), INVALID_NULL_POINTER,
		    "NULL == Sizes");
	CHECK_CODE(olMemPrefetch(queue, 1, memories, sizes, 9), INVALID_ENUMERATION);
	CHECK_CODE(olMemPrefetch((ol_queue_handle_t)gpu, 1, memories, sizes, 1), INVALID_QUEUE);
	CHECK_OK(olDestroyQueue(queue));
	CHECK_CODE(olMemPrefetch(queue, 0, NULL, NULL, 0), INVALID_QUEUE);
}

static void scene_unchecked(void)
{
	void *address;

	REQUIRE_OK(olInit(NULL));
	look_up();
	queue = new_queue();
	CHECK_CODE(olMemPrefetch(queue, 1, NULL, NULL, 0), INVALID_NULL_POINTER);
	CHECK_CODE(olMemPrefetch(NULL, 0, NULL, NULL, 0), INVALID_QUEUE);
	CHECK_CODE(olMemAllocAligned(gpu, OL_ALLOC_TYPE_DEVICE, 64, 0, &address),
		   INVALID_ARGUMENT);
	CHECK_CODE(olMemAllocAligned(gpu, OL_ALLOC_TYPE_DEVICE, 64, 48, &address),
		   INVALID_ARGUMENT);
	CHECK_OK(olShutDown());
}

static void test_unchecked(void)
{
	CHECK_PLAY("scene_unchecked", "OFFLOAD_DISABLE_VALIDATION=1", NULL);
}

static void test_twins(void)
{
	ol_code_location_t here = { __func__, __FILE__, __LINE__, 1 };
	void *address = NULL;

	queue = new_queue();
	CHECK_OK(olMemAllocAlignedWithCodeLoc(gpu, OL_ALLOC_TYPE_HOST, 1, 1, &address, &here));
	CHECK_OK(olMemPrefetchWithCodeLoc(queue, 0, NULL, NULL, 0, &here));
	CHECK_OK(olMemFree(address));
	CHECK_OK(olDestroyQueue(queue));
}

static const struct ol_case cases[] = {
	OL_CASE(test_device),        OL_CASE(test_host),
	OL_CASE(test_managed),       OL_CASE(test_info),
	OL_CASE(test_free),          OL_CASE(test_used),
	OL_CASE(test_many),          OL_CASE(test_left),
	OL_CASE(test_bad_alignment), OL_CASE(test_too_much),
	OL_CASE(test_checks),        OL_CASE(test_exhausted),
	OL_CASE(test_bring),         OL_CASE(test_bring_flags),
	OL_CASE(test_bring_none),    OL_CASE(test_bring_several),
	OL_CASE(test_bring_other),   OL_CASE(test_bring_too_much),
	OL_CASE(test_bring_checks),  OL_BARE(test_unchecked),
	OL_CASE(test_twins),         OL_SCENE(scene_unchecked),
};
OL_MAIN(cases)
