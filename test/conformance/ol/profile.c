/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Profile counters of a program (test/data/images/profiled.c), and what the profile
 * runtime gets of them: this program is its own.
 */
#include "ol.h"

static struct {
	unsigned calls;
	int answer;
	uint64_t inner[2], work;
	size_t records, names;
	char target[32];
} got;

/* A record of compiler-rt: 64 bytes; where it tells its counters, and how many. */
enum { RECORD = 64, COUNTERS_AT = 16, NUMBER_AT = 48 };

static void look_at(const char *record)
{
	const uint64_t *counters;
	int64_t distance;
	uint32_t number;

	memcpy(&distance, record + COUNTERS_AT, sizeof(distance));
	memcpy(&number, record + NUMBER_AT, sizeof(number));
	counters = (const uint64_t *)(const void *)(record + distance);
	if (number == 1)
		got.work = counters[0];
	else if (CHECK_INT(number, 2))
		memcpy(got.inner, counters, sizeof(got.inner));
}

/* Found by its name, as compiler-rt's is. */
#pragma GCC visibility push(default)
int __llvm_write_custom_profile(const char *target, const void *data_begin,
				const void *data_end, const char *counters_begin,
				const char *counters_end, const char *names_begin,
				const char *names_end, const uint64_t *version);
#pragma GCC visibility pop

int __llvm_write_custom_profile(const char *target, const void *data_begin,
				const void *data_end, const char *counters_begin,
				const char *counters_end, const char *names_begin,
				const char *names_end, const uint64_t *version)
{
	const char *records = data_begin;

	(void)version;
	got.calls++;
	snprintf(got.target, sizeof(got.target), "%s", target);
	got.names = (size_t)(names_end - names_begin);
	got.records = (size_t)((const char *)data_end - records) / RECORD;
	CHECK_INT(counters_end - counters_begin, 3 * 8);
	for (size_t i = 0; i < got.records; i++)
		look_at(records + i * RECORD);
	return got.answer;
}

/* Runs the kernel of a program so many times, with @n rounds of its loop. */
static void work(ol_program_handle_t program, unsigned times, uint32_t n)
{
	ol_queue_handle_t queue = new_queue();

	for (unsigned i = 0; i < times; i++)
		CHECK_OK(launch1(queue, kernel_of(program, "work"), &n, sizeof(n)));
	CHECK_OK(olDestroyQueue(queue));
}

/* Written when the program goes, once, by when its kernels are done. */
static void test_written(void)
{
	for (unsigned i = 1; i <= 3; i++) {
		ol_program_handle_t program = load_image("profiled");

		got.calls = 0;
		work(program, i, 10 * i);
		CHECK_INT(got.calls, 0);
		CHECK_OK(olDestroyProgram(program));
		CHECK_INT(got.calls, 1);
		CHECK_INT((long long)got.work, i);
		CHECK_INT((long long)got.inner[0], i);
		CHECK_INT((long long)got.inner[1], 10 * i * i);
		CHECK_INT((long long)got.records, 2);
		CHECK_INT((long long)got.names, 20);
		CHECK_HAS(got.target, "nvptx64-nvidia-cuda");
	}
}

/* At the last shutdown, where the program is left. */
static void test_left(void)
{
	REQUIRE_OK(ol_init());
	look_up();
	got.calls = 0;
	got.work = 0;
	work(load_image("profiled"), 2, 5);
	CHECK_OK(olShutDown());
	CHECK_INT(got.calls, 1);
	CHECK_INT((long long)got.work, 2);
}

/* A file that cannot be written is told; the program is gone. */
static void test_unwritable(void)
{
	ol_program_handle_t program = load_image("profiled");

	got.answer = 1;
	CHECK_TELLS(olDestroyProgram(program), HOST_IO, "profile counters");
	got.answer = 0;
	CHECK_CODE(olDestroyProgram(program), INVALID_ARGUMENT);
}

static void test_no_counters(void)
{
	got.calls = 0;
	CHECK_OK(olDestroyProgram(load()));
	CHECK_INT(got.calls, 0);
}

static const struct ol_case cases[] = {
	OL_CASE(test_written),
	OL_BARE(test_left),
	OL_CASE(test_unwritable),
	OL_CASE(test_no_counters),
};
OL_MAIN(cases)
