/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Profile counters of a module (test/data/images/profiled.c), and what the
 * program's profile runtime gets of them: this program is its own.
 */
#include "kernels.h"

static struct {
	unsigned calls;
	int answer;
	uint64_t inner[2], work;
	size_t names;
	bool version;
	char target[32];
} got;

/* The end of a record of compiler-rt: its number of counters. */
enum {
	RECORD = 64, COUNTERS_AT = 16, POINTERS_AT = 24, POINTERS = 24, NUMBER_AT = 48, REST_AT = 52
};

static void look_at(const char *record)
{
	const char zeros[POINTERS] = { 0 };
	const uint64_t *counters;
	int64_t distance;
	uint32_t number;

	memcpy(&distance, record + COUNTERS_AT, sizeof(distance));
	memcpy(&number, record + NUMBER_AT, sizeof(number));
	CHECK(!memcmp(record + POINTERS_AT, zeros, sizeof(zeros)));
	CHECK(!memcmp(record + REST_AT, zeros, RECORD - REST_AT));
	counters = (const uint64_t *)(const void *)(record + distance);
	if (number == 1)
		got.work = counters[0];
	else if (CHECK_INT(number, 2))
		memcpy(got.inner, counters, sizeof(got.inner));
}

/* The library finds it by its name, as it finds compiler-rt's. */
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
	size_t bytes = (size_t)((const char *)data_end - (const char *)data_begin);

	got.calls++;
	snprintf(got.target, sizeof(got.target), "%s", target);
	got.names = (size_t)(names_end - names_begin);
	got.version = version != NULL;
	CHECK_INT(counters_end - counters_begin, 3 * 8);
	if (CHECK_INT(bytes, 2 * RECORD))
		for (size_t i = 0; i < 2; i++)
			look_at((const char *)data_begin + i * RECORD);
	return got.answer;
}

static struct gpurun_module load_profiled(void)
{
	struct gpurun_module module;
	size_t size;
	uint8_t *bytes = tap_read("test/data/images/profiled.ptx", &size);

	CHECK_INT(gpurun_module_load(device, bytes, size, &module), GPURUN_OK);
	free(bytes);
	return module;
}

/* Each load counts from 0, and is written once, when it is unloaded. */
static void test_counters(void)
{
	struct gpurun_stream stream = new_stream();

	for (unsigned i = 1; i <= 3; i++) {
		struct gpurun_module module = load_profiled();
		uint32_t n = 10 * i;
		void *args[] = { &n };

		for (unsigned launches = 0; launches < i; launches++)
			CHECK_INT(launch1(kernel_of(module, "work"), stream, args), GPURUN_OK);
		got.calls = 0;
		CHECK_INT(gpurun_module_unload(module), GPURUN_OK);
		CHECK_INT(got.calls, 1);
		CHECK_INT(got.work, i);
		CHECK_INT(got.inner[0], i);
		CHECK_INT(got.inner[1], 10 * i * i);
		CHECK_INT(got.names, 20);
		CHECK(!got.version);
		CHECK_STR(got.target, "nvptx64-nvidia-cuda");
	}
	CHECK_INT(gpurun_stream_destroy(stream), GPURUN_OK);
}

/* Kernels can write to records, too: no more counters than there are, no values, no bitmaps. */
static void test_forged(void)
{
	struct gpurun_module module = load_profiled();
	uint8_t forged[RECORD];
	uint64_t address = 0;

	memset(forged, 0xff, sizeof(forged));
	CHECK_INT(gpurun_module_global(module, "__profd_work", &address, NULL), GPURUN_OK);
	CHECK_INT(gpurun_memory_copy(address, (uintptr_t)forged, sizeof(forged),
				     (struct gpurun_stream){ 0 }), GPURUN_OK);
	got.work = 7;
	CHECK_INT(gpurun_module_unload(module), GPURUN_OK);
	CHECK_INT(got.work, 0);
}

/* A file that cannot be written is told; the module is unloaded. */
static void test_unwritable(void)
{
	struct gpurun_module module = load_profiled();

	got.answer = 1;
	CHECK_INT(gpurun_module_unload(module), GPURUN_IO);
	CHECK_HAS(gpurun_error_text(), "profile counters: __llvm_write_custom_profile could not "
				       "write the counters of 2 functions");
	got.answer = 0;
	CHECK_INT(gpurun_module_unload(module), GPURUN_HANDLE);
}

static void test_no_counters(void)
{
	got.calls = 0;
	CHECK_INT(gpurun_module_unload(load()), GPURUN_OK);
	CHECK_INT(got.calls, 0);
}

static void test_shutdown(void)
{
	load_profiled();
	got.calls = 0;
	CHECK_INT(gpurun_shutdown(), GPURUN_OK);
	CHECK_INT(got.calls, 1);
}

int main(void)
{
	if (!up())
		return 1;
	RUN(test_counters);
	RUN(test_forged);
	RUN(test_unwritable);
	RUN(test_no_counters);
	RUN(test_shutdown);
	return tap_end();
}
