/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Calls without a queue, as the driver sees them: each on a stream of its own, that is
 * waited for, and none on the driver's default stream, which may wait for others' work.
 */
#include "ol.h"

static char trace[] = "/tmp/gpurun-trace-XXXXXX";

/* Fills, copies and launches without a queue. */
static void without_queue(void)
{
	static const uint8_t pattern[3] = { 1, 2, 3 };
	static uint8_t mine[4096] __attribute__((aligned(4096)));
	void *pinned = NULL;
	uint8_t *memory;

	CHECK_OK(ol_init());
	look_up();
	for (int type = 0; type < OL_ALLOC_TYPE_LAST; type++) {
		memory = alloc((ol_alloc_type_t)type, 48);
		CHECK_OK(olMemFill(NULL, memory, sizeof(pattern), pattern, 48));
		CHECK_OK(olMemcpy(NULL, memory, gpu, mine, host, 48));
		CHECK_OK(olMemcpy(NULL, mine, host, memory, gpu, 48));
	}
	CHECK_OK(ol_register(gpu, mine, sizeof(mine), 0, &pinned));
	CHECK_OK(olMemFill(NULL, mine, sizeof(pattern), pattern, 48));
	CHECK_OK(olMemFill(NULL, mine, 1, pattern, 48));
	CHECK_OK(olMemcpy(NULL, alloc(OL_ALLOC_TYPE_DEVICE, 48), gpu, mine, gpu, 48));
	CHECK_OK(launch1(NULL, kernel_of(load(), "nothing"), NULL, 0));
	CHECK_OK(olShutDown());
}

/* Tells whether a line is work on the default stream, or a wait for it. */
static bool is_on_default(const char *line)
{
	if (strncmp(line, "cuMemset", 8) && strncmp(line, "cuMemcpy", 8) &&
	    strncmp(line, "cuLaunchKernel", 14))
		return !strncmp(line, "cuStreamSynchronize(0)", 22);
	return !strstr(line, "stream#");
}

static void test_streams(void)
{
	char settings[128], line[512];
	int on_default = 0, waits = 0, fd = mkstemp(trace);
	FILE *file;

	snprintf(settings, sizeof(settings), "GPURUN_STUB_TRACE=%s", trace);
	CHECK_PLAY("without_queue", settings, NULL);
	file = fdopen(fd, "r");
	REQUIRE(file);
	while (fgets(line, sizeof(line), file)) {
		on_default += is_on_default(line);
		waits += !strncmp(line, "cuStreamSynchronize(stream#", 27);
	}
	fclose(file);
	unlink(trace);
	CHECK_INT(on_default, 0);
	CHECK(waits >= 13);
}

static const struct ol_case cases[] = {
	OL_BARE(test_streams),
	OL_SCENE(without_queue),
};
OL_MAIN(cases)
