/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The driver's own pointers: there and back. */
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
	CHECK_INT(gpurun_native_kind(native[0], NULL), GPURUN_NATIVE_UNKNOWN);
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
	RUN(test_context);
	gpurun_shutdown();
	return tap_end();
}
