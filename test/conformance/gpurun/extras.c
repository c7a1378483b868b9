/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Aligned memory, its migration, the blocks of a cooperative launch, the device of an event, what runs. */
#include "kernels.h"

static const enum gpurun_memory_kind kinds[] = { GPURUN_MEMORY_DEVICE, GPURUN_MEMORY_HOST,
						 GPURUN_MEMORY_MANAGED };

/* Every byte of the block is there, and it is known by its start. */
static void check_aligned(enum gpurun_memory_kind kind, uint64_t alignment)
{
	struct gpurun_memory_info info = { .struct_size = sizeof(info) };
	uint8_t back[100] = { 0 };
	uint64_t address;

	CHECK_INT(gpurun_memory_alloc_aligned(device, sizeof(back), kind, alignment, &address),
		  GPURUN_OK);
	CHECK_INT((long long)(address % alignment), 0);
	CHECK_INT(gpurun_memory_get_info(address + 99, &info), GPURUN_OK);
	CHECK(info.base == address && info.size == sizeof(back) && info.kind == kind);
	CHECK_INT(gpurun_memory_fill(address, 7, 1, sizeof(back), no_stream), GPURUN_OK);
	CHECK_INT(gpurun_memory_copy(host(back), address, sizeof(back), no_stream), GPURUN_OK);
	CHECK(back[0] == 7 && back[99] == 7);
	CHECK_INT(gpurun_memory_free(address), GPURUN_OK);
	CHECK_INT(gpurun_memory_free(address), GPURUN_INVALID);
}

static void test_aligned(void)
{
	for (int i = 0; i < 3; i++)
		for (uint64_t alignment = 1; alignment <= 4 << 20; alignment *= 4)
			check_aligned(kinds[i], alignment);
}

static void test_bad_alignment(void)
{
	const uint64_t bad[] = { 0, 3, 384, UINT64_MAX };
	uint64_t address = 1;

	for (int i = 0; i < 4; i++)
		CHECK_INT(gpurun_memory_alloc_aligned(device, 64, GPURUN_MEMORY_DEVICE, bad[i],
						      &address), GPURUN_INVALID);
	CHECK_HAS(gpurun_error_text(), "power of two");
	CHECK_INT((long long)address, 0);
}

/* Aligned blocks are not returned again as if they were none. */
static void test_aligned_again(void)
{
	uint64_t address, plain;

	for (int i = 0; i < 8; i++) {
		CHECK_INT(gpurun_memory_alloc_aligned(device, 4096, GPURUN_MEMORY_DEVICE,
						      65536, &address), GPURUN_OK);
		plain = alloc(4096);
		CHECK(address % 65536 == 0 && plain != address);
		CHECK_INT(gpurun_memory_free(address), GPURUN_OK);
		CHECK_INT(gpurun_memory_free(plain), GPURUN_OK);
	}
}

static void test_prefetch(void)
{
	struct gpurun_stream stream = new_stream();
	uint64_t address;

	for (int i = 0; i < 3; i++) {
		CHECK_INT(gpurun_memory_alloc(device, 8192, kinds[i], &address), GPURUN_OK);
		CHECK_INT(gpurun_memory_prefetch(address, 8192, 0, stream), GPURUN_OK);
		CHECK_INT(gpurun_memory_prefetch(address + 4096, 4096, 1, stream), GPURUN_OK);
		CHECK_INT(gpurun_memory_prefetch(address, 0, 1, stream), GPURUN_OK);
		CHECK_INT(gpurun_memory_prefetch(address + 1, 8192, 0, stream), GPURUN_INVALID);
		CHECK_HAS(gpurun_error_text(), "end outside its allocation");
		CHECK_INT(gpurun_stream_synchronize(stream), GPURUN_OK);
		CHECK_INT(gpurun_memory_free(address), GPURUN_OK);
		CHECK_INT(gpurun_memory_prefetch(address, 1, 0, stream), GPURUN_NOT_FOUND);
	}
	CHECK_INT(gpurun_stream_destroy(stream), GPURUN_OK);
}

static void test_cooperative(void)
{
	struct gpurun_module module = load();
	struct gpurun_kernel kernel = kernel_of(module, "nothing");
	struct gpurun_stream stream = new_stream();
	struct gpurun_launch how = { .block = { 128, 1, 1 }, .stream = stream,
				     .flags = GPURUN_LAUNCH_COOPERATIVE };
	unsigned blocks = 0;

	CHECK_INT(gpurun_kernel_blocks(kernel, 128, 0, &blocks), GPURUN_OK);
	CHECK(blocks >= 1);
	blocks *= (unsigned)device_info.multiprocessors;
	how.grid[0] = blocks;
	CHECK_INT(gpurun_launch(kernel, &how, NULL), GPURUN_OK);
	CHECK_INT(gpurun_stream_synchronize(stream), GPURUN_OK);
	how.grid[0] = blocks + 1;
	if (executes())
		CHECK_INT(gpurun_launch(kernel, &how, NULL), GPURUN_LAUNCH);
	CHECK_INT(gpurun_stream_destroy(stream), GPURUN_OK);
	CHECK_INT(gpurun_module_unload(module), GPURUN_OK);
}

static void test_devices(void)
{
	struct gpurun_device found = { 0 };
	struct gpurun_event event;
	int cooperative = -1;

	CHECK_INT(gpurun_event_create(device, 0, &event), GPURUN_OK);
	CHECK_INT(gpurun_event_device(event, &found), GPURUN_OK);
	CHECK(found.id == device.id);
	CHECK_INT(gpurun_event_destroy(event), GPURUN_OK);
	CHECK_INT(gpurun_event_device(event, &found), GPURUN_HANDLE);
	CHECK_INT(gpurun_device_cooperative(device, &cooperative), GPURUN_OK);
	CHECK_INT(cooperative, 1);
	CHECK_INT(gpurun_device_reset_l2(device), GPURUN_OK);
}

/* Nothing runs; whether something does is known on the CPU device alone (test/unit/cpu/pool.c). */
static void test_running(void)
{
	struct gpurun_report report = { .struct_size = sizeof(report), .event = 99 };

	CHECK_INT(gpurun_report_get(GPURUN_REPORT_RUNNING, &report), GPURUN_OK);
	CHECK_INT(report.event, GPURUN_REPORT_NONE);
	CHECK_STR(report.kernel, "");
	CHECK_INT(gpurun_report_get(GPURUN_REPORT_RUNNING + 1, &report), GPURUN_INVALID);
}

int main(void)
{
	if (!up())
		return 1;
	RUN(test_aligned);
	RUN(test_bad_alignment);
	RUN(test_aligned_again);
	RUN(test_prefetch);
	RUN(test_cooperative);
	RUN(test_devices);
	RUN(test_running);
	gpurun_shutdown();
	return tap_end();
}
