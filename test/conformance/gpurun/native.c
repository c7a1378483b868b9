/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The driver's own pointers: there and back, and those of others. */
#include <dlfcn.h>

#include "kernels.h"

static void test_there_and_back(void)
{
	struct gpurun_module module = load();
	struct gpurun_kernel kernel = kernel_of(module, "nothing");
	struct gpurun_stream stream = new_stream();
	struct gpurun_event event;
	void *native[5] = { NULL };
	uint64_t id;

	CHECK_INT(gpurun_event_create(device, 0, &event), GPURUN_OK);
	CHECK_INT(gpurun_stream_native(stream, &native[0]), GPURUN_OK);
	CHECK_INT(gpurun_event_native(event, &native[1]), GPURUN_OK);
	CHECK_INT(gpurun_module_native(module, &native[2]), GPURUN_OK);
	CHECK_INT(gpurun_kernel_native(kernel, &native[3]), GPURUN_OK);
	CHECK_INT(gpurun_device_native(device, &native[4]), GPURUN_OK);
	for (int i = 0; i < 5; i++)
		CHECK(native[i] != NULL);
	CHECK_INT(gpurun_native_kind(native[0], &id), GPURUN_NATIVE_STREAM);
	CHECK(id == stream.id);
	CHECK_INT(gpurun_native_kind(native[1], &id), GPURUN_NATIVE_EVENT);
	CHECK(id == event.id);
	CHECK_INT(gpurun_native_kind(native[2], &id), GPURUN_NATIVE_MODULE);
	CHECK(id == module.id);
	CHECK_INT(gpurun_native_kind(native[3], &id), GPURUN_NATIVE_KERNEL);
	CHECK(id == kernel.id);
	CHECK_INT(gpurun_native_kind(&id, &id), GPURUN_NATIVE_UNKNOWN);
	CHECK_INT(id, 0);
	CHECK_INT(gpurun_native_kind(NULL, NULL), GPURUN_NATIVE_UNKNOWN);
	CHECK_INT(gpurun_stream_destroy(stream), GPURUN_OK);
	CHECK_INT(gpurun_native_kind(native[0], &id), GPURUN_NATIVE_CLOSED);
	CHECK(id == stream.id);
	CHECK_INT(gpurun_stream_native(stream, &native[0]), GPURUN_HANDLE);
	CHECK(native[0] == NULL);
}

/* An adopted stream works like one of ours; destroying the handle leaves it alone. */
static void test_adopted(void)
{
	struct gpurun_stream owner = new_stream(), adopted;
	struct gpurun_event event, foreign;
	struct gpurun_kernel kernel = kernel_of(load(), "nothing");
	void *native;

	CHECK_INT(gpurun_stream_native(owner, &native), GPURUN_OK);
	CHECK_INT(gpurun_stream_adopt(device, native, &adopted), GPURUN_OK);
	CHECK_INT(launch1(kernel, adopted, NULL), GPURUN_OK);
	CHECK_INT(gpurun_event_create(device, 0, &event), GPURUN_OK);
	CHECK_INT(gpurun_event_record(event, adopted), GPURUN_OK);
	CHECK_INT(gpurun_stream_destroy(adopted), GPURUN_OK);
	CHECK_INT(gpurun_stream_synchronize(owner), GPURUN_OK);
	CHECK_INT(gpurun_event_native(event, &native), GPURUN_OK);
	CHECK_INT(gpurun_event_adopt(device, native, &foreign), GPURUN_OK);
	CHECK_INT(gpurun_event_synchronize(foreign), GPURUN_OK);
	CHECK_INT(gpurun_event_destroy(foreign), GPURUN_OK);
	CHECK_INT(gpurun_event_synchronize(event), GPURUN_OK);
	CHECK_INT(gpurun_event_adopt(device, NULL, &foreign), GPURUN_INVALID);
}

/* A stream tells its device by its context. */
static void test_adopted_by_context(void)
{
	const struct gpurun_device unknown = { 0 };
	struct gpurun_stream owner = new_stream(), adopted;
	void *native, *back;

	CHECK_INT(gpurun_stream_native(owner, &native), GPURUN_OK);
	CHECK_INT(gpurun_stream_adopt(unknown, native, &adopted), GPURUN_OK);
	CHECK_INT(gpurun_stream_native(adopted, &back), GPURUN_OK);
	CHECK(back == native);
	CHECK_INT(launch1(kernel_of(load(), "nothing"), adopted, NULL), GPURUN_OK);
	CHECK_INT(gpurun_stream_synchronize(adopted), GPURUN_OK);
	CHECK_INT(gpurun_native_kind(native, NULL), GPURUN_NATIVE_STREAM);
	CHECK_INT(gpurun_stream_destroy(adopted), GPURUN_OK);
	CHECK_INT(gpurun_stream_adopt(unknown, NULL, &adopted), GPURUN_OK);
	CHECK_INT(gpurun_stream_destroy(adopted), GPURUN_OK);
	CHECK_INT(gpurun_stream_adopt(device, NULL, &adopted), GPURUN_OK);
	CHECK_INT(launch1(kernel_of(load(), "nothing"), adopted, NULL), GPURUN_OK);
	CHECK_INT(gpurun_stream_synchronize(adopted), GPURUN_OK);
	CHECK_INT(gpurun_stream_destroy(adopted), GPURUN_OK);
}

/* An adopted module gives kernels and survives its handle. */
static void test_adopted_module(void)
{
	struct gpurun_module owner = load(), adopted;
	struct gpurun_kernel kernel;
	struct gpurun_stream stream = new_stream();
	void *native;

	CHECK_INT(gpurun_module_native(owner, &native), GPURUN_OK);
	CHECK_INT(gpurun_module_adopt(device, NULL, &adopted), GPURUN_INVALID);
	CHECK_INT(gpurun_module_adopt(device, native, &adopted), GPURUN_OK);
	CHECK(adopted.id != owner.id);
	kernel = kernel_of(adopted, "nothing");
	CHECK_INT(launch1(kernel, stream, NULL), GPURUN_OK);
	CHECK_INT(gpurun_kernel_release(kernel), GPURUN_INVALID);
	CHECK_HAS(gpurun_error_text(), "kernel 'nothing' was not adopted");
	CHECK_INT(gpurun_module_unload(adopted), GPURUN_OK);
	CHECK_INT(launch1(kernel, stream, NULL), GPURUN_HANDLE);
	CHECK_INT(gpurun_native_kind(native, NULL), GPURUN_NATIVE_MODULE);
	CHECK_INT(launch1(kernel_of(owner, "nothing"), stream, NULL), GPURUN_OK);
	CHECK_INT(gpurun_stream_synchronize(stream), GPURUN_OK);
	CHECK_INT(gpurun_module_unload(owner), GPURUN_OK);
}

/* An adopted kernel knows its parameters, and computes. */
static void test_adopted_kernel(void)
{
	struct gpurun_kernel_info info = { .struct_size = sizeof(info) }, same = info;
	struct gpurun_kernel owner = kernel_of(load(), "bump"), adopted;
	struct gpurun_stream stream = new_stream();
	uint64_t out = alloc(4);
	void *args[] = { &out }, *missing[] = { NULL }, *native;
	uint32_t count = 0;

	CHECK_INT(gpurun_kernel_native(owner, &native), GPURUN_OK);
	CHECK_INT(gpurun_kernel_adopt(device, NULL, &adopted), GPURUN_INVALID);
	CHECK_INT(gpurun_kernel_adopt(device, native, &adopted), GPURUN_OK);
	CHECK_INT(gpurun_kernel_get_info(owner, &info), GPURUN_OK);
	CHECK_INT(gpurun_kernel_get_info(adopted, &same), GPURUN_OK);
	CHECK_INT(same.parameters, info.parameters);
	CHECK(same.device.id == device.id);
	CHECK_INT(same.max_threads_per_block, info.max_threads_per_block);
	if (same.parameters > 0)
		CHECK_INT(launch1(adopted, stream, missing), GPURUN_INVALID);
	CHECK_INT(launch1(adopted, stream, args), GPURUN_OK);
	CHECK_INT(gpurun_memory_copy(host(&count), out, 4, stream), GPURUN_OK);
	CHECK_INT(gpurun_stream_synchronize(stream), GPURUN_OK);
	if (executes())
		CHECK_INT(count, 1);
	CHECK_INT(gpurun_native_kind(native, NULL), GPURUN_NATIVE_KERNEL);
	CHECK_INT(gpurun_kernel_release(adopted), GPURUN_OK);
	CHECK_INT(gpurun_kernel_release(adopted), GPURUN_HANDLE);
	CHECK_INT(launch1(adopted, stream, args), GPURUN_HANDLE);
	CHECK_INT(launch1(owner, stream, args), GPURUN_OK);
	CHECK_INT(gpurun_stream_synchronize(stream), GPURUN_OK);
	CHECK_INT(gpurun_memory_free(out), GPURUN_OK);
}

/* Looks up a function of the driver, which gpurun has opened. */
static void *driver_function(const char *name)
{
	const char *path = getenv("GPURUN_DRIVER");
	void *driver = dlopen(path ? path : "libcuda.so.1", RTLD_NOW);

	return driver ? dlsym(driver, name) : NULL;
}

/* Memory of the driver's becomes a block like any other; freeing it frees it. */
static void test_adopted_memory(void)
{
	int (*cu_alloc)(uint64_t *, size_t) = driver_function("cuMemAlloc_v2");
	int (*cu_free)(uint64_t) = driver_function("cuMemFree_v2");
	struct gpurun_memory_info block = { .struct_size = sizeof(block) };
	uint64_t address = 0;

	REQUIRE(cu_alloc && cu_free);
	CHECK_INT(gpurun_context_push(device), GPURUN_OK);
	CHECK_INT(cu_alloc(&address, 1000), 0);
	CHECK_INT(gpurun_memory_get_info(address, &block), GPURUN_NOT_FOUND);
	CHECK_INT(gpurun_memory_free(address), GPURUN_INVALID);
	CHECK_INT(gpurun_memory_adopt(device, address + 4), GPURUN_INVALID);
	CHECK_INT(gpurun_memory_adopt(device, 0), GPURUN_INVALID);
	CHECK_INT(gpurun_memory_adopt(device, address), GPURUN_OK);
	CHECK_INT(gpurun_memory_adopt(device, address), GPURUN_INVALID);
	CHECK_INT(gpurun_memory_get_info(address + 999, &block), GPURUN_OK);
	CHECK(block.base == address);
	CHECK(block.size >= 1000);
	CHECK_INT(block.kind, GPURUN_MEMORY_DEVICE);
	CHECK_INT(gpurun_memory_free(address), GPURUN_OK);
	CHECK_INT(gpurun_memory_get_info(address, &block), GPURUN_NOT_FOUND);
	CHECK(cu_free(address) != 0);
	CHECK_INT(gpurun_context_pop(), GPURUN_OK);
}

/* What its owner allowed a function stays allowed when it is launched with less. */
static void test_adopted_shared(void)
{
	enum { ALLOWED = 8 }; /* CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES */
	int (*cu_set)(void *, int, int) = driver_function("cuFuncSetAttribute");
	int (*cu_get)(int *, int, void *) = driver_function("cuFuncGetAttribute");
	struct gpurun_launch how = { .stream = new_stream(), .shared = 60000 };
	struct gpurun_kernel adopted;
	void *native;
	int allowed = 0;

	REQUIRE(cu_set && cu_get);
	CHECK_INT(gpurun_kernel_native(kernel_of(load(), "nothing"), &native), GPURUN_OK);
	CHECK_INT(cu_set(native, ALLOWED, 64000), 0);
	CHECK_INT(gpurun_kernel_adopt(device, native, &adopted), GPURUN_OK);
	CHECK_INT(gpurun_launch(adopted, &how, NULL), GPURUN_OK);
	CHECK_INT(cu_get(&allowed, ALLOWED, native), 0);
	if (executes())
		CHECK_INT(allowed, 64000);
	CHECK_INT(gpurun_kernel_release(adopted), GPURUN_OK);
	CHECK_INT(gpurun_stream_synchronize(how.stream), GPURUN_OK);
}

/* Foreign things go as their owner would have them go; ours have handles for that. */
static void test_destroy(void)
{
	int (*cu_create)(void **, unsigned) = driver_function("cuStreamCreate");
	int (*cu_event)(void **, unsigned) = driver_function("cuEventCreate");
	struct gpurun_stream stream = new_stream();
	void *native = NULL;

	REQUIRE(cu_create && cu_event);
	CHECK_INT(gpurun_context_push(device), GPURUN_OK);
	CHECK_INT(cu_create(&native, 0), 0);
	CHECK_INT(gpurun_native_destroy(GPURUN_NATIVE_KERNEL, native), GPURUN_INVALID);
	CHECK_INT(gpurun_native_destroy(GPURUN_NATIVE_STREAM, native), GPURUN_OK);
	CHECK_INT(cu_event(&native, 0), 0);
	CHECK_INT(gpurun_native_destroy(GPURUN_NATIVE_EVENT, native), GPURUN_OK);
	CHECK_INT(gpurun_native_destroy(GPURUN_NATIVE_MODULE, NULL), GPURUN_INVALID);
	CHECK_INT(gpurun_stream_native(stream, &native), GPURUN_OK);
	CHECK_INT(gpurun_native_destroy(GPURUN_NATIVE_STREAM, native), GPURUN_INVALID);
	CHECK_INT(gpurun_stream_synchronize(stream), GPURUN_OK);
	CHECK_INT(gpurun_stream_destroy(stream), GPURUN_OK);
	/* It is kept for the next that is created. */
	CHECK_INT(gpurun_native_destroy(GPURUN_NATIVE_STREAM, native), GPURUN_INVALID);
	CHECK_INT(gpurun_context_pop(), GPURUN_OK);
}

/* A closed handle still tells what it was of; a stream tells its device. */
static void test_handle_kind(void)
{
	struct gpurun_stream stream = new_stream();
	struct gpurun_device owner;

	CHECK_INT(gpurun_stream_device(stream, &owner), GPURUN_OK);
	CHECK(owner.id == device.id);
	CHECK_INT(gpurun_handle_kind(stream.id), GPURUN_NATIVE_STREAM);
	CHECK_INT(gpurun_stream_destroy(stream), GPURUN_OK);
	CHECK_INT(gpurun_handle_kind(stream.id), GPURUN_NATIVE_STREAM);
	CHECK_INT(gpurun_stream_device(stream, &owner), GPURUN_HANDLE);
	CHECK_INT(gpurun_handle_kind(load().id), GPURUN_NATIVE_MODULE);
	CHECK_INT(gpurun_handle_kind(device.id), GPURUN_NATIVE_UNKNOWN);
	CHECK_INT(gpurun_handle_kind(0), GPURUN_NATIVE_UNKNOWN);
}

static void test_context(void)
{
	CHECK_INT(gpurun_context_pop(), GPURUN_INVALID);
	CHECK_INT(gpurun_context_push(device), GPURUN_OK);
	CHECK_INT(gpurun_context_push(device), GPURUN_OK);
	CHECK_INT(gpurun_stream_synchronize(new_stream()), GPURUN_OK);
	CHECK_INT(gpurun_context_pop(), GPURUN_OK);
	CHECK_INT(gpurun_context_pop(), GPURUN_OK);
	CHECK_INT(gpurun_context_pop(), GPURUN_INVALID);
}

int main(void)
{
	if (!up())
		return 1;
	RUN(test_there_and_back);
	RUN(test_adopted);
	RUN(test_adopted_by_context);
	RUN(test_adopted_module);
	RUN(test_adopted_kernel);
	RUN(test_adopted_memory);
	RUN(test_adopted_shared);
	RUN(test_destroy);
	RUN(test_handle_kind);
	RUN(test_context);
	gpurun_shutdown();
	return tap_end();
}
