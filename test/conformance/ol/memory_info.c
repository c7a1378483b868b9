/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is known of memory, by any address in it. */
#include "ol.h"

static void check_info(const char *at, const void *base, size_t bytes, ol_alloc_type_t type)
{
	ol_device_handle_t device = NULL;
	ol_alloc_type_t its_type = OL_ALLOC_TYPE_LAST;
	void *its_base = NULL;
	size_t size = 0;

	CHECK_OK(olGetMemInfo(at, OL_MEM_INFO_DEVICE, sizeof(device), &device));
	CHECK(device == gpu);
	CHECK_OK(olGetMemInfo(at, OL_MEM_INFO_BASE, sizeof(its_base), &its_base));
	CHECK(its_base == base);
	CHECK_OK(olGetMemInfo(at, OL_MEM_INFO_SIZE, sizeof(size), &size));
	CHECK_INT((long long)size, (long long)bytes);
	CHECK_OK(olGetMemInfo(at, OL_MEM_INFO_TYPE, sizeof(its_type), &its_type));
	CHECK_INT(its_type, type);
}

/* Whatever is asked with, from the first byte to the last. */
static void check_infos(ol_alloc_type_t type)
{
	char *memory = alloc(type, 1000);

	REQUIRE(memory);
	check_info(memory, memory, 1000, type);
	check_info(memory + 1, memory, 1000, type);
	check_info(memory + 500, memory, 1000, type);
	check_info(memory + 999, memory, 1000, type);
	CHECK_OK(olMemFree(memory));
}

static void test_info_device(void)
{
	check_infos(OL_ALLOC_TYPE_DEVICE);
}

static void test_info_host(void)
{
	check_infos(OL_ALLOC_TYPE_HOST);
}

static void test_info_managed(void)
{
	check_infos(OL_ALLOC_TYPE_MANAGED);
}

/* Neighbours are told apart, also after one of them has gone. */
static void test_info_neighbours(void)
{
	char *blocks[64];

	for (size_t i = 0; i < 64; i++)
		REQUIRE((blocks[i] = alloc(OL_ALLOC_TYPE_DEVICE, i + 1)));
	for (size_t i = 0; i < 64; i += 2)
		CHECK_OK(olMemFree(blocks[i]));
	for (size_t i = 1; i < 64; i += 2) {
		check_info(blocks[i] + i, blocks[i], i + 1, OL_ALLOC_TYPE_DEVICE);
		CHECK_OK(olMemFree(blocks[i]));
	}
}

static void test_info_not_found(void)
{
	char *memory = alloc(OL_ALLOC_TYPE_DEVICE, 100), local;
	void *base = NULL;
	size_t size = 0;

	CHECK_CODE(olGetMemInfo(memory + 100, OL_MEM_INFO_BASE, sizeof(base), &base), NOT_FOUND);
	CHECK_CODE(olGetMemInfo(memory - 1, OL_MEM_INFO_BASE, sizeof(base), &base), NOT_FOUND);
	CHECK_OK(olMemFree(memory));
	CHECK_CODE(olGetMemInfo(memory, OL_MEM_INFO_BASE, sizeof(base), &base), NOT_FOUND);
	CHECK_CODE(olGetMemInfo(&local, OL_MEM_INFO_BASE, sizeof(base), &base), NOT_FOUND);
	CHECK_CODE(olGetMemInfoSize(&local, OL_MEM_INFO_BASE, &size), NOT_FOUND);
	CHECK(!base && !size);
}

/* A pointer that is not found is told before a property that there is not. */
static void test_info_unknown_property(void)
{
	const ol_mem_info_t bad = (ol_mem_info_t)OL_MEM_INFO_LAST;
	void *memory = alloc(OL_ALLOC_TYPE_DEVICE, 100), *value = NULL;
	size_t size = 0;
	char local;

	CHECK_CODE(olGetMemInfo(&local, bad, sizeof(value), &value), NOT_FOUND);
	CHECK_CODE(olGetMemInfoSize(&local, bad, &size), NOT_FOUND);
	CHECK_TELLS(olGetMemInfo(memory, bad, sizeof(value), &value), INVALID_ENUMERATION,
		    "olGetMemInfo enum '4' is invalid");
	CHECK_TELLS(olGetMemInfoSize(memory, bad, &size), INVALID_ENUMERATION,
		    "olGetMemInfo enum '4' is invalid");
	CHECK(!value && !size);
	CHECK_OK(olMemFree(memory));
}

static void test_info_sizes(void)
{
	static const struct {
		ol_mem_info_t property;
		size_t size;
	} rows[] = {
		{ OL_MEM_INFO_DEVICE, sizeof(ol_device_handle_t) },
		{ OL_MEM_INFO_BASE, sizeof(void *) },
		{ OL_MEM_INFO_SIZE, sizeof(size_t) },
		{ OL_MEM_INFO_TYPE, sizeof(ol_alloc_type_t) },
	};
	void *memory = alloc(OL_ALLOC_TYPE_DEVICE, 100);
	uint8_t value[64];
	size_t size;

	for (int i = 0; i < 4; i++) {
		CHECK_OK(olGetMemInfoSize(memory, rows[i].property, &size));
		CHECK_INT((long long)size, (long long)rows[i].size);
		CHECK_CODE(olGetMemInfo(memory, rows[i].property, size - 1, value),
			   INVALID_SIZE);
		CHECK_OK(olGetMemInfo(memory, rows[i].property, size, value));
		CHECK_OK(olGetMemInfo(memory, rows[i].property, sizeof(value), value));
	}
	CHECK_OK(olMemFree(memory));
}

static void test_info_order(void)
{
	void *value = NULL;
	char local;

	CHECK_TELLS(olGetMemInfo(NULL, OL_MEM_INFO_BASE, 0, NULL), INVALID_SIZE,
		    "validation failure: PropSize == 0");
	CHECK_TELLS(olGetMemInfo(NULL, OL_MEM_INFO_BASE, 8, NULL), INVALID_NULL_POINTER,
		    "validation failure: NULL == Ptr");
	CHECK_TELLS(olGetMemInfo(&local, OL_MEM_INFO_BASE, 8, NULL), INVALID_NULL_POINTER,
		    "validation failure: NULL == PropValue");
	CHECK_CODE(olGetMemInfo(NULL, OL_MEM_INFO_BASE, 8, &value), INVALID_NULL_POINTER);
	CHECK_TELLS(olGetMemInfoSize(NULL, OL_MEM_INFO_BASE, NULL), INVALID_NULL_POINTER,
		    "NULL == Ptr");
	CHECK_TELLS(olGetMemInfoSize(&local, OL_MEM_INFO_BASE, NULL), INVALID_NULL_POINTER,
		    "NULL == PropSizeRet");
}

static const struct ol_case cases[] = {
	OL_CASE(test_info_device),
	OL_CASE(test_info_host),
	OL_CASE(test_info_managed),
	OL_CASE(test_info_neighbours),
	OL_CASE(test_info_not_found),
	OL_CASE(test_info_unknown_property),
	OL_CASE(test_info_sizes),
	OL_CASE(test_info_order),
};
OL_MAIN(cases)
