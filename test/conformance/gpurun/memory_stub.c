/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What copies and fills ask of the driver, read from the stub's trace. */
#include <stdlib.h>
#include <unistd.h>

#include "kernels.h"

static char trace[] = "/tmp/gpurun-trace-XXXXXX";

static void empty_trace(void)
{
	if (truncate(trace, 0))
		abort();
}

/* How many calls there were of @name, whatever follows. */
static int calls_of(const char *name)
{
	char line[512];
	int count = 0;
	FILE *file = fopen(trace, "r");

	while (file && fgets(line, sizeof(line), file))
		count += strstr(line, name) != NULL;
	if (file)
		fclose(file);
	return count;
}

static struct gpurun_stream stream;
static uint64_t address;

/* A fill is @rows plain calls and @columns of the second kind, of elements of @width bits,
 * and nothing that waits. */
static void check_calls(uint64_t offset, const char *pattern, unsigned size, int width,
			int rows, int columns)
{
	char row[32], column[32];

	snprintf(row, sizeof(row), "cuMemsetD%dAsync(", width);
	snprintf(column, sizeof(column), "cuMemsetD2D%dAsync(", width);
	empty_trace();
	CHECK_INT(gpurun_memory_fill_pattern(address + offset, pattern, size, 3, stream),
		  GPURUN_OK);
	if (CHECK_INT(calls_of("cuMemset"), rows + columns) && CHECK_INT(calls_of(row), rows) &&
	    CHECK_INT(calls_of(column), columns) && CHECK_INT(calls_of("Synchronize"), 0))
		return;
	printf("#   \"%s\" (%u) at offset %d\n", pattern, size, (int)offset);
}

/* The widest element that size and address allow. */
static void test_width(void)
{
	check_calls(0, "a", 1, 8, 1, 0);
	check_calls(0, "ab", 2, 16, 1, 0);
	check_calls(1, "ab", 2, 8, 0, 2);
	check_calls(0, "abcd", 4, 32, 1, 0);
	check_calls(2, "abcd", 4, 16, 0, 2);
	check_calls(1, "abcd", 4, 8, 0, 4);
	check_calls(0, "abc", 3, 8, 0, 3);
	check_calls(0, "abcdef", 6, 16, 0, 3);
	check_calls(0, "abcdefgh", 8, 32, 0, 2);
	check_calls(4, "abcdefgh", 8, 32, 0, 2);
	check_calls(2, "abcdefgh", 8, 16, 0, 4);
}

/* What repeats itself is as good as the part. */
static void test_periodic(void)
{
	check_calls(0, "aaaaaaaa", 8, 8, 1, 0);
	check_calls(3, "aaaaaaa", 7, 8, 1, 0);
	check_calls(2, "abababab", 8, 16, 1, 0);
	check_calls(0, "abcdabcdabcd", 12, 32, 1, 0);
	check_calls(0, "abcabc", 6, 8, 0, 3);
	check_calls(0, "abcdefghabcdefgh", 16, 32, 0, 2);
}

/* Equal neighbours are one column. */
static void test_runs(void)
{
	check_calls(0, "aab", 3, 8, 0, 2);
	check_calls(0, "aaaaaaaabbbbaaaa", 16, 32, 0, 3);
	check_calls(0, "abababababababacbbbb", 20, 32, 0, 3);
}

/* Without a stream it waits, once. */
static void test_waiting(void)
{
	empty_trace();
	CHECK_INT(gpurun_memory_fill_pattern(address, "abc", 3, 3, no_stream), GPURUN_OK);
	CHECK_INT(calls_of("cuMemsetD2D8Async("), 3);
	CHECK_INT(calls_of("cuStreamSynchronize("), 1);
}

/* What is refused asks the driver for nothing. */
static void test_refused(void)
{
	empty_trace();
	CHECK_INT(gpurun_memory_fill_pattern(address + 1, "abc", 4, 1024, stream),
		  GPURUN_INVALID);
	CHECK_INT(gpurun_memory_fill_pattern(address, "abc", 4, 0, stream), GPURUN_OK);
	CHECK_INT(calls_of("cu"), 0);
}

/* A column that fails is told, and the columns after it are not made. */
static void test_failing(void)
{
	empty_trace();
	setenv("GPURUN_STUB_FAIL", "cuMemsetD2D8Async=999", 1);
	CHECK_INT(gpurun_memory_fill_pattern(address, "abc", 3, 3, stream), GPURUN_DRIVER);
	unsetenv("GPURUN_STUB_FAIL");
	CHECK_HAS(gpurun_error_text(), "cuMemsetD2D8Async: CUDA_ERROR_UNKNOWN (999)");
	CHECK_INT(calls_of("cuMemset"), 1);
}

/* A copy that waits needs the context of the device whose memory it is about, and no
 * other one. */
static void test_copy_context(void)
{
	uint64_t bytes = 0, there;

	setenv("GPURUN_STUB_DEVICES", "2", 1);
	REQUIRE(up());
	REQUIRE(!gpurun_device_get(1, &device));
	empty_trace();
	there = alloc(4096);
	CHECK_INT(gpurun_memory_copy(there, host(&bytes), sizeof(bytes), no_stream), GPURUN_OK);
	CHECK_INT(gpurun_memory_copy(host(&bytes), there, sizeof(bytes), no_stream), GPURUN_OK);
	CHECK_INT(calls_of("cuMemcpy("), 2);
	CHECK_INT(calls_of("cuDevicePrimaryCtxRetain("), 1);
	CHECK_INT(gpurun_shutdown(), GPURUN_OK);
	unsetenv("GPURUN_STUB_DEVICES");
}

int main(void)
{
	int fd = mkstemp(trace);

	if (fd < 0)
		return 1;
	close(fd);
	setenv("GPURUN_STUB_TRACE", trace, 1);
	if (!up())
		return 1;
	stream = new_stream();
	address = alloc(4096);
	RUN(test_width);
	RUN(test_periodic);
	RUN(test_runs);
	RUN(test_waiting);
	RUN(test_refused);
	RUN(test_failing);
	gpurun_shutdown();
	RUN(test_copy_context);
	unlink(trace);
	return tap_end();
}
