/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "driver.h"
#include "handle.h"
#include "tap.h"

static void test_kinds(void)
{
	int object;
	void *stream = handle_new(HANDLE_STREAM, &object);

	REQUIRE(stream);
	CHECK(handle_object(stream, HANDLE_STREAM) == &object);
	CHECK(!handle_object(stream, HANDLE_EVENT));
	CHECK_INT(handle_kind(stream), HANDLE_STREAM);
	CHECK((uintptr_t)stream > 2 && (uintptr_t)stream % 16 == 0);
	handle_free(stream);
}

static void test_stale(void)
{
	int one, two;
	void *first = handle_new(HANDLE_EVENT, &one), *second;

	handle_free(first);
	CHECK(!handle_object(first, HANDLE_EVENT));
	CHECK_INT(handle_kind(first), HANDLE_EVENT);
	second = handle_new(HANDLE_EVENT, &two);
	CHECK(second != first);
	CHECK(!handle_object(first, HANDLE_EVENT));
	CHECK(handle_object(second, HANDLE_EVENT) == &two);
	handle_free(first);
	CHECK(handle_object(second, HANDLE_EVENT) == &two);
	handle_free(second);
	handle_free(second);
	handle_free(NULL);
}

/* Whatever the value, it is looked up in the table and nowhere else. */
static void test_made_up(void)
{
	int object;
	void *live = handle_new(HANDLE_MODULE, &object);

	for (unsigned bit = 0; bit < 64; bit++) {
		void *value = (void *)((uintptr_t)live ^ (uintptr_t)1 << bit);

		for (int kind = HANDLE_STREAM; kind <= HANDLE_FUNCTION; kind++)
			CHECK(!handle_object(value, (enum handle_kind)kind));
		handle_kind(value);
	}
	for (uintptr_t value = 0; value < 4096; value++)
		CHECK(!handle_object((void *)value, HANDLE_MODULE));
	CHECK_INT(handle_kind((void *)UINTPTR_MAX), HANDLE_NONE);
	CHECK_INT(handle_kind(&object), HANDLE_NONE);
	handle_free(live);
}

static void test_many(void)
{
	enum { COUNT = 5000 };
	static int objects[COUNT];
	static void *handles[COUNT];

	for (int i = 0; i < COUNT; i++)
		handles[i] = handle_new(HANDLE_EVENT, &objects[i]);
	for (int i = 0; i < COUNT; i += 2)
		handle_free(handles[i]);
	for (int i = 0; i < COUNT; i++)
		CHECK(handle_object(handles[i], HANDLE_EVENT) == (i % 2 ? &objects[i] : NULL));
	for (int i = 1; i < COUNT; i += 2)
		handle_free(handles[i]);
}

int main(void)
{
	driver_lock(); /* as all callers */
	RUN(test_kinds);
	RUN(test_stale);
	RUN(test_made_up);
	RUN(test_many);
	driver_unlock();
	return tap_end();
}
