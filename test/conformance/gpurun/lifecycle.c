/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Coming up and going down, any number of times. */
#include "kernels.h"

static void test_uninitialised(void)
{
	struct gpurun_stream stream = { 1 };
	struct gpurun_module module = { 1 };
	struct gpurun_kernel kernel = { 1 };
	struct gpurun_event event = { 1 };
	uint64_t number;
	int count = 7;

	CHECK_INT(gpurun_device_count(&count), GPURUN_UNINITIALIZED);
	CHECK_INT(count, 0);
	CHECK_HAS(gpurun_error_text(), "not initialised");
	CHECK_INT(gpurun_device_get(0, &device), GPURUN_UNINITIALIZED);
	CHECK_INT(gpurun_module_load(device, kernels_ptx, 0, &module), GPURUN_UNINITIALIZED);
	CHECK_INT(gpurun_module_unload(module), GPURUN_UNINITIALIZED);
	CHECK_INT(gpurun_stream_synchronize(stream), GPURUN_UNINITIALIZED);
	CHECK_INT(gpurun_stream_destroy(stream), GPURUN_UNINITIALIZED);
	CHECK_INT(gpurun_event_synchronize(event), GPURUN_UNINITIALIZED);
	CHECK_INT(gpurun_memory_alloc(device, 1, GPURUN_MEMORY_DEVICE, &number),
		  GPURUN_UNINITIALIZED);
	CHECK_INT(gpurun_memory_free(4096), GPURUN_UNINITIALIZED);
	CHECK_INT(gpurun_launch(kernel, NULL, NULL), GPURUN_UNINITIALIZED);
	CHECK_INT(gpurun_native_kind(&number, NULL), GPURUN_NATIVE_UNKNOWN);
	CHECK_INT(gpurun_shutdown(), GPURUN_UNINITIALIZED);
}

static void test_counts(void)
{
	int count = 0;

	REQUIRE(up());
	CHECK_INT(gpurun_init(NULL), GPURUN_OK);
	CHECK_INT(gpurun_shutdown(), GPURUN_OK);
	CHECK_INT(gpurun_device_count(&count), GPURUN_OK);
	CHECK(count >= 1);
	CHECK_INT(gpurun_shutdown(), GPURUN_OK);
	CHECK_INT(gpurun_device_count(&count), GPURUN_UNINITIALIZED);
}

/* A failed init leaves the count as it was: one shutdown is still right. */
static void test_failed_init(void)
{
	bool cpu;
	int count;

	CHECK_INT(gpurun_init("nonsense"), GPURUN_INVALID);
	CHECK_HAS(gpurun_error_text(), "nonsense");
	CHECK_HAS(gpurun_error_hint(), "auto");
	CHECK_INT(gpurun_device_count(&count), GPURUN_UNINITIALIZED);
	REQUIRE(up());
	cpu = device_info.kind == GPURUN_DEVICE_CPU;
	CHECK_INT(gpurun_init("gpu:zzz"), GPURUN_INVALID);
	CHECK_INT(gpurun_init(cpu ? "gpu" : "cpu"), GPURUN_INVALID);
	CHECK_HAS(gpurun_error_text(), "another device");
	CHECK_INT(gpurun_init("auto"), GPURUN_OK);
	CHECK_INT(gpurun_shutdown(), GPURUN_OK);
	CHECK_INT(gpurun_shutdown(), GPURUN_OK);
	CHECK_INT(gpurun_shutdown(), GPURUN_UNINITIALIZED);
}

static void use(void)
{
	struct gpurun_module module = load();
	struct gpurun_stream stream = new_stream();

	CHECK_INT(launch1(kernel_of(module, "nothing"), stream, NULL), GPURUN_OK);
	CHECK(alloc(1000) != 0);
	CHECK_INT(gpurun_stream_synchronize(stream), GPURUN_OK);
}

/* What a round leaves behind the shutdown takes; its handles stay refused. */
static void test_again_and_again(void)
{
	struct gpurun_stream stale;

	REQUIRE(up());
	stale = new_stream();
	CHECK_INT(gpurun_shutdown(), GPURUN_OK);
	for (int i = 0; i < 100; i++) {
		REQUIRE(up());
		use();
		CHECK_INT(gpurun_stream_synchronize(stale), GPURUN_HANDLE);
		REQUIRE(!gpurun_shutdown());
	}
}

static void test_device(void)
{
	struct gpurun_device again, none;
	struct gpurun_device_info part = { .struct_size = 0 };
	uint64_t left, total;

	REQUIRE(up());
	CHECK(device_info.kind == GPURUN_DEVICE_GPU || device_info.kind == GPURUN_DEVICE_CPU);
	CHECK(device_info.name[0] && device_info.uuid[0]);
	CHECK(device_info.cc_major >= 5 && device_info.warp_size == 32);
	CHECK(device_info.max_threads_per_block >= 512);
	CHECK(device_info.clock_khz > 0 && device_info.memory_clock_khz > 0);
	CHECK(device_info.memory_bus_bits > 0 && device_info.l2_bytes > 0);
	CHECK_INT(gpurun_device_get(-1, &again), GPURUN_OK);
	CHECK_INT(again.id, device.id);
	CHECK_INT(gpurun_device_get(1000, &none), GPURUN_NO_DEVICE);
	CHECK_INT(none.id, 0);
	CHECK_HAS(gpurun_error_text(), "1000");
	CHECK_INT(gpurun_device_get_info(device, &part), GPURUN_INVALID);
	part.struct_size = offsetof(struct gpurun_device_info, name);
	part.name[0] = '!';
	CHECK_INT(gpurun_device_get_info(device, &part), GPURUN_OK);
	CHECK_INT(part.kind, device_info.kind);
	CHECK_INT(part.name[0], '!');
	CHECK_INT(gpurun_device_memory(device, &left, &total), GPURUN_OK);
	CHECK(left <= total && total > 0);
	CHECK_INT(gpurun_device_synchronize(device), GPURUN_OK);
	CHECK_INT(gpurun_shutdown(), GPURUN_OK);
}

static void test_limits(void)
{
	static const enum gpurun_limit limits[] = { GPURUN_LIMIT_STACK, GPURUN_LIMIT_HEAP,
						    GPURUN_LIMIT_PRINTF };
	uint64_t before = 0, bytes = 0;

	REQUIRE(up());
	for (int i = 0; i < 3; i++) {
		CHECK_INT(gpurun_device_get_limit(device, limits[i], &before), GPURUN_OK);
		CHECK(before > 0);
		CHECK_INT(gpurun_device_set_limit(device, limits[i], 2 * before), GPURUN_OK);
		CHECK_INT(gpurun_device_get_limit(device, limits[i], &bytes), GPURUN_OK);
		CHECK(bytes >= 2 * before);
	}
	/* Rounded, maybe, but never down. */
	CHECK_INT(gpurun_device_set_limit(device, GPURUN_LIMIT_STACK, 4099), GPURUN_OK);
	CHECK_INT(gpurun_device_get_limit(device, GPURUN_LIMIT_STACK, &bytes), GPURUN_OK);
	CHECK(bytes >= 4099 && bytes < 8192);
	CHECK_INT(gpurun_device_set_limit(device, 0, 1), GPURUN_INVALID);
	CHECK_INT(gpurun_device_set_limit(device, 4, 1), GPURUN_INVALID);
	CHECK_STR(gpurun_error_text(), "no limit 4: there are 1 (stack), 2 (heap) and 3 (printf)");
	bytes = 7;
	CHECK_INT(gpurun_device_get_limit(device, (enum gpurun_limit)-1, &bytes),
		  GPURUN_INVALID);
	CHECK_INT(bytes, 0);
	CHECK_INT(gpurun_device_get_limit(device, GPURUN_LIMIT_STACK, NULL), GPURUN_INVALID);
	CHECK_INT(gpurun_shutdown(), GPURUN_OK);
	/* They go with the context. */
	REQUIRE(up());
	CHECK_INT(gpurun_device_get_limit(device, GPURUN_LIMIT_STACK, &bytes), GPURUN_OK);
	CHECK(bytes < 4096);
	CHECK_INT(gpurun_shutdown(), GPURUN_OK);
}

int main(void)
{
	RUN(test_uninitialised);
	RUN(test_counts);
	RUN(test_failed_init);
	RUN(test_again_and_again);
	RUN(test_device);
	RUN(test_limits);
	return tap_end();
}
