/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The same image loaded again and again: what it keeps begins anew each time,
 * and handles of an earlier load are refused, whether the driver's module was
 * kept in between or not.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "kernels.h"

enum { LOADS = 3 };

/* Of the same source; the stub runs none of them, the CPU device no cubin. */
static const char *const images[] = { "counter.ptx", "counter.fatbin", "counter.cubin" };

static bool can_run(const char *name)
{
	return !strstr(name, "cubin") || (device_info.kind == GPURUN_DEVICE_GPU &&
					  device_info.cc_major == 9);
}

/* What kernel @name of @module stores. */
static uint32_t run(struct gpurun_module module, const char *name, uint64_t out)
{
	struct gpurun_stream stream = new_stream();
	uint32_t value = 0;
	void *args[] = { &out };

	CHECK_INT(launch1(kernel_of(module, name), stream, args), GPURUN_OK);
	CHECK_INT(gpurun_memory_copy(host(&value), out, sizeof(value), stream), GPURUN_OK);
	CHECK_INT(gpurun_stream_synchronize(stream), GPURUN_OK);
	CHECK_INT(gpurun_stream_destroy(stream), GPURUN_OK);
	return value;
}

static void write_given(struct gpurun_module module, uint32_t value)
{
	uint64_t address = 0;

	CHECK_INT(gpurun_module_global(module, "given", &address, NULL), GPURUN_OK);
	CHECK_INT(gpurun_memory_copy(address, host(&value), sizeof(value),
				     (struct gpurun_stream){ 0 }), GPURUN_OK);
}

static struct gpurun_module load_file(const char *name)
{
	struct gpurun_module module;
	char path[128];
	uint8_t *bytes;
	size_t size;

	snprintf(path, sizeof(path), "test/data/images/%s", name);
	bytes = tap_read(path, &size);
	CHECK_INT(gpurun_module_load(device, bytes, size, &module), GPURUN_OK);
	free(bytes);
	return module;
}

static void count_in(const char *name, uint64_t out)
{
	for (int i = 0; i < LOADS; i++) {
		struct gpurun_module module = load_file(name);

		CHECK_INT(run(module, "bump", out), 1);
		CHECK_INT(run(module, "bump", out), 2);
		CHECK_INT(gpurun_module_unload(module), GPURUN_OK);
	}
}

static void write_in(const char *name, uint64_t out)
{
	for (int i = 0; i < LOADS; i++) {
		struct gpurun_module module = load_file(name);

		CHECK_INT(run(module, "tell", out), 7);
		write_given(module, 99);
		CHECK_INT(run(module, "tell", out), 99);
		CHECK_INT(gpurun_module_unload(module), GPURUN_OK);
	}
}

/* A kernel that counts its calls in a variable finds 0 there after each load. */
static void test_counter(void)
{
	uint64_t out = alloc(4);

	for (size_t i = 0; executes() && i < sizeof(images) / sizeof(images[0]); i++)
		if (can_run(images[i]))
			count_in(images[i], out);
	CHECK_INT(gpurun_memory_free(out), GPURUN_OK);
}

/* So does one that reads a constant, whatever the host wrote there. */
static void test_constant(void)
{
	uint64_t out = alloc(4);

	for (size_t i = 0; executes() && i < sizeof(images) / sizeof(images[0]); i++)
		if (can_run(images[i]))
			write_in(images[i], out);
	CHECK_INT(gpurun_memory_free(out), GPURUN_OK);
}

/* Two loads at a time are two modules. */
static void test_two_at_once(void)
{
	uint64_t out = alloc(4);
	struct gpurun_module one = load_file("counter.ptx"), two = load_file("counter.ptx");

	CHECK(one.id != two.id);
	for (uint32_t n = 1; executes() && n <= 2; n++) {
		CHECK_INT(run(one, "bump", out), n);
		CHECK_INT(run(two, "bump", out), n);
	}
	CHECK_INT(gpurun_module_unload(one), GPURUN_OK);
	if (executes())
		CHECK_INT(run(two, "bump", out), 3);
	CHECK_INT(gpurun_module_unload(two), GPURUN_OK);
	CHECK_INT(gpurun_memory_free(out), GPURUN_OK);
}

static const char pure_ptx[] = ".version 6.3\n.target sm_75\n.address_size 64\n"
			       ".visible .entry store(.param .u64 out)\n"
			       "{\n"
			       "	.reg .b32 %r<2>;\n"
			       "	.reg .b64 %d<2>;\n"
			       "	ld.param.u64 %d1, [out];\n"
			       "	mov.u32 %r1, 42;\n"
			       "	st.global.u32 [%d1], %r1;\n"
			       "	ret;\n"
			       "}\n";

static struct gpurun_module load_pure(void)
{
	struct gpurun_module module;

	CHECK_INT(gpurun_module_load(device, pure_ptx, 0, &module), GPURUN_OK);
	return module;
}

/* Each load has its own handles; those of the last one are refused. */
static void test_handles(void)
{
	struct gpurun_module last = { 0 };
	struct gpurun_kernel last_kernel = { 0 };
	uint64_t out = alloc(4);

	for (int i = 0; i < LOADS; i++) {
		struct gpurun_kernel_info info = { .struct_size = sizeof(info) };
		struct gpurun_module module = load_pure();
		struct gpurun_kernel kernel = kernel_of(module, "store"), none;
		struct gpurun_stream stream = new_stream();

		CHECK(module.id != last.id);
		CHECK(kernel.id != last_kernel.id);
		CHECK_INT(gpurun_module_kernel(last, "store", &none), GPURUN_HANDLE);
		CHECK_INT(gpurun_kernel_get_info(last_kernel, &info), GPURUN_HANDLE);
		CHECK_INT(launch1(last_kernel, stream, NULL), GPURUN_HANDLE);
		CHECK_INT(gpurun_kernel_get_info(kernel, &info), GPURUN_OK);
		CHECK_STR(info.name, "store");
		if (executes())
			CHECK_INT(run(module, "store", out), 42);
		CHECK_INT(gpurun_stream_destroy(stream), GPURUN_OK);
		CHECK_INT(gpurun_module_unload(module), GPURUN_OK);
		CHECK_INT(gpurun_module_unload(module), GPURUN_HANDLE);
		last = module;
		last_kernel = kernel;
	}
	CHECK_INT(gpurun_memory_free(out), GPURUN_OK);
}

/* The driver's pointers tell which load they are of, and that it is over. */
static void test_natives(void)
{
	for (int i = 0; i < LOADS; i++) {
		struct gpurun_module module = load_pure();
		struct gpurun_kernel kernel = kernel_of(module, "store");
		void *native = NULL, *function = NULL;
		uint64_t id = 0;

		CHECK_INT(gpurun_module_native(module, &native), GPURUN_OK);
		CHECK_INT(gpurun_kernel_native(kernel, &function), GPURUN_OK);
		CHECK_INT(gpurun_native_kind(native, &id), GPURUN_NATIVE_MODULE);
		CHECK_INT(id, module.id);
		CHECK_INT(gpurun_native_kind(function, &id), GPURUN_NATIVE_KERNEL);
		CHECK_INT(id, kernel.id);
		CHECK_INT(gpurun_module_unload(module), GPURUN_OK);
		CHECK(gpurun_native_kind(native, NULL) != GPURUN_NATIVE_MODULE);
		CHECK(gpurun_native_kind(function, NULL) != GPURUN_NATIVE_KERNEL);
	}
}

static void *load_often(void *data)
{
	for (int i = 0; i < 100; i++) {
		struct gpurun_module module = load_pure();

		kernel_of(module, "store");
		kernel_of(module, "store");
		CHECK_INT(gpurun_module_unload(module), GPURUN_OK);
	}
	return data;
}

static void test_threads(void)
{
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		REQUIRE(!pthread_create(&threads[i], NULL, load_often, NULL));
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { ROUNDS = 10000, USERS = 4 };
#else
enum { ROUNDS = 200000, USERS = 4 };
#endif

static _Atomic uint64_t now_module, now_kernel;
static atomic_bool enough;

/* A kernel is there, or refused as one of a module that is gone. */
static void *ask(void *data)
{
	struct gpurun_kernel kernel;

	while (!atomic_load(&enough)) {
		int status = gpurun_module_kernel((struct gpurun_module){ now_module }, "store",
						  &kernel);

		CHECK(status == GPURUN_OK || status == GPURUN_HANDLE);
	}
	return data;
}

static void *describe(void *data)
{
	struct gpurun_kernel_info info = { .struct_size = sizeof(info) };

	while (!atomic_load(&enough)) {
		int status = gpurun_kernel_get_info((struct gpurun_kernel){ now_kernel }, &info);

		CHECK(status == GPURUN_OK || status == GPURUN_HANDLE);
	}
	return data;
}

/* No call returns another handle of a kernel while the one before may still be in use. */
static void test_asked_while_unloaded(void)
{
	struct gpurun_module module = load_pure();
	pthread_t threads[USERS];

	now_module = module.id;
	now_kernel = kernel_of(module, "store").id;
	for (int i = 0; i < USERS; i++)
		REQUIRE(!pthread_create(&threads[i], NULL, i % 2 ? ask : describe, NULL));
	for (int i = 0; i < ROUNDS; i++) {
		CHECK_INT(gpurun_module_unload(module), GPURUN_OK);
		module = load_pure();
		now_module = module.id;
		now_kernel = kernel_of(module, "store").id;
	}
	atomic_store(&enough, true);
	for (int i = 0; i < USERS; i++)
		pthread_join(threads[i], NULL);
	CHECK_INT(gpurun_module_unload(module), GPURUN_OK);
}

/* What is kept goes with the last shutdown. */
static void test_shutdown(void)
{
	for (int i = 0; i < LOADS; i++) {
		CHECK_INT(gpurun_module_unload(load_pure()), GPURUN_OK);
		CHECK_INT(gpurun_shutdown(), GPURUN_OK);
		REQUIRE(up());
	}
}

int main(int argc, char **argv)
{
	tap_only(argc, argv);
	if (!up())
		return 1;
	RUN(test_counter);
	RUN(test_constant);
	RUN(test_two_at_once);
	RUN(test_handles);
	RUN(test_natives);
	RUN(test_threads);
	RUN(test_asked_while_unloaded);
	RUN(test_shutdown);
	gpurun_shutdown();
	return tap_end();
}
