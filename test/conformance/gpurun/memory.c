/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory of every kind: allocated, filled, copied, freed, refused. */
#include <stdlib.h>
#include <string.h>

#include "kernels.h"

static void test_kinds(void)
{
	const enum gpurun_memory_kind kinds[] = { GPURUN_MEMORY_DEVICE, GPURUN_MEMORY_HOST,
						  GPURUN_MEMORY_MANAGED };
	struct gpurun_stream stream = new_stream();

	for (int i = 0; i < 3; i++) {
		uint32_t back[64] = { 0 };
		uint64_t address;

		CHECK_INT(gpurun_memory_alloc(device, sizeof(back), kinds[i], &address),
			  GPURUN_OK);
		CHECK_INT(address % 256, 0);
		CHECK_INT(gpurun_memory_fill(address, 0x01020304, 4, 64, stream), GPURUN_OK);
		CHECK_INT(gpurun_memory_fill(address, 0xabcd, 2, 2, stream), GPURUN_OK);
		CHECK_INT(gpurun_memory_fill(address + 8, 0xff, 1, 3, stream), GPURUN_OK);
		CHECK_INT(gpurun_memory_copy(host(back), address, sizeof(back), stream),
			  GPURUN_OK);
		CHECK_INT(gpurun_stream_synchronize(stream), GPURUN_OK);
		CHECK_INT(back[0], 0xabcdabcd);
		CHECK_INT(back[2], 0x01ffffff);
		CHECK_INT(back[63], 0x01020304);
		CHECK_INT(gpurun_memory_free(address), GPURUN_OK);
		CHECK_INT(gpurun_memory_free(address), GPURUN_INVALID);
	}
}

/* Without a stream the call waits. */
static void test_waiting(void)
{
	uint64_t a = alloc(1024), b = alloc(1024);
	uint8_t back[1024] = { 0 };

	CHECK_INT(gpurun_memory_fill(a, 0x5a, 1, 1024, no_stream), GPURUN_OK);
	CHECK_INT(gpurun_memory_copy(b, a, 1024, no_stream), GPURUN_OK);
	CHECK_INT(gpurun_memory_copy(host(back), b, 1024, no_stream), GPURUN_OK);
	CHECK(back[0] == 0x5a && back[1023] == 0x5a);
	CHECK_INT(gpurun_memory_free(a), GPURUN_OK);
	CHECK_INT(gpurun_memory_free(b), GPURUN_OK);
}

static void test_refused(void)
{
	uint64_t address = alloc(4096), none = 1;

	CHECK_INT(gpurun_memory_alloc(device, 0, GPURUN_MEMORY_DEVICE, &none), GPURUN_OK);
	CHECK_INT(none, 0);
	CHECK_INT(gpurun_memory_free(0), GPURUN_OK);
	CHECK_INT(gpurun_memory_free(address + 1), GPURUN_INVALID);
	CHECK_HAS(gpurun_error_text(), "not the start");
	CHECK_INT(gpurun_memory_free(4096), GPURUN_INVALID);
	CHECK_INT(gpurun_memory_alloc(device, 16, (enum gpurun_memory_kind)9, &none),
		  GPURUN_INVALID);
	CHECK_INT(gpurun_memory_alloc(device, 16, GPURUN_MEMORY_DEVICE, NULL), GPURUN_INVALID);
	CHECK_INT(gpurun_memory_fill(address, 0, 3, 4, no_stream), GPURUN_INVALID);
	CHECK_HAS(gpurun_error_text(), "3 bytes");
	CHECK_INT(gpurun_memory_copy(0, address, 16, no_stream), GPURUN_INVALID);
	if (getenv("GPURUN_DEVICE") && !strncmp(getenv("GPURUN_DEVICE"), "cpu", 3)) {
		CHECK_INT(gpurun_memory_copy(address, 16, 10, no_stream), GPURUN_INVALID);
		CHECK_HAS(gpurun_error_text(), "10 bytes at 0x10, which is no device memory");
	}
	CHECK_INT(gpurun_memory_copy(0, 0, 0, no_stream), GPURUN_OK);
	CHECK_INT(gpurun_memory_free(address), GPURUN_OK);
}

static void test_exhausted(void)
{
	uint64_t address = 1;

	CHECK_INT(gpurun_memory_alloc(device, (uint64_t)1 << 50, GPURUN_MEMORY_DEVICE, &address),
		  GPURUN_NO_MEMORY);
	CHECK_INT(address, 0);
	CHECK_HAS(gpurun_error_text(), "are free on device 0");
	CHECK_INT(gpurun_error_driver(), 2);
	address = alloc(1024);
	CHECK(address != 0);
	CHECK_INT(gpurun_memory_free(address), GPURUN_OK);
}

static void test_registered(void)
{
	static _Alignas(4096) uint8_t mine[8192];

	CHECK_INT(gpurun_memory_register(mine, sizeof(mine)), GPURUN_OK);
	CHECK(gpurun_memory_register(mine, sizeof(mine)) != GPURUN_OK);
	CHECK_INT(gpurun_memory_free(host(mine)), GPURUN_INVALID);
	CHECK_INT(gpurun_memory_unregister(mine), GPURUN_OK);
	CHECK_INT(gpurun_memory_unregister(mine), GPURUN_INVALID);
	CHECK_INT(gpurun_memory_register(NULL, 10), GPURUN_INVALID);
}

/* Every address of a block leads to it, and no other address does. */
static void test_info(void)
{
	static char registered[64];
	struct gpurun_memory_info info = { .struct_size = sizeof(info) };

	for (int kind = GPURUN_MEMORY_DEVICE; kind <= GPURUN_MEMORY_MANAGED; kind++) {
		uint64_t address;

		CHECK_INT(gpurun_memory_alloc(device, 100, (enum gpurun_memory_kind)kind,
					      &address), GPURUN_OK);
		for (int at = 0; at < 100; at += 33) {
			CHECK_INT(gpurun_memory_get_info(address + (uint64_t)at, &info),
				  GPURUN_OK);
			CHECK(info.base == address && info.device.id == device.id);
			CHECK_INT(info.size, 100);
			CHECK_INT(info.kind, kind);
		}
		CHECK_INT(gpurun_memory_get_info(address + 100, &info), GPURUN_NOT_FOUND);
		CHECK_INT(gpurun_memory_free(address), GPURUN_OK);
		CHECK_INT(gpurun_memory_get_info(address, &info), GPURUN_NOT_FOUND);
		CHECK_HAS(gpurun_error_text(), "is in no allocation");
	}
	CHECK_INT(gpurun_memory_register(registered, sizeof(registered)), GPURUN_OK);
	CHECK_INT(gpurun_memory_get_info(host(registered), &info), GPURUN_NOT_FOUND);
	CHECK_INT(gpurun_memory_unregister(registered), GPURUN_OK);
	CHECK_INT(gpurun_memory_get_info(0, &info), GPURUN_NOT_FOUND);
	CHECK_INT(gpurun_memory_get_info(host(registered), NULL), GPURUN_INVALID);
}

/* Only what the caller has room for is written. */
static void test_info_size(void)
{
	struct gpurun_memory_info info = { .struct_size = sizeof(info) };
	uint64_t address = alloc(100);

	info.struct_size = offsetof(struct gpurun_memory_info, kind);
	CHECK_INT(gpurun_memory_get_info(address + 99, &info), GPURUN_OK);
	CHECK(info.base == address && !info.kind && !info.device.id);
	info.struct_size = 0;
	CHECK_INT(gpurun_memory_get_info(address, &info), GPURUN_INVALID);
	CHECK_INT(gpurun_memory_free(address), GPURUN_OK);
}

static void test_many(void)
{
	uint64_t blocks[500];

	for (int i = 0; i < 500; i++)
		blocks[i] = alloc(1 + (uint64_t)i * 17);
	for (int i = 0; i < 500; i++)
		CHECK_INT(gpurun_memory_free(blocks[(i * 181) % 500]), GPURUN_OK);
}

int main(void)
{
	if (!up())
		return 1;
	RUN(test_kinds);
	RUN(test_waiting);
	RUN(test_refused);
	RUN(test_exhausted);
	RUN(test_registered);
	RUN(test_info);
	RUN(test_info_size);
	RUN(test_many);
	gpurun_shutdown();
	return tap_end();
}
