/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Freed memory that is kept, what is counted of it, and what is reported as left. */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernels.h"

enum { SIZE = 5000, TRIES = 64, THREADS = 8, ROUNDS = 300 };

static struct gpurun_memory_usage usage(void)
{
	struct gpurun_memory_usage found = { .struct_size = sizeof(found) };

	CHECK_INT(gpurun_memory_get_usage(device, &found), GPURUN_OK);
	return found;
}

/* Allocates and frees until @wanted is returned; tells whether it was. */
static bool comes_back(uint64_t wanted, uint64_t size)
{
	bool came = false;

	for (int i = 0; i < TRIES && !came; i++) {
		uint64_t address = alloc(size);

		came = address == wanted;
		CHECK_INT(gpurun_memory_free(address), GPURUN_OK);
		CHECK_INT(gpurun_device_synchronize(device), GPURUN_OK);
	}
	return came;
}

/* A block is returned again, whole: its neighbours are not touched by that. */
static void test_reuse(void)
{
	struct gpurun_memory_info block = { .struct_size = sizeof(block) };
	uint64_t address = alloc(SIZE);

	CHECK_INT(gpurun_memory_free(address), GPURUN_OK);
	CHECK_INT(gpurun_memory_free(address), GPURUN_INVALID);
	CHECK_INT(gpurun_memory_adopt(device, address), GPURUN_INVALID);
	CHECK_INT(gpurun_memory_get_info(address, &block), GPURUN_NOT_FOUND);
	CHECK(usage().cached_bytes >= SIZE);
	CHECK(comes_back(address, SIZE));
	address = alloc(SIZE);
	CHECK_INT(gpurun_memory_get_info(address + SIZE - 1, &block), GPURUN_OK);
	CHECK(block.base == address && block.size == SIZE);
	CHECK_INT(gpurun_memory_free(address), GPURUN_OK);
}

/* A sixteenth of the memory is kept, no block that is larger. */
static void test_large(void)
{
	const uint64_t size = device_info.memory / 16 + 1, cached = usage().cached_bytes;

	CHECK_INT(gpurun_memory_free(alloc(size)), GPURUN_OK);
	CHECK_INT(usage().cached_bytes, cached);
}

/* Only for exactly the same size: what lies behind stays out of bounds. */
static void test_other_size(void)
{
	uint64_t address = alloc(SIZE + 8);

	CHECK_INT(gpurun_memory_free(address), GPURUN_OK);
	CHECK(!comes_back(address, SIZE + 4));
}

static void test_usage(void)
{
	static _Alignas(4096) uint8_t mine[4096];
	struct gpurun_memory_usage before = usage(), now;
	struct gpurun_memory_usage unset = { 0 };
	uint64_t one = alloc(1000), pinned;

	CHECK_INT(gpurun_memory_alloc(device, 24, GPURUN_MEMORY_HOST, &pinned), GPURUN_OK);
	CHECK_INT(gpurun_memory_register(mine, sizeof(mine)), GPURUN_OK);
	now = usage();
	CHECK_INT(now.blocks - before.blocks, 3);
	CHECK_INT(now.bytes - before.bytes, 1000 + 24 + sizeof(mine));
	CHECK(now.peak_bytes >= now.bytes);
	CHECK_INT(gpurun_memory_unregister(mine), GPURUN_OK);
	CHECK_INT(gpurun_memory_free(pinned), GPURUN_OK);
	CHECK_INT(gpurun_memory_free(one), GPURUN_OK);
	CHECK_INT(usage().bytes, before.bytes);
	CHECK_INT(usage().blocks, before.blocks);
	CHECK(usage().peak_bytes == now.peak_bytes);
	CHECK_INT(gpurun_memory_get_usage(device, &unset), GPURUN_INVALID);
	CHECK_INT(gpurun_memory_get_usage(device, NULL), GPURUN_INVALID);
	CHECK_INT(gpurun_memory_get_usage((struct gpurun_device){ 0 }, &now), GPURUN_HANDLE);
}

/* What is kept is limited, and goes back before an allocation fails. */
static void test_exhausted(void)
{
	uint64_t part = device_info.memory / 20, left, all, address;

	if (device_info.kind == GPURUN_DEVICE_CPU)
		return; /* its memory is the host's: not to be filled */
	for (uint64_t i = 0; i < 4; i++) {
		address = alloc(part + i);
		CHECK_INT(gpurun_memory_free(address), GPURUN_OK);
	}
	CHECK(usage().cached_bytes >= part);
	CHECK(usage().cached_bytes <= device_info.memory / 16);
	CHECK_INT(gpurun_device_memory(device, &left, &all), GPURUN_OK);
	CHECK_INT(gpurun_memory_alloc(device, left + part / 2, GPURUN_MEMORY_DEVICE, &address),
		  GPURUN_OK);
	CHECK_INT(gpurun_error_driver(), 0);
	CHECK_INT(usage().cached_bytes, 0);
	CHECK_INT(gpurun_memory_free(address), GPURUN_OK);
	CHECK_INT(usage().cached_bytes, 0);
}

static atomic_int failures;

/* Each block is this thread's alone: it finds in it what it has written. */
static void *use_blocks(void *number)
{
	uint32_t mark = (uint32_t)(uintptr_t)number, back = 0;
	struct gpurun_stream stream = { 0 };
	uint64_t address = 0;

	failures += gpurun_stream_create(device, &stream) != 0;
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t size = 64u << i % 3;

		failures += gpurun_memory_alloc(device, size, GPURUN_MEMORY_DEVICE,
						&address) != 0;
		failures += gpurun_memory_fill(address, mark, 4, 4, stream) != 0;
		failures += gpurun_memory_copy(host(&back), address, 4, stream) != 0;
		failures += gpurun_stream_synchronize(stream) != 0;
		failures += back != mark;
		failures += gpurun_memory_free(address) != 0;
	}
	failures += gpurun_stream_destroy(stream) != 0;
	return NULL;
}

static void test_threads(void)
{
	pthread_t threads[THREADS];
	uint64_t blocks = usage().blocks;

	for (uintptr_t i = 0; i < THREADS; i++)
		REQUIRE(!pthread_create(&threads[i], NULL, use_blocks, (void *)(i + 1)));
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	CHECK_INT(failures, 0);
	CHECK_INT(usage().blocks, blocks);
}

static void nothing_left(void)
{
	CHECK_INT(gpurun_memory_free(alloc(500)), GPURUN_OK);
}

static void much_left(void)
{
	struct gpurun_event event;

	for (int i = 0; i < 25; i++)
		alloc(100);
	new_stream();
	new_stream();
	CHECK_INT(gpurun_event_create(device, 0, &event), GPURUN_OK);
	load();
}

/* What a process that does @work says at its end; the caller's to free. */
static char *said_after(void (*work)(void), const char *log, bool shut_down)
{
	char path[] = "/tmp/gpurun-said-XXXXXX";
	int fd = mkstemp(path), status;
	size_t size;
	pid_t child = fork();
	char *text;

	if (!child) {
		setenv("GPURUN_LOG", log, 1);
		dup2(fd, 2);
		if (!up())
			exit(1);
		work();
		if (shut_down)
			gpurun_shutdown();
		exit(tap.failed);
	}
	waitpid(child, &status, 0);
	CHECK_INT(status, 0);
	close(fd);
	text = (char *)tap_read(path, &size);
	text[size] = '\0';
	unlink(path);
	return text;
}

static void test_report(void)
{
	char *text;

	for (int shut_down = 0; shut_down < 2; shut_down++) {
		text = said_after(nothing_left, "leaks", shut_down);
		CHECK_STR(text, "gpurun: device 0: no memory leaked, peak 500 bytes\n");
		free(text);
		text = said_after(much_left, "other,leaks", shut_down);
		CHECK_HAS(text, "gpurun: leak: 100 bytes of device memory at 0x");
		CHECK_HAS(text, ", device 0\ngpurun: leak: 500 bytes in 5 more blocks\n"
				"gpurun: leak: 2 streams\ngpurun: leak: 1 event\n");
		/* A module may be left to the exit hook. */
		CHECK_HAS(text, shut_down ? "1 event\ngpurun: leak: 1 module\ngpurun: device 0: "
					  : "1 event\ngpurun: device 0: ");
		CHECK_HAS(text, "2500 bytes leaked in 25 blocks, peak 2500 bytes\n");
		free(text);
		text = said_after(much_left, "leak", shut_down);
		CHECK_STR(text, "");
		free(text);
	}
}

/* What the fence of a kept block shows is told as the allocation's own failure, once. */
static void test_fault(void)
{
	enum { BATCH = 8 };
	const struct timespec while_it_traps = { .tv_nsec = 200 * 1000 * 1000 };
	uint64_t kept[BATCH], address = 0;
	int status;

	REQUIRE(up());
	for (int i = 0; i < BATCH; i++)
		kept[i] = alloc(SIZE);
	for (int i = 0; i < BATCH; i++)
		CHECK_INT(gpurun_memory_free(kept[i]), GPURUN_OK);
	CHECK_INT(launch1(kernel_of(load(), "trap"), new_stream(), NULL), GPURUN_OK);
	nanosleep(&while_it_traps, NULL);
	status = gpurun_memory_alloc(device, SIZE, GPURUN_MEMORY_DEVICE, &address);
	CHECK_INT(status, executes() ? GPURUN_FAULT : GPURUN_OK);
	CHECK(!strstr(gpurun_error_text(), "also"));
	CHECK_INT(gpurun_shutdown(), GPURUN_OK);
}

/* The CPU device keeps nothing unless it is asked to; a GPU does unless it is not. */
static void test_default(void)
{
	static const char *const asked[] = { NULL, "0", "1" };

	for (int i = 0; i < 3; i++) {
		bool gpu = device_info.kind == GPURUN_DEVICE_GPU;

		unsetenv("GPURUN_POOL");
		if (asked[i])
			setenv("GPURUN_POOL", asked[i], 1);
		REQUIRE(up());
		CHECK_INT(gpurun_memory_free(alloc(SIZE)), GPURUN_OK);
		CHECK_INT(usage().cached_bytes, i == 2 || (gpu && !i) ? SIZE : 0);
		CHECK_INT(gpurun_shutdown(), GPURUN_OK);
	}
}

int main(void)
{
	/* First: its children must not find a library that was up before the fork. */
	RUN(test_report);
	/* The CPU device keeps memory only when asked. */
	setenv("GPURUN_POOL", "1", 1);
	if (!up())
		return 1;
	RUN(test_reuse);
	RUN(test_other_size);
	RUN(test_large);
	RUN(test_usage);
	RUN(test_exhausted);
	RUN(test_threads);
	gpurun_shutdown();
	if (device_info.kind == GPURUN_DEVICE_CPU || !executes())
		RUN(test_fault); /* a GPU is lost to the process */
	RUN(test_default);
	return tap_end();
}
