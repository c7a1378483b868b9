/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loading, looking up, unloading. */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "kernels.h"

/* The bytes are copied: the caller's may go at once, and need no NUL. */
static void test_copied(void)
{
	size_t size = strlen(kernels_ptx);
	char *bytes = malloc(size);
	struct gpurun_module module;

	REQUIRE(bytes != NULL);
	memcpy(bytes, kernels_ptx, size);
	CHECK_INT(gpurun_module_load(device, bytes, size, &module), GPURUN_OK);
	memset(bytes, '#', size);
	free(bytes);
	kernel_of(module, "add");
	CHECK_INT(gpurun_module_unload(module), GPURUN_OK);
}

static void test_lookup(void)
{
	struct gpurun_module module = load();
	struct gpurun_kernel kernel = kernel_of(module, "add"), none;

	CHECK_INT(kernel_of(module, "add").id, kernel.id);
	CHECK(kernel_of(module, "bump").id != kernel.id);
	CHECK_INT(gpurun_module_kernel(module, "no_such_kernel", &none), GPURUN_NOT_FOUND);
	CHECK_INT(none.id, 0);
	CHECK_HAS(gpurun_error_text(), "no kernel 'no_such_kernel'");
	CHECK_STR(gpurun_error_hint(), "");
	CHECK_INT(gpurun_error_driver(), 500);
	CHECK_INT(gpurun_module_kernel(module, "bmup", &none), GPURUN_NOT_FOUND);
	CHECK_STR(gpurun_error_hint(), "did you mean 'bump'?");
	CHECK_INT(gpurun_module_kernel(module, "", &none), GPURUN_NOT_FOUND);
	CHECK_HAS(gpurun_error_text(), "the name is empty");
	CHECK_INT(gpurun_module_kernel(module, NULL, &none), GPURUN_INVALID);
	CHECK_INT(gpurun_module_kernel(module, "add", NULL), GPURUN_INVALID);
	CHECK_INT(gpurun_module_unload(module), GPURUN_OK);
}

static void test_info(void)
{
	struct gpurun_module module = load();
	struct gpurun_kernel kernel = kernel_of(module, "add");
	struct gpurun_kernel_info info = { .struct_size = sizeof(info) };
	uint64_t offset, size;

	CHECK_INT(gpurun_kernel_get_info(kernel, &info), GPURUN_OK);
	CHECK_STR(info.name, "add");
	CHECK(info.max_threads_per_block > 0);
	CHECK(info.device.id == device.id);
	if (info.parameters < 0) {
		CHECK_INT(gpurun_kernel_parameter(kernel, 0, &offset, &size),
			  GPURUN_UNSUPPORTED);
	} else {
		CHECK_INT(info.parameters, 4);
		CHECK_INT(info.parameter_bytes, 28);
		CHECK_INT(gpurun_kernel_parameter(kernel, 3, &offset, &size), GPURUN_OK);
		CHECK_INT(offset, 24);
		CHECK_INT(size, 4);
		CHECK_INT(gpurun_kernel_parameter(kernel, 4, &offset, &size), GPURUN_INVALID);
	}
	CHECK_INT(gpurun_module_unload(module), GPURUN_OK);
}

static void test_global(void)
{
	struct gpurun_module module = load();
	uint64_t address, size;

	CHECK_INT(gpurun_module_global(module, "counter", &address, &size), GPURUN_OK);
	CHECK(address != 0);
	if (executes())
		CHECK_INT(size, 4);
	CHECK_INT(gpurun_module_global(module, "no_such_variable", &address, NULL),
		  GPURUN_NOT_FOUND);
	CHECK_HAS(gpurun_error_text(), "no_such_variable");
	CHECK_INT(gpurun_module_global(module, "", &address, NULL), GPURUN_NOT_FOUND);
	CHECK_HAS(gpurun_error_text(), "the name is empty");
	CHECK_INT(gpurun_module_unload(module), GPURUN_OK);
}

/* Every load has its own variables: each counts from 1. */
static void test_own_variables(void)
{
	struct gpurun_stream stream = new_stream();
	uint64_t out = alloc(4);
	void *args[] = { &out };

	for (int i = 0; i < 3; i++) {
		struct gpurun_module module = load();
		uint32_t counted = 0;

		for (uint32_t n = 1; n <= 2; n++) {
			CHECK_INT(launch1(kernel_of(module, "bump"), stream, args), GPURUN_OK);
			CHECK_INT(gpurun_memory_copy(host(&counted), out, 4, stream),
				  GPURUN_OK);
			CHECK_INT(gpurun_stream_synchronize(stream), GPURUN_OK);
			if (executes())
				CHECK_INT(counted, n);
		}
		CHECK_INT(gpurun_module_unload(module), GPURUN_OK);
	}
	CHECK_INT(gpurun_memory_free(out), GPURUN_OK);
}

static void refused(const char *text, size_t size)
{
	struct gpurun_module module = { 1 };
	int status = gpurun_module_load(device, text, size, &module);

	CHECK(status == GPURUN_FORMAT || status == GPURUN_NO_IMAGE);
	CHECK(gpurun_error_text()[0] != '\0');
	CHECK_INT(module.id, 0);
}

static void test_bad_images(void)
{
	static const char cut[] = ".version 6.0\n.target sm_50\n.entry k( {";
	static const char fatbin[20] = "\x50\xed\x55\xba\1\0\x10\0\xff\xff";
	struct gpurun_module module;

	refused("this is no image at all, but long enough to be one", 50);
	refused(fatbin, sizeof(fatbin));
	CHECK_INT(gpurun_module_load(device, NULL, 0, &module), GPURUN_INVALID);
	CHECK_INT(gpurun_module_load(device, "", 0, &module), GPURUN_FORMAT);
	if (executes())
		refused(cut, 0);
}

/* Bitcode is told from junk, and what to do about it. */
static void test_bitcode(void)
{
	static const char bitcode[32] = "BC\xc0\xde\x35\x14";
	struct gpurun_module module;

	CHECK_INT(gpurun_image_check(device, bitcode, sizeof(bitcode)), GPURUN_NO_IMAGE);
	CHECK_INT(gpurun_module_load(device, bitcode, sizeof(bitcode), &module),
		  GPURUN_NO_IMAGE);
	CHECK_HAS(gpurun_error_text(), "LLVM bitcode");
	CHECK_HAS(gpurun_error_hint(), "llc -mtriple=nvptx64-nvidia-cuda -mcpu=sm_");
}

/* Who asks for that gets no module that waits for a server. */
static void test_alone(void)
{
	static const char rpc[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
				  ".visible .global .u64 __llvm_rpc_client;\n"
				  ".visible .entry nothing() { ret; }\n";
	struct gpurun_module module = { 1 };

	CHECK_INT(gpurun_module_load_alone(device, rpc, 0, &module), GPURUN_UNSUPPORTED);
	CHECK_INT(module.id, 0);
	CHECK_HAS(gpurun_error_text(), "__llvm_rpc_client");
	CHECK_HAS(gpurun_error_hint(), "printf");
	CHECK_INT(gpurun_module_load(device, rpc, 0, &module), GPURUN_OK);
	CHECK_INT(gpurun_module_unload(module), GPURUN_OK);
	CHECK_INT(gpurun_module_load_alone(device, kernels_ptx, 0, &module), GPURUN_OK);
	CHECK_INT(gpurun_error_driver(), 0);
	CHECK_INT(gpurun_module_unload(module), GPURUN_OK);
}

static void test_check(void)
{
	CHECK_INT(gpurun_image_check(device, kernels_ptx, 0), GPURUN_OK);
	CHECK_INT(gpurun_image_check(device, "no image", 8), GPURUN_FORMAT);
	CHECK_INT(gpurun_image_check(device, NULL, 8), GPURUN_INVALID);
}

/* A host program is none that a driver loads, whatever is in it. */
static void test_host_file(void)
{
	struct gpurun_module module;
	size_t size;
	uint8_t *bytes = tap_read("test/data/images/host.o", &size);

	CHECK_INT(gpurun_image_check(device, bytes, size), GPURUN_NO_IMAGE);
	CHECK_HAS(gpurun_error_text(), "an ELF object with GPU code in it");
	if (executes())
		CHECK_INT(gpurun_module_load(device, bytes, size, &module), GPURUN_NO_IMAGE);
	free(bytes);
}

/* The JIT says what it did not like. */
static void test_jit_log(void)
{
	static const char bad[] = ".version 6.0\n.address_size 64\n.entry k() { ret; }";
	struct gpurun_module module;
	int status = gpurun_module_load(device, bad, 0, &module);

	CHECK(status == GPURUN_FORMAT || status == GPURUN_NO_IMAGE);
	CHECK(gpurun_error_driver() != 0);
	CHECK(gpurun_error_log()[0] != '\0');
}

/* Lets the kernel that spins on the word go on after a while. */
static void *release_later(void *word)
{
	usleep(200 * 1000);
	atomic_store((_Atomic uint32_t *)word, 1);
	return NULL;
}

/* A module is unloaded while another one's kernel runs, which is not affected; the
 * driver waits for it. */
static void test_unload_beside(void)
{
	struct gpurun_module running = load(), other = load();
	struct gpurun_stream stream = new_stream(), free_stream = new_stream();
	_Atomic uint32_t *words;
	uint64_t mine = 0, theirs;
	void *args[] = { &mine, &theirs };
	pthread_t thread;

	CHECK_INT(launch1(kernel_of(other, "nothing"), free_stream, NULL), GPURUN_OK);
	REQUIRE(!gpurun_memory_alloc(device, 8, GPURUN_MEMORY_HOST, &mine));
	words = (_Atomic uint32_t *)(uintptr_t)mine;
	atomic_store(&words[0], 0);
	atomic_store(&words[1], 0);
	theirs = mine + 4;
	CHECK_INT(launch1(kernel_of(running, "meet"), stream, args), GPURUN_OK);
	while (executes() && !atomic_load(&words[0]))
		usleep(100);
	REQUIRE(!pthread_create(&thread, NULL, release_later, (void *)&words[1]));
	CHECK_INT(gpurun_module_unload(other), GPURUN_OK);
	pthread_join(thread, NULL);
	CHECK_INT(gpurun_stream_synchronize(stream), GPURUN_OK);
	CHECK_INT(launch1(kernel_of(running, "nothing"), stream, NULL), GPURUN_OK);
	CHECK_INT(gpurun_module_unload(running), GPURUN_OK);
	CHECK_INT(gpurun_stream_destroy(free_stream), GPURUN_OK);
	CHECK_INT(gpurun_stream_destroy(stream), GPURUN_OK);
	CHECK_INT(gpurun_memory_free(mine), GPURUN_OK);
}

/* A program without a profile runtime loses the counters, and is told so in the log. */
static void test_lost_counters(void)
{
	struct gpurun_module module;
	size_t size;
	uint8_t *bytes = tap_read("test/data/images/profiled.ptx", &size);

	CHECK_INT(gpurun_module_load(device, bytes, size, &module), GPURUN_OK);
	free(bytes);
	CHECK_INT(gpurun_module_unload(module), GPURUN_OK);
	CHECK_HAS(gpurun_error_log(), "__llvm_write_custom_profile");
}

int main(void)
{
	if (!up())
		return 1;
	RUN(test_copied);
	RUN(test_lookup);
	RUN(test_info);
	RUN(test_global);
	RUN(test_own_variables);
	RUN(test_bad_images);
	RUN(test_bitcode);
	RUN(test_alone);
	RUN(test_check);
	RUN(test_host_file);
	RUN(test_jit_log);
	RUN(test_unload_beside);
	RUN(test_lost_counters);
	gpurun_shutdown();
	return tap_end();
}
