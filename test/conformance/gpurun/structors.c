/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Constructors and destructors of device variables (test/data/images/structors.c):
 * a constructor of priority 101 adds the digit 2 to "value", one of the default
 * priority 3; the destructors add 4 and 5 to what "sink" points to, in the other
 * order. The stub runs none of them.
 */
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernels.h"

/* The image as text. The caller frees it. */
static char *image_text(void)
{
	size_t size;
	char *text = (char *)tap_read("test/data/images/structors.ptx", &size);

	text[size] = '\0';
	return text;
}

static struct gpurun_module load_structors(void)
{
	struct gpurun_module module;
	char *text = image_text();

	CHECK_INT(gpurun_module_load(device, text, 0, &module), GPURUN_OK);
	free(text);
	return module;
}

static uint32_t read_value(struct gpurun_module module)
{
	struct gpurun_stream stream = new_stream();
	uint64_t out = alloc(4);
	uint32_t value = 0;
	void *args[] = { &out };

	CHECK_INT(launch1(kernel_of(module, "tell"), stream, args), GPURUN_OK);
	CHECK_INT(gpurun_memory_copy(host(&value), out, 4, stream), GPURUN_OK);
	CHECK_INT(gpurun_stream_synchronize(stream), GPURUN_OK);
	CHECK_INT(gpurun_stream_destroy(stream), GPURUN_OK);
	CHECK_INT(gpurun_memory_free(out), GPURUN_OK);
	return value;
}

/* Lets the destructors of @module write to @address. */
static void set_sink(struct gpurun_module module, uint64_t address)
{
	uint64_t sink = 0;

	CHECK_INT(gpurun_module_global(module, "sink", &sink, NULL), GPURUN_OK);
	CHECK_INT(gpurun_memory_copy(sink, host(&address), 8, (struct gpurun_stream){ 0 }),
		  GPURUN_OK);
}

/* A word that the device can write and that outlives the device. */
static volatile uint32_t *shared_word(void)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
			  0);

	if (page == MAP_FAILED)
		abort();
	*(volatile uint32_t *)page = 1;
	return page;
}

/* Runs @body in a child, before this process has a driver; its exit status. */
static int in_child(void (*body)(volatile uint32_t *word), volatile uint32_t *word)
{
	int status = -1;
	pid_t child = fork();

	if (!child) {
		if (!up())
			_exit(99);
		body(word);
		exit(tap.failed);
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static void leave_loaded(volatile uint32_t *word)
{
	struct gpurun_module module = load_structors();

	CHECK_INT(gpurun_memory_register((void *)word, 4096), GPURUN_OK);
	set_sink(module, host((void *)word));
}

static void shut_down(volatile uint32_t *word)
{
	leave_loaded(word);
	CHECK_INT(gpurun_shutdown(), GPURUN_OK);
	if (executes())
		CHECK_INT(*word, 145);
}

/* At the end of the process, and at the last shutdown, however the module is unloaded. */
static void test_at_the_end(void)
{
	volatile uint32_t *word = shared_word();

	CHECK_INT(in_child(shut_down, word), 0);
	*word = 1;
	CHECK_INT(in_child(leave_loaded, word), 0);
	if (getenv("GPURUN_DEVICE") && !strcmp(getenv("GPURUN_DEVICE"), "cpu"))
		CHECK_INT(*word, 145);
	munmap((void *)word, 4096);
}

/* A constructor that traps makes the load fail, and that was all that was told. */
static void load_trap(volatile uint32_t *word)
{
	struct gpurun_module module = { 1 };
	char *text = image_text(), *load = strstr(text, "ld.volatile.b32");

	(void)word;
	REQUIRE(load != NULL);
	memcpy(load, "trap;//        ", 15);
	if (executes()) {
		CHECK_INT(gpurun_module_load(device, text, 0, &module), GPURUN_FAULT);
		CHECK_HAS(gpurun_error_text(), "device constructors: cuStreamSynchronize: ");
		CHECK_INT(module.id, 0);
	}
	free(text);
	CHECK_INT(gpurun_shutdown(), GPURUN_OK);
}

static void test_trap(void)
{
	CHECK_INT(in_child(load_trap, NULL), 0);
}

/* A destructor that traps is told; the module is unloaded all the same. */
static void unload_trap(volatile uint32_t *word)
{
	struct gpurun_module module = load_structors();

	(void)word;
	set_sink(module, 8);
	CHECK_INT(gpurun_module_unload(module), executes() ? GPURUN_FAULT : GPURUN_OK);
	if (executes())
		CHECK_HAS(gpurun_error_text(), "device destructors: cuStreamSynchronize: ");
	CHECK_INT(gpurun_module_unload(module), GPURUN_HANDLE);
	CHECK_INT(gpurun_shutdown(), GPURUN_OK);
}

static void test_destructor_trap(void)
{
	CHECK_INT(in_child(unload_trap, NULL), 0);
}

/* By rising priority, at every load: such a module is not kept. */
static void test_constructors(void)
{
	for (int i = 0; i < 3; i++) {
		struct gpurun_module module = load_structors();

		if (executes())
			CHECK_INT(read_value(module), 123);
		CHECK_INT(gpurun_module_unload(module), GPURUN_OK);
	}
}

/* In the opposite order of constructors. */
static void test_destructors(void)
{
	uint64_t word = alloc(4);
	uint32_t digits = 0;

	for (int i = 0; i < 3; i++) {
		struct gpurun_module module = load_structors();

		CHECK_INT(gpurun_memory_fill(word, 1, 4, 1, (struct gpurun_stream){ 0 }),
			  GPURUN_OK);
		set_sink(module, word);
		CHECK_INT(gpurun_module_unload(module), GPURUN_OK);
		CHECK_INT(gpurun_memory_copy(host(&digits), word, 4,
					     (struct gpurun_stream){ 0 }), GPURUN_OK);
		if (executes())
			CHECK_INT(digits, 145);
	}
	CHECK_INT(gpurun_memory_free(word), GPURUN_OK);
}

/* Not before the kernels of the module are done. */
static void test_after_kernels(void)
{
	struct gpurun_module module = load_structors();
	struct gpurun_stream stream = new_stream();
	uint64_t out = alloc(4), word = alloc(4);
	uint32_t value = 0, digits = 0;
	void *args[] = { &out };

	CHECK_INT(gpurun_memory_fill(word, 1, 4, 1, (struct gpurun_stream){ 0 }), GPURUN_OK);
	set_sink(module, word);
	for (int i = 0; i < 50; i++)
		CHECK_INT(launch1(kernel_of(module, "tell"), stream, args), GPURUN_OK);
	CHECK_INT(gpurun_module_unload(module), GPURUN_OK);
	CHECK_INT(gpurun_stream_query(stream), GPURUN_OK);
	CHECK_INT(gpurun_memory_copy(host(&value), out, 4, stream), GPURUN_OK);
	CHECK_INT(gpurun_memory_copy(host(&digits), word, 4, stream), GPURUN_OK);
	CHECK_INT(gpurun_stream_synchronize(stream), GPURUN_OK);
	if (executes()) {
		CHECK_INT(value, 123);
		CHECK_INT(digits, 145);
	}
	CHECK_INT(gpurun_stream_destroy(stream), GPURUN_OK);
	CHECK_INT(gpurun_memory_free(out), GPURUN_OK);
	CHECK_INT(gpurun_memory_free(word), GPURUN_OK);
}

/* Without the kernel that calls them nothing is called, and nothing has failed. */
static void test_no_kernel(void)
{
	static const char ptx[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
				  ".visible .global .u64 __init_array_object_a_1_100 = 0;\n"
				  ".visible .entry nothing() { ret; }\n";
	struct gpurun_module module;

	CHECK_INT(gpurun_module_load(device, ptx, 0, &module), GPURUN_OK);
	CHECK_INT(gpurun_error_driver(), 0);
	CHECK_INT(gpurun_module_unload(module), GPURUN_OK);
}

int main(void)
{
	device_info.struct_size = sizeof(device_info);
	/* First: their children must not find a library that was up before the fork. */
	RUN(test_at_the_end);
	RUN(test_trap);
	RUN(test_destructor_trap);
	if (!up())
		return 1;
	RUN(test_constructors);
	RUN(test_destructors);
	RUN(test_after_kernels);
	RUN(test_no_kernel);
	gpurun_shutdown();
	return tap_end();
}
