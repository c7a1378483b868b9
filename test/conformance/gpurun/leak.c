/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The CPU device's check=leak of what the library releases at its end: found is what the
 * program left, and nothing that is kept for it; and findings that the program copies. Each
 * scene is a process of its own.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "kernels.h"

static uint64_t alloc_kind(uint64_t size, enum gpurun_memory_kind kind)
{
	uint64_t address = 0;

	CHECK_INT(gpurun_memory_alloc(device, size, kind, &address), GPURUN_OK);
	return address;
}

/* Leaves a block of each kind, streams, an event and a module, in this order. */
static void leave(void)
{
	struct gpurun_event event;

	alloc_kind(100, GPURUN_MEMORY_DEVICE);
	alloc_kind(200, GPURUN_MEMORY_HOST);
	alloc_kind(300, GPURUN_MEMORY_MANAGED);
	new_stream();
	new_stream();
	CHECK_INT(gpurun_event_create(device, 0, &event), GPURUN_OK);
	load();
}

/* Destroys what the library then keeps, and leaves what no report is to name. */
static void tidy(void)
{
	struct gpurun_stream stream = new_stream(), quarantined = new_stream();
	struct gpurun_event event;

	CHECK_INT(gpurun_memory_free(alloc_kind(100, GPURUN_MEMORY_DEVICE)), GPURUN_OK);
	CHECK_INT(gpurun_event_create(device, 0, &event), GPURUN_OK);
	CHECK_INT(gpurun_event_destroy(event), GPURUN_OK);
	CHECK_INT(gpurun_stream_destroy(stream), GPURUN_OK);
	CHECK_INT(gpurun_stream_quarantine(quarantined), GPURUN_OK);
	CHECK_INT(gpurun_memory_keep(alloc_kind(400, GPURUN_MEMORY_DEVICE)), GPURUN_OK);
	load();
}

static void fault(void)
{
	alloc_kind(100, GPURUN_MEMORY_DEVICE);
	CHECK_INT(launch1(kernel_of(load(), "trap"), new_stream(), NULL), GPURUN_OK);
	CHECK_INT(gpurun_device_synchronize(device), GPURUN_FAULT);
}

/* Two threads count without an order: a finding, which is copied, and nothing more. */
static void race(void)
{
	const struct gpurun_launch two = { .block = { 2 }, .stream = new_stream() };
	uint64_t out = alloc(4);
	char text[2048];

	CHECK_INT(gpurun_launch(kernel_of(load(), "bump"), &two, (void *[]){ &out }), GPURUN_OK);
	CHECK_INT(gpurun_device_synchronize(device), GPURUN_OK);
	CHECK_INT(gpurun_check_finding(text, sizeof(text)), GPURUN_OK);
	CHECK_HAS(text, "race");
	while (text[0])
		CHECK_INT(gpurun_check_finding(text, sizeof(text)), GPURUN_OK);
	CHECK_INT(gpurun_memory_free(out), GPURUN_OK);
	CHECK_INT(gpurun_stream_destroy(two.stream), GPURUN_OK);
}

/* What a process that does @work under check=leak,race writes to stderr, with its status; the
 * caller's to free. */
static char *said_after(void (*work)(void), bool shut_down, const char *log, int want)
{
	char path[] = "/tmp/gpurun-said-XXXXXX";
	int fd = mkstemp(path), status;
	pid_t child = fork();
	size_t size;
	char *text;

	if (!child) {
		setenv("GPURUN_CPU", "check=leak,race", 1);
		setenv("GPURUN_POOL", "1", 1);
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
	CHECK_INT(WIFEXITED(status) ? WEXITSTATUS(status) : -1, want);
	close(fd);
	text = (char *)tap_read(path, &size);
	text[size] = '\0';
	unlink(path);
	return text;
}

static unsigned count(const char *text, const char *part)
{
	unsigned found = 0;

	while ((text = strstr(text, part)))
		text++, found++;
	return found;
}

static void test_left(void)
{
	for (int shut_down = 0; shut_down < 2; shut_down++) {
		char *text = said_after(leave, shut_down, "", 119);

		CHECK_HAS(text, "leak: 100 bytes at 0x");
		CHECK_HAS(text, "leak: 200 bytes at 0x");
		CHECK_HAS(text, "leak: 300 bytes at 0x");
		CHECK_HAS(text, ", from cuMemHostAlloc, allocation ");
		CHECK_HAS(text, "leak: 2 streams: cuStreamDestroy is never called for them\n");
		CHECK_HAS(text, "leak: 1 event: cuEventDestroy is never called for it\n");
		CHECK_HAS(text, "gpurun: check: 5 findings\n");
		CHECK_INT(count(text, " are never freed\n"), 3);
		free(text);
	}
}

static void test_kept(void)
{
	for (int shut_down = 0; shut_down < 2; shut_down++) {
		char *text = said_after(tidy, shut_down, "", 0);

		CHECK_STR(text, "");
		free(text);
	}
}

/* GPURUN_LOG=leaks leaves out the same. */
/* promise: With leaks the library writes */
static void test_log(void)
{
	char *text = said_after(tidy, false, "leaks", 0);

	CHECK_STR(text, "gpurun: device 0: no memory leaked, peak 400 bytes\n");
	free(text);
}

static void test_keep_refused(void)
{
	uint64_t address;

	REQUIRE(up());
	address = alloc_kind(64, GPURUN_MEMORY_DEVICE);
	CHECK_INT(gpurun_memory_keep(address + 1), GPURUN_INVALID);
	CHECK_HAS(gpurun_error_text(), "is not the start of an allocation");
	CHECK_INT(gpurun_memory_keep(0), GPURUN_INVALID);
	CHECK_INT(gpurun_memory_register(&address, sizeof(address)), GPURUN_OK);
	CHECK_INT(gpurun_memory_keep((uintptr_t)&address), GPURUN_INVALID);
	CHECK_INT(gpurun_memory_unregister(&address), GPURUN_OK);
	CHECK_INT(gpurun_memory_keep(address), GPURUN_OK);
	CHECK_INT(gpurun_memory_free(address), GPURUN_OK);
	CHECK_INT(gpurun_memory_keep(address), GPURUN_INVALID);
	CHECK_INT(gpurun_shutdown(), GPURUN_OK);
}

/* A program that ends with a fault has nothing to tidy up. */
static void test_fault(void)
{
	char *text = said_after(fault, false, "", 0);

	CHECK_INT(count(text, "never freed"), 0);
	free(text);
}

/* The process ends with 0, for all its findings were copied. */
static void test_finding(void)
{
	char *text = said_after(race, true, "", 0);

	CHECK_HAS(text, "race");
	free(text);
}

int main(void)
{
	RUN(test_left);
	RUN(test_kept);
	RUN(test_log);
	RUN(test_fault);
	RUN(test_finding);
	RUN(test_keep_refused);
	return tap_end();
}
