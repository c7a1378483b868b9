/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The flags of registration: what is pinned, and what is asked about alone. */
#include "ol.h"

enum {
	SIZE = 16384,
	LOCK = OL_MEMORY_REGISTER_FLAG_LOCK_MEMORY,
	UNLOCK = OL_MEMORY_REGISTER_FLAG_UNLOCK_MEMORY,
};

static char buffer[SIZE] __attribute__((aligned(4096)));

/* Registers and tells what comes of it: the address, or NULL. */
static void *pinned_by(void *at, size_t size, ol_memory_register_flags_t flags)
{
	void *pinned = &pinned;

	CHECK_OK(olMemRegister(gpu, at, size, flags, &pinned));
	return pinned;
}

static void test_lock(void)
{
	CHECK(pinned_by(buffer, SIZE, LOCK) == buffer);
	CHECK_OK(olMemUnregister(gpu, buffer, UNLOCK));
	CHECK_CODE(olMemUnregister(gpu, buffer, UNLOCK), INVALID_ARGUMENT);
}

/* Without the flag memory is not pinned, and there is no address. */
static void test_no_lock(void)
{
	CHECK(pinned_by(buffer, SIZE, 0) == NULL);
	CHECK_CODE(olMemUnregister(gpu, buffer, UNLOCK), INVALID_ARGUMENT);
	CHECK_OK(olMemUnregister(gpu, buffer, 0));
}

/* It is another use of what is pinned already. */
static void test_no_lock_of_locked(void)
{
	CHECK(pinned_by(buffer, SIZE, LOCK) == buffer);
	CHECK(pinned_by(buffer + 4096, 100, 0) == buffer + 4096);
	CHECK_OK(olMemUnregister(gpu, buffer, UNLOCK));
	CHECK(pinned_by(buffer, SIZE, 0) == buffer);
	CHECK_OK(olMemUnregister(gpu, buffer, UNLOCK));
	CHECK_OK(olMemUnregister(gpu, buffer, UNLOCK));
	CHECK_CODE(olMemUnregister(gpu, buffer, UNLOCK), INVALID_ARGUMENT);
	CHECK(pinned_by(buffer, SIZE, 0) == NULL);
}

static void test_lock_after_no_lock(void)
{
	CHECK(pinned_by(buffer, SIZE, 0) == NULL);
	CHECK(pinned_by(buffer, SIZE, LOCK) == buffer);
	CHECK_OK(olMemUnregister(gpu, buffer, UNLOCK));
}

/* An unknown pointer is no failure to who wants nothing unpinned. */
static void test_unregister_unknown(void)
{
	CHECK_OK(olMemUnregister(gpu, buffer, 0));
	CHECK_OK(olMemUnregister(gpu, buffer, LOCK));
	CHECK_TELLS(olMemUnregister(gpu, buffer, UNLOCK), INVALID_ARGUMENT, "is not registered");
	CHECK_CODE(olMemUnregister(gpu, buffer, UINT32_MAX), INVALID_ARGUMENT);
}

/* The last use unpins, whatever the flags say. */
static void test_last_use(void)
{
	CHECK(pinned_by(buffer, SIZE, LOCK) == buffer);
	CHECK_OK(olMemUnregister(gpu, buffer, 0));
	CHECK_CODE(olMemUnregister(gpu, buffer, UNLOCK), INVALID_ARGUMENT);
	CHECK(pinned_by(buffer + 100, 10, LOCK) == buffer + 100);
	CHECK_OK(olMemUnregister(gpu, buffer + 105, UNLOCK));
}

static void test_unknown_flags(void)
{
	CHECK(pinned_by(buffer, SIZE, 0xfffffffe) == NULL);
	CHECK(pinned_by(buffer, SIZE, UINT32_MAX) == buffer);
	CHECK_OK(olMemUnregister(gpu, buffer, 0xfffffffd));
	CHECK_CODE(olMemUnregister(gpu, buffer, UNLOCK), INVALID_ARGUMENT);
}

static void test_partial(void)
{
	void *pinned;

	CHECK(pinned_by(buffer, 8192, LOCK) == buffer);
	CHECK_CODE(olMemRegister(gpu, buffer + 4096, 8192, 0, &pinned), INVALID_ARGUMENT);
	CHECK_CODE(olMemRegister(gpu, buffer + 4096, 8192, LOCK, &pinned), INVALID_ARGUMENT);
	CHECK_OK(olMemUnregister(gpu, buffer, UNLOCK));
}

/* Memory of olMemAlloc() that the host reaches is pinned anyway. */
static void test_own_memory(void)
{
	void *host_memory = alloc(OL_ALLOC_TYPE_HOST, 4096);
	void *device = alloc(OL_ALLOC_TYPE_DEVICE, 4096), *pinned;

	CHECK(pinned_by(host_memory, 4096, 0) == host_memory);
	CHECK_OK(olMemUnregister(gpu, host_memory, UNLOCK));
	CHECK_CODE(olMemRegister(gpu, device, 4096, 0, &pinned), INVALID_ARGUMENT);
	CHECK_OK(olMemFree(host_memory));
	CHECK_OK(olMemFree(device));
}

static void test_checks(void)
{
	void *pinned;

	CHECK_TELLS(olMemRegister(NULL, NULL, 0, LOCK, NULL), INVALID_SIZE, "Size == 0");
	CHECK_TELLS(olMemUnregister(NULL, NULL, UNLOCK), INVALID_NULL_HANDLE, "NULL == Device");
	CHECK_TELLS(olMemUnregister(gpu, NULL, 0), INVALID_NULL_POINTER, "NULL == Ptr");
	CHECK_CODE(olMemRegister(host, buffer, SIZE, 0, &pinned), INVALID_DEVICE);
	CHECK_CODE(olMemUnregister(host, buffer, 0), INVALID_DEVICE);
}

static void test_twin(void)
{
	ol_code_location_t here = { __func__, __FILE__, __LINE__, 1 };

	CHECK(pinned_by(buffer, SIZE, LOCK) == buffer);
	CHECK_OK(olMemUnregisterWithCodeLoc(gpu, buffer, UNLOCK, &here));
}

static const struct ol_case cases[] = {
	OL_CASE(test_lock),               OL_CASE(test_no_lock),
	OL_CASE(test_no_lock_of_locked),  OL_CASE(test_lock_after_no_lock),
	OL_CASE(test_unregister_unknown), OL_CASE(test_last_use),
	OL_CASE(test_unknown_flags),      OL_CASE(test_partial),
	OL_CASE(test_own_memory),         OL_CASE(test_checks),
	OL_CASE(test_twin),
};
OL_MAIN(cases)
